//! What a planner returns.

/// Why a planner stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// `peak == bound`: no plan can be smaller.
    Optimal,
    /// A capacity was given, everything fits, and only fitting was asked for.
    Fits,
    /// It is proved that nothing fits the capacity.
    Infeasible,
    /// The planner's rule came to its end.
    Complete,
    /// The budget of work was used up.
    WorkLimit,
    /// What a search remembers took as many bytes as it may.
    MemoryLimit,
    /// The safety net of time was reached: the result may differ from run to run.
    TimeLimit,
    /// The caller asked to stop.
    Cancelled,
}

impl StopReason {
    /// Name for people and programs, in kebab case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Fits => "fits",
            Self::Infeasible => "infeasible",
            Self::Complete => "complete",
            Self::WorkLimit => "work-limit",
            Self::MemoryLimit => "memory-limit",
            Self::TimeLimit => "time-limit",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Offsets for every buffer, with how good they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Offset in bytes from the base address of the buffer's pool, one per buffer.
    pub offsets: Vec<u64>,
    /// Pool of each buffer; empty if the problem has one pool.
    pub pools: Vec<u32>,
    /// Max of offset + size over the buffers, in bytes; with several pools the sum of their peaks.
    pub peak: u64,
    /// Max over ticks of the bytes live.
    pub load: u64,
    /// The best lower bound of the peak that is proved, in bytes; at least the load with one pool.
    pub bound: u64,
    /// Why the planner stopped.
    pub stop: StopReason,
    /// Counters by name, in a fixed order: work done, nodes, evaluations, restarts.
    pub statistics: Vec<(&'static str, u64)>,
}
