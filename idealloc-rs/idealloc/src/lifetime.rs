//! Half-open lifetimes on logical time.

/// The ticks `[start, end)` at which a buffer holds something that is still needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lifetime {
    /// First tick.
    pub start: i64,
    /// One past the last tick; never below `start`.
    pub end: i64,
}

impl Lifetime {
    /// `[start, end)`; the problem builder rejects `end < start`.
    #[must_use]
    pub const fn new(start: i64, end: i64) -> Self {
        Self { start, end }
    }

    /// True if there is no tick in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// True if both hold a common tick. Lifetimes that only touch do not overlap.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end && !self.is_empty() && !other.is_empty()
    }
}
