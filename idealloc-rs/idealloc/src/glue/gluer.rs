//! Gluing what most likely belongs together first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::forest::Forest;
use super::index::Edge;
use super::tile::{Made, Tile};
use super::wheel;
use crate::random::Random;

/// Others of the same lifetime that a tile is offered with,
const STACKED: usize = 8;

/// and others that it meets in time.
const BESIDE: usize = 4;

/// Tiles offered, glued, or looked at as hubs between two looks at whether to stop.
const WATCH: usize = 1024;

/// Hubs of pinwheels looked at for each moment at which a new tile starts or ends.
const HUBS: usize = 64;

/// So many hubs take as long as an offer.
const HUBS_OF_AN_OFFER: u64 = 8;

/// Pinwheels are looked for when what is less doubtful than this is glued, and then again.
pub const LEVELS: [f64; 5] = [0.0, 0.001, 0.02, 0.5, f64::MAX];

/// How doubtful a pinwheel is: two sizes and three moments meet.
const DOUBT_OF_A_WHEEL: f64 = 0.01;

/// A product that fits something in turn is at most so doubtful as others,
const FITS: f64 = 0.5;

/// and if something lives as long as it does.
const LIVES_ALIKE: f64 = 0.2;

/// How doubtful it is to glue two tiles, and these with their stamps. Positive floats sort like their bits.
type Offer = (Reverse<u64>, [(u32, u32); 2]);

/// Glues the roots of a forest.
#[derive(Debug)]
pub struct Gluer {
    heap: BinaryHeap<Offer>,
    /// Roots around which no pinwheels were looked for yet.
    fresh: Vec<u32>,
    random: Random,
    /// Doubts are multiplied by one to one more than this, by chance.
    noise: u64,
    /// Tiles that were offered.
    pub work: u64,
    /// Sums that were compared to look ahead.
    pub(super) looks: u64,
    /// Pinwheels that were glued without looking ahead.
    pub wheels: usize,
}

impl Gluer {
    /// Nothing on offer.
    pub fn new(seed: u64, noise: u64) -> Self {
        let (heap, fresh, random) = (BinaryHeap::new(), Vec::new(), Random::new(seed));
        Self { heap, fresh, random, noise, work: 0, looks: 0, wheels: 0 }
    }

    /// Offers all roots, unless `stop` says that nobody wants it.
    pub fn offer_all(&mut self, forest: &Forest, stop: &dyn Fn() -> bool) {
        // In the order of their numbers, as long as nothing is glued.
        for (at, &id) in forest.roots().iter().enumerate() {
            if at.is_multiple_of(WATCH) && stop() {
                return;
            }
            self.offer(forest, id);
        }
    }

    /// Offers a root with all that it may be glued to.
    pub fn offer(&mut self, forest: &Forest, id: u32) {
        self.work += 1;
        self.fresh.push(id);
        let tile = forest.tile(id);
        let index = &forest.index;
        for before in index.with(Edge::Ends(tile.start, tile.size)).take(BESIDE) {
            self.push(forest, before, id);
        }
        for after in index.with(Edge::Starts(tile.end, tile.size)).take(BESIDE) {
            self.push(forest, id, after);
        }
        let alike = index.with(Edge::Lives(tile.start, tile.end)).filter(|&other| other != id);
        for other in alike.take(STACKED) {
            self.push(forest, id, other);
        }
    }

    fn push(&mut self, forest: &Forest, a: u32, b: u32) {
        let (Some(first), Some(second)) = (forest.stamp(a), forest.stamp(b)) else { return };
        let factor = 1.0 + self.random.below(256 * self.noise) as f64 / 256.0;
        let doubt = doubt(forest, a, b) * factor;
        self.heap.push((Reverse(doubt.to_bits()), [(a, first), (b, second)]));
    }

    /// Glues what is on offer and what comes of it, until nothing is left on offer or `stop` says so; pinwheels between
    /// these levels of doubt.
    pub fn run(&mut self, forest: &mut Forest, levels: &[f64], stop: &dyn Fn() -> bool) {
        for &most in levels {
            loop {
                self.pairs(forest, most, stop);
                if stop() {
                    return;
                }
                if !self.wheels(forest, stop) {
                    break;
                }
            }
        }
    }

