//! What a group can save at the most by keeping tensors on chip.

use super::external::{Residency, largest_streamed};
use super::layout::Layout;
use super::settle::Change;
use super::tally::{Neighbours, Tally};

/// Bytes saved for room that they need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Saving {
    bytes: i64,
    room: i64,
}

impl Layout<'_, '_> {
    /// The least bytes that the group moves, whichever of these changes there is room for. `profile` holds the most bytes
    /// on chip at each position before any change.
    ///
    /// Where most is on chip there is room for some of the changes: a knapsack in which each tensor has a choice, relaxed to
    /// fractions (Sinha and Zoltners 1979).
    pub(super) fn least_with(&self, changes: &[Change], profile: &[i64]) -> i64 {
        let tightest = (0..profile.len()).max_by_key(|&position| (profile[position], position));
        let Some(tightest) = tightest else { return self.traffic().0 };
        let mut choices: Vec<(usize, Saving)> = Vec::with_capacity(changes.len());
        for change in changes.iter().filter(|change| !self.is_too_much(change, profile)) {
            let external = &self.externals[change.external];
            let now = external.cost(self.sweep, external.residency).0;
            let bytes = now - external.cost(self.sweep, change.residency).0;
            if bytes > 0 {
                let room = self.room_at(change, tightest).max(0);
                choices.push((change.external, Saving { bytes, room }));
            }
        }
        choices.sort_by_key(|&(external, _)| external);
        let mut knapsack = Knapsack::default();
        let mut choice: Vec<Saving> = Vec::new();
        for of_one in choices.chunk_by(|a, b| a.0 == b.0) {
            choice.clear();
            choice.extend(of_one.iter().map(|&(_, saving)| saving));
            knapsack.add(&mut choice);
        }
        let room = self.machine.capacity - profile[tightest];
        self.traffic().0 - knapsack.most_saved(room)
    }

    /// The least more bytes that are on chip at a position after a change.
    fn room_at(&self, change: &Change, position: usize) -> i64 {
        let external = &self.externals[change.external];
        let largest = self.align(external.bytes_in_largest);
        let now = match external.residency {
            Residency::Streamed { .. } if external.position == position => largest,
            Residency::Fetched => match self.storage_of(external) {
                Some((start, end, _)) if (start..=end).contains(&position) => largest,
                _ => 0,
            },
            _ => 0,
        };
        let then = match change.residency {
            Residency::Kept => self.align(external.bytes_in_all),
            // In the tile that needs most, what follows the tiles may be smaller than in another.
            Residency::Fetched if external.level == 0 => match self.own_room(external) {
                Some((start, end)) if (start..=end).contains(&position) => largest,
                _ => 0,
            },
            _ => 0,
        };
        then - now
    }

    /// Whether it is certain that a tensor cannot be kept: there is no room where it has none so far.
    pub(super) fn is_too_much(&self, change: &Change, profile: &[i64]) -> bool {
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
}

impl Tally<'_> {
    /// The least bytes that the group moves, whatever is kept, from what is known before storages are: what stays for the
    /// whole of a tile leaves less room in all of them.
    pub fn least_before_storages(&self, neighbours: Neighbours) -> i64 {
        let is_fetched = |external| !self.is_resident(external, neighbours);
        let streamed = largest_streamed(self.externals().map(|e| (is_fetched(e), e)));
        let mut knapsack = Knapsack::default();
        let mut most = self.moved(neighbours.keeps_result).0;
        for (external, streamed) in self.externals().zip(&streamed) {
            if !is_fetched(external) {
                continue;
            }
            let bytes = |residency| external.cost(&self.sweep, residency).0;
            let (fetched, now) =
                (bytes(Residency::Fetched), bytes(streamed.unwrap_or(Residency::Fetched)));
            most += now;
            let stays = external.stays_in_tiles(&self.sweep);
            let largest = self.machine.align(external.bytes_in_largest);
            let kept = self.machine.align(external.bytes_in_all);
            let then = if stays && streamed.is_some() { largest } else { 0 };
            let known = if streamed.is_some() { 0 } else { largest };
            knapsack.add_two(
                Saving { bytes: now - fetched, room: then },
                Saving { bytes: now - bytes(Residency::Kept), room: (kept - known).max(0) },
            );
        }
        let room = self.machine.capacity
            - self.resident_bytes(neighbours)
            - self.least_room(neighbours.keeps_result);
        most - knapsack.most_saved(room.max(0))
    }

