//! The registry of planners, and the one way to run them.

use crate::auto;
use crate::check::{Checked, check_uncapped};
use crate::control::{Control, Options};
use crate::error::Error;
use crate::exact;
use crate::minimalloc;
use crate::plan::{Plan, StopReason};
use crate::problem::{Conflicts, Problem};
use crate::telamalloc;
use crate::{baselines, boxing, place};

/// What a problem may use and a planner can honour or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Alignment above 1.
    pub alignment: bool,
    /// Fixed offsets.
    pub fixed: bool,
    /// Idle times inside a lifetime.
    pub gaps: bool,
    /// Conflicts besides, or instead of, lifetimes.
    pub conflicts: bool,
    /// Several pools.
    pub pools: bool,
}

/// What a planner's rule computes; load, bound, peak and the check are added by [`plan`].
#[derive(Clone, Debug)]
pub struct Placement {
    /// Offset in bytes of each buffer.
    pub offsets: Vec<u64>,
    /// Pool of each buffer; empty for one pool.
    pub pools: Vec<u32>,
    /// Best lower bound that was proved, in bytes; 0 if none was looked for.
    pub bound: u64,
    /// Why the rule stopped.
    pub stop: StopReason,
    /// Counters by name.
    pub statistics: Vec<(&'static str, u64)>,
}

/// What computes a placement.
pub type Run = fn(&Problem, &Options, &Control) -> Result<Placement, Error>;

/// A planner, as the registry lists it.
#[derive(Clone, Copy, Debug)]
pub struct Planner {
    /// Name in options, kebab case.
    pub name: &'static str,
    /// Where the rule comes from.
    pub origin: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// What it can honour.
    pub features: Features,
    /// The rule.
    pub run: Run,
}

/// All planners, in the order in which they are listed to people.
#[must_use]
pub fn planners() -> Vec<Planner> {
    let mut all = vec![
        auto::PLANNER,
        exact::PLANNER,
        boxing::PLANNER,
        minimalloc::PLANNER,
        telamalloc::PLANNER,
    ];
    all.extend_from_slice(place::PLANNERS);
    all.extend_from_slice(baselines::PLANNERS);
    all
}

/// The planners that follow a rule once; those whose time grows with the square of the buffers only with `slow` ones.
pub(crate) fn one_pass(slow: bool) -> Vec<Planner> {
    const SEARCHES: [&str; 4] =
        ["tvm-hill-climb", "vela-hill-climb", "tflite-gpu-min-cost-flow", "xla-best-of"];
    const SLOW: [&str; 3] = ["triton", "somas", "tflite-gpu-by-size-objects"];
    let all = place::PLANNERS.iter().chain(baselines::PLANNERS).copied();
    let left_out = |name| SEARCHES.contains(&name) || !slow && SLOW.contains(&name);
    all.filter(|planner| !left_out(planner.name)).collect()
}

/// The planner of this name.
///
/// # Errors
/// [`Error::UnknownPlanner`].
pub fn find(name: &str) -> Result<Planner, Error> {
    let all = planners();
    all.iter().find(|planner| planner.name == name).copied().ok_or_else(|| Error::UnknownPlanner {
        name: name.to_owned(),
        known: all.iter().map(|planner| planner.name).collect(),
    })
}

/// Finds a planner, refuses what it cannot honour, runs it, and checks what it returns.
///
/// # Errors
/// [`Error::UnknownPlanner`], [`Error::Unsupported`], whatever the planner returns, [`Error::OutOfTime`] if
/// the time limit left no plan, and [`Error::InvalidPlan`] if the checker finds a defect.
pub fn plan(
    problem: &Problem,
    name: &str,
    options: &Options,
    control: &Control,
) -> Result<Plan, Error> {
    let planner = find(name)?;
    refuse_unsupported(&planner, problem)?;
    if let Some(limit) = options.time_limit {
        control.stop_after(limit);
    }
    let placement = match (planner.run)(problem, options, control) {
        Err(Error::Cancelled) if control.has_timed_out() => {
            let limit = options.time_limit.unwrap_or_default();
            return Err(Error::OutOfTime { planner: planner.name, limit });
        }
        other => other?,
    };
    // Whoever does not look at the clock to the end is asked whether it had passed.
    let is_late = control.is_cancelled() && control.has_timed_out();
    if control.is_abandoned() {
        return Err(Error::Cancelled);
    }
    let Checked { peak, load } = check_uncapped(problem, &placement.offsets, &placement.pools)?;
    let single = problem.pools().len() == 1;
    let largest = problem.sizes().iter().copied().max().unwrap_or(0);
    let bound = if single { placement.bound.max(load).max(largest) } else { placement.bound };
    let stop = if peak == bound && placement.stop != StopReason::Infeasible {
        StopReason::Optimal
    } else if is_late && matches!(placement.stop, StopReason::Cancelled | StopReason::WorkLimit) {
        StopReason::TimeLimit
    } else {
        placement.stop
    };
    Ok(Plan {
        offsets: placement.offsets,
        pools: placement.pools,
        peak,
        load,
        bound,
        stop,
        statistics: placement.statistics,
    })
}

pub(crate) fn refuse_unsupported(planner: &Planner, problem: &Problem) -> Result<(), Error> {
    let used = [
        (problem.alignments().is_some(), planner.features.alignment, "alignment above 1"),
        (!problem.fixed().is_empty(), planner.features.fixed, "fixed offsets"),
        (!problem.gaps().is_empty(), planner.features.gaps, "gaps in lifetimes"),
        (
            *problem.conflicts() != Conflicts::Lifetimes,
            planner.features.conflicts,
            "extra conflicts",
        ),
        (problem.pools().len() > 1, planner.features.pools, "several pools"),
    ];
    match used.iter().find(|(uses, honours, _)| *uses && !honours) {
        Some(&(_, _, feature)) => Err(Error::Unsupported { planner: planner.name, feature }),
        None => Ok(()),
    }
}
