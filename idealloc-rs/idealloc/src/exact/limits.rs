//! What a search may use, and who may stop it.

use std::time::Instant;

use crate::control::Control;

/// Budget of a search and its way to hear that it should stop.
#[derive(Clone, Debug)]
pub struct Limits<'a> {
    /// Nodes: placements tried.
    pub nodes: u64,
    /// Threads; never changes a result.
    pub threads: usize,
    /// Safety net.
    pub deadline: Option<Instant>,
    /// Cancellation and progress.
    pub control: &'a Control,
}

impl Limits<'_> {
    /// True if the run was cancelled or its time is over.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.control.is_cancelled() || self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// The same limits with another number of nodes.
    #[must_use]
    pub fn with_nodes(&self, nodes: u64) -> Self {
        Self { nodes, ..self.clone() }
    }
}
