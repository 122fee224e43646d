//! Rows of tiles that look alike: one loop computes them.

use super::track::Track;

/// Runs in a period at the most.
const LONGEST_PERIOD: usize = 12;

/// Tiles one behind another that one loop computes.
pub(super) struct Row {
    pub count: usize,
    /// Tiles of these that must be written down, the first of them first.
    pub written: Vec<usize>,
}

/// What is compared of the tiles of a cut.
pub(super) struct Tiles<'t> {
    pub tracks: &'t [&'t Track],
    /// What of operands would lie before and behind them, which is padding; as far as that is to be told apart.
    pub clipped: &'t [Vec<(i64, i64)>],
}

/// Runs of tiles that look alike, of which one is written down, and where the same runs come again and again, periods, of
/// which those of one are.
pub(super) fn rows_of_tiles(tiles: &Tiles<'_>) -> Vec<Row> {
    let runs = runs_of(tiles);
    let (mut rows, mut index) = (Vec::new(), 0);
    while index < runs.len() {
        let (mut period, mut taken) = (1, 1);
        for length in 1..=LONGEST_PERIOD.min((runs.len() - index) / 2) {
            let count = periods(tiles, &runs[index..], length);
            if count >= 2 && count * length > taken {
                (period, taken) = (length, count * length);
            }
        }
        let count = runs[index..index + taken].iter().map(|run| run.count).sum();
        let written = runs[index..index + period].iter().map(|run| run.first).collect();
        rows.push(Row { count, written });
        index += taken;
    }
    rows
}

/// Tiles one behind another that keep their lengths and advance evenly.
#[derive(Clone, Copy)]
struct Run {
    first: usize,
    count: usize,
}

fn runs_of(of: &Tiles<'_>) -> Vec<Run> {
    let tracks = of.tracks;
    let tiles = tracks.first().map_or(1, |track| track.new.len());
    let mut runs: Vec<Run> = Vec::new();
    let mut first = 0;
    for tile in 1..=tiles {
        let goes_on = tile < tiles
            && are_alike(of, first, tile)
            && (tile == first + 1 || are_as_far(tracks, (first, first + 1), (tile - 1, tile)));
        if !goes_on {
            runs.push(Run { first, count: tile - first });
            first = tile;
        }
    }
    runs
}

/// How often the first `length` runs come again, each time as far ahead.
fn periods(of: &Tiles<'_>, runs: &[Run], length: usize) -> usize {
    let tracks = of.tracks;
    let mut count = 1;
    while (count + 1) * length <= runs.len() {
        let (now, next) = (count * length, (count - 1) * length);
        let is_same = (0..length).all(|k| {
            let (start, new, old) = (runs[k], runs[now + k], runs[next + k]);
            let last = |run: Run| run.first + run.count - 1;
            new.count == start.count
                && are_alike(of, start.first, new.first)
                && are_as_far(tracks, (old.first, new.first), (last(old), last(new)))
                && are_as_far(tracks, (start.first, runs[length + k].first), (old.first, new.first))
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
    of.tracks.iter().all(|track| track.kind(one) == track.kind(other))
        && of.clipped.iter().all(|tiles| tiles[one] == tiles[other])
}

/// Whether all ranges are as far apart in one pair of tiles as in another.
fn are_as_far(tracks: &[&Track], one: (usize, usize), other: (usize, usize)) -> bool {
    let start = |track: &Track, tile: usize| {
        let (start, end) = track.new[tile];
        if start < end { start } else { 0 }
    };
    let distance = |track: &Track, (from, to)| start(track, to) - start(track, from);
    tracks.iter().all(|track| distance(track, one) == distance(track, other))
}
