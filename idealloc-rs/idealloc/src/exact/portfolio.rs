//! Restarts over a portfolio of arms, on any number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::arm::{ARMS, Arm};
use super::beam::{Beam, Taste};
use super::limits::Limits;
use super::model::Model;
use super::search::{End, Search};
use super::state::State;

/// How a portfolio ended, and after how many nodes.
pub struct Run {
    /// `Solved` with positions, or why not.
    pub end: End,
    /// Positions, if solved.
    pub positions: Vec<u64>,
    /// Nodes of all runs up to the one that decided.
    pub nodes: u64,
}

/// Nodes of one run, times a Luby number.
const NODES_PER_RUN: u64 = 2000;

/// Rounds before the first beam: what is easy is solved by then.
const ROUNDS_BEFORE_BEAMS: u64 = 6;

/// Beams of a round.
const BEAMS: u64 = 6;

/// States per level of a beam, times its scale.
const BEAM_WIDTH: u64 = 32;

/// Result of one arm of a round.
struct Report {
    end: End,
    positions: Vec<u64>,
    nodes: u64,
    weights: Vec<u32>,
}

/// Runs the arms in rounds. The arms of a round know nothing of each other, the first in order that decides wins, and
/// what they learn is merged in order when the round ends: any number of threads gives the same result.
pub fn run(model: &Model, root: &State, seed: u64, limits: &Limits<'_>) -> Run {
    let mut nodes = 0;
    let mut weights = vec![0_u32; model.sections];
    for round in 0_u64.. {
        let budget =
            NODES_PER_RUN.saturating_mul(luby(round + 1)).min(limits.nodes.saturating_sub(nodes));
        if budget == 0 {
            break;
        }
        let left = limits.with_nodes(limits.nodes.saturating_sub(nodes));
        let reports = run_round(model, root, seed, round, budget, &weights, &left);
        let before = weights.clone();
        for report in reports {
            nodes += report.nodes;
            match report.end {
                End::OutOfNodes => {}
                end => return Run { end, positions: report.positions, nodes },
            }
            for ((weight, &old), &new) in weights.iter_mut().zip(&before).zip(&report.weights) {
                *weight = weight.saturating_add(new - old);
            }
        }
        if nodes >= limits.nodes {
            break;
        }
    }
    Run { end: End::OutOfNodes, positions: Vec::new(), nodes }
}

/// Runs one round: each arm with `budget` nodes, each beam with what `limits` allow. The reports end with the first
/// that decides.
fn run_round(
    model: &Model,
    root: &State,
    seed: u64,
    round: u64,
    budget: u64,
    weights: &[u32],
    limits: &Limits<'_>,
) -> Vec<Report> {
    let beams = if round < ROUNDS_BEFORE_BEAMS { 0 } else { BEAMS };
    let stop: Vec<AtomicBool> = (0..ARMS + beams).map(|_| AtomicBool::new(false)).collect();
    let slots: Vec<Mutex<Option<Report>>> = stop.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= slots.len() || stop[k].load(Ordering::Relaxed) {
                return;
            }
            let report = if k < ARMS as usize {
                let arm = Arm::nth(model, seed, round * ARMS + k as u64);
                let mut search =
                    Search::new(model, &arm, root, weights.to_vec(), budget, limits, &stop[k]);
                let end = search.run();
                let (positions, nodes, weights) = search.finish();
                Report { end, positions, nodes, weights }
            } else {
                let position = (round - ROUNDS_BEFORE_BEAMS) * BEAMS + k as u64 - ARMS;
                let width = BEAM_WIDTH * beam_scale(position);
                let taste = Taste::nth(model, root, width as usize, seed, position);
                let mut beam = Beam::new(model, &taste, root, limits, &stop[k]);
                let (end, positions) = beam.run(root);
                Report { end, positions, nodes: beam.nodes, weights: weights.to_vec() }
            };
            if report.end != End::OutOfNodes {
                stop[k + 1..].iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
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
        let Some(report) = slot.into_inner().unwrap_or_else(PoisonError::into_inner) else { break };
        let decided = report.end != End::OutOfNodes;
        reports.push(report);
        if decided {
            break;
        }
    }
    reports
}

/// How wide the beam at a position is: Luby numbers, but the last of each round is ever wider.
fn beam_scale(position: u64) -> u64 {
    if position % BEAMS == BEAMS - 1 { 2 * (position / BEAMS + 1) } else { luby(position + 1) }
}

/// The sequence 1 1 2 1 1 2 4 ... (Luby, Sinclair, Zuckerman 1993); `i` counts from 1.
fn luby(mut i: u64) -> u64 {
    loop {
        let bits = 64 - i.leading_zeros();
        if i == u64::MAX >> (64 - bits) {
            return 1 << (bits - 1);
        }
        i -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn luby_sequence() {
        let head: Vec<u64> = (1..=15).map(super::luby).collect();
        assert_eq!(head, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
