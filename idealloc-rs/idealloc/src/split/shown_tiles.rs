//! Tiles of a cut that are compared one by one: all, or of a long row in whose middle the same comes again and again all but
//! some of that.

use super::fold::Fold;
use super::tile_rows::{LONGEST_PERIOD, Row};
use super::track::Track;

/// Periods of the middle are left out by so many: whatever comes again after a few of them is left out whole.
const AT_ONCE: usize = LONGEST_PERIOD;

/// More periods that are shown than there are tiles at an end.
const MORE_PERIODS: usize = 4 * LONGEST_PERIOD;

/// Tiles that are shown, numbered one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// How many.
    pub count: usize,
    /// The first of them behind those that are left out.
    resumes_at: usize,
    left_out: usize,
    period: usize,
}

impl Shown {
    /// All tiles.
    pub fn all(tiles: usize) -> Self {
        Self { count: tiles, resumes_at: tiles, left_out: 0, period: 1 }
    }

    /// Those of a cut, so many of the middle that what is found of them is found of all. The middle that is left is longer than
    /// the ends are, in runs too: nothing in these is taken for it, nor does it begin or end otherwise.
    pub fn of(fold: Fold) -> Self {
        let all = Self::all(fold.tiles());
        let (first, end) = fold.middle();
        let period = fold.period();
        if !fold.is_folded() || period > LONGEST_PERIOD {
            return all;
        }
        let shown = period * (first.max(fold.tiles() - end) + MORE_PERIODS);
        let left_out = (end - first).saturating_sub(shown) / (period * AT_ONCE) * period * AT_ONCE;
        if left_out == 0 {
            return all;
        }
        // A period of the middle follows.
        let resumes_at = end - left_out - period;
        Self { count: fold.tiles() - left_out, resumes_at, left_out, period }
    }

    /// Whether some tiles are left out.
    pub fn leaves_out(&self) -> bool {
        self.left_out > 0
    }

    /// The tile of a number.
    pub fn tile(&self, number: usize) -> usize {
        if number < self.resumes_at { number } else { number + self.left_out }
    }

    /// All of them.
    pub fn tiles(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |number| self.tile(number))
    }

    /// Whether what is known of shown tiles is the same on both sides of those that are left out, one period long.
    ///
    /// What depends on a line, and changes at most once along it, is then the same in those.
    pub fn is_even<T: PartialEq>(&self, tiles: &[T]) -> bool {
        let Self { resumes_at, period, .. } = *self;
        !self.leaves_out()
            || tiles[resumes_at - period..resumes_at] == tiles[resumes_at..resumes_at + period]
    }

    /// Where a tile begins, as if none were left out.
    pub fn start(&self, track: &Track, number: usize) -> i64 {
        let (start, end) = track.range(self.tile(number));
        // If there is anything in it.
        if start >= end {
            return 0;
        }
        if number < self.resumes_at {
            return start;
        }
        start - (self.left_out / self.period) as i64 * track.step()
    }

    /// The rows of all tiles, from those of the tiles that are shown.
    pub fn rows_of_all(&self, mut rows: Vec<Row>) -> Vec<Row> {
        if !self.leaves_out() {
            return rows;
        }
        // That row in which the middle of the middle is has more; rows behind it begin later.
        let middle = self.resumes_at - self.period * MORE_PERIODS / 2;
        let mut first = 0;
        for row in &mut rows {
            let end = first + row.count;
            if first > middle {
                row.written.iter_mut().for_each(|tile| *tile += self.left_out);
            } else if middle < end {
                row.count += self.left_out;
            }
            first = end;
        }
        rows
    }
}
