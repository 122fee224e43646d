//! Ruin and recreate (Schrimpf et al., 2000): some of what is glued comes apart where it is doubtful, and is glued anew.

use super::forest::Forest;
use super::gluer::{Gluer, LEVELS};
use super::index::Edge;
use super::tile::Made;
use crate::random::Random;

/// Most roots that come apart with another one in a step,
const WITH: u64 = 4;

/// chosen among so many of each list of those that start or end when it does.
const NEAR: usize = 32;

/// Doubts are multiplied by up to this, by chance.
const NOISE: u64 = 10;

/// A step may leave more roots than there were, by one more each time with this chance in 100,
const WORSE: u64 = 30;

/// at most by so many.
const MOST_WORSE: usize = 8;

/// Takes a step, and takes it back if too many roots are left. Returns the work.
///
/// A step takes as long as what it changes, a few tiles.
pub fn step(forest: &mut Forest, random: &mut Random) -> u64 {
    let before = forest.roots().len();
    let mut worse = 0;
    while worse < MOST_WORSE && random.below(100) < WORSE {
        worse += 1;
    }
    let mut exposed = Vec::new();
    for root in chosen(forest, random) {
        open(forest, root, random, &mut exposed);
    }
    let mut gluer = Gluer::new(random.next(), NOISE);
    for &id in &exposed {
        if forest.stamp(id).is_some() {
            gluer.offer(forest, id);
        }
    }
    let from = random.below(LEVELS.len() as u64) as usize;
    gluer.run(forest, &LEVELS[from..], &|| false);
    if forest.roots().len() <= before + worse {
        forest.keep();
    } else {
        forest.take_back();
    }
    gluer.work
}

/// A root, and some that start or end when it does.
fn chosen(forest: &Forest, random: &mut Random) -> Vec<u32> {
    let mut pick = |of: &[u32]| of[random.below(of.len() as u64) as usize];
    let first = pick(forest.roots());
    let tile = forest.tile(first);
    let (starts, ends) = (Edge::StartsAt, Edge::EndsAt);
    let near: Vec<u32> = [starts(tile.start), starts(tile.end), ends(tile.start), ends(tile.end)]
        .into_iter()
        .flat_map(|edge| forest.index.with(edge).take(NEAR))
        .filter(|&other| other != first)
        .collect();
    let mut chosen = vec![first];
    if !near.is_empty() {
        let more: Vec<u32> = (0..WITH).map(|_| pick(&near)).collect();
        let count = random.below(WITH + 1) as usize;
        for &other in &more[..count] {
            if !chosen.contains(&other) {
                chosen.push(other);
            }
        }
    }
    chosen
}

/// Undoes what a root is made of, and what its most doubtful part is made of, down to where the doubt comes from, more or less.
fn open(forest: &mut Forest, root: u32, random: &mut Random, exposed: &mut Vec<u32>) {
    let mut at = root;
    while forest.made(at) != Made::Buffer {
        let own = forest.doubt(at);
        let made = forest.undo(at);
        let parts = made.parts();
        let mut next = parts[0];
        for &part in parts {
            if forest.worst(part) > forest.worst(next) {
                next = part;
            }
        }
        let is_source = own >= forest.worst(next) && !random.one_in(3);
        let ends_here = is_source || random.one_in(6);
        if random.one_in(4) {
            next = parts[random.below(parts.len() as u64) as usize];
        }
        exposed.extend(parts.iter().filter(|&&part| part != next));
        at = next;
        if ends_here {
            break;
        }
    }
    exposed.push(at);
}
