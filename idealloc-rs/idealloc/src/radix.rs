//! Sorting positions by integer keys in linear time.

use std::cmp::Ordering;

/// Most bits per pass.
const DIGIT: u32 = 12;

/// Below this a sort by comparison is faster.
const FEW: usize = 96;

/// The positions `0 .. n` by ascending key, compared column by column; by position where keys are equal.
///
/// To sort a column downwards, give `!value`; for signed values see [`ascending`]. Source: least significant digit
/// radix sort, Knuth, TAOCP vol. 3, section 5.2.5. Complexity: `O(K n b)` for keys that spread over `2^(11 b)`.
pub fn order<const K: usize>(n: usize, key: impl Fn(usize) -> [u64; K]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    if n < FEW {
        let compare = |a: &u32, b: &u32| -> Ordering { key(*a as usize).cmp(&key(*b as usize)) };
        order.sort_by(compare);
        return order;
    }
    let mut pairs: Vec<(u64, u32)> = Vec::with_capacity(n);
    let mut spare: Vec<(u64, u32)> = Vec::new();
    for column in (0..K).rev() {
        pairs.clear();
        pairs.extend(order.iter().map(|&i| (key(i as usize)[column], i)));
        sort_pairs(&mut pairs, &mut spare);
        for (place, &(_, i)) in order.iter_mut().zip(&pairs) {
            *place = i;
        }
    }
    order
}

/// Sorts pairs by their first member, equal ones as they are. `spare` is memory to work in.
pub fn sort_pairs<T: Copy + Default>(pairs: &mut Vec<(u64, T)>, spare: &mut Vec<(u64, T)>) {
    if pairs.len() < FEW {
        pairs.sort_by_key(|pair| pair.0);
        return;
    }
    spare.resize(pairs.len(), (0, T::default()));
    let least = pairs.iter().map(|pair| pair.0).min().unwrap_or(0);
    let most = pairs.iter().map(|pair| pair.0).max().unwrap_or(0);
    let bits = u64::BITS - (most - least).leading_zeros();
    let width = bits.div_ceil(bits.div_ceil(DIGIT).max(1));
    let mut places = vec![0_u32; 1 << width];
    let mut shift = 0;
    while shift < bits {
        let digit = |pair: &(u64, T)| (((pair.0 - least) >> shift) & ((1 << width) - 1)) as usize;
        places.fill(0);
        for pair in pairs.iter() {
            places[digit(pair)] += 1;
        }
        let mut next = 0;
        for place in &mut places {
            next += std::mem::replace(place, next);
        }
        for pair in pairs.iter() {
            let place = &mut places[digit(pair)];
            spare[*place as usize] = *pair;
            *place += 1;
        }
        std::mem::swap(pairs, spare);
        shift += width;
    }
}

/// A key that ascends with a signed value.
pub const fn ascending(value: i64) -> u64 {
    value.cast_unsigned() ^ (1 << 63)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{ascending, order};

    proptest! {
        #[test]
        fn sorts_as_a_stable_sort_does(
            keys in prop::collection::vec((any::<i64>(), 0_u64..9), 0..300),
            spread in 0_u32..64,
        ) {
            let key = |i: usize| [!keys[i].1, ascending(keys[i].0 >> spread)];
            let mut expected: Vec<u32> = (0..keys.len() as u32).collect();
            expected.sort_by_key(|&i| {
                let (time, small) = keys[i as usize];
                (std::cmp::Reverse(small), time >> spread)
            });
            prop_assert_eq!(order(keys.len(), key), expected);
        }
    }
}
