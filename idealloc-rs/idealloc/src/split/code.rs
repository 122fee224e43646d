//! How much code a group takes: tiles that look alike are a loop, others are written out.

use super::boxes::tracks_in;
use super::layout::Layout;
use super::shown_tiles::Shown;
use super::tile_rows::{Tiles, rows_of_tiles};
use super::track::Track;

impl Layout<'_, '_> {
    /// Operators that are written down, each once for every kind of tile; views take no code.
    pub fn code(&self) -> i64 {
        let kinds: Vec<i64> =
            (0..self.sweep.loops.len()).map(|cut| self.kinds_of_tiles(cut)).collect();
        let operators = self.sequence.iter().zip(&self.levels);
        let written = operators.filter(|&(&op, _)| !self.graph.operators[op].is_view);
        written.map(|(_, &level)| kinds[..level].iter().product::<i64>()).sum()
    }

    /// Tiles of a cut that must be written down, whatever is padding; but where all are shifted to look alike, that counts.
    fn kinds_of_tiles(&self, cut: usize) -> i64 {
        let rows = if self.is_shifted(cut) {
            self.rows_of_tiles(cut)
        } else {
            let shown = Shown::of(self.sweep.tracks[cut].fold());
            let tracks = &self.tracks_of(cut);
            rows_of_tiles(&Tiles { tracks, shown, clipped: &[], is_shifted: false })
        };
        rows.iter().map(|row| row.written.len() as i64).sum()
    }

    /// Whether tiles of a cut that are at the ends are shifted inwards.
    pub(super) fn is_shifted(&self, cut: usize) -> bool {
        self.sweep.tracks[cut].is_shifted()
    }

    /// The tracks that loops and tensors of the group follow.
    fn tracks_of(&self, cut: usize) -> Vec<&Track> {
        let tracks = &self.sweep.tracks[cut];
        self.track_numbers(cut).into_iter().map(|track| tracks.get(track)).collect()
    }

    /// The same, by their numbers.
    pub(super) fn track_numbers(&self, cut: usize) -> Vec<u32> {
        self.track_numbers_but(cut, &[])
    }

    /// The same, but of some tensors from outside.
    pub(super) fn track_numbers_but(&self, cut: usize, but: &[usize]) -> Vec<u32> {
        let of_operator = |&op: &usize| {
            let results = self.graph.operators[op].results.iter();
            let made = results.map(|&tensor| self.sweep.tensor_spans(tensor));
            std::iter::once(self.sweep.loop_spans(op)).chain(made).flatten()
        };
        let externals = self.externals.iter().filter(|external| !but.contains(&external.tensor));
        let fetched = externals.map(|external| external.spans.as_slice());
        tracks_in(cut, self.sequence.iter().flat_map(of_operator).chain(fetched))
    }
}
