//! Fitting buffers under a limit by throwing others out.
//!
//! What ends above the limit waits. A buffer that waits goes where it fits; where it does not, it goes where what it
//! overlaps is cheapest, and that waits instead. A buffer for which others had to go becomes dearer each time, so that
//! what is hard to place keeps its place. Source: the ejection pool with guided ejection of Nagata and Bräysy, A
//! powerful route minimization heuristic for the vehicle routing problem with time windows, Operations Research Letters
//! 37 (2009), there for customers in routes; prices by size and lifetime are ours.

mod nearby;
mod profile;
mod shelf;
mod state;

use self::state::State;
use crate::auto::search::peak_of;
use crate::control::Control;
use crate::place::calendar::Calendar;
use crate::place::instance::Instance;
use crate::place::order::Orders;

/// Which of the buffers that wait is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The heaviest: size times the root of the lifetime.
    Heaviest,
    /// The dearest: weight times how often others had to go for it.
    Dearest,
    /// The largest.
    Largest,
}

impl Next {
    /// All rules, in the order in which they are tried.
    pub const ALL: [Self; 3] = [Self::Heaviest, Self::Dearest, Self::Largest];
}

/// What a run may do, and how.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Limit in bytes.
    pub limit: u64,
    /// Which buffer is next.
    pub next: Next,
    /// Buffers that may be looked at, in the unit of the placement engine.
    pub work: u64,
    /// Seed of the random choices.
    pub seed: u64,
}

/// What came of a run.
#[derive(Debug)]
pub struct Ejected {
    /// Offsets in bytes and where the highest buffer ends: at or below the limit, if all fits. `None` if too much waited at
    /// the end, or the caller asked to stop.
    pub plan: Option<(Vec<u64>, u64)>,
    /// Buffers looked at.
    pub work: u64,
}

/// Buffers placed between two looks at the control.
const WATCH: u64 = 64;

/// What runs on one instance share.
#[derive(Debug)]
pub struct Ejection<'a> {
    instance: &'a Instance,
    calendar: Calendar,
    /// Size times the root of the lifetime.
    weights: Vec<f64>,
    /// Live when the load is reached: nothing may be wasted there, so they stay together as they are if they can.
    at_peak: Vec<bool>,
    fixed: Vec<bool>,
    /// Size of the largest buffer.
    largest: u64,
}

impl<'a> Ejection<'a> {
    /// Prepares runs. `instance` must be [temporal](Instance::is_temporal). Complexity: `O(n log n)`.
    pub fn new(instance: &'a Instance) -> Self {
        let weight = |(&size, span): (&u64, &crate::place::instance::Span)| {
            size as f64 * f64::from(span.len()).sqrt()
        };
        let mut fixed = vec![false; instance.len()];
        for &(buffer, _) in instance.fixed() {
            fixed[buffer as usize] = true;
        }
        Self {
            instance,
            calendar: Calendar::new(instance),
            largest: instance.sizes().iter().copied().max().unwrap_or(0),
            weights: instance.sizes().iter().zip(instance.spans()).map(weight).collect(),
            at_peak: Orders::new(instance).meets_peak(1000),
            fixed,
        }
    }

    /// Places what ends above the limit in `start`, and what has to go for it, until all fits or the work is done; what
    /// waited when least did is then put above the limit.
    ///
    /// Complexity: a step takes `O(k log k)` for `k` buffers that are live at the same time as the one that is placed.
    pub fn run(&self, start: &[u64], run: Run, control: &Control) -> Ejected {
        let mut state = State::new(self, start, run);
        let mut best = Best { weight: f64::INFINITY, offsets: Vec::new(), placed: Vec::new() };
        for step in 0_u64.. {
            if step % WATCH == 0 && control.is_cancelled() {
                return Ejected { plan: None, work: state.work };
            }
            best.keep(&state);
            let Some((_, buffer)) = state.waiting.pop() else { break };
            let buffer = buffer as usize;
            state.weight -= self.weights[buffer];
            match state.choose(buffer) {
                Some((offset, free)) if state.work < run.work => state.place(buffer, offset, free),
                _ => {
                    (state.offsets, state.placed) = (best.offsets, best.placed);
                    let most = run.work + run.work / 4;
                    if !state.complete(most) {
                        return Ejected { plan: None, work: state.work };
                    }
                    break;
                }
            }
        }
        let peak = peak_of(self.instance, &state.offsets);
        Ejected { plan: Some((state.offsets, peak)), work: state.work }
    }
}

/// The layout in which least waits, nearly: only what is better by a tenth is kept.
struct Best {
    weight: f64,
    offsets: Vec<u64>,
    placed: Vec<bool>,
}

impl Best {
    fn keep(&mut self, state: &State<'_>) {
        if state.weight < 0.9 * self.weight {
            self.weight = state.weight;
            self.offsets.clone_from(&state.offsets);
            self.placed.clone_from(&state.placed);
        }
    }
}
