//! What is found out about a group on a walk back from its last layer, by peak.
//!
//! What was found out for one goal holds for the others, and for all groups that look alike.

use rustc_hash::FxHashMap;

use super::grids::Grid;
use super::layers::Layers;
use super::layout::Layout;
use super::machine::Machine;
use super::peak_end::PeakEnd;
use super::sweep::{Span, Sweep};
use super::tally::Tally;
use super::track_pool::TrackPool;

/// A grid among those of a layer: 0 cuts nothing; then a few, then all, then those that keep their halo along two cuts.
pub(super) type GridNumber = u32;

/// What is known of a group under one grid from a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Bytes that are kept between tiles and made in one, at the least.
    pub room: i64,
    /// Multiply-adds of all tiles.
    pub work: i64,
    /// Those that are needed, each once.
    pub least_work: i64,
    /// Whether the first layer is computed whole.
    pub is_whole: bool,
    /// Whether its tiles alone do not tell what results beside the last one follow.
    pub follows_from_outside: bool,
}

impl Step {
    /// Whether more is computed again than the machine allows, even if layers with so much work are added that is done
    /// once.
    pub fn recomputes_too_much(&self, machine: Machine, more: i64) -> bool {
        let most = (self.least_work as f64) * machine.max_recompute;
        self.work as f64 > most + (machine.max_recompute - 1.0).max(0.0) * more.max(0) as f64
    }
}

/// What is known of a group that was laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Whether tiles can keep what the next ones need; if not, nothing else is known.
    pub can_keep: bool,
    /// Bytes of whole tensors around the group whose room is free after their last reader.
    pub dying: i64,
    /// Bytes on chip at the most beside those around the group.
    pub own_peak: i64,
    /// Where there are more, counting stopped.
    pub counted_to: i64,
}

impl Room {
    /// Whether that is all there is to know where the memory has so many bytes.
    pub fn is_enough(&self, capacity: i64) -> bool {
        !self.can_keep || self.own_peak <= self.counted_to || capacity <= self.counted_to
    }
}

/// What one of the two parts of the grids of all layers has found out.
#[derive(Debug, Default)]
pub(super) struct Note {
    pub tracks: TrackPool,
    pub steps: FxHashMap<(u32, GridNumber), Step>,
    pub rooms: FxHashMap<(u32, GridNumber), Room>,
    /// Operators in the code of groups.
    pub codes: FxHashMap<(u32, GridNumber), i64>,
    /// The same, at the least.
    pub least_codes: FxHashMap<(u32, GridNumber), i64>,
    /// For probes whether the first layer of a group is computed whole.
    pub wholes: FxHashMap<(u32, usize), bool>,
}

/// What was found out. It changes how long a search takes; what it finds only if a longer group takes less room than a
/// shorter one that it holds.
pub(super) type Notes = [Note; 2];

/// A walk back under one grid, as far as something had to be found out.
pub(super) struct Walk<'g, 'a> {
    layers: &'a Layers,
    end: &'a PeakEnd,
    pub grid: &'g Grid,
    tally: Option<Tally<'a>>,
}

impl<'g, 'a> Walk<'g, 'a> {
    pub fn new(layers: &'a Layers, end: &'a PeakEnd, grid: &'g Grid) -> Self {
        Self { layers, end, grid, tally: None }
    }

    /// The group of so many layers, less one; tensors from outside are not counted.
    fn uncounted(
        &mut self,
        depth: usize,
        machine: Machine,
        tracks: &mut TrackPool,
    ) -> &mut Tally<'a> {
        let Self { layers, end, grid, ref mut tally } = *self;
        let tally = tally.get_or_insert_with(|| {
            let window = &end.window;
            let tracks = grid.cuts.iter().map(|cut| tracks.take(cut)).collect();
            let (loops, is_output) = (grid.loops.clone(), &window.is_output);
            let sweep = Sweep::with_tracks(&window.graph, end.last, loops, tracks, is_output);
            Tally::new(sweep, machine, true)
        });
        tally.extend_uncounted(end.first_op(layers, end.last_layer - depth));
        tally
    }

    /// The group of so many layers, less one.
    pub fn counted(
        &mut self,
        depth: usize,
        machine: Machine,
        tracks: &mut TrackPool,
    ) -> &Tally<'a> {
        let tally = self.uncounted(depth, machine, tracks);
        tally.count_anew();
        tally
    }

    /// Keeps the tables for others.
    pub fn end(self, tracks: &mut TrackPool) {
        if let Some(tally) = self.tally {
            tracks.give_back(tally.sweep.tracks);
        }
    }

    /// Whether the first layer of a group is computed whole, and is not the only one.
    pub fn is_whole(&mut self, depth: usize, machine: Machine, tracks: &mut TrackPool) -> bool {
        let next = self.end.last_layer - depth + 1;
        let second = self.end.first_op(self.layers, next);
        depth > 0 && self.uncounted(depth, machine, tracks).is_whole(second)
    }

    /// What is known of a group without its layout.
    pub fn step(&mut self, depth: usize, machine: Machine, tracks: &mut TrackPool) -> Step {
        let is_whole = self.is_whole(depth, machine, tracks);
        let tally = self.uncounted(depth, machine, tracks);
        Step {
            room: tally.least_room(true),
            work: tally.work,
            least_work: tally.least_work,
            is_whole,
            follows_from_outside: tally.sweep.follows_from_outside(),
        }
    }

    /// Lays out a group.
    pub fn room(&mut self, depth: usize, machine: Machine, tracks: &mut TrackPool) -> Room {
        let end = self.end;
        let tally = self.counted(depth, machine, tracks);
        let mut room = Room {
            can_keep: tally.can_keep(),
            dying: 0,
            own_peak: 0,
            counted_to: machine.capacity,
        };
        if room.can_keep || tally.sweep.loops.is_empty() {
            room.can_keep = true;
            let (mut layout, dying) = laid_out(end, tally, 0);
            layout.count_peak(machine.capacity.saturating_add(layout.resident_bytes));
            room.dying = dying;
            room.own_peak = layout.cost(false).peak - layout.resident_bytes;
        }
        room
    }
}

/// Lays out a group with so many bytes of whole tensors around it; returns those of them whose room is free after their
/// last reader, or is that of a result that is written over them, too.
pub(super) fn laid_out<'s, 'a>(
    end: &PeakEnd,
    tally: &'s Tally<'a>,
    around: i64,
) -> (Layout<'s, 'a>, i64) {
    let mut layout = Layout::new(tally);
    let is_split = !tally.sweep.loops.is_empty();
    let window = &end.window;
    let mut dying = 0;
    for external in &mut layout.externals {
        let data = &window.graph.tensors[external.tensor];
        let is_from_outside = data.is_argument || data.is_constant;
        external.dies = !is_split && !is_from_outside && !window.is_output[external.tensor];
        if external.dies {
            // Its room is free after the last reader, not before, whatever is read of it.
            external.spans = data.shape.iter().map(|&n| Span::Fixed(0, n)).collect();
            dying += tally.machine.align(data.bytes());
        }
    }
    if is_split {
        layout.over = layout.written_over(|tensor| {
            let data = &window.graph.tensors[tensor];
            !data.is_argument && !data.is_constant && !window.is_output[tensor]
        });
    }
    let bytes = |tensor: usize| tally.machine.align(window.graph.tensors[tensor].bytes());
    dying += layout.over.iter().map(|pair| bytes(pair.tensor)).sum::<i64>();
    layout.resident_bytes = around - dying;
    layout.assign();
    (layout, dying)
}
