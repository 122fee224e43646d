//! How each tensor from outside comes to the chip: what saves the most bytes for its room.

use super::external::{External, Residency, largest_streamed};
use super::layout::Layout;
use super::profile::Profile;
use super::storages::{Member, Storage, Storages};

/// What came of settling how tensors come to the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The group needs more room than there is.
    TooLarge,
    /// It fits, but moves too much.
    NotWorth,
    /// It fits.
    Fits,
}

/// A change of how one tensor comes to the chip.
pub(super) struct Change {
    /// Bytes, moves counted as the machine prices them.
    saved: i64,
    room: i64,
    pub external: usize,
    pub residency: Residency,
}

/// What is in a storage, and bytes of each in each tile of a profile.
struct Parts {
    storage: usize,
    members: Vec<Member>,
    bytes: Vec<Vec<i64>>,
}

/// Bytes that a tensor takes at all positions, and more from `start` to `end`, both included.
#[derive(Clone, Copy)]
struct Room {
    throughout: i64,
    bytes: i64,
    start: usize,
    end: usize,
}

impl Room {
    fn at(self, position: usize) -> i64 {
        let is_in = (self.start..=self.end).contains(&position);
        self.throughout + if is_in { self.bytes } else { 0 }
    }
}

impl Layout<'_, '_> {
    /// Saves bytes by keeping tensors on chip, as far as the capacity goes, if `is_worth` says so of the bytes that are
    /// moved at the least.
    pub fn settle(&mut self, mut is_worth: impl FnMut(i64) -> bool) -> Settled {
        // First the least room.
        let is_fetched = |external: &External| external.residency == Residency::Fetched;
        let streamed = largest_streamed(self.externals.iter().map(|e| (is_fetched(e), e)));
        let is_fetched: Vec<bool> = self.externals.iter().map(is_fetched).collect();
        for (external, streamed) in self.externals.iter_mut().zip(&streamed) {
            external.residency = streamed.unwrap_or(external.residency);
        }
        self.assign();
        let capacity = self.machine.capacity;
        let mut profile = Profile::default();
        if self.fill_profile(false, capacity, &mut profile) > capacity {
            return Settled::TooLarge;
        }
        let changes = self.changes(&is_fetched);
        if !is_worth(self.least_with(&changes, &profile.most())) {
            return Settled::NotWorth;
        }
        // Then what saves the most bytes for its room.
        let mut gained = vec![0; self.externals.len()];
        let mut other = Profile::default();
        let mut spare = Storages::default();
        let mut parts = None;
        let mut together = changes.len();
        let mut rest = &changes[..];
        while let Some((change, others)) = rest.split_first() {
            let index = change.external;
            if change.saved <= gained[index] {
                rest = others;
                continue;
            }
            if let Some(room) = self.own_room(&self.externals[index]) {
                rest = others;
                if !self.change_alone(change, room, &mut profile) {
                    continue;
                }
                self.externals[index].residency = change.residency;
            } else if change.residency == Residency::Kept
                && let Some(number) = self.storage_as_part(&self.externals[index])
            {
                rest = others;
                let known = parts.take().filter(|parts: &Parts| parts.storage == number);
                let known = known.unwrap_or_else(|| self.parts_of(number, &profile));
                let is_kept = self.keep_part(change, &known, &mut profile);
                parts = Some(known);
                if !is_kept {
                    continue;
                }
                self.externals[index].residency = change.residency;
                self.storages.remove(self.externals[index].tensor, number);
                parts = None;
            } else {
                // Others share its room, so that all is laid out again: for many changes at once where they all fit.
                let (batch, after) = rest.split_at(together.min(rest.len()));
                let before = self.take_all(batch, &mut gained, &profile.most());
                if before.is_empty() {
                    rest = after;
                    continue;
                }
                std::mem::swap(&mut self.storages, &mut spare);
                self.assign();
                if self.fill_profile(false, capacity, &mut other) <= capacity {
                    std::mem::swap(&mut profile, &mut other);
                    parts = None;
                    rest = after;
                    together *= 2;
                    continue;
                }
                std::mem::swap(&mut self.storages, &mut spare);
                for &(index, residency, saved) in before.iter().rev() {
                    self.externals[index].residency = residency;
                    gained[index] = saved;
                }
                if before.len() == 1 {
                    rest = after;
                }
                together = 1;
                continue;
            }
            gained[index] = change.saved;
        }
        self.known_peak = Some(profile.peak());
        Settled::Fits
    }

    /// Makes the changes that save more than what is known of their tensors, but those for which there is certainly no room;
    /// returns for each the tensor, how it came to the chip before, and what that had saved.
    fn take_all(
        &mut self,
        changes: &[Change],
        gained: &mut [i64],
        most: &[i64],
    ) -> Vec<(usize, Residency, i64)> {
        let mut before = Vec::new();
        for change in changes {
            let index = change.external;
            if change.saved > gained[index] && !self.is_too_much(change, most) {
                let residency = &mut self.externals[index].residency;
                before.push((index, *residency, gained[index]));
                *residency = change.residency;
                gained[index] = change.saved;
            }
        }
        before
    }

