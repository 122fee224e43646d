//! Seeded random numbers: the same on every machine.

/// splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A stream for a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A stream of its own for the `index`-th task of this seed.
    #[must_use]
    pub const fn stream(seed: u64, index: u64) -> Self {
        Self { state: scramble(seed ^ scramble(index)) }
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        let value = scramble(self.state);
        self.state = self.state.wrapping_add(GAMMA);
        value
    }

    /// A number below `limit`, by multiplication; the bias is below `limit / 2^64`. 0 if the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// True once in `n` times on average.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bijection of 64-bit numbers that looks random: splitmix64's output function.
#[must_use]
pub const fn scramble(value: u64) -> u64 {
    let z = value.wrapping_add(GAMMA);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
