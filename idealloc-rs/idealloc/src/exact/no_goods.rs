//! States that were searched in full in vain.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::model::Model;
use super::state::State;
use crate::random::scramble;

/// Buffers of a component up to which they pay: proofs of small components end sooner, while of some hundred buffers few
/// states are met twice.
const MOST_BUFFERS: usize = 128;

/// States that are kept at most, of 16 bytes each.
const MOST_STATES: usize = 1 << 21;

/// What is left of a state in some sections, as 128 bits.
///
/// Sums of random numbers, one for each unplaced buffer with its lowest position and whether something carries it there
/// (Zobrist 1970): all that the rest of a search depends on. Two states with one key are as good as impossible: less than
/// 2^-80 for two million states.
pub type Key = u128;

/// Failures, by key. They hold for every arm of a component and capacity, as arms only choose what is tried first (no-goods
/// from restarts: Lecoutre, Sais, Tabary, Vidal, JSAT 1, 2007).
#[derive(Clone, Debug, Default)]
pub struct NoGoods {
    states: HashSet<Key, BuildHasherDefault<Folded>>,
}

impl NoGoods {
    /// Whether the component is small enough for them.
    pub fn pay(model: &Model) -> bool {
        model.n <= MOST_BUFFERS
    }

    /// The key of what is left in sections `low .. high`, which no unplaced buffer leaves; `None` where no-goods do not pay.
    ///
    /// Complexity: `O(n)`.
    pub fn key(model: &Model, state: &State, low: usize, high: usize) -> Option<Key> {
        if !Self::pay(model) {
            return None;
        }
        let (mut first, mut second) = (0_u64, 0_u64);
        for b in state.unplaced_buffers() {
            if low <= model.hull[b].first as usize && (model.hull[b].last as usize) < high {
                let is_supported = u64::from(state.is_supported(model, b));
                let mark = scramble(scramble(state.lowest[b]) ^ (2 * b as u64 + is_supported));
                first = first.wrapping_add(mark);
                second = second.wrapping_add(scramble(mark));
            }
        }
        Some(u128::from(first) << 64 | u128::from(second))
    }

    /// True if this state is known to fail.
    pub fn holds(&self, key: Key) -> bool {
        self.states.contains(&key)
    }

    /// Learns that a state fails, unless there are too many already.
    pub fn learn(&mut self, key: Key) {
        if self.states.len() < MOST_STATES {
            self.states.insert(key);
        }
    }

    /// Learns all that another knows.
    pub fn merge(&mut self, other: Self) {
        other.states.into_iter().for_each(|key| self.learn(key));
    }
}

/// Takes the low half of a key, which is random already, as its hash.
#[derive(Clone, Copy, Debug, Default)]
struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = scramble(self.0 ^ u64::from(byte));
        }
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::NoGoods;
    use crate::exact::model::Model;
    use crate::exact::state::State;
    use crate::preprocess::prepare;
    use crate::problem::Problem;

    #[test]
    fn a_key_tells_what_is_left_and_not_what_was_placed() {
        // Two short buffers below a long one and next to each other, and a fourth above.
        let mut builder = Problem::builder();
        for (size, start, end) in [(4, 0, 2), (4, 3, 5), (3, 0, 5), (2, 1, 4)] {
            builder.buffer(size, start, end);
        }
        let problem = builder.build().expect("is well formed");
        let prepared = prepare(&problem);
        let model = Model::new(&prepared.components[0], 20).expect("fits");
        let root = State::new(&model).expect("fits");
        let after = |order: &[usize]| {
            let mut state = root.clone();
            for &b in order {
                state.place(&model, b).expect("fits");
            }
            NoGoods::key(&model, &state, 0, model.sections).expect("is small")
        };
        let short: Vec<usize> = (0..model.n).filter(|&b| model.heights[b] == 4).collect();
        assert_eq!(short.len(), 2);
        assert_eq!(after(&[short[0], short[1]]), after(&[short[1], short[0]]));
        assert_ne!(after(&[short[0]]), after(&[short[1]]));
        assert_ne!(after(&[]), after(&[short[0], short[1]]));
        let mut learnt = NoGoods::default();
        learnt.learn(after(&[short[0]]));
        let mut known = NoGoods::default();
        known.merge(learnt);
        assert!(known.holds(after(&[short[0]])) && !known.holds(after(&[short[1]])));
    }
}
