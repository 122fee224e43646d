//! Beam search over partial placements: many states at once, level by level.
//!
//! Depth-first search pays for an early mistake with the whole subtree below it. A beam keeps the most promising
//! states with the same number of placed buffers, and compares what they have wasted. It proves nothing.

use std::collections::{BinaryHeap, HashSet};
use std::sync::atomic::AtomicBool;

use super::branch::choose_section;
use super::completion::Completion;
use super::limits::Limits;
use super::model::Model;
use super::search::End;
use super::state::State;
use crate::random::{Random, scramble};

/// What a run of the beam prefers.
#[derive(Clone, Debug)]
pub struct Taste {
    /// States per level.
    pub width: usize,
    /// Sections of one state that are branched on, each after all that could lie at the floor of the one before was
    /// lifted off it.
    pub sections: u32,
    /// Cost of a unit of height at which a section can be complete.
    section_costs: Vec<f64>,
    /// Cost of a buffer that is not placed: tall ones first.
    buffer_costs: Vec<f64>,
}

impl Taste {
    /// The taste at a position of the endless sequence of a seed.
    pub fn nth(model: &Model, root: &State, width: usize, seed: u64, position: u64) -> Self {
        let mut random = Random::stream(seed ^ 0x6265_616d, position);
        let sections = [2, 2, 2, 4][random.below(4) as usize];
        let wide = random.one_in(2);
        let width = if wide { 2 * width } else { width };
        let share = (3 + random.below(2)) as f64 / 10.0;
        let section_costs: Vec<f64> =
            (0..model.sections).map(|_| (70 + random.below(61)) as f64).collect();
        let value = |b: usize| {
            let height = model.heights[b] as f64;
            height * height * if wide { model.widths[b] as f64 } else { 1.0 }
        };
        let values: f64 = (0..model.n).map(value).sum();
        let slack = |s: usize| match root.at_floor[s] {
            0 => 0.0,
            _ => (model.room[s] - root.floor[s] - root.total[s]) as f64,
        };
        let waste: f64 = (0..model.sections).map(|s| slack(s) * section_costs[s]).sum();
        let buffer_costs = (0..model.n).map(|b| value(b) / values * waste * share).collect();
        Self { width, sections, section_costs, buffer_costs }
    }

    /// Cost of a state whose sections can be complete at `ends`. A section that is complete costs nothing.
    fn cost(&self, state: &State, ends: &[u64]) -> f64 {
        let heights: f64 =
            ends.iter().zip(&self.section_costs).map(|(&e, cost)| e as f64 * cost).sum();
        heights + state.unplaced_buffers().map(|b| self.buffer_costs[b]).sum::<f64>()
    }
}

/// A state of the next level: by cost, then by when it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    cost: f64,
    found: u64,
    slot: usize,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.cost.total_cmp(&other.cost).then(self.found.cmp(&other.found))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// One run of the beam.
pub struct Beam<'a> {
    model: &'a Model,
    taste: &'a Taste,
    limits: &'a Limits<'a>,
    stop: &'a AtomicBool,
    completion: Completion,
    /// States of the next level, the worst on top, and their fingerprints.
    next: BinaryHeap<Entry>,
    slots: Vec<State>,
    /// How many of the slots hold a state.
    used: usize,
    seen: HashSet<u64>,
    child: State,
    /// Nodes used: placements tried.
    pub nodes: u64,
}

impl<'a> Beam<'a> {
    pub fn new(
        model: &'a Model,
        taste: &'a Taste,
        root: &State,
        limits: &'a Limits<'a>,
        stop: &'a AtomicBool,
    ) -> Self {
        Self {
            model,
            taste,
            limits,
            stop,
            completion: Completion::new(model),
            next: BinaryHeap::new(),
            slots: Vec::new(),
            used: 0,
            seen: HashSet::new(),
            child: root.clone(),
            nodes: 0,
        }
    }

