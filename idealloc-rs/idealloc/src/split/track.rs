//! What follows from a cut for one dimension or loop: a range in each tile.

use super::fold::{Fold, Uneven};

/// Nothing is kept.
pub const NOTHING: i64 = i64::MAX;

/// Stands for the largest tile of a cut.
pub const LARGEST: usize = usize::MAX;

/// The range of one dimension of a tensor, or of one loop, in each tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Which tiles are known.
    fold: Fold,
    /// What a known tile computes or fetches: `[start, end)`, empty where both are equal.
    pub(super) new: Vec<(i64, i64)>,
    /// For each known tile, and once after the last, the first index that is still needed then; with `Halo::Cache` only.
    keep: Vec<i64>,
    /// Elements from one period of tiles to the next, in the middle.
    step: i64,
    pub(super) largest: i64,
    pub(super) total: i64,
    reach: i64,
    widest_overlap: i64,
    kinds: i64,
    busy_kinds: i64,
    /// Where a known tile would end if the tensor had no ends; with `Halo::Cache` only.
    pub(super) raw: Vec<i64>,
    /// The same as the step, of these.
    pub(super) raw_step: i64,
}

impl Track {
    /// From what known tiles have.
    pub(super) fn of(
        fold: Fold,
        new: Vec<(i64, i64)>,
        keep: Vec<i64>,
        raw: Vec<i64>,
    ) -> Result<Self, Uneven> {
        let (step, raw_step) =
            if fold.is_folded() { steps_of(fold, &new, &keep, &raw)? } else { (0, 0) };
        let weighted = fold.weighted().zip(&new);
        let total = weighted.map(|((_, times), range)| times * (range.1 - range.0)).sum();
        let busy = || new.iter().filter(|r| r.0 < r.1);
        let first = busy().map(|r| r.0).min().unwrap_or(0);
        let reach = busy().map(|r| r.1).max().unwrap_or(0) - first;
        let kept = keep.iter().map(|&first| Some(first)).chain(std::iter::repeat(None));
        let sizes = new.iter().zip(kept).map(|(&range, kept)| size_of(window_of(range, kept)));
        let largest = sizes.max().unwrap_or(0);
        let overlaps = overlaps_of(fold, &new, &keep);
        let widest_overlap = overlaps.iter().copied().max().unwrap_or(0);
        let overlap = |known: usize| overlaps.get(known).copied().unwrap_or(0);
        let mut kinds: Vec<_> = Vec::new();
        for (known, &(start, end)) in new.iter().enumerate() {
            let kind = (end - start, overlap(known), overlap(known + 1));
            if kinds.last() != Some(&kind) {
                kinds.push(kind);
            }
        }
        kinds.sort_unstable();
        kinds.dedup();
        let busy_kinds = kinds.iter().filter(|(length, ..)| *length > 0).count() as i64;
        let kinds = kinds.len() as i64;
        Ok(Self {
            fold,
            new,
            keep,
            step,
            largest,
            total,
            reach,
            widest_overlap,
            kinds,
            busy_kinds,
            raw,
            raw_step,
        })
    }

    /// The same where other tiles are known, which follow from those that were.
    pub(super) fn refolded(&self, fold: Fold) -> Result<Self, Uneven> {
        let tiles = || fold.weighted().map(|(tile, _)| tile);
        let number = |numbers: &[i64], step: i64, tile: usize| {
            self.fold.number_of(numbers, Some(NOTHING), step, tile)
        };
        let behind = (!self.keep.is_empty()).then_some(fold.tiles());
        let kept = tiles().filter(|_| behind.is_some()).chain(behind);
        let raw = tiles().filter(|_| !self.raw.is_empty());
        Self::of(
            fold,
            tiles().map(|tile| self.range(tile)).collect(),
            kept.map(|tile| number(&self.keep, self.step, tile)).collect(),
            raw.map(|tile| number(&self.raw, self.raw_step, tile)).collect(),
        )
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.fold.tiles()
    }

    /// Elements from one period of tiles to the next, in the middle.
    pub(super) fn step(&self) -> i64 {
        self.step
    }

    /// Tiles of which all others are as one, but for where they begin.
    pub(super) fn known_tiles(&self) -> impl Iterator<Item = usize> + use<> {
        self.fold.weighted().map(|(tile, _)| tile)
    }

    /// What a tile computes or fetches: `[start, end)`, empty where both are equal.
    #[inline]
    pub fn range(&self, tile: usize) -> (i64, i64) {
        let (known, periods) = self.fold.place(tile);
        let (start, end) = self.new[known];
        if periods == 0 {
            return (start, end);
        }
        (start + periods * self.step, end + periods * self.step)
    }

    /// The same for all tiles.
    pub fn ranges(&self) -> impl Iterator<Item = (i64, i64)> {
        (0..self.tiles()).map(|tile| self.range(tile))
    }

