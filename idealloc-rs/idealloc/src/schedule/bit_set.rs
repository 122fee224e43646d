//! Sets of small numbers in a fixed number of words.

use std::ops::{BitAnd, BitOr, BitOrAssign};

/// Bits of a word.
const WORD: u32 = u64::BITS;

/// A set of numbers below `64 · W`. With few words it lives in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BitSet<const W: usize>([u64; W]);

impl<const W: usize> BitSet<W> {
    /// Nothing.
    pub const EMPTY: Self = Self([0; W]);
    /// How many numbers there are to choose from.
    pub const MOST: usize = W * WORD as usize;

    /// The set of one number.
    pub fn one(number: u32) -> Self {
        let mut set = Self::EMPTY;
        set.insert(number);
        set
    }

    /// Puts a number in.
    pub fn insert(&mut self, number: u32) {
        self.0[(number / WORD) as usize] |= 1 << (number % WORD);
    }

    /// Whether a number is in.
    pub fn contains(&self, number: u32) -> bool {
        self.0[(number / WORD) as usize] >> (number % WORD) & 1 == 1
    }

    /// How many numbers are in.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether nothing is in.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// What is in this set and not in another.
    pub fn minus(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= !other;
        }
        self
    }

    /// Whether all of this is in another set.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(&word, other)| word & !other == 0)
    }

    /// The numbers, ascending.
    pub fn iter(mut self) -> impl Iterator<Item = u32> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < W && self.0[at] == 0 {
                at += 1;
            }
            (at < W).then(|| {
                let bit = self.0[at].trailing_zeros();
                self.0[at] &= self.0[at] - 1;
                at as u32 * WORD + bit
            })
        })
    }

    /// Leaves the numbers of `gone` out and counts the rest again from 0; then makes room for those of `fresh`, which
    /// are not in the result.
    pub fn renumber(mut self, gone: Self, fresh: Self) -> Self {
        for word in (0..W).rev() {
            let mut holes = gone.0[word];
            while holes != 0 {
                let bit = WORD - 1 - holes.leading_zeros();
                self.close(word, bit);
                holes &= !(1 << bit);
            }
        }
        for number in fresh.iter() {
            self.open((number / WORD) as usize, number % WORD);
        }
        self
    }

    /// Drops a bit; what is above it moves one down.
    fn close(&mut self, word: usize, bit: u32) {
        let low = (1u64 << bit) - 1;
        self.0[word] = (self.0[word] & low) | ((self.0[word] >> 1) & !low);
        for above in word + 1..W {
            self.0[above - 1] |= self.0[above] << (WORD - 1);
            self.0[above] >>= 1;
        }
    }

    /// Makes room for a bit; what is at it or above moves one up.
    fn open(&mut self, word: usize, bit: u32) {
        for above in (word + 1..W).rev() {
            self.0[above] = (self.0[above] << 1) | (self.0[above - 1] >> (WORD - 1));
        }
        let low = (1u64 << bit) - 1;
        self.0[word] = (self.0[word] & low) | ((self.0[word] & !low) << 1);
    }
}

impl<const W: usize> BitOr for BitSet<W> {
    type Output = Self;

    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl<const W: usize> BitOrAssign for BitSet<W> {
    fn bitor_assign(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }
}

impl<const W: usize> BitAnd for BitSet<W> {
    type Output = Self;

    fn bitand(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(numbers: &BTreeSet<u32>) -> BitSet<3> {
        let mut set = BitSet::EMPTY;
        numbers.iter().for_each(|&number| set.insert(number));
        set
    }

    proptest! {
        #[test]
        fn renumbering_follows_a_list(
            live in prop::collection::btree_set(0u32..1000, 0..150),
            more in prop::collection::btree_set(0u32..1000, 0..40),
            picks in prop::collection::vec(0u8..4, 190),
        ) {
            // A list of names; a subset of it dies, others come; a set of positions must go on meaning the same names.
            let before: Vec<u32> = live.iter().copied().collect();
            let positions = |want: u8| -> BTreeSet<u32> {
                (0..before.len()).filter(|&i| picks[i] & want != 0).map(|i| i as u32).collect()
            };
            let (gone, held) = (positions(1), positions(2));
            let fresh: BTreeSet<u32> = more.difference(&live).copied().collect();
            let mut after: Vec<u32> = (0..before.len())
                .filter(|i| !gone.contains(&(*i as u32)))
                .map(|i| before[i])
                .chain(fresh.iter().copied())
                .collect();
            after.sort_unstable();
            let at = |name: u32| after.binary_search(&name).map(|i| i as u32).unwrap_or(u32::MAX);
            let fresh_positions: BTreeSet<u32> = fresh.iter().map(|&name| at(name)).collect();
            let expected: BTreeSet<u32> =
                held.difference(&gone).map(|&i| at(before[i as usize])).collect();
            let found = set(&held).minus(set(&gone)).renumber(set(&gone), set(&fresh_positions));
            prop_assert_eq!(found, set(&expected));
            prop_assert!(found.iter().eq(expected.iter().copied()));
        }
    }
}
