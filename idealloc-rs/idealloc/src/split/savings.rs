//! What a group that is laid out can save at the most by keeping tensors on chip.

use super::external::Residency;
use super::knapsack::{Knapsack, Saving};
use super::layout::Layout;
use super::settle::Change;

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
