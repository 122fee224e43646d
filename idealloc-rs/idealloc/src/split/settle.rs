//! How each tensor from outside comes to the chip: what saves the most bytes for its room.

use super::graph::Access;
use super::layout::{External, Layout, Residency};
use super::storages::Storages;
use super::sweep::Span;

/// A slice of a streamed tensor takes about this fraction of the memory at the most.
const SLICES_IN_MEMORY: i64 = 32;

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
struct Change {
    saved: i64,
    room: i64,
    external: usize,
    residency: Residency,
}

impl Layout<'_, '_> {
    /// The slices in which a tensor may be fetched by its reader.
    fn streamed(&self, external: &External) -> Option<Residency> {
        let (reader, along, extent) = self.slicing(external)?;
        let room = (self.machine.capacity / SLICES_IN_MEMORY).max(1);
        let slices = ((external.bytes_in_largest + room - 1) / room).clamp(1, extent);
        let per_slice = (extent + slices - 1) / slices;
        let slices = (extent + per_slice - 1) / per_slice;
        (slices > 1).then_some(Residency::Streamed { reader, along, slices })
    }

    /// The only reader, a loop of it whose slices read slices of the tensor, and the iterations of that loop.
    pub fn slicing(&self, external: &External) -> Option<(usize, usize, i64)> {
        let reader = external.reader?;
        let op = &self.graph.operators[reader];
        let mut reads = op.operands.iter().filter(|(t, _)| *t == external.tensor);
        let ((_, Access::Affine(expressions)), None) = (reads.next()?, reads.next()) else {
            return None;
        };
        let spans = self.sweep.loop_spans[reader].as_deref()?;
        if op.is_view || !op.is_splittable || !op.parts.is_empty() || op.results.len() != 1 {
            return None;
        }
        let along = expressions.iter().filter_map(|e| match e.terms[..] {
            [(l, 1)] if e.divisor == 1 && !op.is_reduction[l] => match spans[l] {
                Span::Fixed(start, end) if end - start > 1 => Some((end - start, l)),
                _ => None,
            },
            _ => None,
        });
        let in_result = |l: usize| op.result_loops[0].contains(&Some(l));
        let (extent, along) = along.filter(|&(_, l)| in_result(l)).max()?;
        Some((reader, along, extent))
    }

    /// For each tensor the slices in which it may be fetched, if it is the largest such operand of its reader: the others
    /// are needed as a whole in each slice.
    fn largest_streamed(&self) -> Vec<Option<Residency>> {
        let mut found: Vec<Option<Residency>> = vec![None; self.externals.len()];
        let mut largest: Vec<(usize, usize)> = Vec::new();
        for (index, external) in self.externals.iter().enumerate() {
            let is_fetched = external.residency == Residency::Fetched;
            let Some(streamed) = self.streamed(external).filter(|_| is_fetched) else { continue };
            let Some(reader) = external.reader else { continue };
            match largest.iter_mut().find(|(other, _)| *other == reader) {
                None => largest.push((reader, index)),
                Some((_, known)) => {
                    if self.externals[*known].bytes_in_largest >= external.bytes_in_largest {
                        continue;
                    }
                    found[*known] = None;
                    *known = index;
                }
            }
            found[index] = Some(streamed);
        }
        found
    }

