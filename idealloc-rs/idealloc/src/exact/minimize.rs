//! The smallest capacity that a component fits.

use super::limits::Limits;
use super::model::MAX_BUFFERS;
use super::probe::{Answer, Outcome, Probe};
use crate::preprocess::Component;

/// What a minimisation is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// A peak in bytes at or below which nothing is gained: a bound of the whole problem, or another component's peak.
    pub target: u64,
    /// The capacity in bytes, if there is one.
    pub capacity: Option<u64>,
    /// Stop at the capacity.
    pub only_fit: bool,
}

/// What a minimisation ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimum {
    /// The best positions found, perhaps the incumbent.
    pub positions: Vec<u64>,
    /// The best lower bound of the peak that is proved, in bytes.
    pub bound: u64,
    /// Nodes used.
    pub nodes: u64,
    /// Why it ended.
    pub end: MinimumEnd,
}

/// Why a minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinimumEnd {
    /// The target or the proved minimum is reached, or the capacity where only that was asked for.
    Reached,
    /// The component does not fit the capacity, and only fitting was asked for.
    Infeasible,
    /// The nodes were used up, or the component is too large.
    Limit,
    /// The caller asked to stop, or the deadline passed.
    Stopped,
}

/// Nodes of each probe in the first sweep, so that even a second brings a better plan where the target is out of reach;
/// four times as many in each later one.
const FIRST_PROBE_NODES: u64 = 16_000;

/// Times as many nodes for the target, where most problems end,
const TARGET_SHARE: u64 = 4;

/// as long as they are no more than this: what is still open then may stay so, and a lower peak is found sooner.
const TARGET_NODES: u64 = 256_000;

/// Starts from the plan `incumbent` and searches for better ones: at the target, at the capacity, then between.
///
/// One sweep probes ever higher capacities below the incumbent until one is solved, and then between that and the last
/// one that was not. A probe that runs out of nodes says nothing, so the next sweep begins again with larger budgets; the
/// search at the target goes on where it was.
/// `improved` hears the peak and the bound whenever one gets better. Complexity: `limits.nodes` nodes.
#[must_use]
pub fn minimize(
    component: &Component,
    incumbent: Vec<u64>,
    goal: Goal,
    seed: u64,
    limits: &Limits<'_>,
    improved: &mut dyn FnMut(u64, u64),
) -> Minimum {
    let peak = component.peak(&incumbent);
    let best =
        Minimum { positions: incumbent, bound: component.bound, nodes: 0, end: MinimumEnd::Limit };
    let mut run = Run { component, goal, seed, limits, peak, best, kept: None };
    let mut probe_nodes = FIRST_PROBE_NODES;
    let end = loop {
        if let Some(end) = run.sweep(probe_nodes, improved) {
            break end;
        }
        if run.best.nodes >= limits.nodes || component.len() > MAX_BUFFERS {
            break MinimumEnd::Limit;
        }
        probe_nodes = probe_nodes.saturating_mul(4);
    };
    run.best.end = end;
    run.best
}

struct Run<'a> {
    component: &'a Component,
    goal: Goal,
    seed: u64,
    limits: &'a Limits<'a>,
    peak: u64,
    best: Minimum,
    /// The capacity that every sweep asks about, and how far the search for it has come.
    kept: Option<(u64, Probe)>,
}

impl Run<'_> {
    /// Probes upwards from the bound; `None` if larger budgets could tell more.
    fn sweep(&mut self, nodes: u64, improved: &mut dyn FnMut(u64, u64)) -> Option<MinimumEnd> {
        // Highest capacity at which this sweep has failed, proved or not.
        let mut failed = self.best.bound.saturating_sub(1);
        loop {
            if let Some(end) = self.reached() {
                return Some(end);
            }
            let highest = self.peak - 1;
            let over = self.goal.capacity.filter(|&capacity| self.peak > capacity);
            let capacity = match over {
                Some(capacity) if self.goal.only_fit && failed >= capacity => return None,
                // Above a capacity that this sweep did not reach it goes on: whoever asks for the least wants to know it.
                Some(capacity)
                    if failed < capacity && (self.goal.only_fit || failed >= self.goal.target) =>
                {
                    capacity
                }
                _ if failed >= highest => return None,
                _ if failed < self.goal.target => {
                    self.goal.target.max(failed + 1).min(highest).min(over.unwrap_or(u64::MAX))
                }
                _ => failed + 1 + (highest - failed - 1) / 4,
            };
            let left = self.limits.nodes.saturating_sub(self.best.nodes);
            if left == 0 {
                return Some(MinimumEnd::Limit);
            }
            let is_target = capacity <= self.goal.target;
            let more = nodes.saturating_mul(TARGET_SHARE).min(TARGET_NODES);
            let nodes = if is_target { nodes.max(more) } else { nodes }.min(left);
            let keep = is_target || self.goal.only_fit;
            let answer = self.probe(capacity, keep, &self.limits.with_nodes(nodes));
            self.best.nodes += answer.nodes;
            match answer.outcome {
                Outcome::Solved(positions) => {
                    self.peak = self.component.peak(&positions);
                    self.best.positions = positions;
                }
                Outcome::Infeasible => {
                    failed = capacity;
                    self.best.bound = self.best.bound.max(capacity + 1);
                }
                Outcome::Limit => failed = capacity,
                Outcome::Stopped => return Some(MinimumEnd::Stopped),
            }
            improved(self.peak, self.best.bound);
        }
    }

    /// Asks whether the component fits a capacity. With `keep` its search goes on when asked again.
    fn probe(&mut self, capacity: u64, keep: bool, limits: &Limits<'_>) -> Answer {
        let mut probe = match self.kept.take_if(|(at, _)| *at == capacity) {
            Some((_, probe)) => probe,
            None => {
                let seed = self.seed.wrapping_add(self.best.nodes);
                Probe::new(self.component, capacity, seed)
            }
        };
        let answer = probe.run(limits);
        if keep {
            self.kept = Some((capacity, probe));
        }
        answer
    }

    fn reached(&mut self) -> Option<MinimumEnd> {
        if self.goal.capacity.is_some_and(|c| self.best.bound > c) {
            if self.goal.only_fit {
                return Some(MinimumEnd::Infeasible);
            }
            // Nothing fits, so that all that is left to find is the least peak.
            self.goal.capacity = None;
        }
        let Goal { target, capacity, only_fit } = self.goal;
        let fits = only_fit && capacity.is_some_and(|c| self.peak <= c);
        let least = self.peak <= self.best.bound.max(target);
        (fits || least && capacity.is_none_or(|c| self.peak <= c)).then_some(MinimumEnd::Reached)
    }
}
