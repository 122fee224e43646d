//! The memory that a group runs in, and what a group costs there.

use super::cut::rounded_up;

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
    /// Bytes that one more operation in the code counts for, besides.
    pub operation_bytes: i64,
    /// Whether strips are tried that are shifted at the ends so that all look alike.
    pub shifts: bool,
    /// Whether slices of one tensor from outside may be fetched as one box where that is less.
    pub joins_slices: bool,
    /// Operators in the code at the most, if some bytes can buy that; 0: no limit.
    pub most_code: i64,
    /// Operations that these are written down in at the most; 0: no limit.
    pub most_operations: i64,
}

impl Machine {
    /// Bytes that a buffer takes.
    pub fn align(&self, bytes: i64) -> i64 {
        rounded_up(bytes, self.alignment) * self.alignment
    }

    /// Bytes that code counts for.
    pub(super) fn code_price(&self, length: Length) -> i64 {
        length.operators * self.code_bytes + length.operations * self.operation_bytes
    }

    /// Whether code of so many operators, and operations, is as short as it should be.
    pub(super) fn is_short(&self, length: Length) -> bool {
        (self.most_code == 0 || length.operators <= self.most_code) && self.is_in_limit(length)
    }

    /// Whether there are no more operations than there may be.
    pub(super) fn is_in_limit(&self, length: Length) -> bool {
        self.most_operations == 0 || length.operations <= self.most_operations
    }
}

/// How long code is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Length {
    /// Operators, each once for every kind of tile; what is padding in a tile is not looked at.
    pub operators: i64,
    /// Operations that are written down.
    pub operations: i64,
}

impl Length {
    /// That of code of which nothing is known.
    pub const ENDLESS: Self = Self { operators: 1 << 40, operations: 1 << 40 };
}

impl std::ops::Sub for Length {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            operators: self.operators - other.operators,
            operations: self.operations - other.operations,
        }
    }
}

impl std::ops::AddAssign for Length {
    fn add_assign(&mut self, other: Self) {
        self.operators += other.operators;
        self.operations += other.operations;
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
