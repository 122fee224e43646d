//! Rows of tiles that look alike: one loop computes them.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::shown_tiles::Shown;
use super::track::Track;

/// Runs in a period at the most.
pub(super) const LONGEST_PERIOD: usize = 12;

/// Tiles one behind another that one loop computes.
pub(super) struct Row {
    pub count: usize,
    /// Tiles of these that must be written down, the first of them first.
    pub written: Vec<usize>,
}

/// What is compared of the tiles of a cut.
pub(super) struct Tiles<'t> {
    pub tracks: &'t [&'t Track],
    /// Which are looked at; by their numbers among these they are compared.
    pub shown: Shown,
    /// What of operands would lie before and behind them, which is padding; as far as that is to be told apart.
    pub clipped: &'t [Vec<(i64, i64)>],
    /// Whether tiles at the ends are shifted inwards, so that they look like the others.
    pub is_shifted: bool,
}

impl Tiles<'_> {
    fn count(&self) -> usize {
        if self.tracks.is_empty() { 1 } else { self.shown.count }
    }

    /// What must be equal for two tiles to be alike.
    fn kind(&self, track: &Track, tile: usize) -> (i64, i64, i64) {
        track.kind(self.shown.tile(tile))
    }
}

/// Tiles of a cut, and where each begins on each of the tracks, if there is anything in it.
struct Places<'t> {
    tiles: &'t Tiles<'t>,
    starts: Vec<Vec<i64>>,
}

impl Places<'_> {
    /// Whether all ranges are as far apart in one pair of tiles as in another.
    fn are_as_far(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let distance = |starts: &[i64], (from, to): (usize, usize)| starts[to] - starts[from];
        self.starts.iter().all(|starts| distance(starts, one) == distance(starts, other))
    }
}

/// Runs of tiles that look alike, of which one is written down, and where the same runs come again and again, periods, of
/// which those of one are.
pub(super) fn rows_of_tiles(tiles: &Tiles<'_>) -> Vec<Row> {
    let starts_of = |track: &&Track| {
        (0..tiles.count()).map(|tile| tiles.shown.start(track, tile)).collect::<Vec<_>>()
    };
    let places = Places { tiles, starts: tiles.tracks.iter().map(starts_of).collect() };
    let runs = runs_of_shifted(tiles).unwrap_or_else(|| runs_of(&places));
    let looks: Vec<u64> = runs.iter().map(|run| looks_of(tiles, run)).collect();
    let (mut rows, mut index) = (Vec::new(), 0);
    while index < runs.len() {
        let (mut period, mut taken) = (1, 1);
        let mut repeated: Vec<usize> = Vec::new();
        for length in 1..=LONGEST_PERIOD.min((runs.len() - index) / 2) {
            // What repeats after so many runs does after twice as many no longer.
            if repeated.iter().any(|shorter| length % shorter == 0) {
                continue;
            }
            let count = periods(&places, (&runs[index..], &looks[index..]), length);
            if count >= 2 {
                repeated.push(length);
            }
            if count >= 2 && count * length > taken {
                (period, taken) = (length, count * length);
            }
        }
        let count = runs[index..index + taken].iter().map(|run| run.count).sum();
        let written = runs[index..index + period].iter().map(|run| run.first).collect();
        rows.push(Row { count, written });
        index += taken;
    }
    tiles.shown.rows_of_all(rows)
}

/// Tiles one behind another that keep their lengths and advance evenly.
#[derive(Clone, Copy)]
struct Run {
    first: usize,
    count: usize,
}

fn runs_of(of: &Places<'_>) -> Vec<Run> {
    // Whether a tile is farther from the one before, or less far, than that from the one before it.
    let mut steps = vec![false; of.tiles.count()];
    for starts in &of.starts {
        mark_changes(&mut steps[1..], starts.windows(2).map(|pair| pair[1] - pair[0]));
    }
    runs_while(of.tiles, |first, tile| tile == first + 1 || !steps[tile])
}

/// Runs of tiles that are alike where those at the ends are shifted inwards; none if they are not, or if ranges do not
/// advance evenly between the ends.
fn runs_of_shifted(of: &Tiles<'_>) -> Option<Vec<Run>> {
    if !of.is_shifted {
        return None;
    }
    let runs = runs_while(of, |_, _| true);
    let is_even = |run: &Run| {
        let starts = |track: &&Track| -> Vec<i64> {
            (run.first..run.first + run.count).map(|tile| track.range(tile).0).collect()
        };
        of.tracks.iter().map(starts).all(|starts| is_even_between_ends(&starts))
    };
    runs.iter().all(is_even).then_some(runs)
}

