//! The state of a run of `auto`: what all its stages share.

use crate::auto::stages::Stages;
use crate::control::{Control, Options};
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::Instance;
use crate::plan::StopReason;
use crate::planner::Placement;
use crate::problem::Problem;

/// The best plan so far, and what is left to spend.
#[derive(Debug)]
pub struct Search<'a> {
    /// The problem,
    pub problem: &'a Problem,
    /// and as placement sees it.
    pub instance: &'a Instance,
    /// Seed, effort, threads.
    pub options: &'a Options,
    /// What may run.
    pub stages: Stages,
    /// Cancellation and progress.
    pub control: &'a Control,
    /// Lower bound of the peak, in bytes.
    pub bound: u64,
    /// Peak at which to stop.
    pub target: u64,
    /// Offsets of the best plan; empty before the first.
    pub offsets: Vec<u64>,
    /// Its peak.
    pub peak: u64,
    /// Work allowed,
    pub budget: u64,
    /// and done.
    pub work: u64,
    /// Many buffers with lives so much alike that one layer is better than two.
    pub alike: bool,
    /// Blends have run.
    pub blended: bool,
    /// Passes of the placement engine over all buffers.
    pub passes: u64,
    /// Windows repaired.
    pub windows: u64,
    /// Plays of tree search and blends.
    pub plays: u64,
    /// Nodes of exact search.
    pub nodes: u64,
}

impl<'a> Search<'a> {
    /// Nothing placed yet, and so much work to be done at most.
    pub fn new(
        problem: &'a Problem,
        instance: &'a Instance,
        options: &'a Options,
        stages: Stages,
        budget: u64,
        control: &'a Control,
    ) -> Self {
        let bound = bound(instance);
        let target = match problem.capacity() {
            Some(capacity) if !options.minimize => capacity.max(bound),
            _ => bound,
        };
        Self {
            problem,
            instance,
            options,
            stages,
            control,
            bound,
            target,
            offsets: Vec::new(),
            peak: u64::MAX,
            budget,
            work: 0,
            alike: false,
            blended: false,
            passes: 0,
            windows: 0,
            plays: 0,
            nodes: 0,
        }
    }

    /// True if nothing more can or may be done.
    pub fn is_done(&self) -> bool {
        self.peak <= self.target
            || self.is_hopeless()
            || self.work >= self.budget
            || self.control.is_cancelled()
    }

    /// True if only fitting is asked for and nothing fits.
    fn is_hopeless(&self) -> bool {
        !self.options.minimize && self.problem.capacity().is_some_and(|c| self.bound > c)
    }

    /// Work that is left.
    pub fn left(&self) -> u64 {
        self.budget.saturating_sub(self.work)
    }

    /// Takes a plan that is there in full.
    pub fn accept(&mut self, offsets: &[u64], peak: u64) {
        self.peak = peak;
        self.offsets.clear();
        self.offsets.extend_from_slice(offsets);
        self.control.publish(peak, self.bound);
    }

    /// First fit of all buffers in an order, kept if it ends below what there is.
    pub fn place_below(&mut self, order: &[u32]) {
        let mut engine = Engine::new(self.instance);
        let outcome = engine.run(order, Rule::FirstFit, self.peak - 1, self.control);
        self.work = self.work.saturating_add(engine.work());
        if let Outcome::Placed(peak) = outcome {
            self.accept(engine.offsets(), peak);
        }
    }

    /// The plan with its bound and why it ended.
    pub fn finish(self) -> Placement {
        let stop = if self.is_hopeless() {
            StopReason::Infeasible
        } else if self.peak <= self.bound {
            StopReason::Optimal
        } else if self.peak <= self.target {
            StopReason::Fits
        } else if self.control.has_timed_out() {
            StopReason::TimeLimit
        } else if self.control.is_cancelled() {
            StopReason::Cancelled
        } else {
            StopReason::WorkLimit
        };
        Placement {
            offsets: self.offsets,
            pools: Vec::new(),
            bound: self.bound,
            stop,
            statistics: vec![
                ("placements", self.work),
                ("passes", self.passes),
                ("windows", self.windows),
                ("nodes", self.nodes),
                ("plays", self.plays),
            ],
        }
    }
}

/// The load, or where the highest buffer must end at least, alone in memory. `O(n + sections)`.
fn bound(instance: &Instance) -> u64 {
    let load = instance.section_loads().into_iter().max().unwrap_or(0);
    let mut alone: Vec<u64> = vec![0; instance.len()];
    for &(buffer, offset) in instance.fixed() {
        alone[buffer as usize] = offset;
    }
    (0..instance.len())
        .filter(|&i| instance.sizes()[i] > 0)
        .map(|i| instance.aligner(i).up(alone[i]).saturating_add(instance.sizes()[i]))
        .fold(load, u64::max)
}

/// Where the highest buffer ends, in bytes. `O(n)`.
pub fn peak_of(instance: &Instance, offsets: &[u64]) -> u64 {
    let ends = offsets.iter().zip(instance.sizes()).filter(|&(_, &size)| size > 0);
    ends.map(|(offset, &size)| offset.saturating_add(size)).max().unwrap_or(0)
}
