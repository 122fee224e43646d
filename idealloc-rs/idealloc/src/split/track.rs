//! What follows from a cut for one dimension or loop: a range in each tile.

/// Nothing is kept.
pub const NOTHING: i64 = i64::MAX;

/// Stands for the largest tile of a cut.
pub const LARGEST: usize = usize::MAX;

/// The range of one dimension of a tensor, or of one loop, in each tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// What a tile computes or fetches: `[start, end)`, empty where both are equal.
    pub new: Vec<(i64, i64)>,
    /// For each tile, and once after the last, the first index that is still needed then; with `Halo::Cache` only.
    pub keep: Vec<i64>,
    pub(super) largest: i64,
    pub(super) total: i64,
    reach: i64,
    has_overlap: bool,
    kinds: i64,
    busy_kinds: i64,
    /// Where the tile would end if the tensor had no ends; with `Halo::Cache` only.
    pub(super) raw: Vec<i64>,
}

impl Track {
    pub(super) fn of(new: Vec<(i64, i64)>, keep: Vec<i64>, raw: Vec<i64>) -> Self {
        let total = new.iter().map(|r| r.1 - r.0).sum();
        let busy = || new.iter().filter(|r| r.0 < r.1);
        let first = busy().map(|r| r.0).min().unwrap_or(0);
        let reach = busy().map(|r| r.1).max().unwrap_or(0) - first;
        let mut track = Self {
            new,
            keep,
            largest: 0,
            total,
            reach,
            has_overlap: false,
            kinds: 0,
            busy_kinds: 0,
            raw,
        };
        track.largest = (0..track.new.len()).map(|tile| track.size(tile)).max().unwrap_or(0);
        track.has_overlap = (1..track.new.len()).any(|tile| track.overlap(tile) > 0);
        let mut kinds: Vec<_> = Vec::new();
        for kind in (0..track.new.len()).map(|tile| track.kind(tile)) {
            if kinds.last() != Some(&kind) {
                kinds.push(kind);
            }
        }
        kinds.sort_unstable();
        kinds.dedup();
        track.kinds = kinds.len() as i64;
        track.busy_kinds = kinds.iter().filter(|(length, ..)| *length > 0).count() as i64;
        track
    }

    /// What must be equal for two tiles to be alike: elements computed, and kept before and after.
    pub(super) fn kind(&self, tile: usize) -> (i64, i64, i64) {
        let after = if tile + 1 < self.new.len() { self.overlap(tile + 1) } else { 0 };
        (self.length(tile), self.overlap(tile), after)
    }

    /// Tiles of which no two are alike.
    pub fn kinds(&self) -> i64 {
        self.kinds
    }

    /// The same, of those that compute anything.
    pub(super) fn busy_kinds(&self) -> i64 {
        self.busy_kinds
    }

    /// Elements computed in all tiles.
    pub fn total(&self) -> i64 {
        self.total
    }

    /// Elements computed in the tile that computes most.
    pub(super) fn longest(&self) -> i64 {
        self.new.iter().map(|range| range.1 - range.0).max().unwrap_or(0)
    }

    /// Elements computed in a tile, or in the one that computes most.
    pub fn length(&self, tile: usize) -> i64 {
        if tile == LARGEST {
            return self.longest();
        }
        self.new[tile].1 - self.new[tile].0
    }

    /// Elements that can be read in a tile, or in the largest one.
    pub fn size(&self, tile: usize) -> i64 {
        if tile == LARGEST {
            return self.largest;
        }
        let (start, end) = self.window(tile);
        (end - start).max(0)
    }

    /// The range that can be read in a tile: what was kept, and what is new.
    pub fn window(&self, tile: usize) -> (i64, i64) {
        let (start, end) = self.new[tile];
        match self.keep.get(tile) {
            Some(&keep) if start < end => (keep.min(start), end),
            Some(&keep) if keep != NOTHING => (keep.min(end), end),
            _ => (start, end),
        }
    }

    /// Elements kept from before a tile for it and later ones.
    pub fn overlap(&self, tile: usize) -> i64 {
        match self.keep.get(tile) {
            Some(&keep) if tile > 0 && keep != NOTHING => (self.new[tile - 1].1 - keep).max(0),
            _ => 0,
        }
    }

    /// Elements kept between two tiles, at the most.
    pub(super) fn widest_overlap(&self) -> i64 {
        (1..self.new.len()).map(|tile| self.overlap(tile)).max().unwrap_or(0)
    }

    /// Whether anything is kept between tiles.
    pub fn has_overlap(&self) -> bool {
        self.has_overlap
    }

    /// A tile in which more can be read than in any of `tiles`, or more is kept for later ones; none if there is none.
    pub(super) fn tile_above(&self, tiles: &[usize]) -> Option<usize> {
        let above = |of: &dyn Fn(usize) -> i64| {
            let known = tiles.iter().map(|&tile| of(tile)).max()?;
            let widest =
                (0..self.new.len()).max_by_key(|&tile| (of(tile), std::cmp::Reverse(tile)))?;
            (of(widest) > known).then_some(widest)
        };
        above(&|tile| self.size(tile)).or_else(|| above(&|tile| self.overlap(tile + 1)))
    }

    /// From the first element that any tile computes to the last.
    pub fn reach(&self) -> i64 {
        self.reach
    }
}
