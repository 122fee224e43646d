//! The fail-first floor search.

use std::sync::atomic::AtomicBool;

use super::arm::{Arm, FitRule, SectionRule};
use super::branch::choose_section;
use super::limits::Limits;
use super::model::Model;
use super::no_goods::NoGoods;
use super::state::{Fail, State};

/// Forced raises without a choice before the leap to a supported level.
const PATIENCE: u32 = 16;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything is placed.
    Solved,
    /// Every possibility failed.
    Failed,
    /// The nodes were used up.
    OutOfNodes,
    /// Somebody asked to stop.
    Stopped,
}

/// One run of the search with one arm.
pub struct Search<'a> {
    model: &'a Model,
    arm: &'a Arm,
    limits: &'a Limits<'a>,
    /// Set when an earlier arm has decided.
    stop: &'a AtomicBool,
    state: State,
    /// Copies of the state, one per placement on the path.
    saved: Vec<State>,
    /// Nodes used.
    nodes: u64,
    budget: u64,
    /// Failures of each section.
    weight: Vec<u32>,
    /// States that earlier runs found to fail,
    known: &'a NoGoods,
    /// and those that this one did.
    learnt: NoGoods,
}

/// What is left of a run.
pub struct Finished {
    /// Positions, if it solved.
    pub positions: Vec<u64>,
    /// Nodes used.
    pub nodes: u64,
    /// Failures of each section, with those that it began with.
    pub weights: Vec<u32>,
    /// States that fail.
    pub learnt: NoGoods,
    /// Memory for another run.
    pub memory: Vec<State>,
}

/// Nodes below which a failure is found again as fast as it is looked up.
const WORTH_LEARNING: u64 = 2;

impl<'a> Search<'a> {
    /// A run from `root` with what is known of failures: how many there were in each section, and in which states.
    pub fn new(
        model: &'a Model,
        arm: &'a Arm,
        root: &State,
        (weight, known): (Vec<u32>, &'a NoGoods),
        budget: u64,
        limits: &'a Limits<'a>,
        stop: &'a AtomicBool,
    ) -> Self {
        let (state, saved, nodes, learnt) = (root.clone(), Vec::new(), 0, NoGoods::default());
        Self { model, arm, limits, stop, state, saved, nodes, budget, weight, known, learnt }
    }

    /// The same run in the memory of one that is over: fresh memory takes a third of the time of a short run.
    pub fn reusing(self, saved: Vec<State>) -> Self {
        Self { saved, ..self }
    }

    /// What the run found and learnt.
    pub fn finish(self) -> Finished {
        Finished {
            positions: self.state.lowest,
            nodes: self.nodes,
            weights: self.weight,
            learnt: self.learnt,
            memory: self.saved,
        }
    }

    /// Searches until it is solved, failed, or stopped.
    pub fn run(&mut self) -> End {
        self.parts(0, self.model.sections, 0)
    }

    /// Solves each independent part of sections `low .. high`.
    fn parts(&mut self, low: usize, high: usize, depth: usize) -> End {
        let mut first = low;
        for s in low..high {
            if s + 1 == high || self.state.crossing[s] == 0 {
                match self.unless_known(first, s + 1, depth) {
                    End::Solved => {}
                    end => return end,
                }
                first = s + 1;
            }
        }
        End::Solved
    }

    /// Solves sections `low .. high`, which unplaced buffers join, unless they are known to fail.
    fn unless_known(&mut self, low: usize, high: usize, depth: usize) -> End {
        let Some(key) = NoGoods::key(self.model, &self.state, low, high) else {
            return self.part(low, high, depth);
        };
        if self.known.holds(key) || self.learnt.holds(key) {
            return End::Failed;
        }
        let before = self.nodes;
        let end = self.part(low, high, depth);
        if end == End::Failed && self.nodes - before >= WORTH_LEARNING {
            self.learnt.learn(key);
        }
        end
    }

    /// Solves sections `low .. high`, which unplaced buffers join.
    fn part(&mut self, low: usize, high: usize, depth: usize) -> End {
        let mut forced = 0;
        loop {
            let weights = match self.arm.section_rule {
                SectionRule::Fewest => None,
                SectionRule::Failures => Some(self.weight.as_slice()),
            };
            let Some(section) = choose_section(self.model, &self.state, low, high, weights) else {
                return End::Solved;
            };
            let buffer = self.choose_buffer(section);
            if !self.state.is_supported(self.model, buffer) {
                // Not here, so higher, without a choice; buffers that only carry each other take one leap.
                forced += 1;
                let raised = if forced % PATIENCE == 0 {
                    self.state.climb(self.model, low, high)
                } else {
                    self.state.raise(self.model, buffer)
                };
                if raised.is_err() {
                    return End::Failed;
                }
                continue;
            }
            if self.nodes >= self.budget {
                return End::OutOfNodes;
            }
            self.nodes += 1;
            if self.limits.stops_at(self.nodes, self.stop) {
                return End::Stopped;
            }
            if self.saved.len() <= depth {
                self.saved.push(self.state.clone());
            } else {
                self.saved[depth].clone_from(&self.state);
            }
            let end = match self.state.place(self.model, buffer) {
                Ok(()) => self.parts(low, high, depth + 1),
                Err(Fail) => End::Failed,
            };
            if end != End::Failed {
                return end;
            }
            self.weight[section] += 1;
            self.state.clone_from(&self.saved[depth]);
            if self.state.raise(self.model, buffer).is_err() {
                return End::Failed;
            }
        }
    }

    fn choose_buffer(&self, section: usize) -> usize {
        let (state, model) = (&self.state, self.model);
        let floor = state.floor[section];
        let (mut lo, mut hi) = (section, section);
        while lo > 0 && state.floor[lo - 1] == floor {
            lo -= 1;
        }
        while hi + 1 < model.sections && state.floor[hi + 1] == floor {
            hi += 1;
        }
        let wall =
            |s: Option<usize>| s.and_then(|s| state.floor.get(s)).copied().unwrap_or(u64::MAX);
        let left_wall = wall(lo.checked_sub(1));
        let right_wall = wall(Some(hi + 1));
        let mut best: Option<((u32, u32), usize)> = None;
        for (w, &row) in model.members(section).iter().enumerate() {
            let mut bits = row & state.unplaced[w];
            while bits != 0 {
                let b = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if state.lowest[b] != floor {
                    continue;
                }
                if !state.is_supported(model, b) {
                    return b;
                }
                let hull = model.hull[b];
                let top = floor + model.heights[b];
                let (left, right) = (hull.first as usize == lo, hull.last as usize == hi);
                let mut fit = 0;
                if self.arm.fit_rule == FitRule::Walls {
                    fit = 2 * (u32::from(left) + u32::from(right));
                    fit += u32::from(left && top == left_wall);
                    fit += u32::from(right && top == right_wall);
                }
                let key = (fit, self.arm.rank[b]);
                if best.is_none_or(|(k, _)| key > k) {
                    best = Some((key, b));
                }
            }
        }
        best.map_or(0, |(_, b)| b)
    }
}
