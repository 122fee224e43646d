//! What is known of the readers of a tensor in a group, as the walk back comes by them.

use super::boxes::level_of;
use super::sweep::Sweep;

/// The readers of one tensor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Readers {
    /// Whether one reads the tensor, not just a view of it: a view of what comes from outside is not part of the group, so that
    /// its tiles do not tell what they show.
    pub any_reads_itself: bool,
    /// The most cuts around anything that depends on the tensor.
    pub deepest: usize,
}

impl Sweep<'_> {
    /// What is known of the readers of a tensor.
    pub(super) fn readers(&self, tensor: usize) -> Readers {
        self.readers.get(tensor).copied().unwrap_or_default()
    }

    /// Notes that an operator reads its operands. What nobody needs is not computed, and is in no cut.
    pub(super) fn note_reads(&mut self, op: usize) {
        let operator = &self.graph.operators[op];
        let behind = operator.results.iter().map(|&tensor| self.readers(tensor).deepest);
        let deepest =
            self.loop_spans(op).map_or(0, |spans| behind.fold(level_of(spans), usize::max));
        for &(tensor, _) in &operator.operands {
            if tensor >= self.readers.len() {
                self.readers.resize(tensor + 1, Readers::default());
            }
            let readers = &mut self.readers[tensor];
            readers.any_reads_itself |= !operator.is_view;
            readers.deepest = readers.deepest.max(deepest);
        }
    }
}
