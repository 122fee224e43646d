//! The memory that a group runs in, and what a group costs there.

/// What the memory and the engine are like.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Bytes on chip.
    pub capacity: i64,
    /// Of each buffer, in bytes.
    pub alignment: i64,
    /// Whether tensors between groups live off chip, so that they are fetched and stored. Otherwise they stay on chip.
    pub is_staged: bool,
    /// Whether arguments are fetched too. Otherwise they are read where they are.
    pub stages_arguments: bool,
    /// A group may do this many times the work that its operators need.
    pub max_recompute: f64,
    /// Bytes that one transfer counts for besides its own.
    pub transfer_bytes: i64,
    /// Bytes that one more operator in the code counts for.
    pub code_bytes: i64,
    /// Operators in the code at the most, if some bytes can buy that; 0: no limit.
    pub most_code: i64,
}

impl Machine {
    /// Bytes that a buffer takes.
    pub fn align(&self, bytes: i64) -> i64 {
        (bytes + self.alignment - 1) / self.alignment * self.alignment
    }

    /// Whether code of so many operators is as short as it should be.
    pub(super) fn is_short(&self, code: i64) -> bool {
        self.most_code == 0 || code <= self.most_code
    }
}

/// Costs of a group, all integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes moved to and from the chip.
    pub traffic: i64,
    /// Bytes on chip at the most.
    pub peak: i64,
    /// Multiplications and additions.
    pub work: i64,
    /// Number of moves.
    pub transfers: i64,
    /// Tiles.
    pub tiles: i64,
}
