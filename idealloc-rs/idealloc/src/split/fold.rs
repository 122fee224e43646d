//! Tiles of a cut of which not each is looked at, where there are many: in the middle of a long row what each tile has
//! repeats, some elements further on.
//!
//! So of a row of 16,384 tiles some hundreds are known: those at both ends, and two periods at each end of the middle. What
//! follows from two of these for those between is checked for each list that is computed (`step_of`). If it does not follow,
//! more tiles are looked at (`Uneven`).

use super::track::NOTHING;

/// Rows of fewer tiles are not folded.
const MANY: usize = 256;

/// Tiles at an end that are looked at first.
const SIDE: usize = 32;

/// Tiles in a period at the most.
const LONGEST_PERIOD: usize = 64;

/// Steps of more elements are none: the numbers stand for nothing.
const LONGEST_STEP: i64 = 1 << 40;

/// Which tiles of a long row are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// All tiles.
    tiles: usize,
    /// Tiles before the middle, and behind it but for what is no whole period.
    side: usize,
    /// Tiles after which all repeats in the middle.
    period: usize,
    /// Tiles that are not known, in the middle of the middle.
    left_out: usize,
    /// The number among known tiles of the first one behind these; more than there are if all are known.
    resumes_at: usize,
}

/// Why tiles do not follow from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Uneven {
    /// They repeat after so many times the period.
    Longer(usize),
    /// The ends reach further in.
    Wider,
}

impl Fold {
    /// All tiles of a short row, and those at the ends of a long one.
    pub(super) fn new(tiles: usize) -> Self {
        Self::with(tiles, SIDE, 1)
    }

    /// All tiles.
    pub(super) fn all(tiles: usize) -> Self {
        Self { tiles, side: tiles, period: 1, left_out: 0, resumes_at: tiles + 1 }
    }

    fn with(tiles: usize, side: usize, period: usize) -> Self {
        let middle = tiles.saturating_sub(2 * side) / period * period;
        let left_out = middle.saturating_sub(4 * period);
        if tiles < MANY || period > LONGEST_PERIOD || side < period || 2 * left_out < tiles {
            return Self::all(tiles);
        }
        Self { tiles, side, period, left_out, resumes_at: side + 2 * period }
    }

    /// What is to be known instead. What was in the middle and no longer is follows from what was known.
    pub(super) fn after(self, uneven: Uneven) -> Self {
        match uneven {
            Uneven::Longer(times) => {
                let period = self.period.saturating_mul(times);
                let more = if self.side < period { period } else { 0 };
                Self::with(self.tiles, self.side.saturating_add(more), period)
            }
            Uneven::Wider => Self::with(self.tiles, 2 * self.side, self.period),
        }
    }

    /// Whether some tiles are not known.
    pub(super) fn is_folded(self) -> bool {
        self.left_out > 0
    }

    /// All tiles.
    pub(super) fn tiles(self) -> usize {
        self.tiles
    }

    /// Known tiles.
    pub(super) fn known(self) -> usize {
        self.tiles - self.left_out
    }

    /// Tiles after which all repeats in the middle.
    pub(super) fn period(self) -> usize {
        self.period
    }

    /// The first tile of the middle, and the first behind it.
    pub(super) fn middle(self) -> (usize, usize) {
        (self.side, self.side + self.left_out + 4 * self.period)
    }

    /// The number among known tiles of the first one behind those that are left out; more than there are if none
    /// are.
    pub(super) fn resumes_at(self) -> usize {
        self.resumes_at
    }

    /// Periods that are left out.
    pub(super) fn periods_left_out(self) -> i64 {
        (self.left_out / self.period) as i64
    }

    /// Known tiles by their numbers among all, and for how many each stands.
    pub(super) fn weighted(self) -> impl Iterator<Item = (usize, i64)> {
        let resumes = self.resumes_at();
        (0..self.known()).map(move |number| {
            if number >= resumes {
                return (number + self.left_out, 1);
            }
            let stands = self.is_folded() && number + self.period >= resumes;
            (number, if stands { 1 + self.periods_left_out() } else { 1 })
        })
    }

