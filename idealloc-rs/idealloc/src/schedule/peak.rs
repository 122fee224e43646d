//! Least peak without moving anything: best-first over downsets, by the largest footprint so far (COSMA III-E1).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use super::downsets::{DownsetIdx, Downsets, Mask, Move, TooWide};
use super::options::SearchOptions;
use super::path::{Path, Step};
use super::reduce::Reduced;
use super::traffic::Found;
use crate::control::Control;
use crate::plan::StopReason;

/// How many expansions pass between looks at the clock and at cancellation.
const POLL: u64 = 1024;

/// A downset on the best way found to it.
#[derive(Clone, Copy, Debug)]
struct Reached {
    peak: u64,
    parent: DownsetIdx,
    by: u32,
    is_done: bool,
}

/// Searches for the order whose largest number of bytes on chip is least; `Found::bound` is that number.
///
/// A move that holds no more than was held before, and leaves no more than it found, is taken at once: it could be
/// moved to the front of any continuation. Exponential in the width of the graph at worst.
pub(super) fn search(
    reduced: &Reduced,
    options: &SearchOptions,
    control: &Control,
) -> Result<Found, TooWide> {
    let began = Instant::now();
    let mut downsets = Downsets::new(reduced)?;
    let first = downsets.first();
    let least = reduced.macros.iter().map(|m| {
        let read: u64 = m.inputs.iter().map(|&i| reduced.items[i as usize].bytes).sum();
        (read + m.enter).max(m.hill)
    });
    let least = least.max().unwrap_or(0);
    let mut reached = vec![Some(Reached { peak: least, parent: first, by: 0, is_done: false })];
    // What is on chip follows from the downset: all that is live, less inputs that nobody has read yet.
    let mut open = BinaryHeap::new();
    open.push((Reverse(least), 0u32, Reverse(first)));
    let (mut expanded, mut bound) = (0u64, least);
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
        expanded += 1;
        if expanded % POLL == 0 {
            control.add_work(POLL);
            control.publish(0, bound);
            if control.is_cancelled() {
                stop = StopReason::Cancelled;
                break;
            }
            if options.time_limit.is_some_and(|limit| began.elapsed() >= limit) {
                stop = StopReason::TimeLimit;
                break;
            }
        }
        if options.max_states.is_some_and(|most| expanded > most) {
            stop = StopReason::WorkLimit;
            break;
        }
        downsets.expand(at)?;
        reached.resize(downsets.len(), None);
        let resident = resident(&downsets, at);
        let held = downsets.sum(at, resident);
        let mut steps: Vec<(u32, u64)> = Vec::new();
        for (i, by) in downsets.get(at).moves.iter().enumerate() {
            let most = footprint(&downsets, at, resident, held, by);
            let is_free = options.reductions.free_move
                && most <= peak
                && by.inputs & !resident == 0
                && by.made_bytes <= by.dying_bytes;
            if is_free {
                steps.clear();
                steps.push((i as u32, most));
                break;
            }
            steps.push((i as u32, most));
        }
        for (i, most) in steps {
            let to = downsets.get(at).moves[i as usize].to;
            let most = most.max(peak);
            let entry = &mut reached[to.0 as usize];
            if entry.is_none_or(|r| r.peak > most) {
                *entry = Some(Reached { peak: most, parent: at, by: i, is_done: false });
                open.push((Reverse(most), downsets.get(to).depth, Reverse(to)));
            }
        }
    }
    let path = goal.map(|goal| trace(&downsets, &reached, goal));
    let count = downsets.len() as u64;
    Ok(Found { path, bound, stop, expanded, downsets: count })
}

fn resident(downsets: &Downsets<'_>, at: DownsetIdx) -> Mask {
    let live = &downsets.get(at).live;
    let mut set = 0;
    for (bit, &item) in live.iter().enumerate() {
        let item = &downsets.reduced.items[item as usize];
        let is_here =
            item.producer.is_some() || item.consumers.iter().any(|&c| downsets.contains(at, c));
        set |= if is_here { 1u128 << bit } else { 0 };
    }
    set
}

/// Most bytes on chip while a move runs.
fn footprint(downsets: &Downsets<'_>, at: DownsetIdx, resident: Mask, held: u64, by: &Move) -> u64 {
    let held = held + downsets.sum(at, by.inputs & !resident);
    (held + by.enter).max(held - by.dying_bytes + by.hill)
}

fn trace(downsets: &Downsets<'_>, reached: &[Option<Reached>], goal: DownsetIdx) -> Path {
    let mut steps = Vec::new();
    let mut at = goal;
    while let Some(r) = reached[at.0 as usize].filter(|_| at != downsets.first()) {
        let by = &downsets.get(r.parent).moves[r.by as usize];
        steps.push(Step { step: by.step, evicted_before: Vec::new(), evicted_inside: Vec::new() });
        at = r.parent;
    }
    steps.reverse();
    Path { steps, cost: 0 }
}
