//! Fewest bytes moved under a capacity: A* over what has run, what is on chip, and what of it is clean.
//!
//! Exact for capacity alone; addresses are found afterwards. The bound that every schedule must meet rises from
//! expansion to expansion, so a search that is cut short still has one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bit_set::BitSet;
use super::budget::Budget;
use super::downsets::{Downsets, TooWide};
use super::forced::ForcedEvictions;
use super::lattice::{DownsetIdx, Lattice};
use super::learned::Learned;
use super::options::Reductions;
use super::parts::Parts;
use super::path::Path;
use super::reduce::Reduced;
use super::step::{Child, State, Stepper};
use crate::plan::StopReason;

/// Sets of tensors to evict for one macro above which the search gives up: some graphs have millions.
const MOST_CHOICES: usize = 1 << 16;

/// What a search found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The best path, if the search came to the end.
    pub path: Option<Path>,
    /// Bytes that every schedule moves; if the search ended without one, the least value that it left out.
    pub bound: u64,
    /// Why the search stopped; `Infeasible` if no schedule is as good as the value that was asked for.
    pub stop: StopReason,
    /// Whether it stopped as a state had more choices of what to evict than are listed.
    pub has_too_many_choices: bool,
    /// Downsets met.
    pub downsets: u64,
}

/// A state in the search tree.
#[derive(Clone, Copy, Debug)]
struct Node<const W: usize> {
    state: State<W>,
    parent: u32,
    by: u32,
    evicted: BitSet<W>,
    is_beaten: bool,
    /// Children of no more value have been made.
    made: u64,
}

/// A state of a downset that nothing beats so far.
#[derive(Clone, Copy, Debug)]
struct Contender<const W: usize> {
    resident: BitSet<W>,
    dirty: BitSet<W>,
    cost: u64,
    /// Bytes of `resident` and of `dirty`.
    bytes: (u64, u64),
    node: u32,
}

/// The search, with what outlives one run of it.
pub(super) struct Search<'a, const W: usize> {
    pub stepper: Stepper<'a, W>,
    forced: Option<ForcedEvictions<W>>,
    parts: Option<Parts>,
    /// By downset: what the parts to come move; `u64::MAX` until somebody asks.
    parts_ahead: Vec<u64>,
    /// Whether of states that parts make equal the deepest goes first, not the cheapest.
    pub is_hasty: bool,
    dominance: bool,
    /// How much more than its parent a state may be worth to be made at once.
    reach: u64,
    /// By downset, by ascending cost; empty between runs.
    contenders: Vec<Vec<Contender<W>>>,
    /// Number of contenders.
    contending: usize,
    /// Downsets with contenders.
    touched: Vec<u32>,
    nodes: Vec<Node<W>>,
    /// Nodes of the last run whose children were made.
    expanded: Vec<u32>,
    /// From earlier runs, where these were learned from.
    learned: Option<Learned<W>>,
    children: Vec<Child<W>>,
}

impl<'a, const W: usize> Search<'a, W> {
    /// Prepares for a graph under a capacity in bytes.
    pub fn new(
        reduced: &'a Reduced,
        capacity: u64,
        reductions: Reductions,
    ) -> Result<Self, TooWide> {
        Self::with_choices(reduced, capacity, reductions, MOST_CHOICES)
    }

    /// The same; gives up where one macro has more than `most_choices` sets of tensors to evict.
    pub fn with_choices(
        reduced: &'a Reduced,
        capacity: u64,
        mut reductions: Reductions,
        most_choices: usize,
    ) -> Result<Self, TooWide> {
        // Two rules about which order stands for many: together they could each rule out what the other keeps.
        reductions.canonical_last &=
            !(reductions.defer_sources && reduced.macros.iter().any(|m| m.can_wait));
        let downsets = Downsets::new(reduced, reductions.defer_sources)?;
        Ok(Self {
            stepper: Stepper::new(downsets, capacity, reductions, most_choices),
            forced: reductions.forced_eviction.then(|| ForcedEvictions::new(reduced, capacity)),
            parts: None,
            parts_ahead: Vec::new(),
            is_hasty: false,
            dominance: reductions.dominance,
            reach: u64::MAX,
            contenders: Vec::new(),
            contending: 0,
            touched: Vec::new(),
            nodes: Vec::new(),
            expanded: Vec::new(),
            learned: None,
            children: Vec::new(),
        })
    }

