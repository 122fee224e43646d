//! Rounding offsets up so that addresses are aligned.

use crate::problem::Problem;

/// Rounds offsets of one memory. Alignment holds for addresses: base address plus offset.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    base_address: u64,
}

impl Rounding {
    /// For the first pool of a problem.
    pub fn of(problem: &Problem) -> Self {
        Self { base_address: problem.base_address() }
    }

    /// For a memory that starts at this address.
    pub const fn at(base_address: u64) -> Self {
        Self { base_address }
    }

    /// The lowest aligned offset that is not below `offset`; `u64::MAX` if there is none.
    ///
    /// Saturates, so that a layout that grows out of the address space is seen once, at its end.
    #[inline]
    pub fn up(self, offset: u64, alignment: u64) -> u64 {
        if alignment <= 1 {
            return offset;
        }
        self.base_address
            .checked_add(offset)
            .and_then(|address| address.checked_next_multiple_of(alignment))
            .map_or(u64::MAX, |address| address - self.base_address)
    }
}
