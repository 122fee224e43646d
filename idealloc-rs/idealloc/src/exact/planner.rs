//! The planner `exact`.

use std::cmp::Reverse;
use std::time::Instant;

use super::construct::{first_plans, out_of_time};
use super::limits::Limits;
use super::minimize::{Goal, MinimumEnd, minimize};
use super::model::MAX_BUFFERS;
use crate::control::{Control, Effort, Options};
use crate::error::Error;
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::preprocess::prepare_within;
use crate::problem::Problem;

/// Exact search over sections and floors.
pub const PLANNER: Planner = Planner {
    name: "exact",
    origin: "this project",
    summary: "fail-first search over floors; proves optimal or infeasible, up to some thousand buffers",
    features: Features { alignment: true, fixed: true, gaps: true, conflicts: true, pools: false },
    run,
};

/// Nodes (placements tried) that an effort allows in total.
const fn nodes(effort: Effort) -> u64 {
    match effort {
        Effort::Low => 50_000,
        Effort::Medium => 2_000_000,
        Effort::High => 60_000_000,
        Effort::Max => u64::MAX,
    }
}

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    if let Some((name, _)) = options.parameters.first() {
        return Err(Error::InvalidOption(format!("planner exact has no parameter '{name}'")));
    }
    let limits = Limits::of(options, nodes(options.effort), control);
    let Some(prepared) = prepare_within(problem, control) else {
        return out_of_time(problem, control);
    };
    let prepared = prepared.with_stacks(MAX_BUFFERS);
    let mut plans = first_plans(problem, &prepared, control)?;
    let mut bound = prepared.bound;
    // Below the bound a capacity is no help to who asks for the least peak.
    let capacity = problem.capacity().filter(|&c| !options.minimize || c >= bound);
    let mut peak = 0;
    for &(buffer, offset) in &prepared.alone {
        let size = problem.sizes()[buffer.get()];
        if size > 0 {
            peak = peak.max(offset.saturating_add(size));
        }
    }
    let mut ends = Vec::new();
    if capacity.is_some_and(|c| peak > c) {
        ends.push(MinimumEnd::Infeasible);
    }
    // The component with the highest bound first: the others only need to stay below its peak.
    let mut order: Vec<usize> = (0..prepared.components.len()).collect();
    order.sort_by_key(|&k| (Reverse(prepared.components[k].bound), k));
    let mut offsets: Vec<Vec<u64>> = vec![Vec::new(); prepared.components.len()];
    let mut used = 0;
    for k in order {
        let component = &prepared.components[k];
        let incumbent = std::mem::take(&mut plans[k]);
        let goal = Goal { target: bound.max(peak), capacity, only_fit: !options.minimize };
        let limits = limits.with_nodes(limits.nodes.saturating_sub(used));
        let others = peak;
        let mut improved =
            |at: u64, proved: u64| control.publish(others.max(at), bound.max(proved));
        let minimum = minimize(component, incumbent, goal, options.seed, &limits, &mut improved);
        peak = peak.max(component.peak(&minimum.positions));
        bound = bound.max(minimum.bound);
        used += minimum.nodes;
        offsets[k] = component.offsets(&minimum.positions);
        ends.push(minimum.end);
        control.publish(peak, bound);
    }
    let any = |end| ends.contains(&end);
    let stop = if any(MinimumEnd::Infeasible) {
        StopReason::Infeasible
    } else if any(MinimumEnd::Stopped) {
        if control.is_cancelled() { StopReason::Cancelled } else { StopReason::TimeLimit }
    } else if any(MinimumEnd::Limit) {
        StopReason::WorkLimit
    } else if !options.minimize && capacity.is_some_and(|c| peak <= c) {
        StopReason::Fits
    } else {
        StopReason::Complete
    };
    Ok(Placement {
        offsets: prepared.offsets(&offsets),
        pools: Vec::new(),
        bound,
        stop,
        statistics: vec![("nodes", used), ("components", prepared.components.len() as u64)],
    })
}

impl<'a> Limits<'a> {
    /// The limits that options set.
    #[must_use]
    pub fn of(options: &Options, nodes: u64, control: &'a Control) -> Self {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        Limits {
            nodes,
            threads: if options.threads == 0 { available() } else { options.threads },
            deadline: options.time_limit.and_then(|limit| Instant::now().checked_add(limit)),
            control,
        }
    }
}
