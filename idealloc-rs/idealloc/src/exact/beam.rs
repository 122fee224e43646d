//! Beam search over partial placements: many states at once, level by level.
//!
//! Depth-first search pays for an early mistake with the whole subtree below it. A beam keeps the most promising
//! states with the same number of placed buffers, and compares what they have wasted. It proves nothing.

use std::collections::{BinaryHeap, HashSet};
use std::sync::atomic::AtomicBool;

use super::branch::choose_section;
use super::completion::{Change, Completion, Jobs};
use super::limits::Limits;
use super::model::Model;
use super::search::End;
use super::state::State;
use crate::random::Random;

/// Buffers that are lifted for the children of one state without counting; each further one takes as long as a node.
const FREE_LIFTS: usize = 16;

/// Costs count in this many parts.
const PARTS: u64 = 1024;

/// What a run of the beam prefers.
#[derive(Clone, Debug)]
pub struct Taste {
    /// States per level.
    pub width: usize,
    /// Sections of one state that are branched on, each after all that could lie at the floor of the one before was
    /// lifted off it.
    pub sections: u32,
    /// Cost of a unit of height at which a section can be complete.
    section_costs: Vec<i64>,
    /// Cost of a buffer that is not placed: tall ones first.
    buffer_costs: Vec<i64>,
}

impl Taste {
    /// The taste at a position of the endless sequence of a seed, for beams of some dozen states.
    pub fn narrow(model: &Model, root: &State, width: usize, seed: u64, position: u64) -> Self {
        let mut random = Random::stream(seed ^ 0x6265_616d, position);
        let sections = [2, 2, 2, 4][random.below(4) as usize];
        let (long, tight) = (random.one_in(2), random.one_in(2));
        let width = if long || tight { 2 * width } else { width };
        let share = (3 + random.below(2)) as f64 / 10.0;
        let section_costs = section_costs(model, root, tight, &mut random);
        let buffer_costs = buffer_costs(model, root, long, share, &section_costs);
        Self { width, sections, section_costs, buffer_costs }
    }

    /// The same for beams of some hundred states or more, which can afford to branch on more sections.
    pub fn broad(model: &Model, root: &State, width: usize, seed: u64, position: u64) -> Self {
        let mut random = Random::stream(seed ^ 0x62_726f_6164, position);
        let tight = random.one_in(2);
        let share = if tight { 0.3 } else { 0.4 };
        let section_costs = section_costs(model, root, tight, &mut random);
        let buffer_costs = buffer_costs(model, root, false, share, &section_costs);
        Self { width, sections: 5, section_costs, buffer_costs }
    }

    /// Cost of sections that can be complete at `ends`. A section that is complete costs nothing.
    fn of_sections(&self, low: usize, ends: &[i32]) -> i64 {
        ends.iter().zip(&self.section_costs[low..]).map(|(&end, cost)| i64::from(end) * cost).sum()
    }
}

/// Room of a section that nothing can fill.
fn slack(model: &Model, root: &State, section: usize) -> f64 {
    match root.at_floor[section] {
        0 => 0.0,
        _ => (model.room[section] - root.floor[section] - root.total[section]) as f64,
    }
}

/// Random within 30 % of each other; if `tight`, sections cost by the root of their slack, the tightest most.
fn section_costs(model: &Model, root: &State, tight: bool, random: &mut Random) -> Vec<i64> {
    let cost = |s: usize| {
        let factor = ((70 + random.below(61)) * PARTS) as f64;
        let least = 0.01 * model.room[s] as f64;
        let scale = if tight { (least / (slack(model, root, s) + least)).sqrt() } else { 1.0 };
        (factor * scale) as i64
    };
    (0..model.sections).map(cost).collect()
}

/// Buffers cost by their height squared, and if `long` times their sections; all together `share` of what the slack
/// of the sections costs.
fn buffer_costs(
    model: &Model,
    root: &State,
    long: bool,
    share: f64,
    section_costs: &[i64],
) -> Vec<i64> {
    let value = |b: usize| {
        let height = model.heights[b] as f64;
        height * height * if long { model.widths[b] as f64 } else { 1.0 }
    };
    let values: f64 = (0..model.n).map(value).sum();
    let waste: f64 =
        (0..model.sections).map(|s| slack(model, root, s) * section_costs[s] as f64).sum();
    (0..model.n).map(|b| (value(b) / values * waste * share) as i64).collect()
}

/// A state, and what is known of it.
#[derive(Debug, Default)]
struct Node {
    state: State,
    jobs: Jobs,
    /// What its sections and its unplaced buffers cost.
    cost: i64,
    /// Tells it apart from states that place other buffers, or leave other positions to the rest.
    fingerprint: u64,
}

impl Node {
    /// Brings all that is known of the node up to its state, from `before`, whose state it was made of.
    fn update(
        &mut self,
        model: &Model,
        taste: &Taste,
        completion: &mut Completion,
        before: &Self,
    ) -> bool {
        let Some(Change { low, high, marks }) =
            completion.update(model, &before.jobs, &self.state, &mut self.jobs)
        else {
            return false;
        };
        self.cost = before.cost + taste.of_sections(low, &self.jobs.ends[low..high])
            - taste.of_sections(low, &before.jobs.ends[low..high]);
        self.fingerprint = before.fingerprint.wrapping_add(marks);
        true
    }
}

/// One run of the beam.
pub struct Beam<'a> {
    model: &'a Model,
    taste: &'a Taste,
    limits: &'a Limits<'a>,
    stop: &'a AtomicBool,
    completion: Completion,
    /// The next level: cost, when it was found, and slot of each node, the worst on top.
    next: BinaryHeap<(i64, u64, usize)>,
    slots: Vec<Node>,
    /// How many of the slots hold a node of the next level.
    used: usize,
    seen: HashSet<u64>,
    child: Node,
    /// Nodes used: placements tried.
    pub nodes: u64,
}