    /// How many bytes more than each argument once this group moves at the least, and all that start earlier under the same
    /// grid; none if no such group fits.
    ///
    /// An argument that is read once needs the same of the memory in all of them, and what they make takes no less room.
    pub fn excess(&self) -> Option<i64> {
        let mut knapsack = Knapsack::default();
        let mut room = self.machine.capacity - self.least_made();
        let mut excess = 0;
        let neighbours = Neighbours::default();
        for external in self.externals().filter(|external| self.is_final(external)) {
            if self.is_resident(external, neighbours) {
                continue;
            }
            let bytes = |residency| external.cost(&self.sweep, residency).0;
            let fetched = bytes(Residency::Fetched);
            let stays = external.stays_in_tiles(&self.sweep);
            let in_tiles = if stays { self.machine.align(external.bytes_in_largest) } else { 0 };
            let kept = self.machine.align(external.bytes_in_all);
            let (now, known) = match external.in_slices {
                Some((_, (streamed, _))) => (streamed, 0),
                None => (fetched, in_tiles),
            };
            room -= known;
            excess += now - external.least.bytes;
            knapsack.add_two(
                Saving { bytes: now - fetched, room: in_tiles - known },
                Saving { bytes: now - external.bytes_in_all, room: (kept - known).max(0) },
            );
        }
        (room >= 0).then(|| (excess - knapsack.most_saved(room)).max(0))
    }
}

/// A choice for each of some tensors, of which fractions may be taken.
#[derive(Default)]
struct Knapsack {
    /// Steps from each saving to the next larger one that may be worth its room.
    steps: Vec<Saving>,
    hull: Vec<Saving>,
}

impl Knapsack {
    /// Adds a tensor with the savings that it may have, one of them or none.
    fn add(&mut self, choice: &mut [Saving]) {
        choice.sort_unstable_by_key(|saving| (saving.room, -saving.bytes));
        // What is not on the upper hull is better replaced by fractions of its neighbours.
        let hull = &mut self.hull;
        hull.clear();
        hull.push(Saving::default());
        for &saving in choice.iter() {
            if saving.bytes <= hull[hull.len() - 1].bytes {
                continue;
            }
            while let [.., before, last] = hull[..]
                && pays_more(step(last, saving), step(before, last))
            {
                hull.pop();
            }
            hull.push(saving);
        }
        self.steps.extend(hull.windows(2).map(|pair| step(pair[0], pair[1])));
    }

    /// Adds a tensor with two savings, of which there may be none that is one.
    fn add_two(&mut self, one: Saving, other: Saving) {
        match (one.bytes > 0, other.bytes > 0) {
            (true, true) => self.add(&mut [one, other]),
            (true, false) => self.steps.push(one),
            (false, true) => self.steps.push(other),
            (false, false) => {}
        }
    }

    /// The most bytes that are saved by what takes no more than `room`.
    fn most_saved(mut self, room: i64) -> i64 {
        if self.steps.iter().map(|step| step.room).sum::<i64>() <= room {
            return self.steps.iter().map(|step| step.bytes).sum();
        }
        self.steps.sort_unstable_by(|a, b| {
            let (left, right) = (product(b.bytes, a.room), product(a.bytes, b.room));
            left.cmp(&right).then(a.room.cmp(&b.room))
        });
        let (mut left, mut saved) = (room, 0);
        for step in self.steps {
            if step.room <= left {
                left -= step.room;
                saved += step.bytes;
                continue;
            }
            let part = product(step.bytes, left.max(0)) / i128::from(step.room.max(1));
            return saved + i64::try_from(part).unwrap_or(step.bytes) + 1;
        }
        saved
    }
}

fn step(from: Saving, to: Saving) -> Saving {
    Saving { bytes: to.bytes - from.bytes, room: to.room - from.room }
}

fn pays_more(one: Saving, other: Saving) -> bool {
    product(one.bytes, other.room) >= product(other.bytes, one.room)
}

fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}
