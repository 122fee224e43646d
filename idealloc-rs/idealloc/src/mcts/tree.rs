//! UCT with progressive widening and virtual loss, in synchronous rounds.
//!
//! Kocsis and Szepesvari: Bandit Based Monte-Carlo Planning, ECML 2006. Single-player scoring follows Schadd et al.,
//! CG 2008: a node is worth the mean of its plays and its best one in equal parts. Widening follows Couetoux et al.,
//! LION 2011. A round selects a fixed number of leaves one after another, each lowering the value of its path for the
//! next (virtual loss, Chaslot et al., CG 2008), plays them on any number of threads, and enters the results in the order
//! of selection: the tree is the same for any number of threads.

use std::sync::Arc;

use crate::control::Control;
use crate::mcts::game::{Game, Play};
use crate::parallel::map_until;
use crate::random::scramble;

/// How leaves are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Upper confidence bounds.
    Uct,
    /// Independent restarts: every play starts at the root, choices in turn. What UCT is compared with.
    Restarts,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A value that is good enough.
    pub target: u64,
    /// Work.
    pub work: u64,
    /// Plays.
    pub plays: u64,
    /// Threads; never changes the result.
    pub threads: usize,
    /// Seed of all random choices.
    pub seed: u64,
}

/// The best play.
#[derive(Debug)]
pub struct Found<S> {
    /// Its state, value and work; `None` if nothing beat the value that was there at the start.
    pub best: Option<Play<Arc<S>>>,
    /// Plays.
    pub plays: u64,
    /// Work of all plays.
    pub work: u64,
}

/// Leaves of a round.
const ROUND: usize = 8;

/// Weight of what is little known.
const EXPLORATION: f64 = 0.4;

struct Node<S> {
    parent: usize,
    children: Vec<usize>,
    choices: usize,
    stream: u64,
    state: Option<Arc<S>>,
    visits: f64,
    total: f64,
    best: f64,
}

impl<S> Node<S> {
    fn new(parent: usize, stream: u64) -> Self {
        Self {
            parent,
            children: Vec::new(),
            choices: 0,
            stream,
            state: None,
            visits: 0.0,
            total: 0.0,
            best: 0.0,
        }
    }
}

/// Searches from value `start`, which the plays have to beat, until a limit is reached.
///
/// Complexity: `O(depth * width)` a play besides the play itself.
pub fn search<G: Game>(
    game: &G,
    policy: Policy,
    start: u64,
    limits: Limits,
    control: &Control,
) -> Found<G::State> {
    let mut nodes = vec![Node::new(0, limits.seed)];
    nodes[0].choices = game.choices(None);
    let mut found = Found { best: None, plays: 0, work: 0 };
    let mut incumbent = start;
    // Rewards are shares of the gap closed; the scale is the value of the first play.
    let mut worst = start.max(limits.target.saturating_add(1));
    let mut scaled = start != u64::MAX;
    while incumbent > limits.target
        && found.work < limits.work
        && found.plays < limits.plays
        && !control.is_cancelled()
    {
        let round = ROUND.min((limits.plays - found.plays) as usize);
        let leaves: Vec<(usize, usize, usize)> =
            (0..round).filter_map(|i| select(&mut nodes, policy, found.plays + i as u64)).collect();
        if leaves.is_empty() {
            break;
        }
        let results = map_until(limits.threads, leaves.len(), |i| {
            let (parent, child, choice) = leaves[i];
            let limit = incumbent;
            let state = nodes[parent].state.as_deref();
            let play = game.play(state, choice, nodes[child].stream, limit);
            let stop = play.value <= limits.target;
            (play, stop)
        });
        for (play, &(_, child, _)) in results.into_iter().zip(&leaves) {
            found.plays += 1;
            found.work += play.work;
            control.add_work(play.work);
            if !scaled && play.value != u64::MAX {
                worst = play.value.max(limits.target.saturating_add(1));
                scaled = true;
            }
            let gap = (worst - limits.target) as f64;
            let reward = if play.value > worst { 0.0 } else { (worst - play.value) as f64 / gap };
            let improves = play.value < incumbent;
            let Play { state, value, work } = play;
            let state = Arc::new(state);
            if improves {
                incumbent = value;
                control.publish(incumbent, limits.target);
                found.best = Some(Play { state: Arc::clone(&state), value, work });
            }
            if policy == Policy::Uct {
                nodes[child].choices = game.choices(Some(&state));
                nodes[child].state = Some(state);
                backpropagate(&mut nodes, child, reward);
            }
        }
    }
    found
}

/// A new leaf: its parent, itself and the choice that leads to it. Counts the visit on the whole path (virtual loss).
fn select<S>(nodes: &mut Vec<Node<S>>, policy: Policy, play: u64) -> Option<(usize, usize, usize)> {
    let mut at = 0;
    if policy == Policy::Uct {
        loop {
            let node = &nodes[at];
            let width = if at == 0 { node.choices } else { node.visits.sqrt().ceil() as usize };
            if node.children.len() < width.min(node.choices) {
                break;
            }
            let log = (node.visits + 1.0).ln();
            let score = |child: &Node<S>| {
                let value = 0.5 * (child.total / child.visits) + 0.5 * child.best;
                value + EXPLORATION * (log / child.visits).sqrt()
            };
            let ready = node.children.iter().filter(|&&child| nodes[child].choices > 0);
            // The first of equals.
            let best = ready.rev().max_by(|&&a, &&b| score(&nodes[a]).total_cmp(&score(&nodes[b])));
            at = *best?;
        }
    }
    let choice = match policy {
        Policy::Uct => nodes[at].children.len(),
        Policy::Restarts => play as usize,
    };
    let child = nodes.len();
    let stream = scramble(nodes[at].stream ^ scramble(choice as u64));
    nodes.push(Node::new(at, stream));
    nodes[at].children.push(child);
    if policy == Policy::Uct {
        for_path(nodes, child, |node| node.visits += 1.0);
    }
    Some((at, child, choice))
}

fn backpropagate<S>(nodes: &mut [Node<S>], leaf: usize, reward: f64) {
    for_path(nodes, leaf, |node| {
        node.total += reward;
        node.best = node.best.max(reward);
    });
}

fn for_path<S>(nodes: &mut [Node<S>], leaf: usize, mut visit: impl FnMut(&mut Node<S>)) {
    let mut at = leaf;
    loop {
        visit(&mut nodes[at]);
        if at == 0 {
            return;
        }
        at = nodes[at].parent;
    }
}
