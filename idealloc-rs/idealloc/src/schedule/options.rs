//! How a caller steers a search.

use std::time::Duration;

/// Lossless reductions; switching one off makes a search slower, never different in value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Run segments of chains in one go.
    pub glue: bool,
    /// Take a move at once that cannot hurt.
    pub free_move: bool,
    /// Let operators that need nothing wait until a reader waits for nothing else.
    pub defer_sources: bool,
    /// Of all orders that lead to one state, follow one.
    pub canonical_last: bool,
    /// Count evictions that every schedule must make.
    pub forced_eviction: bool,
    /// Treat tensors of one size and the same readers as one.
    pub merge_twins: bool,
    /// Drop states that another state of the same downset beats.
    pub dominance: bool,
}

impl Default for Reductions {
    fn default() -> Self {
        Self {
            glue: true,
            free_move: true,
            defer_sources: true,
            canonical_last: true,
            forced_eviction: true,
            merge_twins: true,
            dominance: true,
        }
    }
}

/// Settings of the searches.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Which reductions are on.
    pub reductions: Reductions,
    /// States that may be expanded before the search gives up; `None`: no limit.
    pub max_states: Option<u64>,
    /// Bytes that what is remembered of states may take, about, before the search gives up; `None`: no limit.
    pub max_memory_bytes: Option<u64>,
    /// Safety net; a schedule that it cut short says so.
    pub time_limit: Option<Duration>,
    /// Seed of the perturbations of address packing.
    pub seed: u64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            reductions: Reductions::default(),
            max_states: Some(5_000_000),
            max_memory_bytes: Some(4 << 30),
            time_limit: None,
            seed: 0,
        }
    }
}
