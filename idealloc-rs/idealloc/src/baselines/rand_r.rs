//! The `rand_r` of glibc, which TVM's hill climbing draws from.

/// Three steps of a linear congruential generator per number; 31 bits.
#[derive(Clone, Debug)]
pub struct RandR(u32);

impl RandR {
    /// Starts from a seed.
    pub const fn new(seed: u32) -> Self {
        Self(seed)
    }

    fn step(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        self.0 >> 16
    }

    /// The next number: 11, 10 and 10 bits.
    pub fn next(&mut self) -> u32 {
        let high = self.step() % 2048;
        let middle = (high << 10) ^ (self.step() % 1024);
        (middle << 10) ^ (self.step() % 1024)
    }

    /// The next number modulo `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }
}
