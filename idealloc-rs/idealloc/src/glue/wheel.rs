//! Pinwheels: five tiles that make a rectangle, of which no two do.
//!
//! ```text
//!   other | high  high       other: ends where the hub starts
//!   other | hub | side       side:  starts where the hub ends
//!   low     low | side       low and high: one lives as long as hub and what is before it, one as long as hub and what is after
//! ```

use super::forest::Forest;
use super::index::Edge;
use super::tile::{Made, Tile};

/// Low tiles looked at for one hub.
const MOST: usize = 256;

/// What five tiles make, in the order of [`Made::Wheel`].
pub fn joined(forest: &Forest, parts: [u32; 5]) -> (Tile, Made) {
    let [low, side, _, other, _] = parts.map(|part| forest.tile(part));
    // With the same bytes turned over it is the wheel of the other hand; either is a plan.
    let tile = Tile { start: low.start, end: side.end, size: low.size + other.size };
    (tile, Made::Wheel(parts))
}

/// A pinwheel around a hub: the tile that it makes, and how. `low` starts before the hub and ends with it.
pub fn around(forest: &Forest, hub: u32) -> Option<(Tile, Made)> {
    let middle = forest.tile(hub);
    let index = &forest.index;
    for low in index.with(Edge::EndsAt(middle.end)).take(MOST) {
        let bottom = forest.tile(low);
        if bottom.start >= middle.start {
            continue;
        }
        let height = bottom.size + middle.size;
        if index.count(Edge::Lives(bottom.start, middle.start)) == 0 {
            continue;
        }
        for side in index.with(Edge::Starts(middle.end, height)).take(8) {
            let end = forest.tile(side).end;
            for other in index.with(Edge::Lives(bottom.start, middle.start)).take(8) {
                let Some(left) = forest.tile(other).size.checked_sub(middle.size) else { continue };
                let found = index
                    .with(Edge::Starts(middle.start, left))
                    .take(8)
                    .find(|&high| forest.tile(high).end == end);
                if let Some(high) = found {
                    return Some(joined(forest, [low, side, high, other, hub]));
                }
            }
        }
    }
    None
}
