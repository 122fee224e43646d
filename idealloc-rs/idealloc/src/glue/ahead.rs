//! Looking ahead: two tiles of the same lifetime are stacked where what they make is part of a pinwheel.
//!
//! Where many tiles live alike, that two of them are one upon the other is doubtful; that they make a wheel by chance is not, as two
//! sizes and three moments meet. A wheel of which one part was cut in turn is found by nothing else until it is too late: what is
//! glued with less evidence takes its parts.

use super::forest::Forest;
use super::gluer::{DOUBT_OF_A_WHEEL, Gluer, HUBS_OF_AN_OFFER, STACKED, hubs_at, joined};
use super::index::Edge;
use super::wheel;

/// After so many looks at tiles for pinwheels no pair is tried: where many tiles start and end at each moment a pair takes thousands.
const MOST_LOOKS: u64 = 50_000_000;

impl Gluer {
    /// Glues what is less doubtful than this, and looks `ahead` if asked to, until nothing comes of it or `stop` says so.
    pub fn run_to(
        &mut self,
        forest: &mut Forest,
        level: f64,
        ahead: bool,
        stop: &dyn Fn() -> bool,
    ) {
        loop {
            self.run(forest, &[level], stop);
            if !ahead || stop() || !self.look_ahead(forest, stop) {
                return;
            }
        }
    }

    /// Stacks pairs that make pinwheels. True if there were any.
    ///
    /// Complexity: `O(n)` searches for pinwheels, of what starts or ends with each pair.
    fn look_ahead(&mut self, forest: &mut Forest, stop: &dyn Fn() -> bool) -> bool {
        let mut found = false;
        for id in forest.roots().to_vec() {
            if stop() || self.looks > MOST_LOOKS {
                return false;
            }
            if forest.stamp(id).is_none() {
                continue;
            }
            let tile = forest.tile(id);
            let alike = forest.index.with(Edge::Lives(tile.start, tile.end));
            let others: Vec<u32> = alike.filter(|&other| other < id).take(STACKED).collect();
            let mut tried = others.len();
            for (at, &other) in others.iter().enumerate() {
                if self.makes_wheel(forest, id, other) {
                    (found, tried) = (true, at);
                    break;
                }
            }
            // They were away for a moment, so that what they were offered with is no longer on offer.
            for &other in &others[..tried] {
                self.offer(forest, other);
            }
            if tried > 0 && forest.stamp(id).is_some() {
                self.offer(forest, id);
            }
        }
        found
    }

    /// Stacks two and makes a wheel of the product, if there is one; otherwise both are as before.
    fn makes_wheel(&mut self, forest: &mut Forest, low: u32, high: u32) -> bool {
        let (tile, made) = joined(forest, low, high);
        let product = forest.glue(tile, made, DOUBT_OF_A_WHEEL);
        let hubs = hubs_at(forest, &[tile.start, tile.end]);
        self.work += 1 + hubs.len() as u64 / HUBS_OF_AN_OFFER;
        self.looks += hubs.iter().map(|&hub| wheel::looks(forest, hub)).sum::<u64>();
        let wheel = hubs
            .into_iter()
            .filter_map(|hub| wheel::around(forest, hub))
            .find(|(_, made)| made.parts().contains(&product));
        if let Some((tile, made)) = wheel {
            let id = forest.glue(tile, made, DOUBT_OF_A_WHEEL);
            self.offer(forest, id);
            return true;
        }
        forest.undo(product);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::forest::Forest;
    use super::super::gluer::Gluer;
    use super::super::tile::Tile;

    #[test]
    fn a_wheel_with_a_part_in_two_is_glued_without_doubt() {
        // The tile on the left of the hub is cut in two.
        let tiles = [(0, 2, 3), (2, 3, 7), (1, 3, 4), (1, 2, 4), (0, 1, 3), (0, 1, 5)];
        let tiles = tiles.map(|(start, end, size)| Tile { start, end, size }).to_vec();
        let glued = |ahead: bool| {
            let mut forest = Forest::new(tiles.clone(), 4);
            let mut gluer = Gluer::new(1, 1);
            gluer.offer_all(&forest, &|| false);
            gluer.run_to(&mut forest, 0.001, ahead, &|| false);
            forest.roots().len()
        };
        assert_eq!((glued(false), glued(true)), (6, 1));
    }
}
