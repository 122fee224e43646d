//! Other grids for groups of least peak.

use super::grids::Grid;
use super::group::{Form, Group};
use super::layers::Layers;
use super::machine::{Cost, Length, Machine};
use super::peak_end::PeakEnd;
use super::peak_walk::laid_out;
use super::shorter::{Choice, Goal, Key, Look};
use super::sweep::Sweep;
use super::tally::Tally;

/// Groups of least peak, laid out for a machine.
pub(super) struct Peak<'a> {
    pub layers: &'a Layers,
    /// All layers.
    pub ends: &'a [PeakEnd],
    pub machine: Machine,
}

impl Goal for Peak<'_> {
    fn key(&self, group: &Group) -> Key {
        let end = &self.ends[group.last_layer];
        let depth = group.last_layer - group.first_layer;
        let around = [end.around[depth], end.before[depth]];
        (end.looks[depth], around, group.grid.counted_from(group.last_op))
    }

    fn look(&self, group: &Group, grid: &Grid) -> Look {
        let end = &self.ends[group.last_layer];
        let depth = group.last_layer - group.first_layer;
        let window = &end.window;
        let is_split = !grid.loops.is_empty();
        let Grid { loops, cuts } = grid.counted_from(end.last);
        let sweep = Sweep::new(&window.graph, end.last, loops, cuts, &window.is_output);
        let mut tally = Tally::new(sweep, self.machine, true);
        tally.extend(end.first_op(self.layers, group.first_layer));
        let around = if is_split { end.around[depth] } else { end.before[depth] };
        let (mut layout, _) = laid_out(end, &tally, around);
        if is_split && !tally.can_be_cut() || tally.recomputes_too_much() {
            return Look { choice: None, merged: Some(layout.cuts_with_merged_ends()) };
        }
        layout.count_peak(self.machine.capacity);
        let all = layout.cost(false);
        if all.peak > self.machine.capacity {
            return Look::NO_ROOM;
        }
        let merged = Some(layout.cuts_with_merged_ends());
        let cost = Cost { peak: all.peak, work: tally.work, tiles: all.tiles, ..Cost::default() };
        let length = Length { operators: layout.code(), operations: layout.operations() };
        let form = Form::of(&mut layout, cost, self.machine.capacity);
        Look {
            choice: Some(Choice { grid: grid.clone(), form, price: tally.work, length }),
            merged,
        }
    }

    fn with(&self, group: &Group, choice: &Choice) -> Group {
        let end = &self.ends[group.last_layer];
        let layers = (group.first_layer, group.last_layer);
        let grid = choice.grid.counted_from(end.last);
        Group::of(&end.window, &choice.form, &grid, end.last, layers, (true, true))
    }
}
