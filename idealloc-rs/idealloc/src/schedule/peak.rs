//! Least peak without moving anything: best-first over downsets, by the largest footprint so far (COSMA III-E1).
//!
//! What is on chip follows from the downset: all that was made or read and has a reader still to run. So its bytes are
//! all that is kept of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::budget::Budget;
use super::lattice::{DownsetIdx, Lattice};
use super::options::Reductions;
use super::path::{Path, Step};
use super::reduce::Reduced;
use super::traffic::Found;
use crate::plan::StopReason;

/// What a macro does to the bytes on chip.
#[derive(Clone, Copy, Debug)]
struct Effect {
    /// Most bytes while it runs.
    footprint: u64,
    /// Bytes after it.
    held: u64,
}

/// A downset, and how it was reached first, which is best: from where, by which macro.
#[derive(Clone, Copy, Debug)]
struct Reached {
    held: u64,
    from: DownsetIdx,
    by: u32,
    is_reached: bool,
}

/// A macro that may run next: the least footprint on the way first, then the greatest depth, then the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    peak: Reverse<u64>,
    depth: u32,
    age: Reverse<u64>,
    from: DownsetIdx,
    by: u32,
}

/// Searches for the order whose largest number of bytes on chip is least; `Found::bound` is that number.
///
/// One macro, or two, that hold no more than was held before, and leave no more than they found, are run at once: they
/// could be moved to the front of any continuation. Exponential in the width of the graph at worst.
pub(super) fn search(reduced: &Reduced, reductions: Reductions, budget: &mut Budget<'_>) -> Found {
    let first = Lattice::FIRST;
    let mut search = Search {
        lattice: Lattice::new(reduced, reductions.defer_sources),
        reached: vec![Reached { held: 0, from: first, by: 0, is_reached: true }],
        open: BinaryHeap::new(),
        age: 0,
    };
    let mut bound = reduced.largest_need();
    let mut at = first;
    let mut stop = StopReason::Optimal;
    while !search.lattice.is_complete(at) {
        if let Some(reason) = budget.spend(bound, search.bytes()) {
            stop = reason;
            break;
        }
        let mut next = None;
        let descent = if reductions.free_move { search.descent(at, bound) } else { None };
        match descent {
            Some((by, None)) => next = search.go(at, by),
            Some((by, Some(then))) => {
                let middle = search.locate(at, by);
                // If it was met before, so was all that is worth trying from it, or will be.
                search.reach(middle, at, by);
                next = search.go(middle, then);
            }
            None => search.push_all(at, bound),
        }
        while next.is_none() {
            let Some(open) = search.open.pop() else { break };
            bound = bound.max(open.peak.0);
            next = search.go(open.from, open.by);
        }
        let Some(to) = next else {
            stop = StopReason::Infeasible;
            break;
        };
        at = to;
    }
    let path = (stop == StopReason::Optimal).then(|| search.trace(at));
    let downsets = search.lattice.len() as u64;
    Found { path, bound, stop, has_too_many_choices: false, downsets }
}

struct Search<'a> {
    lattice: Lattice<'a>,
    /// By downset.
    reached: Vec<Reached>,
    open: BinaryHeap<Open>,
    age: u64,
}

