//! How much code a group takes: tiles that look alike are a loop, others are written out.

use super::layout::Layout;
use super::sweep::Span;
use super::track::Track;

/// Runs in a period at the most.
const LONGEST_PERIOD: usize = 12;

impl Layout<'_, '_> {
    /// Operators that are written down, each once for every kind of tile; views take no code.
    pub fn code(&self) -> i64 {
        let kinds: Vec<i64> =
            (0..self.sweep.loops.len()).map(|cut| kinds_of_tiles(&self.tracks_of(cut))).collect();
        let operators = self.sequence.iter().zip(&self.levels);
        let written = operators.filter(|&(&op, _)| !self.graph.operators[op].is_view);
        written.map(|(_, &level)| kinds[..level].iter().product::<i64>()).sum()
    }

    /// The tracks that loops and tensors of the group follow.
    fn tracks_of(&self, cut: usize) -> Vec<&Track> {
        let tracks = &self.sweep.tracks[cut];
        self.track_numbers(cut).into_iter().map(|track| tracks.get(track)).collect()
    }

    /// The same, by their numbers.
    pub(super) fn track_numbers(&self, cut: usize) -> Vec<u32> {
        let mut numbers: Vec<u32> = Vec::new();
        let mut add = |spans: &[Span]| {
            for span in spans {
                if let Span::Driven(other, track) = *span
                    && other == cut
                    && !numbers.contains(&track)
                {
                    numbers.push(track);
                }
            }
        };
        for &op in &self.sequence {
            add(self.sweep.loop_spans(op).unwrap_or(&[]));
            for &tensor in &self.graph.operators[op].results {
                add(self.sweep.tensor_spans(tensor).unwrap_or(&[]));
            }
        }
        self.externals.iter().for_each(|external| add(&external.spans));
        numbers
    }
}

/// Tiles one behind another that keep their lengths and advance evenly.
#[derive(Clone, Copy)]
struct Run {
    first: usize,
    count: usize,
}

/// Tiles that must be written down: one of each run of tiles that look alike, and where the same runs come again and
/// again, those of one period.
fn kinds_of_tiles(tracks: &[&Track]) -> i64 {
    let runs = runs_of(tracks);
    let (mut kinds, mut index) = (0, 0);
    while index < runs.len() {
        let (mut period, mut taken) = (1, 1);
        for length in 1..=LONGEST_PERIOD.min((runs.len() - index) / 2) {
            let count = periods(tracks, &runs[index..], length);
            if count >= 2 && count * length > taken {
                (period, taken) = (length, count * length);
            }
        }
        kinds += period as i64;
        index += taken;
    }
    kinds
}

fn runs_of(tracks: &[&Track]) -> Vec<Run> {
    let tiles = tracks.first().map_or(1, |track| track.new.len());
    let mut runs: Vec<Run> = Vec::new();
    let mut first = 0;
    for tile in 1..=tiles {
        let goes_on = tile < tiles
            && are_alike(tracks, first, tile)
            && (tile == first + 1 || are_as_far(tracks, (first, first + 1), (tile - 1, tile)));
        if !goes_on {
            runs.push(Run { first, count: tile - first });
            first = tile;
        }
    }
    runs
}

/// How often the first `length` runs come again, each time as far ahead.
fn periods(tracks: &[&Track], runs: &[Run], length: usize) -> usize {
    let mut count = 1;
    while (count + 1) * length <= runs.len() {
        let (now, next) = (count * length, (count - 1) * length);
        let is_same = (0..length).all(|k| {
            let (start, new, old) = (runs[k], runs[now + k], runs[next + k]);
            let last = |run: Run| run.first + run.count - 1;
            new.count == start.count
                && are_alike(tracks, start.first, new.first)
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

/// Whether two tiles have the same lengths, and keep as much before and after.
fn are_alike(tracks: &[&Track], one: usize, other: usize) -> bool {
    tracks.iter().all(|track| track.kind(one) == track.kind(other))
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
