//! Fitting buffers under a limit by throwing others out.
//!
//! What ends above the limit waits. A buffer that waits goes where it fits; where it does not, it goes where what it
//! overlaps is cheapest, and that waits instead. A buffer for which others had to go becomes dearer each time, at least as
//! dear as these, so that what is hard to place keeps its place. Source: the ejection pool with guided ejection of Nagata
//! and Bräysy, A powerful route minimization heuristic for the vehicle routing problem with time windows, Operations
//! Research Letters 37 (2009), there for customers in routes; prices by size and lifetime, and bids as in Bertsekas, The
//! auction algorithm, Annals of Operations Research 14 (1988), are ours.
//!
//! Where alignments differ, a buffer takes the free place that wastes least, and what is wasted makes a place dearer.

mod nearby;
mod profile;
mod shelf;
mod space;
mod state;

use self::state::State;
use crate::auto::search::peak_of;
use crate::control::Control;
use crate::place::calendar::Calendar;
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::Instance;
use crate::place::order::Orders;
use crate::problem::MAX_BYTES;

/// Which of the buffers that wait is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The heaviest.
    Heaviest,
    /// The largest.
    Largest,
}

impl Next {
    /// All rules, in the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::Heaviest, Self::Largest];
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
    /// Offsets in bytes and where the highest buffer ends: at or below the limit, if all fits. `None` if the caller asked
    /// to stop.
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
    /// Size times the root of size times lifetime: what is large is harder to place than as much that is small.
    weights: Vec<f64>,
    /// Live when the load is reached: nothing may be wasted there, so they stay together as they are if they can.
    at_peak: Vec<bool>,
    fixed: Vec<bool>,
    /// Size of the largest buffer.
    largest: u64,
    /// The largest alignment where alignments differ, else 0.
    coarsest: u64,
}

impl<'a> Ejection<'a> {
    /// Prepares runs. `instance` must be [temporal](Instance::is_temporal). Complexity: `O(n log n)`.
    pub fn new(instance: &'a Instance) -> Self {
        let weight = |(&size, span): (&u64, &crate::place::instance::Span)| {
            size as f64 * (size as f64 * f64::from(span.len())).sqrt()
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
            coarsest: match instance.has_mixed_alignments() {
                true => instance.alignments().into_iter().flatten().copied().max().unwrap_or(0),
                false => 0,
            },
        }
    }

    /// Places what ends above the limit in `start`, and what has to go for it, until all fits or the work is done; what
    /// waited when least did is then put above the limit by first fit.
    ///
    /// Complexity: a step takes about as long as a look at a few hundred buffers, however many there are.
    pub fn run(&self, start: &[u64], run: Run, control: &Control) -> Ejected {
        let mut state = State::new(self, start, run);
        let mut best = Best { weight: f64::INFINITY, offsets: Vec::new(), placed: Vec::new() };
        for step in 0_u64.. {
            if step % WATCH == 0 && control.is_cancelled() {
                return Ejected { plan: None, work: state.space.work };
            }
            best.keep(&state);
            if state.space.work >= run.work || !state.step() {
                break;
            }
        }
        let work = state.space.work;
        if state.is_done() {
            let peak = peak_of(self.instance, &state.space.offsets);
            return Ejected { plan: Some((state.space.offsets, peak)), work };
        }
        self.complete(best, work, control)
    }

    /// Places what waits where there is room, the heaviest first.
    fn complete(&self, best: Best, work: u64, control: &Control) -> Ejected {
        let mut engine = Engine::new(self.instance);
        let (placed, mut rest): (Vec<u32>, Vec<u32>) =
            (0..self.instance.len() as u32).partition(|&buffer| best.placed[buffer as usize]);
        for &buffer in &placed {
            engine.place(buffer as usize, best.offsets[buffer as usize]);
        }
        let weight = |buffer: u32| self.weights[buffer as usize];
        rest.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
        let outcome = engine.extend(&rest, Rule::FirstFit, MAX_BYTES, control);
        let work = work + placed.len() as u64 / 2 + engine.work();
        let plan = match outcome {
            Outcome::Placed(peak) => Some((engine.offsets().to_vec(), peak)),
            _ => None,
        };
        Ejected { plan, work }
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
            self.offsets.clone_from(&state.space.offsets);
            self.placed.clone_from(&state.space.placed);
        }
    }
}
