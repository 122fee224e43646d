//! UCT with progressive widening and virtual loss, in synchronous rounds.
//!
//! Kocsis and Szepesvari: Bandit Based Monte-Carlo Planning, ECML 2006. Single-player scoring follows Schadd et al.,
//! CG 2008: a node is worth the mean of its plays and its best one in equal parts. What a play is worth is how far it ends
//! above the target, between the worst and the best of all plays. Widening follows Couetoux et al.,
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

struct Node<S> {
    parent: usize,
    children: Vec<usize>,
    choices: usize,
    stream: u64,
    state: Option<Arc<S>>,
    /// Plays through this node, those that go on included,
    visits: f64,
    /// and those that have ended.
    ended: f64,
    /// Sum of how far these ended above the target, and the least of it.
    total: f64,
    best: f64,
}

/// What plays are worth: 0 like the worst to 1 like the best.
#[derive(Clone, Copy, Debug)]
struct Scale {
    worst: f64,
    best: f64,
}

impl Scale {
    /// What a node is worth: plays that go on count as the worst (virtual loss).
    fn worth<S>(self, node: &Node<S>) -> f64 {
        let gap = (self.worst - self.best).max(1.0);
        let mean = (node.ended * self.worst - node.total) / node.visits / gap;
        let best = if node.ended > 0.0 { (self.worst - node.best) / gap } else { 0.0 };
        0.5 * mean + 0.5 * best
    }
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
            ended: 0.0,
            total: 0.0,
            best: f64::INFINITY,
        }
    }
}

/// Searches from value `start`, which the plays have to beat (`u64::MAX`: they are compared among themselves), until a limit is
/// reached.
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
    let above = |value: u64| value.saturating_sub(limits.target) as f64;
    // Where there is a value to beat, what does not come below it is worth nothing. Else plays are compared among themselves.
    let to_beat = (start != u64::MAX).then(|| above(start));
    let mut scale =
        Scale { worst: to_beat.unwrap_or(0.0), best: to_beat.map_or(f64::MAX, |_| 0.0) };
    while incumbent > limits.target
        && found.work < limits.work
        && found.plays < limits.plays
        && !control.is_cancelled()
    {
        let round = ROUND.min((limits.plays - found.plays) as usize);
        let leaves: Vec<(usize, usize, usize)> = (0..round)
            .filter_map(|i| select::<G>(&mut nodes, (policy, scale), found.plays + i as u64))
            .collect();
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
            let excess = match to_beat {
                Some(most) => above(play.value).min(most),
                None if play.value == u64::MAX => scale.worst,
                None => {
                    let excess = above(play.value);
                    scale = Scale { worst: scale.worst.max(excess), best: scale.best.min(excess) };
                    excess
                }
            };
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
                backpropagate(&mut nodes, child, excess);
            }
        }
    }
    found
}

/// A new leaf: its parent, itself and the choice that leads to it. Counts the visit on the whole path (virtual loss).
fn select<G: Game>(
    nodes: &mut Vec<Node<G::State>>,
    (policy, scale): (Policy, Scale),
    play: u64,
) -> Option<(usize, usize, usize)> {
    let mut at = 0;
    if policy == Policy::Uct {
        loop {
            let node = &nodes[at];
            let width = if at == 0 { node.choices } else { node.visits.sqrt().ceil() as usize };
            if node.children.len() < width.min(node.choices) {
                break;
            }
            let log = (node.visits + 1.0).ln();
            let score = |child: &Node<G::State>| {
                scale.worth(child) + G::EXPLORATION * (log / child.visits).sqrt()
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

fn backpropagate<S>(nodes: &mut [Node<S>], leaf: usize, excess: f64) {
    for_path(nodes, leaf, |node| {
        node.ended += 1.0;
        node.total += excess;
        node.best = node.best.min(excess);
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
