//! Shared objects in program order, of TFLite's GPU delegate: `GREEDY_IN_ORDER` and `EQUALITY`.
//!
//! Source: LiteRT, `tflite/delegates/gpu/common/memory_management/{greedy_in_order,equality}_assignment.cc`,
//! Apache-2.0; Pisarchyk and Lee, arXiv:2001.03288.
//!
//! Order: start, then position (upstream's records come in program order). An object whose member ended before
//! the start of the next buffer is free again.
//! Placement: `tflite-gpu-in-order`: the smallest free object that is large enough, or the largest smaller one if
//! that is strictly closer in size; it grows. The first object of equal size wins. `tflite-gpu-equality`: a free
//! object of just this size, the last freed first. Else a new object.
//!
//! Complexity: `O(n log n)`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::baselines::fit::{POLL, order_by_key};
use crate::baselines::online::planner;
use crate::baselines::settings::Settings;
use crate::baselines::shared_objects::SharedObjects;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;
use crate::radix::ascending;

/// Into the free object closest in size.
pub const IN_ORDER: Planner = planner(
    "tflite-gpu-in-order",
    "LiteRT GPU GreedyInOrderAssignment",
    "shared objects, one pass over time, the free object closest in size",
    |problem: &Problem, options: &Options, control: &Control| {
        Settings::new("tflite-gpu-in-order", options).finish()?;
        assign(problem, control, BySize::default())
    },
);

/// Into a free object of equal size.
pub const EQUALITY: Planner = planner(
    "tflite-gpu-equality",
    "LiteRT GPU EqualityAssignment",
    "shared objects, one pass over time, free objects of equal size only",
    |problem: &Problem, options: &Options, control: &Control| {
        Settings::new("tflite-gpu-equality", options).finish()?;
        assign(problem, control, Equal::default())
    },
);

/// Free objects, and the choice among them.
trait FreeObjects {
    fn add(&mut self, size: u64, object: usize);
    fn take(&mut self, size: u64) -> Option<usize>;
}

#[derive(Default)]
struct BySize(BTreeSet<(u64, usize)>);

impl FreeObjects for BySize {
    fn add(&mut self, size: u64, object: usize) {
        self.0.insert((size, object));
    }

    fn take(&mut self, size: u64) -> Option<usize> {
        let larger = self.0.range((size, 0)..).next().copied();
        let smaller = self.0.range(..(size, 0)).next_back().copied();
        let chosen = match (larger, smaller) {
            (Some(large), Some(small)) if size - small.0 < large.0 - size => small,
            (Some(large), _) => large,
            (None, small) => small?,
        };
        self.0.remove(&chosen);
        Some(chosen.1)
    }
}

#[derive(Default)]
struct Equal(BTreeMap<u64, Vec<usize>>);

impl FreeObjects for Equal {
    fn add(&mut self, size: u64, object: usize) {
        self.0.entry(size).or_default().push(object);
    }

    fn take(&mut self, size: u64) -> Option<usize> {
        self.0.get_mut(&size)?.pop()
    }
}

fn assign(
    problem: &Problem,
    control: &Control,
    mut free: impl FreeObjects,
) -> Result<Placement, Error> {
    let mut objects = SharedObjects::new(problem);
    let mut live: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
    let order = order_by_key(problem, |i| [ascending(problem.lifetimes()[i].start)]);
    for (turn, buffer) in order.into_iter().enumerate() {
        if turn % POLL == 0 && control.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let i = buffer.get();
        let (size, life) = (problem.sizes()[i], problem.lifetimes()[i]);
        if size == 0 || life.is_empty() {
            continue;
        }
        while let Some(&Reverse((_, object))) = live.peek().filter(|l| l.0.0 <= life.start) {
            live.pop();
            free.add(objects.sizes()[object], object);
        }
        let object = match free.take(size) {
            Some(object) => {
                objects.join(object, i);
                object
            }
            None => objects.open(i),
        };
        live.push(Reverse((life.end, object)));
    }
    objects.into_placement()
}