    /// Runs until something is solved, no state is left (`OutOfNodes`: nothing is proved), or it is stopped.
    pub fn run(&mut self, root: &State) -> (End, Vec<u64>) {
        let mut level = vec![root.clone()];
        let mut order = vec![0];
        let mut state = root.clone();
        loop {
            for &slot in &order {
                state.clone_from(&level[slot]);
                match self.expand(&mut state) {
                    End::Failed => {}
                    End::Solved => return (End::Solved, state.lowest),
                    end => return (end, Vec::new()),
                }
            }
            if self.next.is_empty() {
                return (End::OutOfNodes, Vec::new());
            }
            // The best first: what comes later is then soon found to be worse.
            let entries = std::mem::take(&mut self.next).into_sorted_vec();
            order.clear();
            order.extend(entries.iter().map(|entry| entry.slot));
            self.seen.clear();
            self.used = 0;
            std::mem::swap(&mut level, &mut self.slots);
        }
    }

    /// Offers the children of a state; `Failed` once there are no more, `Solved` if nothing is left to place.
    fn expand(&mut self, state: &mut State) -> End {
        let model = self.model;
        let mut sections = 0;
        let mut candidates = Vec::new();
        'sections: loop {
            let Some(section) = choose_section(model, state, 0, model.sections, None) else {
                return End::Solved;
            };
            let floor = state.floor[section];
            candidates.clear();
            candidates.extend(
                state.unplaced_members(model, section).filter(|&b| state.lowest[b] == floor),
            );
            for &b in &candidates {
                if !state.is_supported(model, b) {
                    if state.raise(model, b).is_err() {
                        return End::Failed;
                    }
                    continue 'sections;
                }
            }
            if !self.completion.of(model, state) {
                return End::Failed;
            }
            let cost = self.taste.cost(state, &self.completion.ends);
            let costs = state.unplaced_buffers().map(|b| self.taste.buffer_costs[b]);
            let most = costs.fold(0.0, f64::max);
            if sections > 0 && self.is_poor(cost - most) {
                return End::Failed;
            }
            for (k, &b) in candidates.iter().enumerate() {
                if candidates[..k].iter().any(|&c| model.twins[b].contains(&(c as u32))) {
                    continue;
                }
                if self.is_poor(cost - self.taste.buffer_costs[b]) {
                    continue;
                }
                if self.nodes >= self.limits.nodes {
                    return End::OutOfNodes;
                }
                self.nodes += 1;
                if self.limits.stops_at(self.nodes, self.stop) {
                    return End::Stopped;
                }
                self.child.clone_from(state);
                if self.child.place(model, b).is_ok()
                    && self.completion.of_child(model, &self.child, b)
                {
                    self.offer();
                }
            }
            sections += 1;
            if sections == self.taste.sections {
                return End::Failed;
            }
            for &b in &candidates {
                if state.lowest[b] == floor && state.raise(model, b).is_err() {
                    return End::Failed;
                }
            }
        }
    }

    /// Keeps the child if it is among the best of its level.
    fn offer(&mut self) {
        let cost = self.taste.cost(&self.child, &self.completion.ends);
        if self.is_poor(cost) {
            return;
        }
        let fingerprint = self
            .child
            .unplaced_buffers()
            .map(|b| scramble(scramble(b as u64).wrapping_add(self.child.lowest[b])))
            .fold(0, u64::wrapping_add);
        if !self.seen.insert(fingerprint) {
            return;
        }
        let full = self.next.len() == self.taste.width;
        let slot = if full { self.next.pop().map(|worst| worst.slot) } else { None };
        let slot = if let Some(slot) = slot {
            self.slots[slot].clone_from(&self.child);
            slot
        } else {
            if self.used < self.slots.len() {
                self.slots[self.used].clone_from(&self.child);
            } else {
                self.slots.push(self.child.clone());
            }
            self.used += 1;
            self.used - 1
        };
        self.next.push(Entry { cost, found: self.nodes, slot });
    }

    /// True if a state of such a cost is not among the best. A child costs at least what its parent does without the
    /// buffer, as placing only raises completions; unless it completes a section, but then it is likely poor too.
    fn is_poor(&self, cost: f64) -> bool {
        self.next.len() == self.taste.width && self.next.peek().is_some_and(|w| w.cost <= cost)
    }
}