    /// The number among known tiles of one that is as this one, and how many periods that is before it.
    #[inline]
    pub(super) fn place(self, tile: usize) -> (usize, i64) {
        if tile < self.resumes_at {
            return (tile, 0);
        }
        if tile >= self.resumes_at + self.left_out {
            return (tile - self.left_out, 0);
        }
        let (beyond, last) = (tile - self.resumes_at, self.resumes_at - self.period);
        (last + beyond % self.period, (beyond / self.period + 1) as i64)
    }

    /// By how much numbers of known tiles, of which those that are `none` count for nothing, grow from one period to the next.
    /// None if there are no others in the middle, or if all tiles are known.
    ///
    /// Numbers between follow from that if each is a line in the middle, or lines with at most one bend that all lie to one
    /// side: as they are as steep on both sides and between, there is no bend.
    pub(super) fn step_of(self, numbers: &[i64], none: Option<i64>) -> Result<Option<i64>, Uneven> {
        if !self.is_folded() || numbers.is_empty() {
            return Ok(None);
        }
        let (first, period) = (self.side, self.period);
        let between = 1 + self.periods_left_out();
        let mut step = None;
        for index in first..first + period {
            let four = [0, 1, 2, 3].map(|k| numbers[index + k * period]);
            if four.iter().all(|&number| Some(number) == none) {
                continue;
            }
            if four.iter().any(|&number| Some(number) == none || number == NOTHING) {
                return Err(Uneven::Wider);
            }
            let [one, two, three, four] = four;
            let own = two - one;
            if own.abs() > LONGEST_STEP
                || *step.get_or_insert(own) != own
                || three - two != between * own
                || four - three != own
            {
                return Err(Uneven::Wider);
            }
        }
        Ok(step)
    }

    /// The number of a tile, from those of known tiles.
    pub(super) fn number_of(
        self,
        numbers: &[i64],
        none: Option<i64>,
        step: i64,
        tile: usize,
    ) -> i64 {
        let (known, periods) = self.place(tile);
        let number = numbers[known];
        if Some(number) == none { number } else { number + periods * step }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fold, Uneven};

    #[test]
    fn what_is_left_out_follows_from_what_is_known() {
        let fold = Fold::new(1000).after(Uneven::Longer(3));
        assert!(fold.is_folded());
        let all: Vec<i64> =
            (0..1000).map(|tile| tile / 3 * 5 + [0, 1, 3][tile as usize % 3]).collect();
        let known: Vec<i64> = fold.weighted().map(|(tile, _)| all[tile]).collect();
        let step = fold.step_of(&known, None).ok().flatten();
        assert_eq!(step, Some(5));
        for (tile, &number) in all.iter().enumerate() {
            assert_eq!(fold.number_of(&known, None, 5, tile), number);
        }
        assert_eq!(fold.weighted().map(|(_, times)| times).sum::<i64>(), 1000);
    }

    #[test]
    fn a_bend_in_the_middle_is_seen() {
        let fold = Fold::new(1000);
        let known: Vec<i64> = fold.weighted().map(|(tile, _)| (tile as i64).min(500)).collect();
        assert_eq!(fold.step_of(&known, None), Err(Uneven::Wider));
        let known: Vec<i64> = fold.weighted().map(|(tile, _)| (tile as i64).min(20)).collect();
        assert_eq!(fold.step_of(&known, None), Ok(Some(0)));
    }

    #[test]
    fn short_rows_are_known_as_a_whole() {
        let fold = Fold::new(200);
        assert!(!fold.is_folded());
        assert_eq!((fold.known(), fold.place(150)), (200, (150, 0)));
        assert!(!Fold::new(1000).after(Uneven::Longer(100)).is_folded());
    }
}
