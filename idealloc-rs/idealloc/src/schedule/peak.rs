//! Least peak without moving anything: best-first over downsets, by the largest footprint so far (COSMA III-E1).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bit_set::BitSet;
use super::budget::Budget;
use super::downsets::{DownsetIdx, Downsets, TooWide};
use super::options::Reductions;
use super::path::{Path, Step};
use super::reduce::Reduced;
use super::traffic::Found;
use crate::plan::StopReason;

/// Most moves that are looked ahead for a descent.
const DESCENT_MOVES: usize = 2;

/// A downset on the best way found to it.
#[derive(Clone, Copy, Debug)]
struct Reached {
    peak: u64,
    parent: DownsetIdx,
    by: usize,
    is_done: bool,
}

/// Searches for the order whose largest number of bytes on chip is least; `Found::bound` is that number.
///
/// A move that holds no more than was held before, and leaves no more than it found, is taken at once: it could be
/// moved to the front of any continuation. Exponential in the width of the graph at worst.
pub(super) fn search<const W: usize>(
    reduced: &Reduced,
    reductions: Reductions,
    budget: &mut Budget<'_>,
) -> Result<Found, TooWide> {
    let mut downsets = Downsets::<W>::new(reduced, reductions.defer_sources)?;
    let first = downsets.first();
    let least = reduced.largest_need();
    let mut reached = vec![Some(Reached { peak: least, parent: first, by: 0, is_done: false })];
    // What is on chip follows from the downset: all that is live, less inputs that nobody has read yet.
    let mut open = BinaryHeap::new();
    open.push((Reverse(least), 0u32, Reverse(first)));
    let mut bound = least;
    let mut stop = StopReason::Infeasible;
    let mut goal = None;
    while let Some((Reverse(peak), _, Reverse(at))) = open.pop() {
        match &mut reached[at.0 as usize] {
            Some(r) if r.peak == peak && !r.is_done => r.is_done = true,
            _ => continue,
        }
        bound = bound.max(peak);
        if downsets.is_complete(at) {
            stop = StopReason::Optimal;
            goal = Some(at);
            break;
        }
        if let Some(reason) = budget.spend(bound) {
            stop = reason;
            break;
        }
        if downsets.is_full() {
            stop = StopReason::WorkLimit;
            break;
        }
        let descent = if reductions.free_move {
            descend(&mut downsets, at, peak, DESCENT_MOVES)?
        } else {
            None
        };
        downsets.expand(at);
        if let Some(moves) = descent {
            let (mut from, mut is_better) = (at, false);
            for by in moves {
                let to = downsets.target(from, by)?;
                is_better = improve(&mut reached, from, by, to, peak);
                from = to;
            }
            if is_better {
                open.push((Reverse(peak), downsets.get(from).depth, Reverse(from)));
            }
            continue;
        }
        let resident = resident(&downsets, at);
        let held = downsets.sum(at, resident);
        for by in 0..downsets.get(at).moves.len() {
            let most = footprint(&downsets, at, resident, held, by).max(peak);
            let to = downsets.target(at, by)?;
            if improve(&mut reached, at, by, to, most) {
                open.push((Reverse(most), downsets.get(to).depth, Reverse(to)));
            }
        }
    }
    let path = goal.map(|goal| trace(&downsets, &reached, goal));
    let count = downsets.len() as u64;
    Ok(Found { path, bound, stop, downsets: count })
}

/// Notes a way to a downset if it is the best so far.
fn improve(
    reached: &mut Vec<Option<Reached>>,
    from: DownsetIdx,
    by: usize,
    to: DownsetIdx,
    peak: u64,
) -> bool {
    let index = to.0 as usize;
    if index >= reached.len() {
        reached.resize(index + 1, None);
    }
    let is_better = reached[index].is_none_or(|r| r.peak > peak);
    if is_better {
        reached[index] = Some(Reached { peak, parent: from, by, is_done: false });
    }
    is_better
}

/// A few moves after which no more is held than before, and which hold no more than `peak` on the way.
///
/// They can be moved to the front of any continuation without loss, so nothing else need be tried.
fn descend<const W: usize>(
    downsets: &mut Downsets<'_, W>,
    from: DownsetIdx,
    peak: u64,
    most_moves: usize,
) -> Result<Option<Vec<usize>>, TooWide> {
    let resident_from = resident(downsets, from);
    let held_from = downsets.sum(from, resident_from);
    for depth in 1..=most_moves {
        let mut moves = Vec::new();
        if descend_from(downsets, from, held_from, peak, depth, &mut moves)? {
            return Ok(Some(moves));
        }
    }
    Ok(None)
}

fn descend_from<const W: usize>(
    downsets: &mut Downsets<'_, W>,
    at: DownsetIdx,
    target: u64,
    peak: u64,
    depth: usize,
    moves: &mut Vec<usize>,
) -> Result<bool, TooWide> {
    downsets.expand(at);
    let resident = resident(downsets, at);
    let held = downsets.sum(at, resident);
    for i in 0..downsets.get(at).moves.len() {
        let by = &downsets.get(at).moves[i];
        let held_after =
            held + downsets.sum(at, by.inputs.minus(resident)) + by.made_bytes - by.dying_bytes;
        if footprint(downsets, at, resident, held, i) > peak {
            continue;
        }
        if depth == 1 && held_after > target {
            continue;
        }
        moves.push(i);
        let found = depth == 1 || {
            let to = downsets.target(at, i)?;
            descend_from(downsets, to, target, peak, depth - 1, moves)?
        };
        if found {
            return Ok(true);
        }
        moves.pop();
    }
    Ok(false)
}

fn resident<const W: usize>(downsets: &Downsets<'_, W>, at: DownsetIdx) -> BitSet<W> {
    let live = &downsets.get(at).live;
    let mut set = BitSet::EMPTY;
    for (bit, &item) in live.iter().enumerate() {
        let item = &downsets.reduced.items[item as usize];
        let is_here =
            item.producer.is_some() || item.consumers.iter().any(|&c| downsets.contains(at, c));
        if is_here {
            set.insert(bit as u32);
        }
    }
    set
}

/// Most bytes on chip while a move runs.
fn footprint<const W: usize>(
    downsets: &Downsets<'_, W>,
    at: DownsetIdx,
    resident: BitSet<W>,
    held: u64,
    by: usize,
) -> u64 {
    let by = &downsets.get(at).moves[by];
    let held = held + downsets.sum(at, by.inputs.minus(resident));
    (held + by.enter).max(held - by.dying_bytes + by.hill)
}

fn trace<const W: usize>(
    downsets: &Downsets<'_, W>,
    reached: &[Option<Reached>],
    goal: DownsetIdx,
) -> Path {
    let mut steps = Vec::new();
    let mut at = goal;
    while let Some(r) = reached[at.0 as usize].filter(|_| at != downsets.first()) {
        let by = &downsets.get(r.parent).moves[r.by];
        steps.push(Step { step: by.step, evicted_before: Vec::new(), evicted_inside: Vec::new() });
        at = r.parent;
    }
    steps.reverse();
    Path { steps, cost: 0 }
}
