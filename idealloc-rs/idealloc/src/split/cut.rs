//! How a loop of a group's last operator is cut.

/// What a cut does with elements that two tiles need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Halo {
    /// Each tile computes all that it needs.
    Recompute,
    /// A tile keeps what the next one needs again: every element is computed once.
    Cache,
    /// Each tile computes all that it needs, and those at the ends as much as the others: what they compute lies further
    /// inside, so that all tiles look alike.
    Shift,
}

/// Into more tiles no loop is cut: what is known of each takes time and memory.
const MOST_TILES: i64 = 1 << 16;

/// The least iterations per tile that are tried for a loop.
pub(super) fn finest(extent: i64) -> i64 {
    rounded_up(extent, MOST_TILES)
}

/// How many parts of so many iterations a loop has, or how many iterations are in each of so many parts; the last may be smaller.
pub(super) fn rounded_up(extent: i64, divisor: i64) -> i64 {
    (extent + divisor - 1) / divisor
}

/// A loop cut into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cut {
    /// Iterations per tile; the last one may be smaller.
    pub size: i64,
    /// Tiles before the first. They compute nothing of the last operator: in them earlier operators run ahead.
    pub lead: i64,
    /// Iterations of the loop.
    pub extent: i64,
    /// So many tiles at the start are one, and so many at the end.
    pub merged: (usize, usize),
    /// What happens between neighbours.
    pub halo: Halo,
    /// Number of tiles, which is asked for all the time.
    tiles: usize,
}

impl Cut {
    /// Tiles of `size` iterations; the last one may be smaller.
    pub fn even(extent: i64, size: i64, halo: Halo) -> Self {
        Self::with_lead(extent, size, halo, 0)
    }

    /// The same with `lead` tiles before the first in which earlier operators run ahead.
    pub fn with_lead(extent: i64, size: i64, halo: Halo, lead: i64) -> Self {
        let tiles = (rounded_up(extent, size) + lead) as usize;
        Self { size, lead, extent, halo, merged: (1, 1), tiles }
    }

    /// The same with tiles of another size.
    pub fn sized(&self, size: i64) -> Self {
        Self::with_lead(self.extent, size, self.halo, self.lead)
    }

    /// The same with the first `head` tiles as one, and the last `tail`, as far as there are so many.
    pub fn with_merged(self, head: usize, tail: usize) -> Self {
        let all = self.tiles + self.merged.0 + self.merged.1 - 2;
        let head = head.clamp(1, all.max(1));
        let tail = tail.clamp(1, (all - head).max(1));
        Self { merged: (head, tail), tiles: all + 2 - head - tail, ..self }
    }

    /// Whether earlier operators advance evenly instead of by what is needed at once.
    pub fn runs_ahead(&self) -> bool {
        self.lead > 0
    }

    /// Number of tiles, those that run ahead among them.
    pub fn tiles(&self) -> usize {
        self.tiles
    }

    /// Where a tile begins and ends; negative where that is before the first.
    pub(super) fn position(self, tile: usize) -> (i64, i64) {
        let (head, tail) = self.merged;
        let all = self.tiles + head + tail - 2;
        let bound = |number: usize| {
            let even = match number {
                0 => 0,
                last if last == self.tiles => all,
                between => between + head - 1,
            };
            ((even as i64 - self.lead) * self.size).min(self.extent)
        };
        (bound(tile), bound(tile + 1))
    }

    /// Tiles that stand for all: the ends and the middle; all where they are few.
    pub(super) fn ends_and_middle(&self) -> Vec<usize> {
        let n = self.tiles();
        if n <= 6 {
            return (0..n).collect();
        }
        let mut tiles = vec![0, 1, 2, n / 2, n - 2, n - 1];
        if self.runs_ahead() {
            tiles.extend([n / 4, n / 3, n * 3 / 4, n - 3]);
            tiles.sort_unstable();
            tiles.dedup();
        }
        tiles
    }
}
