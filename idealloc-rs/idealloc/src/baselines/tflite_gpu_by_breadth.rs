//! Shared objects by breadth, of TFLite's GPU delegate.
//!
//! Source: LiteRT, `tflite/delegates/gpu/common/memory_management/greedy_by_breadth_assignment.cc`, Apache-2.0;
//! Pisarchyk and Lee, arXiv:2001.03288, section 4.2.
//!
//! Order: ticks by breadth (the bytes live), broadest first, then by time; at each tick what is live there and in
//! no object yet, by size, largest first, then by position. So a buffer comes up at the broadest tick of its
//! life, the first of equals.
//! Placement: of the objects that are free during its life the smallest that is large enough, else the largest,
//! which grows; the first object of equals. Else a new object. Objects lie one above the other.
//!
//! Complexity: `O(n log n)` for the order; per buffer `O(k log n)` for the `k` objects tried, none where all are taken
//! at one moment of its life.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::baselines::busy::Busy;
use crate::baselines::fit::{POLL, order_by_key};
use crate::baselines::settings::Settings;
use crate::baselines::shared_objects::SharedObjects;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::place::instance::Instance;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

/// The crowded ticks first.
pub const PLANNER: Planner = Planner {
    name: "tflite-gpu-by-breadth",
    origin: "LiteRT GPU GreedyByBreadthAssignment",
    summary: "shared objects, the ticks with most bytes live first",
    features: Features {
        alignment: true,
        fixed: false,
        gaps: false,
        conflicts: false,
        pools: false,
    },
    run,
};

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let breadths = Breadths::new(problem, control)?;
    let order = order_by_key(problem, |i| {
        let (breadth, tick) = breadths.broadest(problem, i);
        [!breadth, tick as u64, !problem.sizes()[i]]
    });
    let mut objects = SharedObjects::new(problem);
    let instance = Instance::new(problem);
    let mut busy = Busy::new(instance.sections());
    let mut by_size: BTreeSet<(u64, usize)> = BTreeSet::new();
    for (turn, buffer) in order.into_iter().enumerate() {
        if turn % POLL == 0 && control.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let i = buffer.get();
        let (size, life) = (problem.sizes()[i], problem.lifetimes()[i]);
        if size == 0 || life.is_empty() {
            continue;
        }
        let span = instance.spans()[i];
        let is_hopeless = busy.most(span) as usize == by_size.len();
        busy.add(span);
        if is_hopeless {
            by_size.insert((size, objects.open(i)));
            continue;
        }
        let is_free = |entry: &&(u64, usize)| objects.is_free(entry.1, life);
        let large = by_size.range((size, 0)..).find(is_free).copied();
        let chosen = large.or_else(|| {
            let small = by_size.range(..(size, 0)).rev().find(is_free)?.0;
            by_size.range((small, 0)..=(small, usize::MAX)).find(is_free).copied()
        });
        match chosen {
            Some((before, object)) => {
                objects.join(object, i);
                if before < size {
                    by_size.remove(&(before, object));
                    by_size.insert((size, object));
                }
            }
            None => {
                by_size.insert((size, objects.open(i)));
            }
        }
    }
    objects.into_placement()
}

/// The bytes live at every tick at which something starts or ends, with a table for range maxima.
struct Breadths {
    times: Vec<i64>,
    /// `levels[k][t]`: the broadest of `t .. t + 2^k`, and its index reversed, so that the first of equals is the
    /// greatest.
    levels: Vec<Vec<(u64, Reverse<usize>)>>,
}

impl Breadths {
    fn new(problem: &Problem, control: &Control) -> Result<Self, Error> {
        let lives = problem.lifetimes();
        let mut times: Vec<i64> = lives.iter().flat_map(|life| [life.start, life.end]).collect();
        times.sort_unstable();
        times.dedup();
        let mut change = vec![0_i128; times.len()];
        for (i, (life, &size)) in lives.iter().zip(problem.sizes()).enumerate() {
            if i % POLL == 0 && control.is_cancelled() {
                return Err(Error::Cancelled);
            }
            change[times.partition_point(|&t| t < life.start)] += i128::from(size);
            change[times.partition_point(|&t| t < life.end)] -= i128::from(size);
        }
        let mut live = 0_i128;
        let mut level: Vec<(u64, Reverse<usize>)> = Vec::with_capacity(times.len());
        for (t, change) in change.into_iter().enumerate() {
            live += change;
            level.push((u64::try_from(live).unwrap_or(u64::MAX), Reverse(t)));
        }
        let mut levels = vec![level];
        let mut half = 1;
        while 2 * half <= times.len() {
            if control.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let last = &levels[levels.len() - 1];
            let next = (0..=times.len() - 2 * half).map(|t| last[t].max(last[t + half])).collect();
            levels.push(next);
            half *= 2;
        }
        Ok(Self { times, levels })
    }

    /// Bytes and tick of the broadest tick of a buffer's life, the first of equals.
    fn broadest(&self, problem: &Problem, buffer: usize) -> (u64, usize) {
        let life = problem.lifetimes()[buffer];
        let from = self.times.partition_point(|&t| t < life.start);
        let to = self.times.partition_point(|&t| t < life.end);
        if from == to {
            return (0, from);
        }
        let k = (to - from).ilog2() as usize;
        let (breadth, Reverse(tick)) = self.levels[k][from].max(self.levels[k][to - (1 << k)]);
        (breadth, tick)
    }
}
