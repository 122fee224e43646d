//! Fewest bytes moved under a capacity: A* over what has run, what is on chip, and what of it is clean.
//!
//! Exact for capacity alone; addresses are found afterwards. The bound that every schedule must meet rises from
//! expansion to expansion, so a search that is cut short still has one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use super::downsets::{Downsets, Mask, TooWide, bits};
use super::forced::ForcedEvictions;
use super::options::SearchOptions;
use super::path::{Path, Step};
use super::reduce::Reduced;
use super::step::{Child, State, Stepper};
use crate::control::Control;
use crate::plan::StopReason;

/// How many expansions pass between looks at the clock and at cancellation.
const POLL: u64 = 1024;

/// What a search found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The best path, if the search came to the end.
    pub path: Option<Path>,
    /// Bytes that every schedule moves.
    pub bound: u64,
    /// Why the search stopped.
    pub stop: StopReason,
    /// States expanded.
    pub expanded: u64,
    /// Downsets met.
    pub downsets: u64,
}

/// A state in the search tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    state: State,
    parent: u32,
    by: u32,
    evicted: Mask,
    is_beaten: bool,
}

/// A state of a downset that nothing beats so far.
#[derive(Clone, Copy, Debug)]
struct Contender {
    resident: Mask,
    dirty: Mask,
    cost: u64,
    node: u32,
}

/// Searches for the cheapest schedule; `upper` is a value that is known to be reachable: states that cost more
/// are left out.
pub(super) fn search(
    reduced: &Reduced,
    capacity: u64,
    upper: u64,
    tie_break: u64,
    options: &SearchOptions,
    control: &Control,
) -> Result<Found, TooWide> {
    let began = Instant::now();
    let mut reductions = options.reductions;
    // Two rules about which order stands for many: together they could each rule out what the other keeps.
    reductions.canonical_last &=
        !(reductions.defer_sources && reduced.macros.iter().any(|m| m.can_wait));
    let downsets = Downsets::new(reduced, reductions.defer_sources)?;
    let mut stepper = Stepper::new(downsets, capacity, reductions);
    let mut forced =
        options.reductions.forced_eviction.then(|| ForcedEvictions::new(reduced, capacity));
    let mut contenders: Vec<Vec<Contender>> = Vec::new();
    let first = stepper.first();
    let mut nodes = vec![Node { state: first, parent: 0, by: 0, evicted: 0, is_beaten: false }];
    let mut open = BinaryHeap::new();
    let bound = forced.as_mut().map_or(0, |f| f.bound(&stepper.downsets, first));
    open.push((Reverse(bound), 0u32, 0u64, Reverse(0u32)));
    let mut children: Vec<Child> = Vec::new();
    let (mut expanded, mut bound) = (0u64, 0u64);
    let mut stop = StopReason::Infeasible;
    let mut goal = None;
    while let Some((Reverse(value), _, _, Reverse(index))) = open.pop() {
        let node = nodes[index as usize];
        if node.is_beaten {
            continue;
        }
        bound = bound.max(value);
        if stepper.downsets.is_complete(node.state.downset) {
            stop = StopReason::Optimal;
            goal = Some(index);
            break;
        }
        expanded += 1;
        if expanded % POLL == 0 {
            control.add_work(POLL);
            control.publish(if upper == u64::MAX { 0 } else { upper }, bound);
            if control.is_cancelled() {
                stop = StopReason::Cancelled;
                break;
            }
            if options.time_limit.is_some_and(|limit| began.elapsed() >= limit) {
                stop = StopReason::TimeLimit;
                break;
            }
        }
        if options.max_states.is_some_and(|most| expanded > most) {
            stop = StopReason::WorkLimit;
            break;
        }
        stepper.children(node.state, &mut children)?;
        contenders.resize_with(stepper.downsets.len(), Vec::new);
        for child in &children {
            let state = child.state;
            let ahead = forced.as_mut().map_or(0, |f| f.bound(&stepper.downsets, state));
            let value = value.max(state.cost + ahead);
            if value > upper {
                continue;
            }
            let rivals = &mut contenders[state.downset.0 as usize];
            if options.reductions.dominance {
                let d = &stepper.downsets;
                let new = Contender {
                    resident: state.resident,
                    dirty: state.dirty,
                    cost: state.cost,
                    node: nodes.len() as u32,
                };
                if rivals.iter().any(|old| beats(d, state, old, &new)) {
                    continue;
                }
                rivals.retain(|old| {
                    let is_beaten = beats(d, state, &new, old);
                    nodes[old.node as usize].is_beaten |= is_beaten;
                    !is_beaten
                });
                rivals.push(new);
            }
            let id = nodes.len() as u32;
            nodes.push(Node {
                state,
                parent: index,
                by: child.by,
                evicted: child.evicted,
                is_beaten: false,
            });
            let depth = stepper.downsets.get(state.downset).depth;
            // Another tie-break leads to another of the best schedules.
            let tie = u64::from(id).wrapping_mul(tie_break) >> 32;
            open.push((Reverse(value), depth, tie, Reverse(id)));
        }
    }
    let path = goal.map(|goal| trace(&stepper.downsets, &nodes, goal));
    let downsets = stepper.downsets.len() as u64;
    Ok(Found { path, bound, stop, expanded, downsets })
}

/// Whether from `a` everything can be done that can be done from `b`, and no more is moved in sum.
///
/// `a` follows the plan of `b` after evicting what only it holds, at the price of doing so; what `a` lacks is paid
/// for and comes back free of charge. A tensor that is dirty in `a` but clean in `b` may cost one more write.
fn beats(downsets: &Downsets<'_>, at: State, a: &Contender, b: &Contender) -> bool {
    if a.cost > b.cost {
        return false;
    }
    let mut slack = b.cost - a.cost;
    let more = a.resident & !b.resident;
    let dirtier = a.dirty & !b.dirty;
    if more | dirtier == 0 {
        return true;
    }
    if slack == 0 {
        return false;
    }
    for bit in bits(more | dirtier) {
        let size = downsets.bytes(at.downset, bit);
        let price = size * (u64::from(more >> bit & 1 == 1) + u64::from(a.dirty >> bit & 1 == 1));
        if price > slack {
            return false;
        }
        slack -= price;
    }
    true
}

fn trace(downsets: &Downsets<'_>, nodes: &[Node], goal: u32) -> Path {
    let mut steps = Vec::new();
    let mut at = goal;
    while at != 0 {
        let node = &nodes[at as usize];
        let downset = downsets.get(nodes[node.parent as usize].state.downset);
        let by = &downset.moves[node.by as usize];
        let item = |bit: u32| downset.live[bit as usize];
        steps.push(Step {
            step: by.step,
            evicted_before: bits(node.evicted & !by.inputs).map(item).collect(),
            evicted_inside: bits(node.evicted & by.inputs).map(item).collect(),
        });
        at = node.parent;
    }
    steps.reverse();
    Path { steps, cost: nodes[goal as usize].state.cost }
}
