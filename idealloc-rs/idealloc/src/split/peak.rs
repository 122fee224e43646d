//! Bytes on chip while a group runs.

use super::external::Residency;
use super::layout::Layout;
use super::profile::Profile;
use super::storages::Member;
use super::sweep::Span;
use super::track::LARGEST;
use super::tracks::Table;

impl Layout<'_, '_> {
    /// Tiles that stand for all, for each cut.
    fn samples(&self) -> &[Vec<usize>] {
        let of = |cut| {
            let tracks: &Table = &self.sweep.tracks[cut];
            if tracks.is_cached() {
                tracks.sample(self.track_numbers(cut).into_iter())
            } else {
                vec![LARGEST]
            }
        };
        self.samples.get_or_init(|| (0..self.sweep.loops.len()).map(of).collect())
    }

    /// All tiles of each cut; where they are alike, the largest.
    fn all_tiles(&self) -> Vec<Vec<usize>> {
        let of = |tracks: &Table| {
            if tracks.is_cached() { (0..tracks.cut.tiles()).collect() } else { vec![LARGEST] }
        };
        self.sweep.tracks.iter().map(of).collect()
    }

    /// Bytes on chip at the most, over a sample of tiles that has the ends and the middle, or over all tiles.
    pub fn peak_of(&self, all: bool) -> i64 {
        self.fill_profile(all, i64::MAX, &mut Profile::default())
    }

    /// Counts the bytes on chip over a sample of tiles, with chains slice by slice or whole, whichever takes less; where there
    /// are more than `most`, it stops, and they are as many or more.
    pub(super) fn count_peak(&mut self, most: i64) {
        let peak_up_to =
            |layout: &Self, most: i64| layout.fill_profile(false, most, &mut Profile::default());
        let mut peak = peak_up_to(self, most);
        if self.has_slices() {
            peak = peak.min(self.without_slices(|layout| peak_up_to(layout, most.min(peak - 1))));
        }
        self.known_peak = Some(peak);
    }

    /// Bytes on chip at each position of the sequence in a sample of tiles, or in all. Returns the largest. It stops where
    /// there are more than `most`.
    pub(super) fn fill_profile(&self, all: bool, most: i64, profile: &mut Profile) -> i64 {
        let cuts = self.sweep.loops.len();
        let all_tiles = all.then(|| self.all_tiles());
        let samples = all_tiles.as_deref().unwrap_or_else(|| self.samples());
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
        let elements = self.elements_of(member, |spans| self.sweep.window(spans, tile));
        self.aligned(self.at_a_time(elements, member.tensor, Some(tile)), member.tensor)
    }

    /// Bytes of what a tile, and a row of tiles, keep of a tensor while the tile runs.
    pub(super) fn kept_room(&self, spans: &[Span], tensor: usize, tile: &[usize]) -> i64 {
        if !self.sweep.has_overlap(spans) {
            return 0;
        }
        let for_next = self.aligned(self.sweep.overlap(spans, tile), tensor);
        for_next + self.aligned(self.sweep.border(spans, tile), tensor)
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
            if external.residency == Residency::Fetched || self.graph.tensors[tensor].is_changed {
                live += self.kept_room(&external.spans, tensor, tile);
            }
            match external.residency {
                Residency::Kept => live += self.align(external.bytes_in_all),
                Residency::Streamed { reader, along, slices } => {
                    let window = self.sweep.window(&external.spans, tile);
                    let slice = self.sweep.largest_slice(window, (reader, along, slices), tile);
                    let bytes = self.aligned(slice, tensor);
                    change[external.position] += bytes;
                    change[external.position + 1] -= bytes;
                }
                Residency::Fetched | Residency::Resident => {}
            }
        }
        for &op in self.sequence.iter().filter(|_| self.is_cached) {
            if self.is_alias(op) {
                continue;
            }
            for &tensor in &self.graph.operators[op].results {
                if let Some(spans) = self.sweep.tensor_spans(tensor)
                    && self.sweep.has_overlap(spans)
                {
                    live += self.aligned(self.sweep.border(spans, tile), tensor);
                    let bytes = self.aligned(self.sweep.overlap(spans, tile), tensor);
                    if self.sweep.keeps_from_before(spans, tile) {
                        live += bytes;
                    } else {
                        // The first that is kept: copied right after the last reader.
                        change[self.kept_at(tensor)] += bytes;
                    }
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