impl Search<'_> {
    /// Bytes taken.
    fn bytes(&self) -> usize {
        self.lattice.held()
            + self.reached.len() * size_of::<Reached>()
            + self.open.len() * size_of::<Open>()
    }

    /// The downset that a macro leads to.
    fn locate(&mut self, from: DownsetIdx, by: u32) -> DownsetIdx {
        let (to, is_new) = self.lattice.with(from, by);
        if is_new {
            let held = self.effect(from, None, self.reached[from.get()].held, by).held;
            self.reached.push(Reached { held, from, by, is_reached: false });
        }
        to
    }

    /// Notes a way to a downset if it is the first.
    fn reach(&mut self, to: DownsetIdx, from: DownsetIdx, by: u32) -> bool {
        let reached = &mut self.reached[to.get()];
        let is_first = !reached.is_reached;
        if is_first {
            *reached = Reached { held: reached.held, from, by, is_reached: true };
        }
        is_first
    }

    /// Where a macro leads, if nothing led there before.
    fn go(&mut self, from: DownsetIdx, by: u32) -> Option<DownsetIdx> {
        let to = self.locate(from, by);
        self.reach(to, from, by).then_some(to)
    }

    /// What a macro does at a downset where so many bytes are on chip, once another macro has run there, too.
    fn effect(&self, at: DownsetIdx, after: Option<u32>, held: u64, step: u32) -> Effect {
        let body = &self.lattice.reduced.macros[step as usize];
        let has_run = |c: u32| self.lattice.contains(at, c) || Some(c) == after;
        let (mut loaded, mut dying, mut gone) = (0, 0, 0);
        for number in &body.inputs {
            let item = &self.lattice.reduced.items[*number as usize];
            if item.producer.is_none() && !item.consumers.iter().any(|&c| has_run(c)) {
                loaded += item.bytes;
            }
            if item.consumers.iter().all(|&c| c == step || has_run(c)) {
                dying += item.bytes;
                let is_room = !body.reloads && body.overwritten.contains(number);
                gone += if is_room { item.bytes } else { 0 };
            }
        }
        let held = held + loaded;
        Effect {
            footprint: (held + body.enter - gone.min(body.overwriting_bytes))
                .max(held - dying + body.hill),
            held: held - dying + body.made_bytes,
        }
    }

    /// One or two macros after which no more is held than before, and which hold no more than `peak` on the way.
    ///
    /// They can be moved to the front of any continuation without loss, so nothing else need be tried.
    fn descent(&self, at: DownsetIdx, peak: u64) -> Option<(u32, Option<u32>)> {
        let held = self.reached[at.get()].held;
        let fits = |effect: Effect| effect.footprint <= peak;
        let one = self.lattice.ready(at).find(|&step| {
            let effect = self.effect(at, None, held, step);
            fits(effect) && effect.held <= held
        });
        if let Some(step) = one {
            return Some((step, None));
        }
        let macros = &self.lattice.reduced.macros;
        self.lattice.ready(at).find_map(|step| {
            let effect = self.effect(at, None, held, step);
            if !fits(effect) {
                return None;
            }
            // It leaves more than it found. What makes good for that is waiting for it, or reads what it reads:
            // anything else would have done so before.
            let body = &macros[step as usize];
            let items = &self.lattice.reduced.items;
            let sharing = body.inputs.iter().flat_map(|&item| &items[item as usize].consumers);
            let then = body.successors.iter().chain(sharing).copied().find(|&then| {
                let has_run = |c: u32| self.lattice.contains(at, c) || c == step;
                let mut needed = macros[then as usize].predecessors.iter();
                !has_run(then) && needed.all(|&p| has_run(p)) && {
                    let effect = self.effect(at, Some(step), effect.held, then);
                    fits(effect) && effect.held <= held
                }
            })?;
            Some((step, Some(then)))
        })
    }

    /// Opens all that can run at a downset.
    fn push_all(&mut self, at: DownsetIdx, peak: u64) {
        let held = self.reached[at.get()].held;
        let depth = self.lattice.depth(at) + 1;
        for by in self.lattice.ready(at) {
            let peak = Reverse(self.effect(at, None, held, by).footprint.max(peak));
            self.open.push(Open { peak, depth, age: Reverse(self.age), from: at, by });
            self.age += 1;
        }
    }

    fn trace(&self, goal: DownsetIdx) -> Path {
        let mut steps = Vec::new();
        let mut at = goal;
        while at != Lattice::FIRST {
            let Reached { from, by, .. } = self.reached[at.get()];
            steps.push(Step { step: by, evicted_before: Vec::new(), evicted_inside: Vec::new() });
            at = from;
        }
        steps.reverse();
        Path { steps, cost: 0 }
    }
}
