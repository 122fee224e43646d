//! States from which nothing was found, and what of the past that depended on.

use std::collections::HashMap;

use super::super::bit_set::BitSet;
use super::super::lattice::DownsetIdx;
use super::super::step::State;

/// One end of an overlap, seen from a state: a stay that is over, or the present one of a tensor on chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PastStay {
    Over(u32),
    Present(u32),
}

/// Two ends.
pub(super) type PastOverlap = (PastStay, PastStay);

/// One failure.
#[derive(Clone, Debug)]
struct Failure {
    /// Bytes that could still be moved.
    slack: u64,
    /// Bytes that any way to the end moves under the same past.
    least: u64,
    past: Vec<PastOverlap>,
}

/// Failures by state.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures<const W: usize> {
    by_state: HashMap<(DownsetIdx, BitSet<W>, BitSet<W>), Vec<Failure>>,
    /// Bytes of all failures.
    bytes: usize,
}

impl Failure {
    const fn held(&self) -> usize {
        size_of::<Self>() + self.past.len() * size_of::<PastOverlap>()
    }
}

impl<const W: usize> Failures<W> {
    /// Bytes taken, about.
    pub fn held(&self) -> usize {
        self.by_state.len() * size_of::<(State<W>, Vec<Failure>)>() + self.bytes
    }

    /// Remembers that nothing was found with `slack`, and that `least` bytes are needed where `past` holds.
    pub fn remember(&mut self, state: State<W>, slack: u64, least: u64, past: Vec<PastOverlap>) {
        let key = (state.downset, state.resident, state.dirty);
        let new = Failure { slack, least, past };
        let past = &new.past;
        let known = self.by_state.entry(key).or_default();
        known.retain(|old| {
            let is_kept = old.slack > slack || old.past.len() < past.len() || {
                !past.iter().all(|pair| old.past.contains(pair))
            };
            self.bytes -= if is_kept { 0 } else { old.held() };
            is_kept
        });
        self.bytes += new.held();
        known.push(new);
    }

    /// A failure that applies: what is needed, and the past that makes it so.
    pub fn find(
        &self,
        state: State<W>,
        slack: u64,
        holds: impl Fn(PastOverlap) -> bool,
    ) -> Option<(u64, &[PastOverlap])> {
        self.by_state
            .get(&(state.downset, state.resident, state.dirty))?
            .iter()
            .find(|failure| failure.slack >= slack && failure.past.iter().all(|&pair| holds(pair)))
            .map(|failure| (failure.least, failure.past.as_slice()))
    }
}
