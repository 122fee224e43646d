//! Restarts over a portfolio of arms, on any number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::arm::{ARMS, Arm};
use super::beam::{Beam, Taste};
use super::limits::Limits;
use super::model::Model;
use super::no_goods::NoGoods;
use super::search::{End, Finished, Search};
use super::state::State;
use crate::luby::luby;
use crate::parallel::Spare;

/// How a portfolio ended, and after how many nodes.
pub struct Run {
    /// `Solved` with positions, or why not.
    pub end: End,
    /// Positions, if solved.
    pub positions: Vec<u64>,
    /// Nodes of all runs of this call up to the one that decided.
    pub nodes: u64,
}

/// Nodes of one run, times a Luby number: half as many again as there are buffers, as a run that finds a plan seldom
/// turns back before it.
fn nodes_per_run(buffers: usize) -> u64 {
    (buffers as u64 * 3 / 2).max(FEWEST_NODES)
}

/// Nodes of a run at least: with fewer, proofs suffer.
const FEWEST_NODES: u64 = 300;

/// Times as many nodes for one more arm of each round, where alignment matters and the buffers are few. A long run finds
/// more of its own no-goods than short ones side by side, which know nothing of each other, so that proofs end sooner.
const LONG: u64 = 32;

/// Buffers up to which there is a long arm: with more, few proofs end, and plans are found by short runs.
const FEW_BUFFERS: usize = 32;

/// Position of the first long arm in the sequence of arms: far beyond the others.
const FIRST_LONG: u64 = ARMS << 40;

/// Nodes before the first beam: what is easy is solved by then.
const NODES_BEFORE_BEAMS: u64 = 100_000;

/// One round in so many has beams where no-goods pay: more runs end with a proof there.
const SELDOM: u64 = 8;

/// Narrow beams of a round.
const BEAMS: u64 = 5;

/// Most broad beams of a round.
const BROAD_BEAMS: u64 = 16;

/// States per level of a beam, times a Luby number; the last ones of a round are broad.
const BEAM_WIDTH: u64 = 32;

/// States per level of a broad beam.
const BROAD_WIDTH: std::ops::RangeInclusive<u64> = 64..=1024;

/// Nodes that a broad beam uses per state and level, at most.
const NODES_PER_STATE: u64 = 4;

/// Result of one arm of a round.
struct Report {
    end: End,
    positions: Vec<u64>,
    nodes: u64,
    weights: Vec<u32>,
    learnt: NoGoods,
}

/// A portfolio and what it has learnt so far.
#[derive(Debug)]
pub struct Portfolio {
    model: Model,
    root: State,
    seed: u64,
    /// Position of the next round, from 0.
    number: u64,
    /// Rounds with beams.
    with_beams: u64,
    /// Nodes of all rounds.
    nodes: u64,
    /// Failures of each section.
    weights: Vec<u32>,
    /// States that fail.
    no_goods: NoGoods,
    /// Memory of runs that are over.
    spare: Spare<Vec<State>>,
}

impl Portfolio {
    /// A portfolio that has not run.
    pub fn new(model: Model, root: State, seed: u64) -> Self {
        let weights = vec![0; model.sections];
        Self {
            model,
            root,
            seed,
            number: 0,
            with_beams: 0,
            nodes: 0,
            weights,
            no_goods: NoGoods::default(),
            spare: Spare::default(),
        }
    }

    /// Runs the arms in rounds for so many nodes more. The arms of a round know nothing of each other, the first in
    /// order that decides wins, and what they learn is merged in order when the round ends: any number of threads gives
    /// the same result.
    pub fn run(&mut self, limits: &Limits<'_>) -> Run {
        let end = self.nodes.saturating_add(limits.nodes);
        let before = self.nodes;
        while self.nodes < end {
            let left = end - self.nodes;
            let has_beams = self.nodes >= NODES_BEFORE_BEAMS
                && (!NoGoods::pay(&self.model) || self.number.is_multiple_of(SELDOM));
            let round = Round {
                model: &self.model,
                root: &self.root,
                seed: self.seed,
                number: self.number,
                arms: ARMS + u64::from(self.model.stacks.is_some() && self.model.n <= FEW_BUFFERS),
                beams: has_beams.then_some(self.with_beams),
                budget: nodes_per_run(self.model.n).saturating_mul(luby(self.number + 1)).min(left),
                broad: self.nodes.min(left) / 2 / (NODES_PER_STATE * self.model.n as u64),
                weights: &self.weights,
                no_goods: &self.no_goods,
                spare: &self.spare,
                limits: limits.with_nodes(left),
            };
            let reports = round.run();
            let mut weights = self.weights.clone();
            for report in reports {
                self.nodes += report.nodes;
                match report.end {
                    End::OutOfNodes => {}
                    end => {
                        let nodes = self.nodes - before;
                        return Run { end, positions: report.positions, nodes };
                    }
                }
                let learnt = report.weights.iter().zip(&self.weights);
                for (weight, (&new, &old)) in weights.iter_mut().zip(learnt) {
                    *weight = weight.saturating_add(new - old);
                }
                self.no_goods.merge(report.learnt);
            }
            self.weights = weights;
            self.number += 1;
            self.with_beams += u64::from(has_beams);
        }
        Run { end: End::OutOfNodes, positions: Vec::new(), nodes: self.nodes - before }
    }
}

