//! Sets of occupied addresses: disjoint half-open intervals, sorted, touching ones merged.

/// A set of bytes `[start, end)`, kept as few intervals as possible.
#[derive(Debug, Default)]
pub struct IntervalSet {
    intervals: Vec<(u64, u64)>,
}

impl Clone for IntervalSet {
    fn clone(&self) -> Self {
        Self { intervals: self.intervals.clone() }
    }

    /// Reuses the memory that is there.
    fn clone_from(&mut self, source: &Self) {
        self.intervals.clone_from(&source.intervals);
    }
}

impl IntervalSet {
    /// The intervals by ascending start.
    pub fn intervals(&self) -> &[(u64, u64)] {
        &self.intervals
    }

    /// True if no byte is in the set.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// Empties the set but keeps its memory.
    pub fn clear(&mut self) {
        self.intervals.clear();
    }

    /// Adds `[start, end)`. Returns false if all of it was there. `O(log k)` to find, `O(k)` bytes moved at worst.
    pub fn insert(&mut self, start: u64, end: u64) -> bool {
        let all = &mut self.intervals;
        if all.last().is_none_or(|last| last.1 < start) {
            all.push((start, end));
            return true;
        }
        let first = all.partition_point(|interval| interval.1 < start);
        if all[first].0 > end {
            all.insert(first, (start, end));
            return true;
        }
        if all[first].0 <= start && end <= all[first].1 {
            return false;
        }
        let mut past = first + 1;
        while past < all.len() && all[past].0 <= end {
            past += 1;
        }
        all[first] = (all[first].0.min(start), all[past - 1].1.max(end));
        if past > first + 1 {
            all.drain(first + 1..past);
        }
        true
    }

    /// As [`first_ending_above`], of the intervals here.
    pub fn first_ending_above(&self, address: u64, from: usize) -> usize {
        first_ending_above(&self.intervals, address, from)
    }
}

/// Position of the first of disjoint ascending intervals, at or after `from`, that ends above `address`. Galloping:
/// `O(log distance)`.
pub fn first_ending_above(all: &[(u64, u64)], address: u64, from: usize) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step <= all.len() && all[low + step - 1].1 <= address {
        low += step;
        step *= 2;
    }
    let high = (low + step - 1).min(all.len());
    if low >= high {
        return low;
    }
    low + all[low..high].partition_point(|interval| interval.1 <= address)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::IntervalSet;

    proptest! {
        #[test]
        fn holds_exactly_what_was_inserted(
            inserts in prop::collection::vec((0_u64..60, 1_u64..9), 0..40),
            address in 0_u64..70,
            from in 0_usize..5,
        ) {
            let mut set = IntervalSet::default();
            let mut bytes = [false; 80];
            for (start, length) in inserts {
                let range = start as usize..(start + length) as usize;
                let new = bytes[range.clone()].iter().any(|&held| !held);
                prop_assert_eq!(set.insert(start, start + length), new);
                bytes[range].fill(true);
            }
            for pair in set.intervals().windows(2) {
                prop_assert!(pair[0].1 < pair[1].0);
            }
            for (byte, &held) in bytes.iter().enumerate() {
                let found = set.intervals().iter().any(|i| i.0 <= byte as u64 && (byte as u64) < i.1);
                prop_assert_eq!(found, held);
            }
            let from = from.min(set.intervals().len());
            let plain = (from..set.intervals().len()).find(|&i| set.intervals()[i].1 > address);
            prop_assert_eq!(
                set.first_ending_above(address, from),
                plain.unwrap_or(set.intervals().len())
            );
        }
    }
}