    fn pairs(&mut self, forest: &mut Forest, most: f64, stop: &dyn Fn() -> bool) {
        let mut glued = 0_usize;
        while let Some(&(Reverse(bits), pair)) = self.heap.peek() {
            let doubt = f64::from_bits(bits);
            if doubt > most {
                return;
            }
            self.heap.pop();
            if pair.iter().any(|&(id, stamp)| forest.stamp(id) != Some(stamp)) {
                continue;
            }
            let [(a, _), (b, _)] = pair;
            let (tile, made) = joined(forest, a, b);
            let id = forest.glue(tile, made, doubt);
            self.offer(forest, id);
            glued += 1;
            if glued.is_multiple_of(WATCH) && stop() {
                return;
            }
        }
    }

    /// Glues pinwheels that what is new may be part of. True if there were any.
    fn wheels(&mut self, forest: &mut Forest, stop: &dyn Fn() -> bool) -> bool {
        let mut moments: Vec<u32> = Vec::new();
        for id in std::mem::take(&mut self.fresh) {
            if forest.stamp(id).is_some() {
                let Tile { start, end, .. } = forest.tile(id);
                moments.extend([start, end]);
            }
        }
        moments.sort_unstable();
        moments.dedup();
        let mut hubs = hubs_at(forest, &moments);
        hubs.sort_unstable();
        hubs.dedup();
        self.work += hubs.len() as u64 / HUBS_OF_AN_OFFER;
        let mut found = false;
        for (at, hub) in hubs.into_iter().enumerate() {
            if at % WATCH == WATCH - 1 && stop() {
                return false;
            }
            if forest.stamp(hub).is_none() {
                continue;
            }
            if let Some((tile, made)) = wheel::around(forest, hub) {
                let id = forest.glue(tile, made, DOUBT_OF_A_WHEEL);
                self.offer(forest, id);
                self.wheels += 1;
                found = true;
            }
        }
        found
    }
}

/// Roots that start or end at these moments, and may be hubs of pinwheels there.
fn hubs_at(forest: &Forest, moments: &[u32]) -> Vec<u32> {
    let edges = moments.iter().flat_map(|&at| [Edge::StartsAt(at), Edge::EndsAt(at)]);
    edges.flat_map(|edge| forest.index.with(edge).take(HUBS)).collect()
}

/// What two roots make.
pub(super) fn joined(forest: &Forest, a: u32, b: u32) -> (Tile, Made) {
    let (first, second) = (forest.tile(a), forest.tile(b));
    if first.end == second.start {
        (Tile { end: second.end, ..first }, Made::Beside([a, b]))
    } else {
        (Tile { size: first.size + second.size, ..first }, Made::Stacked([a, b]))
    }
}

/// How likely it is that two roots can be glued by chance alone: about the number of others that could be in their place.
fn doubt(forest: &Forest, a: u32, b: u32) -> f64 {
    let (first, second) = (forest.tile(a), forest.tile(b));
    let count = |edge: Edge| f64::from(forest.index.count(edge));
    let (product, made) = joined(forest, a, b);
    let beside = matches!(made, Made::Beside(_));
    // Where nothing else starts or ends, nothing else can be in their place: then there is no doubt.
    let pairs =
        |start: u32, end: u32| count(Edge::StartsAt(start)) * count(Edge::EndsAt(end)) - 1.0;
    let others = if beside {
        let alike =
            count(Edge::Ends(first.end, first.size)) * count(Edge::Starts(first.end, first.size));
        alike - 1.0 + pairs(first.end, first.end) / first.size as f64
    } else {
        let alike = count(Edge::Lives(first.start, first.end));
        let length = f64::from(second.end - second.start);
        alike - 2.0 + count(Edge::StartsAt(first.start)) / length
    };
    let mut doubt = others;
    // That the product fits something in turn is rare by chance.
    let size = product.size as f64;
    if count(Edge::Ends(product.start, product.size)) > 0.0 {
        doubt *= (count(Edge::EndsAt(product.start)) / size).min(FITS);
    }
    if count(Edge::Starts(product.end, product.size)) > 0.0 {
        doubt *= (count(Edge::StartsAt(product.end)) / size).min(FITS);
    }
    if beside && count(Edge::Lives(product.start, product.end)) > 0.0 {
        doubt *= LIVES_ALIKE;
    }
    doubt
}
