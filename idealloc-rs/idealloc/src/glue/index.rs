//! Tiles that are not part of another one, by what their edges must meet.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::tile::Tile;
use crate::random::scramble;

/// What two tiles that may be glued have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// Start, and size.
    Starts(u32, u64),
    /// End, and size.
    Ends(u32, u64),
    /// Start and end.
    Lives(u32, u32),
    /// Start alone.
    StartsAt(u32),
    /// End alone.
    EndsAt(u32),
}

impl Edge {
    const KINDS: usize = 5;

    fn all(tile: Tile) -> [Self; Self::KINDS] {
        [
            Self::Starts(tile.start, tile.size),
            Self::Ends(tile.end, tile.size),
            Self::Lives(tile.start, tile.end),
            Self::StartsAt(tile.start),
            Self::EndsAt(tile.end),
        ]
    }

    fn kind(self) -> usize {
        match self {
            Self::Starts(..) => 0,
            Self::Ends(..) => 1,
            Self::Lives(..) => 2,
            Self::StartsAt(..) => 3,
            Self::EndsAt(..) => 4,
        }
    }
}

/// Numbers that are mixed in turn: faster than what withstands an attacker, and the same in every run.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = scramble(self.0 ^ value);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

const NONE: u32 = u32::MAX;

/// First tile of a list, and how many there are.
type Head = (u32, u32);

const EMPTY: Head = (NONE, 0);

/// Lists of tiles with an edge in common, linked through the tiles.
#[derive(Debug, Default)]
pub struct Index {
    hashed: HashMap<Edge, Head, BuildHasherDefault<Mixer>>,
    /// Lists of what starts at each moment,
    starts: Vec<Head>,
    /// and ends.
    ends: Vec<Head>,
    /// Next and previous of each tile in the list of each kind.
    links: Vec<[(u32, u32); Edge::KINDS]>,
}

impl Index {
    /// Nothing in it; positions of moments are below `moments`.
    pub fn new(moments: usize) -> Self {
        Self { starts: vec![EMPTY; moments], ends: vec![EMPTY; moments], ..Self::default() }
    }

    fn head(&self, edge: Edge) -> Head {
        match edge {
            Edge::StartsAt(moment) => self.starts[moment as usize],
            Edge::EndsAt(moment) => self.ends[moment as usize],
            _ => self.hashed.get(&edge).copied().unwrap_or(EMPTY),
        }
    }

    fn head_mut(&mut self, edge: Edge) -> &mut Head {
        match edge {
            Edge::StartsAt(moment) => &mut self.starts[moment as usize],
            Edge::EndsAt(moment) => &mut self.ends[moment as usize],
            _ => self.hashed.entry(edge).or_insert(EMPTY),
        }
    }

    /// Takes a tile in.
    pub fn insert(&mut self, id: u32, tile: Tile) {
        if self.links.len() <= id as usize {
            self.links.resize(id as usize + 1, [(NONE, NONE); Edge::KINDS]);
        }
        for edge in Edge::all(tile) {
            let head = self.head_mut(edge);
            let next = std::mem::replace(&mut head.0, id);
            head.1 += 1;
            self.links[id as usize][edge.kind()] = (next, NONE);
            if next != NONE {
                self.links[next as usize][edge.kind()].1 = id;
            }
        }
    }

    /// Takes a tile out.
    pub fn remove(&mut self, id: u32, tile: Tile) {
        for edge in Edge::all(tile) {
            let kind = edge.kind();
            let (next, previous) = self.links[id as usize][kind];
            if next != NONE {
                self.links[next as usize][kind].1 = previous;
            }
            if previous != NONE {
                self.links[previous as usize][kind].0 = next;
            }
            let head = self.head_mut(edge);
            head.1 -= 1;
            if previous == NONE {
                head.0 = next;
            }
            if head.1 == 0 && kind < 3 {
                self.hashed.remove(&edge);
            }
        }
    }

    /// How many have this edge.
    pub fn count(&self, edge: Edge) -> u32 {
        self.head(edge).1
    }

    /// Those that have this edge, the last one taken in first.
    pub fn with(&self, edge: Edge) -> impl Iterator<Item = u32> + '_ {
        let first = self.head(edge).0;
        let kind = edge.kind();
        std::iter::successors((first != NONE).then_some(first), move |&id| {
            let next = self.links[id as usize][kind].0;
            (next != NONE).then_some(next)
        })
    }
}