    /// Changes the profile as the change of a tensor with room of its own does; false, and nothing is changed, if it does
    /// not fit. `room` are the positions at which it has room if it is fetched, both ends included.
    fn change_alone(&self, change: &Change, room: (usize, usize), profile: &mut Profile) -> bool {
        let external = &self.externals[change.external];
        self.replace(profile, |_, tile| {
            let now = self.room_alone(external, external.residency, room, tile);
            (now, self.room_alone(external, change.residency, room, tile))
        })
    }

    /// The same for a tensor that is a part of a storage, and is kept instead: others stay in the storage.
    fn keep_part(&self, change: &Change, parts: &Parts, profile: &mut Profile) -> bool {
        let external = &self.externals[change.external];
        let Storage { start, end } = self.storages.storages[parts.storage];
        let others =
            || parts.members.iter().enumerate().filter(|(_, m)| m.tensor != external.tensor);
        let first = others().map(|(_, member)| member.start).min().unwrap_or(0);
        let last = others().map(|(_, member)| member.end).max().unwrap_or(0);
        let others: Vec<usize> = others().map(|(number, _)| number).collect();
        self.replace(profile, |number, tile| {
            let bytes = &parts.bytes[number];
            let all = bytes.iter().copied().max().unwrap_or(0);
            let rest = others.iter().map(|&member| bytes[member]).max().unwrap_or(0);
            let kept = self.kept_room(&external.spans, external.tensor, tile);
            let now = Room { throughout: kept, bytes: all, start, end };
            let throughout = self.align(external.bytes_in_all);
            (now, Room { throughout, bytes: rest, start: first, end: last })
        })
    }

    /// What is in a storage, and how large that is in the tiles of a profile.
    fn parts_of(&self, storage: usize, profile: &Profile) -> Parts {
        let members = self.storages.members.iter().filter(|member| member.storage == storage);
        let members: Vec<Member> = members.copied().collect();
        let in_tile = |tile: &[usize]| -> Vec<i64> {
            members.iter().map(|member| self.bytes_in(member, tile)).collect()
        };
        let bytes = profile.rows().map(|(tile, _)| in_tile(tile)).collect();
        Parts { storage, members, bytes }
    }

    /// In each tile, takes one room away and gives another; false, and nothing is changed, if that does not fit.
    fn replace(
        &self,
        profile: &mut Profile,
        rooms: impl Fn(usize, &[usize]) -> (Room, Room),
    ) -> bool {
        let capacity = self.machine.capacity;
        let tiles = profile.rows().enumerate();
        let rooms: Vec<(Room, Room)> =
            tiles.map(|(number, (tile, _))| rooms(number, tile)).collect();
        for ((_, row), (now, then)) in profile.rows().zip(&rooms) {
            let mut more = row.iter().enumerate();
            if !more.all(|(at, bytes)| bytes + then.at(at) - now.at(at) <= capacity) {
                return false;
            }
        }
        for ((_, row), (now, then)) in profile.rows_mut().zip(&rooms) {
            for (at, bytes) in row.iter_mut().enumerate() {
                *bytes += then.at(at) - now.at(at);
            }
        }
        true
    }

    /// The room of a tensor that shares none, in one tile.
    fn room_alone(
        &self,
        external: &External,
        residency: Residency,
        (start, end): (usize, usize),
        tile: &[usize],
    ) -> Room {
        let window = || self.sweep.window(&external.spans, tile);
        let aligned = |elements: i64| self.aligned(elements, external.tensor);
        let for_next = || self.kept_room(&external.spans, external.tensor, tile);
        match residency {
            Residency::Kept => {
                let mut room =
                    Room { throughout: self.align(external.bytes_in_all), bytes: 0, start, end };
                // What is kept of an argument is changed in room of its own, in each tile.
                if self.graph.tensors[external.tensor].is_changed {
                    room.throughout += for_next();
                    room.bytes = aligned(window());
                }
                room
            }
            Residency::Fetched => {
                Room { throughout: for_next(), bytes: aligned(window()), start, end }
            }
            Residency::Streamed { reader, along, slices } => {
                let slice = self.sweep.largest_slice(window(), (reader, along, slices), tile);
                let (start, end) = (external.position, external.position);
                Room { throughout: 0, bytes: aligned(slice), start, end }
            }
            Residency::Resident => Room { throughout: 0, bytes: 0, start, end },
        }
    }

    /// Changes that move fewer bytes, those that save most for their room first.
    fn changes(&self, is_fetched: &[bool]) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        for (index, external) in self.externals.iter().enumerate().filter(|&(k, _)| is_fetched[k]) {
            let price = |residency| {
                let (bytes, transfers) = external.cost(self.sweep, residency);
                bytes + transfers * self.machine.transfer_bytes
            };
            let now = price(external.residency);
            let mut offer = |residency: Residency, room: i64| {
                let saved = now - price(residency);
                if saved > 0 {
                    changes.push(Change { saved, room: room.max(1), external: index, residency });
                }
            };
            if external.level > 0 {
                offer(Residency::Kept, external.bytes_in_all);
            }
            offer(Residency::Fetched, external.bytes_in_largest);
        }
        changes.sort_by(|a, b| {
            let left = i128::from(a.saved) * i128::from(b.room);
            let right = i128::from(b.saved) * i128::from(a.room);
            right.cmp(&left).then(a.external.cmp(&b.external)).then(b.saved.cmp(&a.saved))
        });
        changes
    }
}
