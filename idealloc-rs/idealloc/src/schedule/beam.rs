//! A good schedule soon: the cheapest states of each depth, and only those.
//!
//! Where the exact search is cut short, this is what it has; where it is not, its cost keeps dearer states out.

use super::bit_set::BitSet;
use super::budget::Budget;
use super::downsets::{Downsets, TooWide};
use super::forced::ForcedEvictions;
use super::options::Reductions;
use super::parts::Parts;
use super::path::Path;
use super::reduce::Reduced;
use super::step::{Child, State, Stepper};
use super::traffic::{known_ahead, price};

/// Sets of tensors to evict that are tried for one macro, those with the largest tensors first.
const MOST_CHOICES: usize = 32;

/// A state of one depth, with the way to it.
#[derive(Clone, Copy, Debug)]
struct Entry<const W: usize> {
    state: State<W>,
    /// Cost and bound of the cost to come.
    value: u64,
    parent: u32,
    by: u32,
    evicted: BitSet<W>,
}

/// Follows the `width` best states of each depth to the end; `None` if all of them get stuck, memory ends, or it is cancelled.
///
/// O(macros · width) expansions.
pub(super) fn search<const W: usize>(
    reduced: &Reduced,
    capacity: u64,
    width: usize,
    parts: Option<&Parts>,
    budget: &Budget<'_>,
) -> Result<Option<Path>, TooWide> {
    // Orders are what a beam has many of: of the rules, only those that look at one state at a time are used.
    let reductions = Reductions { canonical_last: false, ..Reductions::default() };
    let downsets = Downsets::new(reduced, reductions.defer_sources)?;
    let mut stepper = Stepper::new(downsets, capacity, reductions, MOST_CHOICES);
    let mut forced = ForcedEvictions::new(reduced, capacity);
    let mut ahead = Vec::new();
    let first = Stepper::first();
    let start = Entry { state: first, value: 0, parent: 0, by: 0, evicted: BitSet::EMPTY };
    let mut levels = vec![vec![start]];
    let mut children: Vec<Child<W>> = Vec::new();
    let mut kept = 1;
    for _ in 0..reduced.macros.len() {
        let mut next: Vec<Entry<W>> = Vec::new();
        let level = &levels[levels.len() - 1];
        for (parent, entry) in level.iter().enumerate() {
            let entries = kept + next.len();
            let bytes = entries * size_of::<Entry<W>>() + stepper.downsets.held() + forced.held();
            if budget.control().is_cancelled() || !budget.has_room_for(bytes) {
                return Ok(None);
            }
            stepper.children(entry.state, |_, _| u64::MAX, &mut children)?;
            next.extend(children.iter().map(|child| {
                let (state, lattice) = (child.state, &stepper.downsets.lattice);
                let by_parts = known_ahead(parts, &mut ahead, lattice, state.downset);
                let still = forced.bound(&stepper.downsets, state).max(by_parts);
                let value = state.cost + still;
                Entry { state, value, parent: parent as u32, by: child.by, evicted: child.evicted }
            }));
        }
        next.sort_unstable_by_key(|e| {
            let s = &e.state;
            (e.value, s.bytes, s.downset, s.resident, s.dirty, e.parent, e.by)
        });
        next.dedup_by_key(|e| (e.state.downset, e.state.resident, e.state.dirty));
        let next = unbeaten(&stepper.downsets, next, width);
        if next.is_empty() {
            return Ok(None);
        }
        kept += next.len();
        levels.push(next);
    }
    Ok(Some(trace(&stepper.downsets, &levels)))
}

/// The first `width` of some entries that no earlier one of the same downset beats.
fn unbeaten<const W: usize>(
    downsets: &Downsets<'_, W>,
    entries: Vec<Entry<W>>,
    width: usize,
) -> Vec<Entry<W>> {
    let mut kept: Vec<Entry<W>> = Vec::new();
    for entry in entries {
        if kept.len() == width {
            break;
        }
        let state = entry.state;
        let is_beaten = kept.iter().any(|other| {
            let other = other.state;
            let (a, b) = ((other.resident, other.dirty), (state.resident, state.dirty));
            let more = state.cost.checked_sub(other.cost);
            other.downset == state.downset
                && more
                    .is_some_and(|more| price(&downsets.sizes(state.downset), a, b, more).is_some())
        });
        if !is_beaten {
            kept.push(entry);
        }
    }
    kept
}

/// The way to the first entry of the last level.
fn trace<const W: usize>(downsets: &Downsets<'_, W>, levels: &[Vec<Entry<W>>]) -> Path {
    let mut steps = Vec::new();
    let mut at = 0;
    for depth in (1..levels.len()).rev() {
        let entry = &levels[depth][at];
        let parent = &levels[depth - 1][entry.parent as usize];
        let State { downset, resident, .. } = parent.state;
        steps.push(downsets.step(downset, entry.by, entry.evicted, resident));
        at = entry.parent as usize;
    }
    steps.reverse();
    Path { steps, cost: levels[levels.len() - 1][0].state.cost }
}
