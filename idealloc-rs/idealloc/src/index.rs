//! Newtype index of a buffer.

/// Position of a buffer in its [`Problem`](crate::Problem): the order in which the caller gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferIdx(u32);

impl BufferIdx {
    /// Wraps a position. Problems hold at most `u32::MAX` buffers, which the builder checks.
    #[must_use]
    pub const fn new(position: u32) -> Self {
        Self(position)
    }

    /// The position as an array index.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for BufferIdx {
    /// Wraps an array index that is known to be below the number of buffers of a problem.
    fn from(position: usize) -> Self {
        debug_assert!(u32::try_from(position).is_ok());
        Self(position as u32)
    }
}
