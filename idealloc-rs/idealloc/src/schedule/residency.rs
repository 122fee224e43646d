//! What a scheduler returns.

use super::graph::{Graph, OpIdx, TensorIdx};
use crate::plan::StopReason;

/// One stay of a tensor on chip, over the positions `[start, end)` of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// The tensor.
    pub tensor: TensorIdx,
    /// Position of the operator that makes it, or that it is loaded for.
    pub start: usize,
    /// One past the position of the last operator that uses it during this stay.
    pub end: usize,
    /// Offset in bytes.
    pub offset: u64,
    /// Whether it is read from off-chip memory at the start; otherwise it is made there.
    pub is_loaded: bool,
    /// Whether it is written to off-chip memory at the end.
    pub is_spilled: bool,
}

/// Order, stays and addresses, with what is proved about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The operators in the order in which they run.
    pub order: Vec<OpIdx>,
    /// The stays, by start, then tensor.
    pub residencies: Vec<Residency>,
    /// Most bytes on chip at once.
    pub load: u64,
    /// Max of offset + size.
    pub peak: u64,
    /// Bytes moved beyond the compulsory first reads of inputs and writes of outputs.
    pub traffic: u64,
    /// The best lower bound that is proved: of `traffic`, or for a search of least peak of `peak`.
    pub bound: u64,
    /// Sets of operators, none in two of them, whose own bounds add up to a bound of `traffic`; none where the search of
    /// the whole came to its end first.
    pub parts: Vec<Vec<OpIdx>>,
    /// Why the search stopped; `Optimal` if the value equals the bound.
    pub stop: StopReason,
    /// Counters by name.
    pub statistics: Vec<(&'static str, u64)>,
}

/// When a stay takes room, in halves of a position: `[start, end)`.
///
/// In the first half of an operator all that it reads is there, in the second all that it makes: what it may write over
/// something takes no room before, and what may be written over none after, where the stay ends there. An operator that
/// writes only over what comes back for it needs its results from the start, and that no room at all.
pub(super) fn halves(graph: &Graph, order: &[OpIdx], stay: &Residency) -> (usize, usize) {
    let is_in = |list: &[TensorIdx]| usize::from(list.binary_search(&stay.tensor).is_ok());
    let (first, last) =
        (&graph.ops[order[stay.start].get()], &graph.ops[order[stay.end - 1].get()]);
    let late = if first.reloads { 0 } else { is_in(&first.overwriting) };
    let early = match (last.reloads, stay.is_loaded && stay.start + 1 == stay.end) {
        (false, _) => is_in(&last.overwritten),
        (true, true) => 2 * is_in(&last.overwritten),
        (true, false) => 0,
    };
    (2 * stay.start + late, 2 * stay.end - early)
}

/// Most bytes on chip at once. O(stays + positions).
pub(super) fn load(graph: &Graph, order: &[OpIdx], residencies: &[Residency]) -> u64 {
    let end = 2 * order.len();
    // Bytes that come and go before each position.
    let mut change = vec![(0u64, 0u64); end + 1];
    for r in residencies {
        let bytes = graph.tensors[r.tensor.get()].bytes;
        let (start, end) = halves(graph, order, r);
        change[start].0 += bytes;
        change[end].1 += bytes;
    }
    let (mut now, mut most) = (0u64, 0u64);
    for (come, gone) in change {
        // What comes and goes at one position takes no room: added first, as it may be all there is.
        now = now + come - gone;
        most = most.max(now);
    }
    most
}