    /// The first index that is still needed in a tile or later; none if nothing is ever kept.
    #[inline]
    fn kept_from(&self, tile: usize) -> Option<i64> {
        if self.keep.is_empty() || tile > self.tiles() {
            return None;
        }
        match self.fold.place(tile) {
            (known, 0) => Some(self.keep[known]),
            _ => Some(self.fold.number_of(&self.keep, Some(NOTHING), self.step, tile)),
        }
    }

    /// For each tile, and once after the last, the first index that is still needed then; empty if nothing is ever kept.
    pub fn keeps(&self) -> Vec<i64> {
        (0..=self.tiles()).filter_map(|tile| self.kept_from(tile)).collect()
    }

    /// What must be equal for two tiles to be alike: elements computed, and kept before and after.
    #[inline]
    pub(super) fn kind(&self, tile: usize) -> (i64, i64, i64) {
        let after = if tile + 1 < self.tiles() { self.overlap(tile + 1) } else { 0 };
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
    #[inline]
    pub fn length(&self, tile: usize) -> i64 {
        if tile == LARGEST {
            return self.longest();
        }
        let (known, _) = self.fold.place(tile);
        self.new[known].1 - self.new[known].0
    }

    /// Elements that can be read in a tile, or in the largest one.
    #[inline]
    pub fn size(&self, tile: usize) -> i64 {
        if tile == LARGEST {
            return self.largest;
        }
        size_of(self.window(tile))
    }

    /// The range that can be read in a tile: what was kept, and what is new.
    #[inline]
    pub fn window(&self, tile: usize) -> (i64, i64) {
        window_of(self.range(tile), self.kept_from(tile))
    }

    /// Elements kept from before a tile for it and later ones.
    #[inline]
    pub fn overlap(&self, tile: usize) -> i64 {
        match self.kept_from(tile) {
            Some(keep) if tile > 0 && keep != NOTHING => (self.range(tile - 1).1 - keep).max(0),
            _ => 0,
        }
    }

    /// Elements kept between two tiles, at the most.
    pub(super) fn widest_overlap(&self) -> i64 {
        self.widest_overlap
    }

    /// Whether anything is kept between tiles.
    pub fn has_overlap(&self) -> bool {
        self.widest_overlap > 0
    }

    /// A tile in which more can be read than in any of `tiles`, or more is kept for later ones; none if there is none.
    pub(super) fn tile_above(&self, tiles: &[usize]) -> Option<usize> {
        let above = |of: &dyn Fn(usize) -> i64, most: i64| {
            let known = tiles.iter().map(|&tile| of(tile)).max()?;
            if most <= known {
                return None;
            }
            let widest =
                self.known_tiles().max_by_key(|&tile| (of(tile), std::cmp::Reverse(tile)))?;
            (of(widest) > known).then_some(widest)
        };
        above(&|tile| self.size(tile), self.largest)
            .or_else(|| above(&|tile| self.overlap(tile + 1), self.widest_overlap))
    }

    /// From the first element that any tile computes to the last.
    pub fn reach(&self) -> i64 {
        self.reach
    }
}

/// What can be read in a tile that computes a range, and where the first index that is still needed is `kept`.
fn window_of((start, end): (i64, i64), kept: Option<i64>) -> (i64, i64) {
    match kept {
        Some(kept) if start < end => (kept.min(start), end),
        Some(kept) if kept != NOTHING => (kept.min(end), end),
        _ => (start, end),
    }
}

fn size_of((start, end): (i64, i64)) -> i64 {
    (end - start).max(0)
}

/// For each known tile the elements kept from before it; empty if nothing ever is. Behind what is left out that is as much as
/// one period before.
fn overlaps_of(fold: Fold, new: &[(i64, i64)], keep: &[i64]) -> Vec<i64> {
    if keep.is_empty() {
        return Vec::new();
    }
    let mut overlaps = vec![0; new.len()];
    for known in 1..new.len() {
        overlaps[known] = if known == fold.resumes_at() {
            overlaps[known - fold.period()]
        } else if keep[known] == NOTHING {
            0
        } else {
            (new[known - 1].1 - keep[known]).max(0)
        };
    }
    overlaps
}

/// By how much the ranges of known tiles, and what is kept for them, grow from one period to the next, and by how much `raw`
/// does.
fn steps_of(
    fold: Fold,
    new: &[(i64, i64)],
    keep: &[i64],
    raw: &[i64],
) -> Result<(i64, i64), Uneven> {
    let starts: Vec<i64> = new.iter().map(|range| range.0).collect();
    let ends: Vec<i64> = new.iter().map(|range| range.1).collect();
    let step = fold.step_of(&starts, None)?;
    let kept = fold.step_of(keep, Some(NOTHING))?;
    if fold.step_of(&ends, None)? != step || kept.is_some_and(|kept| Some(kept) != step) {
        return Err(Uneven::Wider);
    }
    Ok((step.unwrap_or(0), fold.step_of(raw, None)?.unwrap_or(0)))
}
