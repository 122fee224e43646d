//! Whether a search has to stop before its rule says so.

use std::time::Instant;

use crate::control::{Control, Options};
use crate::plan::StopReason;

/// Cancellation and the safety net of time.
pub struct Deadline<'c> {
    control: &'c Control,
    end: Option<Instant>,
}

impl<'c> Deadline<'c> {
    /// Starts the clock.
    pub fn new(options: &Options, control: &'c Control) -> Self {
        Self {
            control,
            end: options.time_limit.and_then(|limit| Instant::now().checked_add(limit)),
        }
    }

    /// Why to stop now, if at all.
    pub fn reached(&self) -> Option<StopReason> {
        if self.control.is_cancelled() {
            Some(StopReason::Cancelled)
        } else if self.end.is_some_and(|end| Instant::now() >= end) {
            Some(StopReason::TimeLimit)
        } else {
            None
        }
    }
}
