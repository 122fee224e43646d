//! Repair of a layout where it is too high: time windows around what ends above the target are placed anew.
//!
//! What lies within a window is free, what crosses its border stays where it is. Windows are disjoint, so they are
//! independent: each is searched on its own, by as many threads as there are, and the result is the same. A window that
//! cannot be repaired is widened.

use crate::auto::climb::{Layout, climb};
use crate::control::Control;
use crate::parallel::map;
use crate::place::engine::Engine;
use crate::place::instance::{Instance, Span};
use crate::place::order::{Key, Order, Orders, Tie};
use crate::problem::MAX_BYTES;
use crate::random::Random;

/// Orders that each window starts from besides the one it has.
const STARTS: &[Order] = &[
    Order::by(Key::SizeClass),
    Order::by(Key::Size),
    Order::by(Key::Area),
    Order::by(Key::Lifetime),
    Order::peak_first(990, Key::Size, Tie::Longer),
    Order::peak_first(990, Key::Lifetime, Tie::Larger),
];

/// Limits of one call.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Buffers that may be looked at.
    pub work: u64,
    /// Threads; never changes the result.
    pub threads: usize,
    /// Seed of the random choices.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repaired {
    /// Buffers looked at.
    pub work: u64,
    /// Windows searched.
    pub windows: u64,
}

/// Lowers what ends above `target` as far as the budget goes. Offsets stay valid and the peak never rises.
///
/// `instance` must be [temporal](Instance::is_temporal).
pub fn repair(
    instance: &Instance,
    offsets: &mut [u64],
    target: u64,
    budget: Budget,
    control: &Control,
) -> Repaired {
    let mut done = Repaired::default();
    let mut margins = vec![MARGIN; instance.sections()];
    for round in 0_u64.. {
        let windows = windows(instance, offsets, target, &margins);
        if windows.is_empty() || done.work >= budget.work || control.is_cancelled() {
            break;
        }
        let tasks = tasks(instance, offsets, &windows);
        let allowance = (budget.work - done.work) / windows.len() as u64;
        let stream = |i: usize| budget.seed ^ (round << 32 | i as u64);
        let results = map(budget.threads, tasks.len(), |i| {
            search(instance, &tasks[i], target, allowance, stream(i), control)
        });
        for (task, result) in tasks.iter().zip(results) {
            done.work += result.work;
            done.windows += 1;
            for (&buffer, offset) in task.free.iter().zip(result.offsets) {
                offsets[buffer as usize] = offset;
            }
            if !result.reached {
                for margin in &mut margins[task.window.start as usize..task.window.end as usize] {
                    *margin = margin.saturating_mul(2);
                }
            }
        }
        let whole = windows.len() == 1 && windows[0].len() as usize == instance.sections();
        if whole && round > 40 {
            break;
        }
    }
    done
}

/// Sections that a window first goes beyond an offender on each side.
const MARGIN: u32 = 8;

/// Steps of a climb in one window, at most.
const STEPS: u64 = 400;

/// Disjoint windows around everything that ends above the target, in order of time.
fn windows(instance: &Instance, offsets: &[u64], target: u64, margins: &[u32]) -> Vec<Span> {
    let last = instance.sections() as u32;
    let mut all: Vec<Span> = (0..instance.len())
        .filter(|&i| instance.sizes()[i] > 0 && offsets[i] + instance.sizes()[i] > target)
        .map(|i| instance.spans()[i])
        .filter(|span| !span.is_empty())
        .map(|span| {
            let margin = margins[span.start as usize].max(margins[span.end as usize - 1]);
            Span {
                start: span.start.saturating_sub(margin),
                end: span.end.saturating_add(margin).min(last),
            }
        })
        .collect();
    all.sort_unstable();
    let mut merged: Vec<Span> = Vec::new();
    for span in all {
        match merged.last_mut() {
            Some(before) if span.start < before.end => before.end = before.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

struct Task {
    window: Span,
    free: Vec<u32>,
    obstacles: Vec<(u32, u64)>,
}

/// Sorts the buffers into windows. `O(n log windows + members)`.
fn tasks(instance: &Instance, offsets: &[u64], windows: &[Span]) -> Vec<Task> {
    let mut tasks: Vec<Task> = windows
        .iter()
        .map(|&window| Task { window, free: Vec::new(), obstacles: Vec::new() })
        .collect();
    let mut fixed = instance.fixed().iter().peekable();
    for (buffer, span) in instance.spans().iter().enumerate() {
        let is_fixed = fixed.next_if(|&&(other, _)| other as usize == buffer).is_some();
        if span.is_empty() || instance.sizes()[buffer] == 0 {
            continue;
        }
        let first = windows.partition_point(|window| window.end <= span.start);
        for task in tasks[first..].iter_mut().take_while(|task| task.window.start < span.end) {
            let inside = task.window.start <= span.start && span.end <= task.window.end;
            if inside && !is_fixed {
                task.free.push(buffer as u32);
            } else {
                task.obstacles.push((buffer as u32, offsets[buffer]));
            }
        }
    }
    for task in &mut tasks {
        // In this order first fit gives what there is, or something lower.
        task.free.sort_by_key(|&buffer| (offsets[buffer as usize], buffer));
    }
    tasks
}

struct Found {
    offsets: Vec<u64>,
    reached: bool,
    work: u64,
}

fn search(
    instance: &Instance,
    task: &Task,
    target: u64,
    allowance: u64,
    stream: u64,
    control: &Control,
) -> Found {
    let part = instance.window(task.window, &task.free, &task.obstacles);
    let mut engine = Engine::new(&part);
    let free = task.free.len();
    let present: Vec<u32> = (0..free as u32).collect();
    let Some(mut best) = Layout::place(&mut engine, &part, present, MAX_BYTES, target, control)
    else {
        let offsets = Vec::new();
        return Found { offsets, reached: false, work: engine.work() };
    };
    let mut random = Random::stream(stream, 0);
    let mut orders = Orders::new(&part);
    for &order in STARTS {
        if best.peak <= target || engine.work() >= allowance {
            break;
        }
        let mut sorted = orders.sorted(order);
        sorted.retain(|&buffer| (buffer as usize) < free);
        let limit = best.peak;
        if let Some(layout) = Layout::place(&mut engine, &part, sorted, limit, target, control) {
            if layout.is_better_than(&best) {
                best = layout;
            }
        }
    }
    let passes = (allowance.saturating_sub(engine.work())) / (free as u64).max(1);
    climb(&mut engine, &part, &mut best, target, passes.min(STEPS), &mut random, control);
    let reached = best.offenders().is_empty();
    best.offsets.truncate(free);
    Found { offsets: best.offsets, reached, work: engine.work() }
}
