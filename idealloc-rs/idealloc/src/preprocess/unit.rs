//! The common divisor of sizes, alignments and fixed offsets: what offsets are counted in.

use crate::index::BufferIdx;
use crate::problem::Problem;

/// How offsets in bytes become small numbers: `offset = origin + unit * position`.
///
/// Pushing every buffer of a plan down as far as it goes leaves each at its lowest aligned offset, at a fixed offset,
/// or on top of another one; so some optimal plan has all offsets on this grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Bytes per position.
    pub bytes: u64,
    /// Lowest offset, in bytes, at which an address is a multiple of `common`.
    pub origin: u64,
    /// Common divisor of all alignments: sizes are padded to it.
    pub common: u64,
}

impl Unit {
    /// Finds the unit of a problem. Complexity: `O(n log size)`.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let base = problem.base_address();
        let used = || (0..problem.len()).filter(|&i| problem.sizes()[i] > 0);
        let alignment = |i: usize| problem.alignment(BufferIdx::from(i));
        let common = used().map(alignment).fold(0, gcd).max(1);
        let origin = (common - base % common) % common;
        let start = base.saturating_add(origin);
        let mut bytes = used().map(|i| pad(problem.sizes()[i], common)).fold(0, gcd);
        for &(buffer, offset) in problem.fixed() {
            if problem.sizes()[buffer.get()] > 0 {
                bytes = gcd(bytes, offset - origin.min(offset));
            }
        }
        bytes = bytes.max(1);
        loop {
            let before = bytes;
            for i in used() {
                let a = alignment(i);
                if !bytes.is_multiple_of(a) || !start.is_multiple_of(a) {
                    bytes = gcd(gcd(bytes, a), start % a).max(1);
                }
            }
            if bytes == before {
                return Self { bytes, origin, common };
            }
        }
    }

    /// Position of an offset on the grid.
    #[must_use]
    pub const fn position(self, offset: u64) -> u64 {
        (offset - self.origin) / self.bytes
    }

    /// Offset of a position, in bytes.
    #[must_use]
    pub const fn offset(self, position: u64) -> u64 {
        self.origin + self.bytes * position
    }

    /// Lowest offset of a buffer that its alignment allows, in bytes.
    #[must_use]
    pub fn lowest(self, problem: &Problem, buffer: usize) -> u64 {
        let alignment = problem.alignment(BufferIdx::from(buffer));
        (alignment - problem.base_address() % alignment) % alignment
    }
}

/// Rounds up to a multiple; sizes and alignments are at most `2^63 - 1`, so that nothing overflows.
#[must_use]
pub const fn pad(size: u64, multiple: u64) -> u64 {
    size.div_ceil(multiple) * multiple
}

/// Greatest common divisor; 0 is neutral.
#[must_use]
pub const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
