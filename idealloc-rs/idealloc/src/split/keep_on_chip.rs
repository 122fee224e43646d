//! Tensors from outside that stay on chip, as far as there is room: first what saves the most bytes for its room.

use super::external::{External, Residency};
use super::layout::Layout;
use super::profile::Profile;
use super::settle::Change;
use super::storages::{Member, Storage, Storages};

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

/// What is known while changes are made one after another.
struct Keeping<'p> {
    /// For each tensor from outside, what its change saves.
    gained: Vec<i64>,
    profile: &'p mut Profile,
    parts: Option<Parts>,
    /// So many changes of what shares room are looked at together.
    together: usize,
    /// Room for another layout.
    other: (Profile, Storages),
}

impl Layout<'_, '_> {
    /// Makes the changes for which there is room, in their order. `profile` is that of the layout, and is kept so.
    pub(super) fn keep_what_saves_most(&mut self, changes: &[Change], profile: &mut Profile) {
        let mut keeping = Keeping {
            gained: vec![0; self.externals.len()],
            profile,
            parts: None,
            together: changes.len(),
            other: Default::default(),
        };
        let mut rest = changes;
        while let Some((change, others)) = rest.split_first() {
            let index = change.external;
            let external = &self.externals[index];
            if change.saved <= keeping.gained[index] {
                rest = others;
            } else if let Some(room) = self.own_room(external) {
                rest = others;
                if self.change_alone(change, room, keeping.profile) {
                    self.externals[index].residency = change.residency;
                    keeping.gained[index] = change.saved;
                }
            } else if change.residency == Residency::Kept
                && let Some(number) = self.storage_as_part(external)
            {
                rest = others;
                self.change_part(change, number, &mut keeping);
            } else {
                rest = &rest[self.change_together(rest, &mut keeping)..];
            }
        }
    }

    /// Keeps a tensor that is a part of a storage, if there is room.
    fn change_part(&mut self, change: &Change, number: usize, keeping: &mut Keeping<'_>) {
        let known = keeping.parts.take().filter(|parts| parts.storage == number);
        let known = known.unwrap_or_else(|| self.parts_of(number, keeping.profile));
        if self.keep_part(change, &known, keeping.profile) {
            self.externals[change.external].residency = change.residency;
            self.storages.remove(self.externals[change.external].tensor, number);
            keeping.gained[change.external] = change.saved;
        } else {
            keeping.parts = Some(known);
        }
    }

    /// Makes the first changes, if there is room for all of them; returns how many are done with.
    ///
    /// Others share room with these tensors, so that all is laid out anew: for many changes at once, where they all fit.
    fn change_together(&mut self, changes: &[Change], keeping: &mut Keeping<'_>) -> usize {
        let count = keeping.together.min(changes.len());
        let most = keeping.profile.most();
        let before = self.take_all(&changes[..count], &mut keeping.gained, &most);
        if before.is_empty() {
            return count;
        }
        let (profile, storages) = &mut keeping.other;
        std::mem::swap(&mut self.storages, storages);
        self.assign();
        let capacity = self.machine.capacity;
        if self.fill_profile(false, capacity, profile) <= capacity {
            std::mem::swap(keeping.profile, profile);
            keeping.parts = None;
            keeping.together *= 2;
            return count;
        }
        std::mem::swap(&mut self.storages, storages);
        for &(index, residency, saved) in before.iter().rev() {
            self.externals[index].residency = residency;
            keeping.gained[index] = saved;
        }
        keeping.together = 1;
        if before.len() == 1 { count } else { 0 }
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
}
