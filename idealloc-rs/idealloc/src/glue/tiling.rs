//! Whether buffers tile a rectangle: every section is full.

use super::forest::Forest;
use super::tile::Tile;
use crate::place::instance::Instance;
use crate::place::lowest_first::is_plain;

/// Buffers of a problem without slack, as tiles.
#[derive(Clone, Debug)]
pub struct Tiling {
    /// The tiles,
    pub tiles: Vec<Tile>,
    /// and what buffer each is.
    pub buffers: Vec<u32>,
    /// Moments between sections, and before and after them.
    pub moments: usize,
}

impl Tiling {
    /// The tiles of an instance; `None` if some section has room left below the load, or more than time and size matters.
    ///
    /// Complexity: `O(n + sections)`.
    #[must_use]
    pub fn of(instance: &Instance) -> Option<Self> {
        if !is_plain(instance) || instance.has_pieces() || instance.sections() < 2 {
            return None;
        }
        let loads = instance.section_loads();
        if loads.iter().any(|&load| load != loads[0]) {
            return None;
        }
        let counts = |&buffer: &u32| {
            let (span, size) =
                (instance.spans()[buffer as usize], instance.sizes()[buffer as usize]);
            size > 0 && !span.is_empty()
        };
        let buffers: Vec<u32> = (0..instance.len() as u32).filter(counts).collect();
        let tile = |&buffer: &u32| {
            let span = instance.spans()[buffer as usize];
            Tile { start: span.start, end: span.end, size: instance.sizes()[buffer as usize] }
        };
        let tiles = buffers.iter().map(tile).collect();
        Some(Self { tiles, buffers, moments: instance.sections() + 1 })
    }

    /// Tiles of each part that no tile joins to another, in the order of time.
    ///
    /// Complexity: `O(n + moments)`.
    #[must_use]
    pub fn parts(&self) -> Vec<Vec<u32>> {
        let mut lasts: Vec<u32> = (0..self.moments as u32).collect();
        for tile in &self.tiles {
            let last = &mut lasts[tile.start as usize];
            *last = tile.end.max(*last);
        }
        let (mut part_of, mut count, mut reach) = (vec![0; self.moments], 0, 0);
        for (moment, &last) in lasts.iter().enumerate() {
            if moment as u32 >= reach {
                count += 1;
            }
            reach = reach.max(last);
            part_of[moment] = count - 1;
        }
        let mut parts = vec![Vec::new(); count];
        for (id, tile) in self.tiles.iter().enumerate() {
            parts[part_of[tile.start as usize]].push(id as u32);
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// The tiles, none glued to another.
    #[must_use]
    pub fn forest(&self) -> Forest {
        Forest::new(self.tiles.clone(), self.moments)
    }

    /// Offsets of all buffers of the instance, for offsets of the roots of a forest in their order. What is no tile is at 0.
    #[must_use]
    pub fn offsets(&self, forest: &Forest, of_roots: &[u64], buffers: usize) -> Vec<u64> {
        self.of_buffers(&forest.offsets(self.tiles.len(), of_roots), buffers)
    }

    /// Offsets of all buffers of the instance, for offsets of the tiles. What is no tile is at 0.
    #[must_use]
    pub fn of_buffers(&self, of_tiles: &[u64], buffers: usize) -> Vec<u64> {
        let mut offsets = vec![0; buffers];
        for (&buffer, &offset) in self.buffers.iter().zip(of_tiles) {
            offsets[buffer as usize] = offset;
        }
        offsets
    }
}