/// What one round starts from.
struct Round<'a> {
    model: &'a Model,
    root: &'a State,
    seed: u64,
    /// Position of the round, from 0.
    number: u64,
    /// Arms, with the long one.
    arms: u64,
    /// Rounds with beams before this one; `None` if it is too early for them.
    beams: Option<u64>,
    /// Nodes of each arm.
    budget: u64,
    /// States per level of all broad beams together.
    broad: u64,
    /// Failures of each section in earlier rounds.
    weights: &'a [u32],
    /// States that fail, from earlier rounds.
    no_goods: &'a NoGoods,
    /// Memory of runs that are over.
    spare: &'a Spare<Vec<State>>,
    /// What all may use together.
    limits: Limits<'a>,
}

impl Round<'_> {
    /// Runs the arms and the beams. The reports end with the first that decides.
    fn run(&self) -> Vec<Report> {
        let (arms, limits) = (self.arms, &self.limits);
        let broad = self.broad.div_ceil(*BROAD_WIDTH.end()).clamp(1, BROAD_BEAMS);
        let beams = if self.beams.is_some() { BEAMS + broad } else { 0 };
        let stops: Vec<AtomicBool> = (0..arms + beams).map(|_| AtomicBool::new(false)).collect();
        let slots: Vec<Mutex<Option<Report>>> = stops.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                if k >= slots.len() || stops[k].load(Ordering::Relaxed) {
                    return;
                }
                let (place, stop) = (k as u64, &stops[k]);
                let report = if place < arms {
                    self.arm(place, stop)
                } else if place < arms + BEAMS {
                    self.beam(&self.narrow(place - arms), stop)
                } else {
                    self.beam(&self.broad(place - arms - BEAMS, broad), stop)
                };
                if report.end != End::OutOfNodes {
                    stops[k + 1..].iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
                }
                *slots[k].lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
            }
        };
        if limits.threads > 1 {
            std::thread::scope(|scope| {
                for _ in 1..limits.threads.min(slots.len()) {
                    scope.spawn(work);
                }
                work();
            });
        } else {
            work();
        }
        let mut reports = Vec::new();
        for slot in slots {
            let Some(report) = slot.into_inner().unwrap_or_else(PoisonError::into_inner) else {
                break;
            };
            let decided = report.end != End::OutOfNodes;
            reports.push(report);
            if decided {
                break;
            }
        }
        reports
    }

    fn arm(&self, k: u64, stop: &AtomicBool) -> Report {
        let (position, budget) = match k {
            ARMS => {
                (FIRST_LONG + self.number, self.budget.saturating_mul(LONG).min(self.limits.nodes))
            }
            _ => (self.number * ARMS + k, self.budget),
        };
        let arm = Arm::nth(self.model, self.seed, position, self.weights);
        let saved = self.spare.take().unwrap_or_default();
        let (model, limits) = (self.model, &self.limits);
        let known = (self.weights.to_vec(), self.no_goods);
        let mut search =
            Search::new(model, &arm, self.root, known, budget, limits, stop).reusing(saved);
        let end = search.run();
        let Finished { positions, nodes, weights, learnt, memory } = search.finish();
        self.spare.give(memory);
        Report { end, positions, nodes, weights, learnt }
    }

    fn narrow(&self, k: u64) -> Taste {
        let position = self.beams.unwrap_or(0) * BEAMS + k;
        let width = (BEAM_WIDTH * luby(position + 1)) as usize;
        Taste::narrow(self.model, self.root, width, self.seed, position)
    }

    /// The `k`th of `count` broad beams.
    fn broad(&self, k: u64, count: u64) -> Taste {
        let position = self.number * BROAD_BEAMS + k;
        let width = (self.broad / count).clamp(*BROAD_WIDTH.start(), *BROAD_WIDTH.end()) as usize;
        Taste::broad(self.model, self.root, width, self.seed, position)
    }

    fn beam(&self, taste: &Taste, stop: &AtomicBool) -> Report {
        let mut beam = Beam::new(self.model, taste, &self.limits, stop);
        let (end, positions) = beam.run(self.root);
        let (weights, learnt) = (self.weights.to_vec(), NoGoods::default());
        Report { end, positions, nodes: beam.nodes, weights, learnt }
    }
}
