//! How much work there is for a problem, counted in buffers looked at.

use crate::control::Effort;

/// Buffers that may be looked at, by effort and number of buffers: milliseconds, about a second, about a minute.
///
/// Looking at one takes longer the more there are, so that many get less.
pub const fn work_of(effort: Effort, buffers: u64) -> u64 {
    match effort {
        Effort::Low if buffers <= MANY as u64 => 200_000,
        Effort::Low if buffers <= VERY_MANY as u64 => 2 * buffers,
        Effort::Low => buffers,
        Effort::Medium if buffers <= MANY as u64 => 6_000_000 + 4 * buffers,
        Effort::Medium if buffers <= VERY_MANY as u64 => 2_500_000,
        Effort::Medium => 2 * buffers,
        Effort::High if buffers <= MANY as u64 => 100_000_000 + 20 * buffers,
        Effort::High if buffers <= VERY_MANY as u64 => 40_000_000,
        Effort::High => buffers.saturating_mul(20),
        Effort::Max => u64::MAX,
    }
}

/// Above so many buffers only what is hard to place is searched.
pub const MANY: usize = 50_000;

/// Up to so many buffers lowest-first placement is tried,
pub const FEW: usize = 2_000;

/// with so many looks at each on average.
pub const LOOKS: usize = 40;

/// Above so many buffers even one pass takes seconds.
pub const VERY_MANY: usize = 200_000;

/// Two layers that end above the bound by more than such a part of it may have been no good idea.
pub const POOR: u64 = 8;

/// Buffers up to which exact search comes before all other searches, and its nodes are cheap.
pub const SMALL: usize = 512;

/// Work that a node of exact search in a component of so many buffers counts: it takes about as long.
pub const fn work_of_a_node(buffers: usize) -> u64 {
    if buffers <= SMALL { 4 } else { (buffers as u64).pow(2) >> 15 }
}