impl<'a> Beam<'a> {
    pub fn new(
        model: &'a Model,
        taste: &'a Taste,
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
            child: Node::default(),
            nodes: 0,
        }
    }

    /// Runs until something is solved, no state is left (`OutOfNodes`: nothing is proved), or it is stopped.
    pub fn run(&mut self, root: &State) -> (End, Vec<u64>) {
        let Some(jobs) = self.completion.of(self.model, root) else {
            return (End::OutOfNodes, Vec::new());
        };
        let open: i64 = root.unplaced_buffers().map(|b| self.taste.buffer_costs[b]).sum();
        let cost = self.taste.of_sections(0, &jobs.ends) + open;
        let mut level = vec![Node { state: root.clone(), jobs, cost, fingerprint: 0 }];
        let mut order = vec![0];
        let (mut node, mut spare) = (Node::default(), Node::default());
        loop {
            for &slot in &order {
                std::mem::swap(&mut node, &mut level[slot]);
                match self.expand(&mut node, &mut spare) {
                    End::Failed => {}
                    End::Solved => return (End::Solved, node.state.lowest),
                    end => return (end, Vec::new()),
                }
            }
            if self.next.is_empty() {
                return (End::OutOfNodes, Vec::new());
            }
            // The best first: what comes later is then soon found to be worse.
            let entries = std::mem::take(&mut self.next).into_sorted_vec();
            order.clear();
            order.extend(entries.iter().map(|&(_, _, slot)| slot));
            self.seen.clear();
            self.used = 0;
            std::mem::swap(&mut level, &mut self.slots);
        }
    }

    /// Counts a node; how the run ends if it may have no more.
    fn count_node(&mut self) -> Option<End> {
        if self.nodes >= self.limits.nodes {
            return Some(End::OutOfNodes);
        }
        self.nodes += 1;
        self.limits.stops_at(self.nodes, self.stop).then_some(End::Stopped)
    }

    /// Offers the children of a node; `Failed` once there are no more, `Solved` if nothing is left to place.
    fn expand(&mut self, node: &mut Node, spare: &mut Node) -> End {
        let model = self.model;
        if node.state.settle(model).is_err() {
            return End::Failed;
        }
        let (mut sections, mut lifts) = (0, 0);
        let mut candidates = Vec::new();
        loop {
            // Everything that cannot lie where it would be lowest is lifted.
            let mut lifted = sections > 0;
            let floor = loop {
                let Some(section) = choose_section(model, &node.state, 0, model.sections, None)
                else {
                    return End::Solved;
                };
                let floor = node.state.floor[section];
                candidates.clear();
                let members = node.state.unplaced_members(model, section);
                candidates.extend(members.filter(|&b| node.state.lowest[b] == floor));
                let floating =
                    candidates.iter().find(|&&b| !node.state.is_supported(model, b)).copied();
                let Some(b) = floating else { break floor };
                if node.state.raise(model, b).is_err() {
                    return End::Failed;
                }
                lifted = true;
                lifts += 1;
                if lifts > FREE_LIFTS
                    && let Some(end) = self.count_node()
                {
                    return end;
                }
            };
            if lifted {
                std::mem::swap(&mut node.jobs, &mut spare.jobs);
                spare.cost = node.cost;
                spare.fingerprint = node.fingerprint;
                if !node.update(model, self.taste, &mut self.completion, spare) {
                    return End::Failed;
                }
            }
            if sections > 0 {
                let open = node.state.unplaced_buffers().map(|b| self.taste.buffer_costs[b]);
                if self.is_poor(node.cost - open.max().unwrap_or(0)) {
                    return End::Failed;
                }
            }
            for (k, &b) in candidates.iter().enumerate() {
                if candidates[..k].iter().any(|&c| model.twins[b].contains(&(c as u32))) {
                    continue;
                }
                if self.is_poor(node.cost - self.taste.buffer_costs[b]) {
                    continue;
                }
                if let Some(end) = self.count_node() {
                    return end;
                }
                self.child.state.clone_from(&node.state);
                // Two children of three are dropped before they are expanded: the expansion settles.
                if self.child.state.place_unsettled(model, b).is_ok()
                    && self.child.update(model, self.taste, &mut self.completion, node)
                {
                    self.child.cost -= self.taste.buffer_costs[b];
                    self.offer();
                }
            }
            sections += 1;
            if sections == self.taste.sections {
                return End::Failed;
            }
            for &b in &candidates {
                if node.state.lowest[b] == floor && node.state.raise(model, b).is_err() {
                    return End::Failed;
                }
            }
        }
    }

    /// Keeps the child if it is among the best of its level.
    fn offer(&mut self) {
        if self.is_poor(self.child.cost) || !self.seen.insert(self.child.fingerprint) {
            return;
        }
        let full = self.next.len() == self.taste.width;
        let slot = if full { self.next.pop().map(|(_, _, slot)| slot) } else { None };
        let slot = slot.unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        self.next.push((self.child.cost, self.nodes, slot));
        if slot == self.slots.len() {
            self.slots.push(Node::default());
        }
        std::mem::swap(&mut self.slots[slot], &mut self.child);
    }

    /// True if a state of such a cost is not among the best. A child costs at least what its parent does without the
    /// buffer, as placing only raises completions; unless it completes a section, but then it is likely poor too.
    fn is_poor(&self, cost: i64) -> bool {
        self.next.len() == self.taste.width && self.next.peek().is_some_and(|w| w.0 <= cost)
    }
}
