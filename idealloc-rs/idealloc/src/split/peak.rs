//! Bytes on chip while a group runs.

use super::cut::LARGEST;
use super::layout::{Layout, Residency};
use super::profile::Profile;
use super::storages::Member;
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

    /// The middle tile of every cut.
    pub(super) fn middle_tile(&self) -> Vec<usize> {
        self.sweep.tracks.iter().map(|tracks| tracks.cut.tiles() / 2).collect()
    }

    /// Bytes kept between tiles, at the most; they only grow when layers are added before.
    pub fn kept_bytes(&self) -> i64 {
        self.kept_in(&self.middle_tile())
    }

    /// Bytes of what the group makes that are kept before and after a tile.
    pub(super) fn kept_in(&self, tile: &[usize]) -> i64 {
        let of = |tensor: usize| {
            let spans = self.sweep.tensor_spans[tensor].as_deref().unwrap_or(&[]);
            if !self.has_overlap(spans) {
                return 0;
            }
            self.overlap(spans, tile) * self.graph.tensors[tensor].element_bytes
        };
        let made = self.sequence.iter().filter(|&&op| !self.is_alias(op));
        made.flat_map(|&op| &self.graph.operators[op].results).map(|&t| of(t)).sum()
    }

    /// Tiles that are looked at for each cut: the ends and the middle, or all.
    fn samples(&self, all: bool) -> Vec<Vec<usize>> {
        let of = |cut: usize| {
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
        };
        (0..self.sweep.loops.len()).map(of).collect()
    }

    /// Bytes on chip at the most, over a sample of tiles that has the ends and the middle, or over all tiles.
    pub fn peak_of(&self, all: bool) -> i64 {
        self.fill_profile(all, i64::MAX, &mut Profile::default())
    }

    /// Bytes on chip at each position of the sequence in a sample of tiles, or in all. Returns the largest. It stops where
    /// there are more than `most`.
    pub(super) fn fill_profile(&self, all: bool, most: i64, profile: &mut Profile) -> i64 {
        let cuts = self.sweep.loops.len();
        let samples = self.samples(all);
        profile.clear(self.sequence.len() + 1);
        let mut scratch = Scratch::default();
        // In the middle most is live: what does not fit there need not be looked at further.
        let middle: Vec<usize> = samples.iter().map(|s| s[s.len() / 2]).collect();
        let mut peak = self.add_tile(&middle, profile, &mut scratch);
        let mut at = vec![0; cuts];
        let mut tile = middle.clone();
        while peak <= most {
            for (cut, sample) in samples.iter().enumerate() {
                tile[cut] = sample[at[cut]];
            }
            if tile != middle {
                peak = peak.max(self.add_tile(&tile, profile, &mut scratch));
            }
            let Some(cut) = (0..cuts).rev().find(|&cut| at[cut] + 1 < samples[cut].len()) else {
                break;
            };
            at[cut] += 1;
            at[cut + 1..].fill(0);
        }
        peak
    }

    /// Bytes that a tensor takes of its storage in one tile.
    pub(super) fn bytes_in(&self, member: &Member, tile: &[usize]) -> i64 {
        let spans = self.spans(member.tensor).unwrap_or(&[]);
        self.aligned(self.window(spans, tile), member.tensor)
    }

    /// Adds one tile to a profile; returns the most bytes on chip in it.
    fn add_tile(&self, tile: &[usize], profile: &mut Profile, scratch: &mut Scratch) -> i64 {
        let Scratch { bytes, change } = scratch;
        bytes.clear();
        bytes.resize(self.storages.storages.len(), 0);
        for member in &self.storages.members {
            let known = &mut bytes[member.storage];
            *known = self.bytes_in(member, tile).max(*known);
        }
        change.clear();
        change.resize(self.sequence.len() + 1, 0);
        for (storage, bytes) in self.storages.storages.iter().zip(bytes) {
            change[storage.start] += *bytes;
            change[storage.end + 1] -= *bytes;
        }
        let mut live = self.resident_bytes;
        for external in &self.externals {
            let tensor = external.tensor;
            match external.residency {
                Residency::Kept => live += self.align(external.bytes_in_all),
                Residency::Streamed { reader, along, slices } => {
                    let window = self.window(&external.spans, tile);
                    let slice = self.largest_slice(window, reader, along, slices);
                    let bytes = self.aligned(slice, tensor);
                    change[external.position] += bytes;
                    change[external.position + 1] -= bytes;
                }
                Residency::Fetched => {
                    if self.has_overlap(&external.spans) {
                        live += self.aligned(self.overlap(&external.spans, tile), tensor);
                    }
                }
                Residency::Resident => {}
            }
        }
        for &op in self.sequence.iter().filter(|_| self.is_cached) {
            if self.is_alias(op) {
                continue;
            }
            for &tensor in &self.graph.operators[op].results {
                if let Some(spans) = &self.sweep.tensor_spans[tensor]
                    && self.has_overlap(spans)
                {
                    live += self.aligned(self.overlap(spans, tile), tensor);
                }
            }
        }
        let mut most = live;
        let at_each = change.iter().map(|step| {
            live += step;
            most = most.max(live);
            live
        });
        profile.push(tile, at_each);
        most
    }
}

/// Room for counting one tile.
#[derive(Default)]
struct Scratch {
    bytes: Vec<i64>,
    change: Vec<i64>,
}
