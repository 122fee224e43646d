//! Looking ahead: what is glued only because of what it makes together with others.
//!
//! Where many tiles live alike, that two of them are one upon the other is doubtful; that a few of them are as high as what they would
//! lie beside is not, nor that they make a pinwheel, as two sizes and three moments meet. Parts of a rectangle that were cut in turn
//! are found by nothing else until it is too late: what is glued with less evidence takes them.

use std::collections::HashSet;

use super::forest::Forest;
use super::gluer::{Gluer, joined};
use super::sums::{Group, Groups, Sum};
use super::wheel;

/// So many comparisons of sums take as long as an offer.
const LOOKS_OF_AN_OFFER: u64 = 32;

/// Forming the sums of so many items does, too.
const ITEMS_OF_AN_OFFER: u64 = 4;

/// After so many nobody looks ahead any more: where many tiles start and end at each moment they take most of the time.
const MOST_LOOKS: u64 = 400_000_000;

/// A pinwheel is less doubtful than its sizes tell: one that is there explains five tiles.
const EXPLAINED: f64 = 0.1;

/// Rectangles that sums of sizes make.
#[derive(Debug)]
enum Shape {
    /// As in [`Made::Wheel`](super::tile::Made::Wheel).
    Wheel([Sum; 5]),
    /// As in [`Made::Beside`](super::tile::Made::Beside).
    Beside([Sum; 2]),
}

impl Shape {
    fn sums(&self) -> &[Sum] {
        match self {
            Self::Wheel(sums) => sums,
            Self::Beside(sums) => sums,
        }
    }
}

/// A rectangle that may be there.
#[derive(Debug)]
struct Find {
    shape: Shape,
    doubt: f64,
}

impl Gluer {
    /// Glues what is less doubtful than this, by looking `ahead` if asked to, until nothing comes of it or `stop` says so.
    pub fn run_to(
        &mut self,
        forest: &mut Forest,
        level: f64,
        ahead: bool,
        stop: &dyn Fn() -> bool,
    ) {
        loop {
            self.run(forest, &[level], stop);
            if !ahead || stop() || !self.look_ahead(forest, level, stop) {
                return;
            }
        }
    }

    /// Glues rectangles of several tiles that are less doubtful than this, the least doubtful first. True if there were any.
    fn look_ahead(&mut self, forest: &mut Forest, level: f64, stop: &dyn Fn() -> bool) -> bool {
        if self.looks > MOST_LOOKS {
            return false;
        }
        let groups = Groups::of(forest);
        let before = self.looks;
        let mut finds = self.find(&groups, level, stop);
        let items = groups.items.len() as u64;
        self.work += (self.looks - before) / LOOKS_OF_AN_OFFER + items / ITEMS_OF_AN_OFFER;
        finds.sort_by(|a, b| a.doubt.total_cmp(&b.doubt));
        let mut used = HashSet::new();
        let mut found = false;
        for find in finds {
            if stop() {
                return false;
            }
            let items = || find.shape.sums().iter().flat_map(Sum::items);
            let mut roots: Vec<u32> =
                items().flat_map(|&item| groups.items[item as usize].roots()).copied().collect();
            roots.sort_unstable();
            let twice = roots.windows(2).any(|pair| pair[0] == pair[1]);
            if twice || roots.iter().any(|root| used.contains(root)) {
                continue;
            }
            used.extend(roots);
            self.make(forest, &groups, &find);
            found = true;
        }
        found
    }

    /// Rectangles of what lives alike that are less doubtful than this.
    fn find(&mut self, groups: &Groups, level: f64, stop: &dyn Fn() -> bool) -> Vec<Find> {
        let mut finds = Vec::new();
        for group in &groups.groups {
            if stop() {
                break;
            }
            self.find_wheels(groups, group, level, &mut finds, stop);
            self.find_beside(groups, group, level, &mut finds);
        }
        finds
    }

