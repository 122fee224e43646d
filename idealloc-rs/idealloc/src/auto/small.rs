//! Exact search of the components that are small enough, from the plan that is there.

use std::cmp::Reverse;

use crate::auto::budget::work_of_a_node;
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
    /// What they count as work.
    pub work: u64,
    /// Every component is at its minimum, or below the peak of another one that is, or cannot fit.
    pub complete: bool,
}

/// Improves `offsets` in place, component by component, the highest bound first.
///
/// `goal` is the peak to stop at, the work that may be done, and the seed. Complexity: `O(n log n)` and as many nodes of
/// the search as the work allows.
pub fn improve(
    problem: &Problem,
    offsets: &mut [u64],
    (target, work, seed): (u64, u64, u64),
    options: &Options,
    control: &Control,
) -> Proved {
    let prepared = prepare(problem).with_stacks(MAX_BUFFERS);
    let mut proved = Proved { bound: prepared.bound, nodes: 0, work: 0, complete: true };
    let limits = Limits::of(options, work, control);
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
            capacity: problem.capacity().filter(|&c| !options.minimize || c >= proved.bound),
            only_fit: !options.minimize,
        };
        let each = work_of_a_node(component.len());
        let limits = limits.with_nodes(work.saturating_sub(proved.work) / each);
        let minimum = match component.trivial() {
            Some(positions) => {
                place(component, &positions, offsets);
                continue;
            }
            None => minimize(component, incumbent, goal, seed, &limits, &mut |_, _| {}),
        };
        place(component, &minimum.positions, offsets);
        proved.bound = proved.bound.max(minimum.bound);
        proved.nodes += minimum.nodes;
        proved.work = proved.work.saturating_add(minimum.nodes.saturating_mul(each));
        proved.complete &= matches!(minimum.end, MinimumEnd::Reached | MinimumEnd::Infeasible);
    }
    proved
}

fn place(component: &Component, positions: &[u64], offsets: &mut [u64]) {
    for (&buffer, offset) in component.buffers.iter().zip(component.offsets(positions)) {
        offsets[buffer.get()] = offset;
    }
}
