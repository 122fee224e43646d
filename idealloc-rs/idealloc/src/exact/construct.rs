//! A first plan of a component, so that there always is one.

use std::cmp::Reverse;

use super::model::MAX_BUFFERS;
use crate::control::Control;
use crate::error::Error;
use crate::place::engine::{Engine, Outcome, Rule, out_of_addresses};
use crate::place::instance::Instance;
use crate::place::online::in_time;
use crate::place::order::{Key, Order, Orders};
use crate::plan::StopReason;
use crate::planner::Placement;
use crate::preprocess::{Component, Prepared, Run};
use crate::problem::{MAX_BYTES, Problem};

/// Positions of every component: an optimal plan where one is known, else first fit, largest first. A component that
/// is too large to be searched comes from the placement engine.
///
/// # Errors
/// [`Error::InvalidProblem`] if the engine runs out of addresses, [`Error::Cancelled`].
pub fn first_plans(
    problem: &Problem,
    prepared: &Prepared,
    control: &Control,
) -> Result<Vec<Vec<u64>>, Error> {
    let mut offsets = None;
    let mut plans = Vec::with_capacity(prepared.components.len());
    for component in &prepared.components {
        plans.push(match component.trivial() {
            Some(positions) => positions,
            None if component.len() <= MAX_BUFFERS => first_fit(component),
            None => {
                let offsets = match &mut offsets {
                    Some(offsets) => offsets,
                    none => none.insert(placed(problem, control)?),
                };
                let of = |buffer: &crate::index::BufferIdx| offsets[buffer.get()];
                component.buffers.iter().map(|b| component.unit.position(of(b))).collect()
            }
        });
    }
    Ok(plans)
}

/// A plan in the order of time, for when there was no time to prepare the problem.
///
/// # Errors
/// [`Error::Cancelled`] if fixed offsets or listed conflicts rule it out, or the caller asked to stop.
pub fn out_of_time(problem: &Problem, control: &Control) -> Result<Placement, Error> {
    Ok(Placement {
        offsets: in_time(&Instance::new(problem), control).ok_or(Error::Cancelled)?,
        pools: Vec::new(),
        bound: 0,
        stop: StopReason::TimeLimit,
        statistics: Vec::new(),
    })
}

/// Offsets in bytes by the placement engine, largest first; in the order of time if that takes longer than allowed.
fn placed(problem: &Problem, control: &Control) -> Result<Vec<u64>, Error> {
    let instance = Instance::new(problem);
    if control.is_cancelled() {
        return in_time(&instance, control).ok_or(Error::Cancelled);
    }
    let order = Orders::new(&instance).sorted(Order::by(Key::Size));
    let mut engine = Engine::new(&instance);
    match engine.run(&order, Rule::FirstFit, MAX_BYTES, control) {
        Outcome::Placed(_) => Ok(engine.offsets().to_vec()),
        Outcome::Above(buffer) => Err(out_of_addresses(buffer)),
        Outcome::Cancelled => in_time(&instance, control).ok_or(Error::Cancelled),
    }
}

/// First fit by height, fixed buffers first. Complexity: `O(n^2)` and the runs.
#[must_use]
fn first_fit(component: &Component) -> Vec<u64> {
    let n = component.len();
    let mut positions = vec![0; n];
    let mut order: Vec<usize> = (0..n).collect();
    order
        .sort_by_key(|&i| (component.domains[i].fixed.is_none(), Reverse(component.heights[i]), i));
    // Placed buffers by ascending position.
    let mut placed: Vec<usize> = Vec::with_capacity(n);
    for i in order {
        let domain = component.domains[i];
        let mut at = domain.fixed.unwrap_or_else(|| domain.align(0));
        if domain.fixed.is_none() {
            for &j in &placed {
                if at + component.heights[i] <= positions[j] {
                    break;
                }
                if positions[j] + component.heights[j] > at
                    && share(component.runs(i), component.runs(j))
                {
                    at = domain.align(positions[j] + component.heights[j]);
                }
            }
        }
        positions[i] = at;
        placed.insert(placed.partition_point(|&j| positions[j] <= at), i);
    }
    positions
}

/// True if two ascending lists of runs have a common section.
fn share(a: &[Run], b: &[Run]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].meets(b[j]) {
            return true;
        }
        if a[i].last < b[j].last { i += 1 } else { j += 1 }
    }
    false
}
