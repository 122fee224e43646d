//! Operations that say where tiles of a loop begin off chip.

use super::boxes::tracks_in;
use super::layout::Layout;
use super::tile_rows::Row;

/// Operations that put an end to where a tile begins: no less than the first, and no more than the last.
const TO_CLAMP: i64 = 2;

/// Operations for a row of tiles that one loop computes: products, sums, and ends, for each of `starts` by tile. Those as far
/// apart share products.
pub(super) fn index_operations(row: &Row, starts: &[Vec<i64>]) -> i64 {
    let tiles = row.written[0]..row.written[0] + row.count;
    let (mut steps, mut operations): (Vec<i64>, i64) = (Vec::new(), 0);
    for starts in starts {
        let starts = &starts[tiles.clone()];
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
            let ranges = self.sweep.tracks[cut].get(track).new.iter();
            let starts: Vec<i64> = ranges.map(|range| range.0).collect();
            if !found.contains(&starts) {
                found.push(starts);
            }
        }
        found
    }
}
