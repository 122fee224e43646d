//! How each tensor from outside comes to the chip: what saves the most bytes for its room.

use super::external::{External, Residency, largest_streamed};
use super::layout::Layout;
use super::profile::Profile;

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
    pub saved: i64,
    room: i64,
    pub external: usize,
    pub residency: Residency,
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
        self.keep_what_saves_most(&changes, &mut profile);
        self.known_peak = Some(profile.peak());
        Settled::Fits
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
