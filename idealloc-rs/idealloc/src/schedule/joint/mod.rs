//! Order, evictions and addresses searched together, where the best schedules of capacity alone cannot be packed.
//!
//! Logic-based Benders decomposition (Hooker and Ottosson 2003) as one depth-first search per value of traffic. A
//! schedule is a path through states; stays end right after the last use before an eviction, so what overlaps what is
//! known as the path grows. A complete path goes to a solver for packings. If that proves that there are no addresses,
//! the overlaps that it blames become a no-good: no path may have all of them again. A state that failed is remembered
//! with the overlaps of its past that the failure needed, and fails at once wherever these are there again. When a
//! value has no schedule, the bound rises to the least value that was left out.

mod activity;
mod ahead;
mod clauses;
mod conflict;
mod failures;
mod heights;
mod hint;
mod literal;
mod no_goods;
mod overlaps;
mod packing;
mod trail;
mod tree;

use super::budget::Budget;
use super::downsets::TooWide;
use super::graph::{Graph, OpIdx};
use super::options::Reductions;
use super::path::Eviction;
use super::reduce::Reduced;
use super::residency::Residency;
use crate::plan::StopReason;
use hint::Hint;
use tree::{End, Tree};

/// Most operators of a graph that is searched this way: the search is recursive.
const MOST_OPS: usize = 1000;

/// What the search proved.
#[derive(Debug)]
pub(super) struct Closed {
    /// A schedule with addresses that moves `bound` bytes, if one was found.
    pub schedule: Option<(Vec<OpIdx>, Vec<Residency>)>,
    /// Bytes that every schedule with addresses moves.
    pub bound: u64,
    /// Overlaps that were learned to be impossible to pack.
    pub clashes: u64,
    /// Why the search stopped: `Optimal` with a schedule, or once the bound has reached `upper`.
    pub stop: StopReason,
}

/// Whether a graph is small enough for the search, and nothing is written over anything: that overlap is not known here.
pub(super) fn is_possible(graph: &Graph) -> bool {
    graph.ops().len() <= MOST_OPS && graph.ops().iter().all(|op| op.overwriting.is_empty())
}

/// What is known before the search.
pub(super) struct Known {
    /// Bytes that every schedule moves.
    pub lower: u64,
    /// Bytes that the best schedule with addresses moves.
    pub upper: u64,
    /// Order and evictions that move `lower` bytes where capacity is all that counts: there the search begins.
    pub by_capacity: Option<(Vec<OpIdx>, Vec<Eviction>)>,
}

/// Looks for a schedule that moves from `known.lower` bytes on to less than `known.upper`.
///
/// Every macro of `reduced` is one operator. Exponential in the number of operators at worst; `budget` limits it.
pub(super) fn close<const W: usize>(
    graph: &Graph,
    reduced: &Reduced,
    capacity: u64,
    known: Known,
    seed: u64,
    reductions: Reductions,
    budget: &mut Budget<'_>,
) -> Result<Closed, TooWide> {
    let Known { lower, upper, by_capacity } = known;
    let mut closed =
        Closed { schedule: None, bound: lower, clashes: 0, stop: StopReason::WorkLimit };
    if !is_possible(graph) {
        return Ok(closed);
    }
    // Which operators are gathered, and which may wait, matters to addresses.
    let reductions =
        Reductions { glue: false, defer_sources: false, canonical_last: false, ..reductions };
    let hint = by_capacity.and_then(|(order, evictions)| Hint::new(graph, &order, &evictions));
    let mut tree = Tree::<W>::new(graph, reduced, capacity, seed, reductions)?;
    while closed.bound < upper {
        let end = tree.search(closed.bound, hint.clone(), budget)?;
        closed.clashes = tree.clashes();
        match end {
            End::Found(order, residencies) => {
                closed.schedule = Some((order, residencies));
                closed.stop = StopReason::Optimal;
                return Ok(closed);
            }
            End::Nothing { next } => closed.bound = next.min(upper),
            End::Stopped(stop) => {
                closed.stop = stop;
                return Ok(closed);
            }
        }
    }
    closed.stop = StopReason::Optimal;
    Ok(closed)
}