    /// The same with another bound.
    pub fn with_parts(self, parts: Parts) -> Self {
        Self { parts: Some(parts), ..self }
    }

    /// Searches for the cheapest way from a state to the end.
    ///
    /// States that cost more than `upper` in all, `start.cost` included, are left out. Another `tie_break` leads to
    /// another of the best schedules.
    pub fn run(
        &mut self,
        start: State<W>,
        upper: u64,
        tie_break: u64,
        budget: &mut Budget<'_>,
    ) -> Result<Found, TooWide> {
        for at in self.touched.drain(..) {
            self.contenders[at as usize].clear();
        }
        self.contending = 0;
        self.nodes.clear();
        self.expanded.clear();
        let (evicted, is_beaten) = (BitSet::EMPTY, false);
        self.nodes.push(Node { state: start, parent: 0, by: 0, evicted, is_beaten, made: 0 });
        let mut open = BinaryHeap::new();
        let mut left_out = u64::MAX;
        let least = start.cost + self.ahead(start).0;
        if least <= upper {
            open.push((Reverse(least), Reverse(0u64), 0u32, 0u64, Reverse(0u32)));
        } else {
            left_out = least;
        }
        let mut bound = 0u64;
        let mut stop = StopReason::Infeasible;
        let mut goal = None;
        let mut has_too_many_choices = false;
        while let Some((Reverse(value), Reverse(rank), _, _, Reverse(index))) = open.pop() {
            let node = self.nodes[index as usize];
            if node.is_beaten {
                continue;
            }
            bound = bound.max(value);
            if self.stepper.downsets.lattice.is_complete(node.state.downset) {
                stop = StopReason::Optimal;
                goal = Some(index);
                break;
            }
            let bytes = self.held() + open.len() * size_of_val(&(value, rank, 0u32, 0u64, index));
            if let Some(reason) = budget.spend(bound, bytes) {
                stop = reason;
                break;
            }
            self.expanded.push(index);
            let mut children = std::mem::take(&mut self.children);
            let (most, next) = self.expand(node.state, value, upper, &mut children)?;
            if self.stepper.take_is_cut() {
                stop = StopReason::WorkLimit;
                has_too_many_choices = true;
                self.children = children;
                break;
            }
            if next <= upper {
                // Dearer choices wait for their turn.
                self.nodes[index as usize].made = most;
                let depth = self.stepper.downsets.lattice.depth(node.state.downset);
                open.push((Reverse(next), Reverse(rank), depth, 0, Reverse(index)));
            } else {
                left_out = left_out.min(next);
            }
            self.contenders.resize_with(self.stepper.downsets.lattice.len(), Vec::new);
            for child in &children {
                let state = child.state;
                if node.made > 0 && state.cost + self.parts_ahead(state.downset) <= node.made {
                    continue;
                }
                let (ahead, rank) = self.ahead(state);
                let value = value.max(state.cost + ahead);
                if value > upper {
                    left_out = left_out.min(value);
                    continue;
                }
                if self.dominance && !self.contend(state) {
                    continue;
                }
                let id = self.nodes.len() as u32;
                let (by, evicted) = (child.by, child.evicted);
                let parent = index;
                self.nodes.push(Node { state, parent, by, evicted, is_beaten: false, made: 0 });
                let depth = self.stepper.downsets.lattice.depth(state.downset);
                let tie = u64::from(id).wrapping_mul(tie_break) >> 32;
                open.push((Reverse(value), Reverse(rank), depth, tie, Reverse(id)));
            }
            self.children = children;
        }
        if stop == StopReason::Infeasible {
            bound = left_out;
        }
        let path = goal.map(|goal| self.trace(goal));
        let downsets = self.stepper.downsets.lattice.len() as u64;
        Ok(Found { path, bound, stop, has_too_many_choices, downsets })
    }

