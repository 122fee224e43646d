//! What is glued to what: trees whose leaves are buffers, and whose roots tile the rectangle.

use super::index::Index;
use super::tile::{Made, Tile};

const NONE: u32 = u32::MAX;

/// A step that can be taken back.
#[derive(Clone, Copy, Debug)]
enum Step {
    Glued(u32),
    Undone(Tile, Made, f64),
}

/// Tiles and how they were made. A tile that is not part of another one is a root.
#[derive(Debug)]
pub struct Forest {
    tiles: Vec<Tile>,
    made: Vec<Made>,
    /// How doubtful it was to glue each,
    doubts: Vec<f64>,
    /// and the greatest doubt of it and its parts.
    worst: Vec<f64>,
    /// Changes whenever a tile becomes a root, so that who remembers it knows whether it is still the same.
    stamps: Vec<u32>,
    /// Position of each tile among the roots.
    places: Vec<u32>,
    roots: Vec<u32>,
    free: Vec<u32>,
    /// Roots by their edges.
    pub(super) index: Index,
    journal: Vec<Step>,
}

impl Forest {
    /// Every tile by itself.
    pub fn new(tiles: Vec<Tile>, moments: usize) -> Self {
        let n = tiles.len();
        let mut forest = Self {
            made: vec![Made::Buffer; n],
            doubts: vec![0.0; n],
            worst: vec![0.0; n],
            stamps: vec![0; n],
            places: vec![NONE; n],
            tiles,
            roots: Vec::with_capacity(n),
            free: Vec::new(),
            index: Index::new(moments),
            journal: Vec::new(),
        };
        (0..n as u32).for_each(|id| forest.expose(id));
        forest
    }

    /// The tiles that are not part of another one.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// What a tile is.
    pub fn tile(&self, id: u32) -> Tile {
        self.tiles[id as usize]
    }

    /// How it was made.
    pub fn made(&self, id: u32) -> Made {
        self.made[id as usize]
    }

    /// How doubtful that was.
    pub fn doubt(&self, id: u32) -> f64 {
        self.doubts[id as usize]
    }

    /// The greatest doubt of a tile and its parts.
    pub fn worst(&self, id: u32) -> f64 {
        self.worst[id as usize]
    }

    /// The stamp of a root; `None` if it is none.
    pub fn stamp(&self, id: u32) -> Option<u32> {
        (self.places[id as usize] != NONE).then(|| self.stamps[id as usize])
    }

    /// Makes one root of some.
    pub fn glue(&mut self, tile: Tile, made: Made, doubt: f64) -> u32 {
        let id = self.join(tile, made, doubt);
        self.journal.push(Step::Glued(id));
        id
    }

    /// Makes roots of the parts of a root that is no buffer.
    pub fn undo(&mut self, id: u32) -> Made {
        let (tile, made, doubt) = (self.tile(id), self.made(id), self.doubt(id));
        self.part(id);
        self.journal.push(Step::Undone(tile, made, doubt));
        made
    }

    /// Undoes whatever is made with more than so much doubt, or of such parts.
    pub fn open(&mut self, doubt: f64) {
        let mut pending = self.roots.clone();
        while let Some(id) = pending.pop() {
            if self.worst(id) > doubt && self.made(id) != Made::Buffer {
                pending.extend_from_slice(self.undo(id).parts());
            }
        }
    }

    /// What was done so far cannot be taken back any more.
    pub fn keep(&mut self) {
        self.journal.clear();
    }

    /// Takes back what was done since the last [`keep`](Self::keep).
    pub fn take_back(&mut self) {
        // In reverse order, so that numbers are given away as they were before.
        while let Some(step) = self.journal.pop() {
            match step {
                Step::Glued(id) => self.part(id),
                Step::Undone(tile, made, doubt) => {
                    self.join(tile, made, doubt);
                }
            }
        }
    }

    /// Offset of each of `buffers` buffers, for offsets of the roots in their order.
    pub fn offsets(&self, buffers: usize, of_roots: &[u64]) -> Vec<u64> {
        let mut offsets = vec![0; buffers];
        let mut open: Vec<(u32, u64)> =
            self.roots.iter().copied().zip(of_roots.iter().copied()).collect();
        while let Some((id, at)) = open.pop() {
            let size = |part: u32| self.tile(part).size;
            match self.made(id) {
                Made::Buffer => offsets[id as usize] = at,
                Made::Beside(parts) => open.extend(parts.map(|part| (part, at))),
                Made::Stacked([low, high]) => open.extend([(low, at), (high, at + size(low))]),
                Made::Wheel([low, side, high, other, hub]) => {
                    let (inner, outer) = (at + size(low), at + size(side));
                    open.extend([
                        (low, at),
                        (side, at),
                        (high, outer),
                        (other, inner),
                        (hub, inner),
                    ]);
                }
            }
        }
        offsets
    }

    fn join(&mut self, tile: Tile, made: Made, doubt: f64) -> u32 {
        made.parts().iter().for_each(|&part| self.hide(part));
        let id = self.free.pop().unwrap_or_else(|| {
            self.tiles.push(tile);
            self.made.push(made);
            self.doubts.push(doubt);
            self.worst.push(doubt);
            self.stamps.push(0);
            self.places.push(NONE);
            self.tiles.len() as u32 - 1
        });
        self.tiles[id as usize] = tile;
        self.made[id as usize] = made;
        self.doubts[id as usize] = doubt;
        let worst = made.parts().iter().map(|&part| self.worst(part)).fold(doubt, f64::max);
        self.worst[id as usize] = worst;
        self.expose(id);
        id
    }

    fn part(&mut self, id: u32) {
        self.hide(id);
        self.free.push(id);
        let made = self.made(id);
        made.parts().iter().rev().for_each(|&part| self.expose(part));
    }

    fn expose(&mut self, id: u32) {
        self.places[id as usize] = self.roots.len() as u32;
        self.stamps[id as usize] = self.stamps[id as usize].wrapping_add(1);
        self.roots.push(id);
        self.index.insert(id, self.tile(id));
    }

    fn hide(&mut self, id: u32) {
        let place = std::mem::replace(&mut self.places[id as usize], NONE);
        self.roots.swap_remove(place as usize);
        if let Some(&moved) = self.roots.get(place as usize) {
            self.places[moved as usize] = place;
        }
        self.index.remove(id, self.tile(id));
    }
}
