//! A set of small integers that knows neighbours.

/// A subset of `0 .. n` as bits, with a summary bit for every 64 bits below, level upon level.
///
/// All operations are `O(log n / 6)`, and memory is little over a bit a number (as van Emde Boas trees summarise; here
/// with a fan-out of 64).
#[derive(Clone, Debug)]
pub(crate) struct RankSet {
    levels: Vec<Vec<u64>>,
}

impl RankSet {
    /// The empty subset of `0 .. n`.
    pub fn new(n: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = n.div_ceil(64).max(1);
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                return Self { levels };
            }
            words = words.div_ceil(64);
        }
    }

    /// Adds a number; false if it was there.
    pub fn insert(&mut self, rank: usize) -> bool {
        let mut at = rank;
        for (height, level) in self.levels.iter_mut().enumerate() {
            let (word, bit) = (at / 64, 1 << (at % 64));
            let old = level[word];
            if height == 0 && old & bit != 0 {
                return false;
            }
            level[word] = old | bit;
            if old != 0 {
                break;
            }
            at = word;
        }
        true
    }

    /// Takes a number out.
    pub fn remove(&mut self, rank: usize) {
        let mut at = rank;
        for level in &mut self.levels {
            level[at / 64] &= !(1 << (at % 64));
            if level[at / 64] != 0 {
                return;
            }
            at /= 64;
        }
    }

    /// The largest member below `rank`.
    pub fn below(&self, rank: usize) -> Option<usize> {
        let mut at = rank;
        for height in 0..self.levels.len() {
            let bits = self.levels[height][at / 64] & !(u64::MAX << (at % 64));
            if bits != 0 {
                let found = at / 64 * 64 + bits.ilog2() as usize;
                return Some(self.descend(height, found, |word| word.ilog2()));
            }
            at /= 64;
        }
        None
    }

    /// The smallest member above `rank`.
    pub fn above(&self, rank: usize) -> Option<usize> {
        let mut at = rank;
        for height in 0..self.levels.len() {
            let bits = self.levels[height][at / 64] & (u64::MAX << (at % 64) << 1);
            if bits != 0 {
                let found = at / 64 * 64 + bits.trailing_zeros() as usize;
                return Some(self.descend(height, found, u64::trailing_zeros));
            }
            at /= 64;
        }
        None
    }

    fn descend(&self, height: usize, mut at: usize, pick: impl Fn(u64) -> u32) -> usize {
        for level in self.levels[..height].iter().rev() {
            at = at * 64 + pick(level[at]) as usize;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::RankSet;

    proptest! {
        #[test]
        fn agrees_with_an_ordered_set(
            steps in prop::collection::vec((any::<bool>(), 0_usize..5000), 0..200),
            probe in 0_usize..5000,
        ) {
            let (mut fast, mut plain) = (RankSet::new(5000), BTreeSet::new());
            for (adds, rank) in steps {
                if adds {
                    prop_assert_eq!(fast.insert(rank), plain.insert(rank));
                } else {
                    plain.remove(&rank);
                    fast.remove(rank);
                }
            }
            prop_assert_eq!(fast.below(probe), plain.range(..probe).next_back().copied());
            prop_assert_eq!(fast.above(probe), plain.range(probe + 1..).next().copied());
        }
    }
}
