//! The least that a group takes, from what is counted of it before its storages are known.

use super::external::{Residency, largest_streamed};
use super::knapsack::{Knapsack, Saving};
use super::largest_made::Largest;
use super::least::Least;
use super::operations::TO_LOOP;
use super::tally::{Neighbours, Tally};

impl Tally<'_> {
    /// The least that the group costs but for its code, whatever is kept.
    pub fn least(&self, neighbours: Neighbours) -> Least {
        let (bytes, moves) = self.moved(neighbours.keeps_result);
        let mut least = self.least_fetched;
        least += Least { bytes, price: bytes + moves * self.machine.transfer_bytes };
        if let Some(newest) = neighbours.newest {
            self.externals_of(newest).for_each(|external| least -= external.least);
        }
        least
    }

    /// Operators in the code at the least: each once for every kind of tile that there must be.
    pub fn least_code(&self) -> i64 {
        let mut kinds = 1;
        let mut code = self.operators[0];
        for (operators, of_cut) in self.operators[1..].iter().zip(&self.kinds) {
            kinds *= of_cut;
            code += operators * kinds;
        }
        code
    }

    /// Operations that tiles add to those that each operator is written down in once, at the least: for more kinds of tiles, and
    /// a loop for each cut.
    pub fn least_operations_again(&self) -> i64 {
        self.operations_again + TO_LOOP * self.kinds.len() as i64
    }

    /// The least bytes that what the group and all that are longer make take in the middle tile, whatever stays on chip.
    pub(super) fn least_made(&self) -> i64 {
        let target = self.graph.operators[self.sweep.last].results[0];
        let kept = self.machine.align(self.graph.tensors[target].bytes());
        self.least_room(false).min(self.least_room(true) + kept)
    }

    /// The least bytes that what the group makes takes in the middle tile: what is kept, and the largest result with what is
    /// made of it.
    pub(super) fn least_room(&self, keeps_result: bool) -> i64 {
        // What may lie in something that stays is counted with that.
        let Largest { all, inside } = self.largest_made;
        self.kept_bytes + if keeps_result || !self.machine.is_staged { inside } else { all }
    }

    /// Whether the group needs more room than there is, whatever is kept, as far as that is known before storages are.
    pub fn is_too_large(&self, neighbours: Neighbours) -> bool {
        let room = self.resident_bytes(neighbours) + self.least_room(neighbours.keeps_result);
        room > self.machine.capacity
    }

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
            let stays = external.stays_in_tiles;
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

    /// The least bytes that the group moves, whatever is kept, with tiles that are as large or smaller along one cut and take
    /// `room` bytes on chip at the least: they fetch no less of what is not kept.
    pub(super) fn least_of_smaller(&self, neighbours: Neighbours, room: i64) -> i64 {
        let mut knapsack = Knapsack::default();
        let mut most = self.moved(neighbours.keeps_result).0;
        let align = |bytes| self.machine.align(bytes);
        for external in self.externals() {
            if self.is_resident(external, neighbours) {
                continue;
            }
            let bytes = |residency| external.cost(&self.sweep, residency).0;
            let fetched = bytes(Residency::Fetched);
            most += fetched;
            let more = align(external.bytes_in_all) - align(external.bytes_in_largest);
            let saving = Saving { bytes: fetched - bytes(Residency::Kept), room: more.max(0) };
            knapsack.add_two(saving, Saving::default());
        }
        let left = self.machine.capacity - self.resident_bytes(neighbours) - room;
        most - knapsack.most_saved(left.max(0))
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
            let stays = external.stays_in_tiles;
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