    /// Saves bytes by keeping tensors on chip, as far as the capacity goes, if `is_worth` says so of the bytes that are
    /// moved at the least.
    pub fn settle(&mut self, is_worth: impl Fn(i64) -> bool) -> Settled {
        // First the least room.
        let streamed = self.largest_streamed();
        let is_fetched: Vec<bool> =
            self.externals.iter().map(|e| e.residency == Residency::Fetched).collect();
        for (external, streamed) in self.externals.iter_mut().zip(&streamed) {
            external.residency = streamed.unwrap_or(external.residency);
        }
        self.assign();
        let capacity = self.machine.capacity;
        let mut profile = Vec::new();
        if self.fill_profile(false, capacity, &mut profile) > capacity {
            return Settled::TooLarge;
        }
        let changes = self.changes(&is_fetched);
        if !is_worth(self.least_with(&changes, &profile)) {
            return Settled::NotWorth;
        }
        // Then what saves the most bytes for its room.
        let mut gained = vec![0; self.externals.len()];
        let mut other = Vec::new();
        let mut spare = Storages::default();
        for change in changes {
            let index = change.external;
            if change.saved <= gained[index] {
                continue;
            }
            if let Some(room) = self.room_of_fixed(&self.externals[index]) {
                if !self.change_fixed(&change, room, &mut profile) {
                    continue;
                }
                self.externals[index].residency = change.residency;
            } else {
                if self.is_too_much(&change, &profile) {
                    continue;
                }
                let residency = &mut self.externals[index].residency;
                let before = std::mem::replace(residency, change.residency);
                std::mem::swap(&mut self.storages, &mut spare);
                self.assign();
                if self.fill_profile(false, capacity, &mut other) > capacity {
                    self.externals[index].residency = before;
                    std::mem::swap(&mut self.storages, &mut spare);
                    continue;
                }
                std::mem::swap(&mut profile, &mut other);
            }
            gained[index] = change.saved;
        }
        self.assign();
        Settled::Fits
    }

    /// The least bytes that the group moves, whichever of these changes there is room for.
    fn least_with(&self, changes: &[Change], profile: &[i64]) -> i64 {
        let bytes = |external: &External, residency| self.fetch_cost(external, residency).0;
        let now: Vec<i64> = self.externals.iter().map(|e| bytes(e, e.residency)).collect();
        let mut least = now.clone();
        for change in changes.iter().filter(|change| !self.is_too_much(change, profile)) {
            let known = &mut least[change.external];
            *known = (*known).min(bytes(&self.externals[change.external], change.residency));
        }
        self.traffic().0 - now.iter().sum::<i64>() + least.iter().sum::<i64>()
    }

    /// Whether it is certain that a tensor cannot be kept: there is no room where it has none so far.
    fn is_too_much(&self, change: &Change, profile: &[i64]) -> bool {
        let external = &self.externals[change.external];
        if change.residency != Residency::Kept {
            return false;
        }
        let more = self.align(external.bytes_in_all);
        let room = self.storage_of(external);
        let more_at = |position: usize| match (external.residency, room) {
            (Residency::Fetched, Some((start, end, bytes)))
                if (start..=end).contains(&position) =>
            {
                more - bytes
            }
            (Residency::Streamed { .. }, _) if position == external.position => 0,
            _ => more,
        };
        let capacity = self.machine.capacity;
        profile.iter().enumerate().any(|(position, bytes)| bytes + more_at(position) > capacity)
    }

    /// Changes the profile as the change of a tensor does that is the same in all tiles; false, and nothing is changed, if
    /// it does not fit. `room` are the positions at which it has room if it is fetched, both ends included.
    fn change_fixed(&self, change: &Change, room: (usize, usize), profile: &mut [i64]) -> bool {
        let external = &self.externals[change.external];
        let at = |residency: Residency, position: usize| match residency {
            Residency::Kept => self.align(external.bytes_in_all),
            Residency::Fetched if (room.0..=room.1).contains(&position) => {
                self.align(external.bytes_in_largest)
            }
            Residency::Streamed { reader, along, slices } if position == external.position => {
                let element = self.graph.tensors[external.tensor].element_bytes;
                let elements = external.bytes_in_largest / element.max(1);
                self.align(self.largest_slice(elements, reader, along, slices) * element)
            }
            _ => 0,
        };
        let more =
            |position: usize| at(change.residency, position) - at(external.residency, position);
        let fits =
            |(position, bytes): (usize, &i64)| bytes + more(position) <= self.machine.capacity;
        if !profile.iter().enumerate().all(fits) {
            return false;
        }
        for (position, bytes) in profile.iter_mut().enumerate() {
            *bytes += more(position);
        }
        true
    }

    /// Changes that move fewer bytes, those that save most for their room first.
    fn changes(&self, is_fetched: &[bool]) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        for (index, external) in self.externals.iter().enumerate().filter(|&(k, _)| is_fetched[k]) {
            let price = |residency| {
                let (bytes, transfers) = self.fetch_cost(external, residency);
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
