//! How a caller steers a run: options, cancellation, progress.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How much work a search may do. Counted in work, not in seconds, so that results repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Milliseconds: constructive heuristics only.
    Low,
    /// About a second on thousands of buffers.
    #[default]
    Medium,
    /// About a minute.
    High,
    /// Until it is proved or cancelled.
    Max,
}

/// What every planner is given besides the problem.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of all random choices.
    pub seed: u64,
    /// Budget of work.
    pub effort: Effort,
    /// Threads to use; 0 is all there are. Never changes the result.
    pub threads: usize,
    /// Safety net; a plan that it cut short says so.
    pub time_limit: Option<Duration>,
    /// Go on below a capacity that is already met. Without a capacity always on.
    pub minimize: bool,
    /// Settings of one planner by name, e.g. for ablation; an unknown name is an error.
    pub parameters: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            effort: Effort::default(),
            threads: 1,
            time_limit: None,
            minimize: true,
            parameters: Vec::new(),
        }
    }
}

/// Shared between a running planner and whoever watches it: no locks, no callbacks into the caller.
#[derive(Debug)]
pub struct Control {
    cancel: AtomicBool,
    abandoned: AtomicBool,
    started: Instant,
    /// Nanoseconds after `started`; `u64::MAX` for none.
    deadline: AtomicU64,
    timed_out: AtomicBool,
    incumbent: AtomicU64,
    bound: AtomicU64,
    work: AtomicU64,
}

/// A look at a running planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Peak of the best plan so far in bytes; 0 if there is none yet.
    pub incumbent: u64,
    /// Best lower bound so far in bytes.
    pub bound: u64,
    /// Work done so far, in the planner's unit.
    pub work: u64,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            cancel: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            started: Instant::now(),
            deadline: AtomicU64::new(u64::MAX),
            timed_out: AtomicBool::new(false),
            incumbent: AtomicU64::new(0),
            bound: AtomicU64::new(0),
            work: AtomicU64::new(0),
        }
    }
}

impl Control {
    /// Asks the planner to stop soon and return what it has.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// As [`cancel`](Self::cancel), and nobody will look at the result: it need not be completed or checked.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.cancel();
    }

    /// True once nobody will look at the result.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// True once somebody asked to stop, or the deadline has passed.
    pub fn is_cancelled(&self) -> bool {
        if self.cancel.load(Ordering::Relaxed) {
            return true;
        }
        let deadline = self.deadline.load(Ordering::Relaxed);
        if deadline == u64::MAX || self.started.elapsed().as_nanos() < u128::from(deadline) {
            return false;
        }
        self.timed_out.store(true, Ordering::Relaxed);
        true
    }

    /// Sets a deadline, this long after now.
    pub fn stop_after(&self, limit: Duration) {
        let nanos = (self.started.elapsed() + limit).as_nanos();
        self.deadline.store(u64::try_from(nanos).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Runs what has to be finished although time is up, without the deadline; whoever cancels still stops it.
    pub(crate) fn overtime<T>(&self, run: impl FnOnce() -> T) -> T {
        let deadline = self.deadline.swap(u64::MAX, Ordering::Relaxed);
        let result = run();
        self.deadline.store(deadline, Ordering::Relaxed);
        result
    }

    /// True if a planner has seen the deadline pass, and nobody asked to stop.
    pub fn has_timed_out(&self) -> bool {
        self.timed_out.load(Ordering::Relaxed) && !self.cancel.load(Ordering::Relaxed)
    }

    /// Called by planners when the incumbent or the bound changes.
    pub fn publish(&self, incumbent: u64, bound: u64) {
        self.incumbent.store(incumbent, Ordering::Relaxed);
        self.bound.store(bound, Ordering::Relaxed);
    }

    /// Called by planners now and then with the work done since the last call.
    pub fn add_work(&self, work: u64) {
        self.work.fetch_add(work, Ordering::Relaxed);
    }

    /// A snapshot for progress bars.
    pub fn progress(&self) -> Progress {
        Progress {
            incumbent: self.incumbent.load(Ordering::Relaxed),
            bound: self.bound.load(Ordering::Relaxed),
            work: self.work.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Control;

    #[test]
    fn overtime_lasts_until_it_is_over_or_cancelled() {
        let control = Control::default();
        control.stop_after(Duration::ZERO);
        assert!(control.is_cancelled());
        assert!(!control.overtime(|| control.is_cancelled()));
        assert!(control.is_cancelled() && control.has_timed_out());
        let cancelled = control.overtime(|| {
            control.cancel();
            control.is_cancelled()
        });
        assert!(cancelled && !control.has_timed_out());
    }
}
