//! Triton's allocation of shared memory.
//!
//! Source: Triton, `lib/Analysis/Allocation.cpp`, MIT; after Gergov, "Algorithms for Compile-Time Memory
//! Optimization", SODA 1999, doi 10.5555/314500.315082.
//!
//! Order: largest size first, then by position.
//! 1. Starts: open slots, each an offset and a range of time; at first offset 0 for all time. The slot with the
//!    lowest offset (the first opened of equals) is taken out. The first buffer in order whose life meets its
//!    range and the range of no other slot goes to its (aligned) offset; slots open above the buffer and, where
//!    its range is longer, beside it. If there is no such buffer the slot is gone.
//! 2. Repair: while buffers share bytes: first-fit colouring of the graph of those that do, in order; then in
//!    order each buffer whose colour is not the first moves onto the highest end of its neighbours.
//!
//! Time starts with the first buffer here and with the first operation there. Partitions of neighbours and
//! asynchronous regions are not described by a [`Problem`].
//!
//! Complexity: `O(n^2 log n)` for the starts, `O(pairs)` a round of repair.

use std::collections::{BTreeMap, BTreeSet};

use crate::baselines::fit::order_by_key;
use crate::baselines::layout::complete;
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::lifetime::Lifetime;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

/// Slots from the bottom up, then repair.
pub const PLANNER: Planner = Planner {
    name: "triton",
    origin: "Triton Allocation (Gergov)",
    summary: "slots from the bottom up, then overlaps are repaired by colouring",
    features: Features {
        alignment: true,
        fixed: false,
        gaps: false,
        conflicts: false,
        pools: false,
    },
    run,
};

/// What can be placed, in order of size; the rest of the module uses positions in it.
struct Buffers {
    lives: Vec<Lifetime>,
    sizes: Vec<u64>,
    alignments: Vec<u64>,
    rounding: Rounding,
}

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let order: Vec<_> = order_by_key(problem, |i| [!problem.sizes()[i]])
        .into_iter()
        .filter(|b| problem.sizes()[b.get()] > 0 && !problem.lifetimes()[b.get()].is_empty())
        .collect();
    let buffers = Buffers {
        lives: order.iter().map(|b| problem.lifetimes()[b.get()]).collect(),
        sizes: order.iter().map(|b| problem.sizes()[b.get()]).collect(),
        alignments: order.iter().map(|&b| problem.alignment(b)).collect(),
        rounding: Rounding::of(problem),
    };
    let mut placed = buffers.starts(control)?;
    buffers.repair(&mut placed, control)?;
    let mut offsets: Vec<u64> = (0..problem.len())
        .map(|i| Rounding::of(problem).up(0, problem.alignment(i.into())))
        .collect();
    for (buffer, offset) in order.iter().zip(placed) {
        offsets[buffer.get()] = offset;
    }
    complete(problem, offsets)
}

impl Buffers {
    fn starts(&self, control: &Control) -> Result<Vec<u64>, Error> {
        let mut offsets = vec![0_u64; self.lives.len()];
        let Some(origin) = self.lives.iter().map(|life| life.start).min() else {
            return Ok(offsets);
        };
        let mut waiting: Vec<usize> = (0..self.lives.len()).collect();
        let mut opened = 0_u64;
        // (offset, order of opening) to range of time.
        let mut slots = BTreeMap::from([((0_u64, opened), Lifetime::new(origin, i64::MAX))]);
        while let Some(((offset, _), range)) = slots.pop_first() {
            if waiting.is_empty() {
                break;
            }
            if control.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let others = Union::of(slots.values());
            let fits = |i: &usize| self.lives[*i].overlaps(range) && !others.meets(self.lives[*i]);
            let Some(position) = waiting.iter().position(fits) else { continue };
            let i = waiting.remove(position);
            let life = self.lives[i];
            offsets[i] = self.rounding.up(offset, self.alignments[i]);
            let mut open = |offset: u64, start: i64, end: i64| {
                opened += 1;
                slots.insert((offset, opened), Lifetime::new(start, end));
            };
            let top = offsets[i].saturating_add(self.sizes[i]);
            open(top, range.start.max(life.start), range.end.min(life.end));
            if range.start < life.start {
                open(offset, range.start, life.end);
            }
            if life.end < range.end {
                open(offset, life.start, range.end);
            }
        }
        Ok(offsets)
    }

    fn repair(&self, offsets: &mut [u64], control: &Control) -> Result<(), Error> {
        loop {
            if control.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let neighbours = self.sharing(offsets);
            if neighbours.iter().all(Vec::is_empty) {
                return Ok(());
            }
            let mut has_first_colour = vec![false; offsets.len()];
            for i in 0..offsets.len() {
                // First fit gives the first colour to whoever has no neighbour with it yet.
                has_first_colour[i] = !neighbours[i].iter().any(|&j| j < i && has_first_colour[j]);
            }
            for i in 0..offsets.len() {
                if !has_first_colour[i] {
                    let ends =
                        neighbours[i].iter().map(|&j| offsets[j].saturating_add(self.sizes[j]));
                    offsets[i] = self.rounding.up(ends.max().unwrap_or(0), self.alignments[i]);
                    if offsets[i] == u64::MAX {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// For each buffer those that conflict with it and share bytes.
    fn sharing(&self, offsets: &[u64]) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); offsets.len()];
        let mut events: Vec<(i64, bool, usize)> = Vec::with_capacity(2 * offsets.len());
        for (i, life) in self.lives.iter().enumerate() {
            events.push((life.start, true, i));
            events.push((life.end, false, i));
        }
        // Ends first.
        events.sort_unstable();
        let mut live: BTreeSet<(u64, usize)> = BTreeSet::new();
        for (_, starts, i) in events {
            if !starts {
                live.remove(&(offsets[i], i));
                continue;
            }
            let end = offsets[i].saturating_add(self.sizes[i]);
            for &(offset, j) in live.range(..(end, 0)) {
                if offset.saturating_add(self.sizes[j]) > offsets[i] {
                    neighbours[i].push(j);
                    neighbours[j].push(i);
                }
            }
            live.insert((offsets[i], i));
        }
        neighbours
    }
}

/// Times covered by ranges.
struct Union(Vec<Lifetime>);

impl Union {
    fn of<'a>(ranges: impl Iterator<Item = &'a Lifetime>) -> Self {
        let mut sorted: Vec<Lifetime> = ranges.copied().collect();
        sorted.sort_unstable();
        let mut union: Vec<Lifetime> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match union.last_mut() {
                // Ranges that only touch stay apart or not: nothing lies between them.
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => union.push(range),
            }
        }
        Self(union)
    }

    fn meets(&self, life: Lifetime) -> bool {
        let first = self.0.partition_point(|range| range.end <= life.start);
        self.0.get(first).is_some_and(|range| range.start < life.end)
    }
}
