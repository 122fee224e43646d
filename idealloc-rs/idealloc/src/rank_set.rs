//! A set of small integers that knows the neighbours of each.

const BITS: usize = u64::BITS as usize;

/// Integers below a limit, as bits, with a bit per word on the level above: four levels for 16 million.
///
/// Source: van Emde Boas trees in the form of nested words, as in Knuth, TAOCP vol. 4A, section 7.1.3. Complexity:
/// `O(log n / log 64)` for everything.
#[derive(Clone, Debug)]
pub struct RankSet {
    levels: Vec<Vec<u64>>,
}

impl RankSet {
    /// The empty set of integers below `limit`.
    pub fn new(limit: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = limit.div_ceil(BITS).max(1);
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                return Self { levels };
            }
            words = words.div_ceil(BITS);
        }
    }

    /// Adds an integer.
    pub fn insert(&mut self, mut value: usize) {
        for level in &mut self.levels {
            level[value / BITS] |= 1 << (value % BITS);
            value /= BITS;
        }
    }

    /// Takes an integer out.
    pub fn remove(&mut self, mut value: usize) {
        for level in &mut self.levels {
            let word = &mut level[value / BITS];
            *word &= !(1 << (value % BITS));
            if *word != 0 {
                return;
            }
            value /= BITS;
        }
    }

    /// The greatest member below `value`.
    pub fn below(&self, mut value: usize) -> Option<usize> {
        for (height, level) in self.levels.iter().enumerate() {
            let lower = level[value / BITS] & ((1 << (value % BITS)) - 1);
            if lower != 0 {
                let found = value / BITS * BITS + lower.ilog2() as usize;
                return Some(self.descend(height, found, |word| word.ilog2()));
            }
            value /= BITS;
        }
        None
    }

    /// The least member above `value`.
    pub fn above(&self, mut value: usize) -> Option<usize> {
        for (height, level) in self.levels.iter().enumerate() {
            let higher = level[value / BITS] & (!1 << (value % BITS));
            if higher != 0 {
                let found = value / BITS * BITS + higher.trailing_zeros() as usize;
                return Some(self.descend(height, found, u64::trailing_zeros));
            }
            value /= BITS;
        }
        None
    }

    fn descend(&self, height: usize, mut value: usize, pick: impl Fn(u64) -> u32) -> usize {
        for level in self.levels[..height].iter().rev() {
            value = value * BITS + pick(level[value]) as usize;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::RankSet;

    proptest! {
        #[test]
        fn neighbours_are_those_of_a_tree(
            steps in prop::collection::vec((any::<bool>(), 0_usize..5_000), 1..200),
        ) {
            let (mut set, mut plain) = (RankSet::new(5_000), BTreeSet::new());
            for (adds, value) in steps {
                if adds {
                    set.insert(value);
                    plain.insert(value);
                } else {
                    set.remove(value);
                    plain.remove(&value);
                }
                for probe in [0, value, 4_999, value / 2] {
                    prop_assert_eq!(set.below(probe), plain.range(..probe).next_back().copied());
                    prop_assert_eq!(set.above(probe), plain.range(probe + 1..).next().copied());
                }
            }
        }
    }
}