    /// Learns from the last run, which found that every way to the end costs at least `bound`, `start.cost` included.
    pub fn learn(&mut self, bound: u64) {
        let learned = self.learned.get_or_insert_default();
        for &index in &self.expanded {
            let state = self.nodes[index as usize].state;
            if let Some(ahead) = bound.checked_sub(state.cost) {
                learned.note(state, ahead);
            }
        }
    }

    /// Fills `children` with the states that follow a state of some value, as far as they are worth no more than `upper`
    /// and there are not too many of them.
    ///
    /// Returns the value up to which they are complete, and what those that were left out are worth at least.
    fn expand(
        &mut self,
        state: State<W>,
        value: u64,
        upper: u64,
        children: &mut Vec<Child<W>>,
    ) -> Result<(u64, u64), TooWide> {
        loop {
            let most = value.saturating_add(self.reach).min(upper);
            let (parts, ahead) = (self.parts.as_ref(), &mut self.parts_ahead);
            let most_cost = |downsets: &Downsets<'a, W>, to: DownsetIdx| {
                most.saturating_sub(known_ahead(parts, ahead, &downsets.lattice, to))
            };
            let excess = self.stepper.children(state, most_cost, children)?;
            // Without a bound that tells states apart there is no end to it.
            let is_last = most == value || self.parts.is_none();
            if is_last || !self.stepper.take_is_cut() {
                return Ok((most, most.saturating_add(excess)));
            }
            self.reach = (most - value) / 4;
        }
    }

    /// Bytes that the parts of which nothing has run at a downset must move.
    fn parts_ahead(&mut self, at: DownsetIdx) -> u64 {
        known_ahead(self.parts.as_ref(), &mut self.parts_ahead, &self.stepper.downsets.lattice, at)
    }

    /// Bytes taken, but for what is open.
    pub fn held(&self) -> usize {
        self.stepper.downsets.held()
            + self.forced.as_ref().map_or(0, ForcedEvictions::held)
            + self.parts_ahead.len() * size_of::<u64>()
            + self.nodes.len() * size_of::<Node<W>>()
            + self.expanded.len() * size_of::<u32>()
            + self.learned.as_ref().map_or(0, Learned::held)
            + self.contenders.len() * size_of::<Vec<Contender<W>>>()
            + self.contending * size_of::<Contender<W>>()
    }

    /// Bytes that every way from a state to the end must still move; and with parts, what the state is worth without them.
    ///
    /// That decides among the many states that parts make equal: what costs least goes first, as it beats others.
    fn ahead(&mut self, state: State<W>) -> (u64, u64) {
        let forced = self.forced.as_mut().map_or(0, |f| f.bound(&self.stepper.downsets, state));
        let forced = forced.max(self.learned.as_ref().map_or(0, |learned| learned.bound(state)));
        match self.parts {
            Some(_) if self.is_hasty => (forced.max(self.parts_ahead(state.downset)), 0),
            Some(_) => (forced.max(self.parts_ahead(state.downset)), state.cost + forced),
            None => (forced, 0),
        }
    }

    /// Enters the state that gets the next node, unless another of its downset beats it; drops those it beats.
    fn contend(&mut self, state: State<W>) -> bool {
        let downsets = &self.stepper.downsets;
        let sizes = downsets.sizes(state.downset);
        let least =
            downsets.live(state.downset).iter().map(|&item| downsets.item_bytes(item)).min();
        // Times a number of tensors that is still a number of bytes.
        let least = least.unwrap_or(0).min(u64::from(u32::MAX));
        let rivals = &mut self.contenders[state.downset.0 as usize];
        let new = Contender {
            resident: state.resident,
            dirty: state.dirty,
            cost: state.cost,
            bytes: (state.bytes, state.dirty.iter().map(&sizes).sum()),
            node: self.nodes.len() as u32,
        };
        let cheaper = rivals.partition_point(|old| old.cost <= new.cost);
        if rivals[..cheaper].iter().any(|old| beats(&sizes, least, old, &new)) {
            return false;
        }
        if rivals.is_empty() {
            self.touched.push(state.downset.0);
        }
        let before = rivals.len();
        let nodes = &mut self.nodes;
        let mut from = rivals.partition_point(|old| old.cost < new.cost);
        let place = from;
        let mut kept = from;
        while from < before {
            let old = rivals[from];
            let is_beaten = beats(&sizes, least, &new, &old);
            nodes[old.node as usize].is_beaten |= is_beaten;
            if !is_beaten {
                rivals[kept] = old;
                kept += 1;
            }
            from += 1;
        }
        rivals.truncate(kept);
        rivals.insert(place, new);
        self.contending = self.contending + rivals.len() - before;
        true
    }

    fn trace(&self, goal: u32) -> Path {
        let mut steps = Vec::new();
        let mut at = goal;
        while at != 0 {
            let node = &self.nodes[at as usize];
            let parent = self.nodes[node.parent as usize].state;
            let downsets = &self.stepper.downsets;
            steps.push(downsets.step(parent.downset, node.by, node.evicted, parent.resident));
            at = node.parent;
        }
        steps.reverse();
        Path { steps, cost: self.nodes[goal as usize].state.cost }
    }
}