/// Whether numbers are those of a line, but for ends at which they are no less than the first and no more than the last.
pub(super) fn is_even_between_ends(numbers: &[i64]) -> bool {
    let steps = numbers.windows(2).map(|pair| pair[1] - pair[0]);
    let Some((at, step)) =
        steps.enumerate().max_by_key(|&(at, step)| (step, std::cmp::Reverse(at)))
    else {
        return true;
    };
    let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
    let on_line = |index: usize| numbers[at] + (index as i64 - at as i64) * step;
    low <= high
        && numbers.iter().enumerate().all(|(index, &n)| n == on_line(index).clamp(low, high))
}

/// Runs of tiles that are alike, as long as one more `goes_on` with what began at a first.
fn runs_while(of: &Tiles<'_>, goes_on: impl Fn(usize, usize) -> bool) -> Vec<Run> {
    let tiles = of.count();
    // Whether a tile is unlike the one before.
    let mut unlike = vec![false; tiles];
    for track in of.tracks {
        mark_changes(&mut unlike, (0..tiles).map(|tile| of.kind(track, tile)));
    }
    for padding in of.clipped {
        mark_changes(&mut unlike, padding.iter());
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut first = 0;
    for (tile, &is_unlike) in unlike.iter().enumerate().skip(1) {
        if is_unlike || !goes_on(first, tile) {
            runs.push(Run { first, count: tile - first });
            first = tile;
        }
    }
    runs.push(Run { first, count: tiles - first });
    runs
}

/// Marks each place at which a value is another than the one before.
fn mark_changes<T: PartialEq>(marks: &mut [bool], mut values: impl Iterator<Item = T>) {
    let Some(mut last) = values.next() else { return };
    for (mark, value) in marks.iter_mut().skip(1).zip(values) {
        *mark |= value != last;
        last = value;
    }
}

/// A number that runs have in common whose first tiles are alike and which are as long, and others hardly ever.
fn looks_of(of: &Tiles<'_>, run: &Run) -> u64 {
    let mut hasher = FxHasher::default();
    run.count.hash(&mut hasher);
    of.tracks.iter().for_each(|track| of.kind(track, run.first).hash(&mut hasher));
    of.clipped.iter().for_each(|tiles| tiles[run.first].hash(&mut hasher));
    hasher.finish()
}

/// How often the first `length` runs come again, each time as far ahead; `looks` are those of the runs.
fn periods(of: &Places<'_>, (runs, looks): (&[Run], &[u64]), length: usize) -> usize {
    let mut count = 1;
    while (count + 1) * length <= runs.len() {
        let (now, next) = (count * length, (count - 1) * length);
        let is_same = looks[..length] == looks[now..now + length]
            && (0..length).all(|k| {
                let (start, new, old) = (runs[k], runs[now + k], runs[next + k]);
                let last = |run: Run| run.first + run.count - 1;
                new.count == start.count
                    && are_alike(of.tiles, start.first, new.first)
                    && of.are_as_far((old.first, new.first), (last(old), last(new)))
                    && of.are_as_far((start.first, runs[length + k].first), (old.first, new.first))
            });
        if !is_same {
            break;
        }
        count += 1;
    }
    count
}

/// Whether two tiles have the same lengths and padding, and keep as much before and after.
fn are_alike(of: &Tiles<'_>, one: usize, other: usize) -> bool {
    of.tracks.iter().all(|track| of.kind(track, one) == of.kind(track, other))
        && of.clipped.iter().all(|tiles| tiles[one] == tiles[other])
}

#[cfg(test)]
mod tests {
    use super::is_even_between_ends;

    #[test]
    fn numbers_stay_at_the_ends() {
        assert!(is_even_between_ends(&[0, 3, 8, 13, 15]));
        assert!(is_even_between_ends(&[0, 0, 5, 10]));
        assert!(is_even_between_ends(&[7]));
        assert!(is_even_between_ends(&[4, 4]));
        // As far as that only here and there.
        assert!(!is_even_between_ends(&[0, 5, 15, 20, 30]));
        assert!(!is_even_between_ends(&[0, 5, 4]));
    }
}
