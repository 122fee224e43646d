//! Bytes on chip while a group runs.

use super::cut::LARGEST;
use super::layout::{Layout, Residency};
use super::sweep::Span;

impl Layout<'_, '_> {
    pub(super) fn overlap(&self, spans: &[Span], tile: &[usize]) -> i64 {
        // At most one dimension follows a cached cut.
        let mut elements = 1;
        let mut is_kept = false;
        for span in spans {
            elements *= match *span {
                Span::Fixed(start, end) => (end - start).max(0),
                Span::Driven(cut, track) => {
                    let tracks = &self.sweep.tracks[cut];
                    let track = tracks.get(track);
                    if tracks.is_cached() {
                        is_kept = true;
                        let next = tile[cut] + 1;
                        let later = if next < track.new.len() { track.overlap(next) } else { 0 };
                        track.overlap(tile[cut]).max(later)
                    } else {
                        track.size(tile[cut])
                    }
                }
            };
        }
        if is_kept { elements } else { 0 }
    }

    /// Bytes kept between tiles, at the most; they only grow when layers are added before.
    pub fn kept_bytes(&self) -> i64 {
        let of = |tensor: usize| {
            let spans = self.sweep.tensor_spans[tensor].as_deref().unwrap_or(&[]);
            if !self.has_overlap(spans) {
                return 0;
            }
            let tiles: Vec<usize> = self.sweep.tracks.iter().map(|t| t.cut.tiles() / 2).collect();
            self.overlap(spans, &tiles) * self.graph.tensors[tensor].element_bytes
        };
        let made = self.sequence.iter().filter(|&&op| !self.graph.operators[op].is_view);
        made.flat_map(|&op| &self.graph.operators[op].results).map(|&t| of(t)).sum()
    }

    /// Bytes on chip at the most, over a sample of tiles that has the ends and the middle, or over all tiles.
    pub fn peak_of(&self, all: bool) -> i64 {
        let cuts = self.sweep.loops.len();
        let samples: Vec<Vec<usize>> = (0..cuts)
            .map(|cut| {
                let n = self.sweep.tracks[cut].cut.tiles();
                if !self.sweep.tracks[cut].is_cached() {
                    return vec![LARGEST];
                }
                if all || n <= 6 {
                    return (0..n).collect();
                }
                let mut tiles = vec![0, 1, 2, n / 2, n - 2, n - 1];
                if self.sweep.tracks[cut].cut.runs_ahead() {
                    tiles.extend([n / 4, n / 3, n * 3 / 4, n - 3]);
                    tiles.sort_unstable();
                    tiles.dedup();
                }
                tiles
            })
            .collect();
        // In the middle most is live: what does not fit there need not be looked at further.
        let middle: Vec<usize> = samples.iter().map(|s| s[s.len() / 2]).collect();
        let mut peak = self.peak_in(&middle);
        if !all && peak > self.machine.capacity {
            return peak;
        }
        let mut at = vec![0; cuts];
        loop {
            let tile: Vec<usize> =
                at.iter().zip(&samples).map(|(&k, s): (&usize, _)| s[k]).collect();
            peak = peak.max(self.peak_in(&tile));
            if !all && peak > self.machine.capacity {
                return peak;
            }
            let Some(cut) = (0..cuts).rev().find(|&cut| at[cut] + 1 < samples[cut].len()) else {
                return peak;
            };
            at[cut] += 1;
            at[cut + 1..].fill(0);
        }
    }

    /// Bytes on chip at the most, over a sample of tiles.
    pub fn peak(&self) -> i64 {
        self.peak_of(false)
    }

    pub(super) fn peak_in(&self, tile: &[usize]) -> i64 {
        let mut bytes = vec![0_i64; self.storages.storages.len()];
        for &(storage, tensor) in &self.storages.members {
            let spans = self.spans(tensor).unwrap_or(&[]);
            bytes[storage] = bytes[storage].max(self.aligned(self.window(spans, tile), tensor));
        }
        let mut change = vec![0_i64; self.sequence.len() + 1];
        for (storage, bytes) in self.storages.storages.iter().zip(bytes) {
            change[storage.start] += bytes;
            change[storage.end + 1] -= bytes;
        }
        let mut constant = self.resident_bytes;
        for external in &self.externals {
            let tensor = external.tensor;
            match external.residency {
                Residency::Kept => {
                    constant += self.align(external.bytes_in_all);
                }
                Residency::Streamed { reader, slices, .. } => {
                    let bytes = self.aligned(
                        (self.window(&external.spans, tile) + slices - 1) / slices,
                        tensor,
                    );
                    if let Some(position) = self.sequence.iter().position(|&op| op == reader) {
                        change[position] += bytes;
                        change[position + 1] -= bytes;
                    }
                }
                Residency::Fetched => {
                    if self.has_overlap(&external.spans) {
                        constant += self.aligned(self.overlap(&external.spans, tile), tensor);
                    }
                }
                Residency::Resident => {}
            }
        }
        for &op in self.sequence.iter().filter(|_| self.is_cached) {
            if self.graph.operators[op].is_view {
                continue;
            }
            for &tensor in &self.graph.operators[op].results {
                if let Some(spans) = &self.sweep.tensor_spans[tensor]
                    && self.has_overlap(spans)
                {
                    constant += self.aligned(self.overlap(spans, tile), tensor);
                }
            }
        }
        let mut live = 0;
        let mut most = 0;
        for step in change {
            live += step;
            most = most.max(live);
        }
        most + constant
    }
}