    /// Pinwheels around a hub, see [`wheel`](super::wheel).
    fn find_wheels(
        &mut self,
        groups: &Groups,
        hub: &Group,
        level: f64,
        finds: &mut Vec<Find>,
        stop: &dyn Fn() -> bool,
    ) {
        let lows: Vec<(&Group, &Group)> = groups
            .ending(hub.end)
            .filter(|low| low.start < hub.start)
            .filter_map(|low| Some((low, groups.living(low.start, hub.start)?)))
            .collect();
        if lows.is_empty() {
            return;
        }
        let sides: Vec<(&Group, &Group)> = groups
            .starting(hub.end)
            .iter()
            .filter_map(|side| Some((side, groups.living(hub.start, side.end)?)))
            .collect();
        let tries = EXPLAINED * (lows.len() * sides.len()) as f64;
        for &(low, other) in &lows {
            for &(side, high) in &sides {
                // Around one hub there may be more to compare than there is time for.
                if stop() || self.looks > MOST_LOOKS {
                    return;
                }
                for &middle in &hub.sums {
                    let looks = &mut self.looks;
                    let inner = other.differing(high, middle.size, looks);
                    let Some(([other, high], by_chance)) = inner else { continue };
                    let outer = side.differing(low, middle.size, looks);
                    let Some(([side, low], also_by_chance)) = outer else { continue };
                    let doubt = tries * hub.as_simple_as(&middle) * by_chance * also_by_chance;
                    if doubt <= level {
                        let shape = Shape::Wheel([low, side, high, other, middle]);
                        finds.push(Find { shape, doubt });
                    }
                }
            }
        }
    }

    /// What is as high as something that starts where it ends.
    fn find_beside(&mut self, groups: &Groups, before: &Group, level: f64, finds: &mut Vec<Find>) {
        let starting = groups.starting(before.end);
        let tries = (starting.len() * groups.ending(before.end).len()) as f64;
        for after in starting {
            if let Some((pair, by_chance)) = before.differing(after, 0, &mut self.looks) {
                let doubt = tries * by_chance;
                if doubt <= level {
                    finds.push(Find { shape: Shape::Beside(pair), doubt });
                }
            }
        }
    }

    /// Glues what a rectangle is made of, and offers it.
    fn make(&mut self, forest: &mut Forest, groups: &Groups, find: &Find) {
        let glued = |forest: &mut Forest, a: u32, b: u32| {
            let (tile, made) = joined(forest, a, b);
            forest.glue(tile, made, find.doubt)
        };
        let parts: Vec<u32> = find
            .shape
            .sums()
            .iter()
            .filter_map(|sum| {
                let items: Vec<u32> = sum
                    .items()
                    .iter()
                    .filter_map(|&item| {
                        let roots = groups.items[item as usize].roots().iter().copied();
                        roots.reduce(|a, b| glued(forest, a, b))
                    })
                    .collect();
                items.into_iter().reduce(|a, b| glued(forest, a, b))
            })
            .collect();
        let id = match parts[..] {
            [low, side, high, other, hub] => {
                let (tile, made) = wheel::joined(forest, [low, side, high, other, hub]);
                forest.glue(tile, made, find.doubt)
            }
            [before, after] => glued(forest, before, after),
            _ => return,
        };
        self.offer(forest, id);
    }
}

#[cfg(test)]
mod tests {
    use super::super::forest::Forest;
    use super::super::gluer::Gluer;
    use super::super::tile::Tile;

    /// Roots left of tiles without and with looking ahead.
    fn roots_left(tiles: &[(u32, u32, u64)], moments: usize) -> (usize, usize) {
        let tile = |&(start, end, size): &(u32, u32, u64)| Tile { start, end, size };
        let glued = |ahead: bool| {
            let mut forest = Forest::new(tiles.iter().map(tile).collect(), moments);
            let mut gluer = Gluer::new(1, 1);
            gluer.offer_all(&forest, &|| false);
            gluer.run_to(&mut forest, 0.001, ahead, &|| false);
            forest.roots().len()
        };
        (glued(false), glued(true))
    }

    #[test]
    fn a_wheel_with_a_part_in_two_is_glued_without_doubt() {
        // The tile on the left of the hub is cut in two, and what is above the hub.
        let tiles = [
            (0, 2, 300),
            (2, 3, 700),
            (1, 3, 150),
            (1, 3, 250),
            (1, 2, 400),
            (0, 1, 311),
            (0, 1, 489),
        ];
        assert_eq!(roots_left(&tiles, 4), (7, 1));
    }

    #[test]
    fn stacks_as_high_as_each_other_are_glued_without_doubt() {
        // Of three tiles before and three after, two and two are as high; the third fits nothing.
        let before = [5_003_000, 2_011_000, 3_029_000].map(|size| (0, 1, size));
        let after = [4_001_000, 3_013_000, 3_030_000].map(|size| (1, 2, size));
        assert_eq!(roots_left(&[before, after].concat(), 3), (6, 3));
    }
}
