//! What a search may use, and who may stop it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::control::Control;

/// Nodes between two looks at whether to stop.
const POLL: u64 = 256;

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

    /// Reports a node now and then, and looks then whether to stop: the run, or this part of it.
    #[must_use]
    pub fn stops_at(&self, node: u64, stop: &AtomicBool) -> bool {
        if !node.is_multiple_of(POLL) {
            return false;
        }
        self.control.add_work(POLL);
        stop.load(Ordering::Relaxed) || self.stopped()
    }

    /// The same limits with another number of nodes.
    #[must_use]
    pub fn with_nodes(&self, nodes: u64) -> Self {
        Self { nodes, ..self.clone() }
    }
}
