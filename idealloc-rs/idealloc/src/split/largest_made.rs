//! Room in the middle tile of what a group makes, counted on while layers are added before it: the largest result, together
//! with what is made of it. Many groups that do not fit are told by that.

use super::boxes::level_of;
use super::graph::Access;
use super::shifted_pad::is_padding;
use super::tally::Tally;

/// Bytes in the middle tile of the largest of some tensors.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Largest {
    /// Of all.
    pub all: i64,
    /// Of those that lie in nothing that stays on chip.
    pub inside: i64,
}

impl Largest {
    fn max(self, other: Self) -> Self {
        Self { all: self.all.max(other.all), inside: self.inside.max(other.inside) }
    }
}

impl Tally<'_> {
    /// Counts what an operator makes, and notes for what it reads that this is made while that is on chip.
    pub(super) fn count_room(&mut self, index: usize) {
        let op = &self.graph.operators[index];
        for &tensor in &op.results {
            self.known[tensor].may_stay |= self.stays(tensor);
        }
        if op.is_view {
            self.show_room(index);
            return;
        }
        let may_stay = op.results.iter().any(|&tensor| self.known[tensor].may_stay);
        let held = op.in_place.iter().chain(op.parts.iter()).map(|&k| op.operands[k].0);
        let may_hold = |tensor: usize| held.clone().any(|other| other == tensor);
        // Padding may be there already, in one tensor with what is padded.
        let is_same = is_padding(self.graph, op);
        for (tensor, _) in &op.operands {
            self.known[*tensor].may_stay |= may_stay && (is_same || may_hold(*tensor));
        }
        // A slice may be all that exists at a time.
        if op.slice.is_some_and(|slice| !slice.is_last) {
            return;
        }
        let is_in_tiles = self.sweep.loop_spans(index).is_some_and(|spans| level_of(spans) > 0);
        let is_chained = op.slice.is_some();
        let mut largest = Largest::default();
        for &tensor in &op.results {
            let spans = self.sweep.tensor_spans(tensor);
            let elements = spans.map_or(0, |spans| self.sweep.window(spans, &self.middle));
            let bytes = elements * self.graph.tensors[tensor].element_bytes;
            let inside = if self.known[tensor].may_stay { 0 } else { bytes };
            let beside = self.known[tensor].beside;
            if is_in_tiles || beside.all > 0 {
                let beside = if is_chained { Largest::default() } else { beside };
                let with = Largest { all: bytes + beside.all, inside: inside + beside.inside };
                self.largest_made = self.largest_made.max(with);
            }
            largest = largest.max(Largest { all: bytes, inside });
        }
        if is_in_tiles && !is_chained && !is_same {
            for (tensor, access) in &op.operands {
                if *access != Access::Indirect && !may_hold(*tensor) {
                    self.known[*tensor].beside = self.known[*tensor].beside.max(largest);
                }
            }
        }
    }

    /// What a view shows is on chip, and may stay there, together with the view.
    pub(super) fn show_room(&mut self, index: usize) {
        let op = &self.graph.operators[index];
        let Some(&(shown, _)) = op.operands.first() else { return };
        let view = self.known[op.results[0]];
        self.known[shown].may_stay |= view.may_stay;
        // What is put behind what was kept is a copy.
        let spans = self.sweep.tensor_spans(op.results[0]);
        if !spans.is_some_and(|spans| self.sweep.has_overlap(spans)) {
            self.known[shown].beside = self.known[shown].beside.max(view.beside);
        }
    }

    /// Whether a tensor may stay on chip when the group ends: its result, and where nothing lies off chip whatever is read
    /// later.
    fn stays(&self, tensor: usize) -> bool {
        let result = self.graph.operators[self.sweep.last].results[0];
        tensor == result || (!self.machine.is_staged && self.is_output[tensor])
    }
}
