//! Which stays of a path have been on chip together.

/// Names a stay: its tensor, and whether it is the first, second, ... of it.
pub(super) type Label = u32;

/// A symmetric relation between stays.
#[derive(Clone, Debug)]
pub(super) struct Overlaps {
    words: usize,
    rows: Vec<u64>,
}

impl Overlaps {
    /// The empty relation between so many stays.
    pub fn new(labels: usize) -> Self {
        let words = labels.div_ceil(64);
        Self { words, rows: vec![0; words * labels] }
    }

    /// Whether two stays have been on chip together.
    pub fn contains(&self, (a, b): (Label, Label)) -> bool {
        self.rows[a as usize * self.words + b as usize / 64] >> (b % 64) & 1 == 1
    }

    /// Notes a pair, or takes it back.
    pub fn flip(&mut self, (a, b): (Label, Label)) {
        self.rows[a as usize * self.words + b as usize / 64] ^= 1 << (b % 64);
        self.rows[b as usize * self.words + a as usize / 64] ^= 1 << (a % 64);
    }
}