/// What a bound by parts says about a downset, worked out once.
pub(super) fn known_ahead(
    parts: Option<&Parts>,
    known: &mut Vec<u64>,
    lattice: &Lattice<'_>,
    at: DownsetIdx,
) -> u64 {
    let Some(parts) = parts else { return 0 };
    if at.get() >= known.len() {
        known.resize(lattice.len(), u64::MAX);
    }
    let bytes = &mut known[at.get()];
    if *bytes == u64::MAX {
        *bytes = parts.bound(lattice, at);
    }
    *bytes
}

/// Whether from `a` everything can be done that can be done from `b`, and no more is moved in sum.
///
/// `a` costs no more than `b`; both are of one downset, with these sizes of live tensors, none below `least`.
fn beats<const W: usize>(
    sizes: &impl Fn(u32) -> u64,
    least: u64,
    a: &Contender<W>,
    b: &Contender<W>,
) -> bool {
    let most = b.cost - a.cost;
    // The price is at least the difference in bytes, and the least size for each tensor.
    let count = u64::from(a.resident.minus(b.resident).len() + a.dirty.minus(b.dirty).len());
    a.bytes.0.saturating_sub(b.bytes.0) + a.bytes.1.saturating_sub(b.bytes.1) <= most
        && count * least <= most
        && price(sizes, (a.resident, a.dirty), (b.resident, b.dirty), most).is_some()
}

/// What it costs at most to go on from what `a` has on chip as one would from what `b` has; `None` above `most`.
///
/// `a` follows the plan of `b` after evicting what only it holds, at the price of doing so; what `a` lacks is paid
/// for and comes back free of charge. A tensor that is dirty in `a` but clean in `b` may cost one more write. Both
/// are pairs of what is resident and what of that is dirty, at one downset with these sizes of live tensors.
#[inline]
pub(super) fn price<const W: usize>(
    sizes: &impl Fn(u32) -> u64,
    a: (BitSet<W>, BitSet<W>),
    b: (BitSet<W>, BitSet<W>),
    most: u64,
) -> Option<u64> {
    let (more, dirtier) = (a.0.minus(b.0), a.1.minus(b.1));
    let mut left = most;
    // Reading back what is evicted, and writing it, or writing it once more.
    for set in [more, dirtier] {
        for bit in set.iter() {
            left = left.checked_sub(sizes(bit))?;
        }
    }
    Some(most - left)
}
