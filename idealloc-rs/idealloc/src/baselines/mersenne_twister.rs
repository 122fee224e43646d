//! MT19937 as CPython's `random` uses it, which Vela's hill climbing draws from.
//!
//! Source: Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998, doi 10.1145/272991.272995; CPython
//! `Modules/_randommodule.c` for the seeding by an array and `Lib/random.py` for numbers below a bound.

const LENGTH: usize = 624;
const MIDDLE: usize = 397;

/// State of the generator.
#[derive(Clone, Debug)]
pub struct MersenneTwister {
    state: [u32; LENGTH],
    next: usize,
}

impl MersenneTwister {
    /// As `random.seed(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut state = [0_u32; LENGTH];
        state[0] = 19_650_218;
        for i in 1..LENGTH {
            state[i] = scramble(state[i - 1], 1_812_433_253).wrapping_add(i as u32);
        }
        let mut i = 1;
        // The key is an array of one word, so its index adds nothing.
        for _ in 0..LENGTH {
            state[i] = (state[i] ^ scramble(state[i - 1], 1_664_525)).wrapping_add(seed);
            i = advance(&mut state, i);
        }
        for _ in 1..LENGTH {
            state[i] = (state[i] ^ scramble(state[i - 1], 1_566_083_941)).wrapping_sub(i as u32);
            i = advance(&mut state, i);
        }
        state[0] = 1 << 31;
        Self { state, next: LENGTH }
    }

    fn refill(&mut self) {
        for i in 0..LENGTH {
            let word =
                (self.state[i] & (1 << 31)) | (self.state[(i + 1) % LENGTH] & (u32::MAX >> 1));
            let twist = if word % 2 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + MIDDLE) % LENGTH] ^ (word >> 1) ^ twist;
        }
        self.next = 0;
    }

    fn word(&mut self) -> u32 {
        if self.next == LENGTH {
            self.refill();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// As `random.randint(0, bound - 1)`, for `1 <= bound < 2^32`: the top bits of words until one is below.
    pub fn below(&mut self, bound: usize) -> usize {
        let bits = usize::BITS - bound.leading_zeros();
        loop {
            let number = (self.word() >> (32 - bits.clamp(1, 32))) as usize;
            if number < bound {
                return number;
            }
        }
    }
}

fn scramble(word: u32, factor: u32) -> u32 {
    (word ^ (word >> 30)).wrapping_mul(factor)
}

fn advance(state: &mut [u32; LENGTH], i: usize) -> usize {
    if i + 1 == LENGTH {
        state[0] = state[LENGTH - 1];
        1
    } else {
        i + 1
    }
}

#[cfg(test)]
mod tests {
    use super::MersenneTwister;

    #[test]
    fn draws_what_cpython_draws() {
        // random.seed(1); [random.randint(0, 100) for _ in range(8)]
        let mut random = MersenneTwister::new(1);
        let drawn: Vec<usize> = (0..8).map(|_| random.below(101)).collect();
        assert_eq!(drawn, [17, 72, 97, 8, 32, 15, 63, 97]);
    }
}
