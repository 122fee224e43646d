//! Exact search of the components that are small enough, from the plan that is there.

use std::cmp::Reverse;

use crate::control::{Control, Options};
use crate::exact::{Goal, Limits, MAX_BUFFERS, MinimumEnd, minimize};
use crate::preprocess::{Component, prepare};
use crate::problem::Problem;

/// What exact search made of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Proved {
    /// The best lower bound of the peak, in bytes.
    pub bound: u64,
    /// Nodes used.
    pub nodes: u64,
    /// Every component is at its minimum, or below the peak of another one that is, or cannot fit.
    pub complete: bool,
}

/// Improves `offsets` in place, component by component, the highest bound first.
///
/// Complexity: `O(n log n)` and at most `nodes` nodes of the search.
pub fn improve(
    problem: &Problem,
    offsets: &mut [u64],
    target: u64,
    nodes: u64,
    options: &Options,
    control: &Control,
) -> Proved {
    let prepared = prepare(problem);
    let mut proved = Proved { bound: prepared.bound, nodes: 0, complete: true };
    let limits = Limits::of(options, nodes, control);
    let mut order: Vec<&Component> = prepared.components.iter().collect();
    order.sort_by_key(|component| (Reverse(component.bound), component.buffers.first().copied()));
    for component in order {
        let incumbent: Vec<u64> = component
            .buffers
            .iter()
            .map(|buffer| component.unit.position(offsets[buffer.get()]))
            .collect();
        if component.peak(&incumbent) <= proved.bound.max(target) {
            continue;
        }
        if component.len() > MAX_BUFFERS {
            proved.complete = false;
            continue;
        }
        let goal = Goal {
            target: proved.bound.max(target),
            capacity: problem.capacity(),
            only_fit: !options.minimize,
        };
        let limits = limits.with_nodes(nodes.saturating_sub(proved.nodes));
        let minimum = match component.trivial() {
            Some(positions) => {
                place(component, &positions, offsets);
                continue;
            }
            None => minimize(component, incumbent, goal, options.seed, &limits, &mut |_, _| {}),
        };
        place(component, &minimum.positions, offsets);
        proved.bound = proved.bound.max(minimum.bound);
        proved.nodes += minimum.nodes;
        proved.complete &= matches!(minimum.end, MinimumEnd::Reached | MinimumEnd::Infeasible);
    }
    proved
}

fn place(component: &Component, positions: &[u64], offsets: &mut [u64]) {
    for (&buffer, offset) in component.buffers.iter().zip(component.offsets(positions)) {
        offsets[buffer.get()] = offset;
    }
}
