//! Operations that say where tiles of a loop begin off chip.

use super::boxes::tracks_in;
use super::layout::Layout;
use super::shifted_reshape::ShiftedReshape;
use super::tile_rows::{Row, is_even_between_ends};

/// Operations that put an end to where a tile begins: no less than the first, and no more than the last.
const TO_CLAMP: i64 = 2;

/// Operations for a row of tiles that one loop computes: products, sums, and ends, for each of `starts` by tile, and for where
/// in what is at hand a tile of each of `reshapes` lies. Those as far apart share products.
pub(super) fn index_operations(
    row: &Row,
    starts: &[Vec<i64>],
    reshapes: &[&ShiftedReshape],
) -> i64 {
    let tiles = row.written[0]..row.written[0] + row.count;
    let mut all: Vec<Vec<i64>> =
        starts.iter().map(|starts| starts[tiles.clone()].to_vec()).collect();
    let mut operations = 0;
    for reshape in reshapes {
        let (at_hand, wanted) = (&reshape.starts[tiles.clone()], &reshape.wanted[tiles.clone()]);
        let offsets: Vec<i64> = wanted.iter().zip(at_hand).map(|(w, a)| w - a).collect();
        let is_line = is_even_between_ends(&offsets);
        operations += i64::from(!is_line);
        let more = if is_line { vec![offsets] } else { vec![at_hand.to_vec(), wanted.to_vec()] };
        for starts in more {
            if !all.contains(&starts) {
                all.push(starts);
            }
        }
    }
    let mut steps: Vec<i64> = Vec::new();
    for starts in &all {
        let distances = || starts.windows(2).map(|pair| pair[1] - pair[0]);
        let step = distances().max().unwrap_or(0);
        if step == 0 {
            continue;
        }
        if step != 1 && !steps.contains(&step) {
            steps.push(step);
        }
        let is_line = distances().all(|distance| distance == step);
        operations += if is_line { i64::from(starts[0] != 0) } else { 1 + TO_CLAMP };
    }
    operations + steps.len() as i64
}

impl Layout<'_, '_> {
    /// Where each tile of a cut begins in what is fetched or written back; equal ones once.
    pub(super) fn starts_off_chip(&self, cut: usize) -> Vec<Vec<i64>> {
        let fetched = self.externals.iter().map(|external| external.spans.as_slice());
        let results = self.sequence.iter().flat_map(|&op| &self.graph.operators[op].results);
        let written = results.filter(|&&tensor| self.is_output[tensor]);
        let boxes = fetched.chain(written.filter_map(|&tensor| self.sweep.tensor_spans(tensor)));
        let mut found: Vec<Vec<i64>> = Vec::new();
        for track in tracks_in(cut, boxes) {
            let ranges = self.sweep.tracks[cut].get(track).ranges();
            let starts: Vec<i64> = ranges.map(|range| range.0).collect();
            if !found.contains(&starts) {
                found.push(starts);
            }
        }
        found
    }
}
