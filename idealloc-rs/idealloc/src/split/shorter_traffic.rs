//! Other grids for groups of least traffic.

use super::end_layer::EndLayer;
use super::grids::Grid;
use super::group::{Form, Group};
use super::layers::Layers;
use super::layout::Layout;
use super::machine::{Length, Machine};
use super::settle::Settled;
use super::shorter::{Choice, Goal, Key, Look};
use super::sweep::Sweep;
use super::tally::{Neighbours, Tally};

/// Groups of least traffic, laid out for a machine.
pub(super) struct Traffic<'a> {
    pub layers: &'a Layers,
    /// All layers.
    pub ends: &'a [EndLayer],
    pub machine: Machine,
}

impl Traffic<'_> {
    /// The tensor that a group finds on chip, in the window of its last layer.
    fn newest(&self, group: &Group) -> Option<usize> {
        let end = &self.ends[group.last_layer];
        end.newest(self.layers, group.first_layer).filter(|_| group.starts_on_chip)
    }

    /// Finds out about another grid for a group on a machine.
    fn look_on(&self, machine: Machine, group: &Group, grid: &Grid) -> Look {
        let end = &self.ends[group.last_layer];
        let window = &end.window;
        let Grid { loops, cuts } = grid.counted_from(end.last);
        let sweep = Sweep::new(&window.graph, end.last, loops, cuts, &window.is_output);
        let mut tally = Tally::new(sweep, machine, true);
        tally.extend(end.first_op(self.layers, group.first_layer));
        let mut layout = Layout::new(&tally);
        if !tally.can_be_cut() || tally.recomputes_too_much() {
            return Look { choice: None, merged: Some(layout.cuts_with_merged_ends()) };
        }
        let newest = self.newest(group);
        layout.start_over(Neighbours { newest, keeps_result: group.ends_on_chip });
        if layout.settle(|_| true) != Settled::Fits {
            return Look::NO_ROOM;
        }
        let merged = Some(layout.cuts_with_merged_ends());
        let cost = layout.cost(false);
        let length = Length { operators: layout.code(), operations: layout.operations() };
        let form = Form::of(&mut layout, cost, machine.capacity);
        let price = cost.traffic + cost.transfers * machine.transfer_bytes;
        Look { choice: Some(Choice { grid: grid.clone(), form, price, length }), merged }
    }
}

impl Goal for Traffic<'_> {
    fn key(&self, group: &Group) -> Key {
        let looks = self.ends[group.last_layer].looks[group.last_layer - group.first_layer];
        // Slices are looked at apart only where the group has none that are joined.
        let joins = 2 * i64::from(!group.joined_views.is_empty());
        let around = [i64::from(group.starts_on_chip) + joins, group.ends_on_chip.into()];
        (looks, around, group.grid.counted_from(group.last_op))
    }

    fn look(&self, group: &Group, grid: &Grid) -> Look {
        let look = self.look_on(self.machine, group, grid);
        let has_room = look.merged.is_some();
        if has_room || !self.machine.joins_slices || !group.joined_views.is_empty() {
            return look;
        }
        // The group may be one that was found with slices apart, which take less room.
        self.look_on(Machine { joins_slices: false, ..self.machine }, group, grid)
    }

    fn with(&self, group: &Group, choice: &Choice) -> Group {
        let end = &self.ends[group.last_layer];
        let layers = (group.first_layer, group.last_layer);
        let around = (group.starts_on_chip, group.ends_on_chip);
        let grid = choice.grid.counted_from(end.last);
        let new = Group::of(&end.window, &choice.form, &grid, end.last, layers, around);
        let (bytes, moves) = end.saving_cost(self.newest(group));
        new.with_moves(bytes, moves)
    }
}
