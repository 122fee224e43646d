//! What every search does first: make the problem as small as it can be without losing an optimal plan.
//!
//! Ticks become [sections](sections): moments at which the set of live buffers is maximal. Bytes become
//! [units](unit): the common divisor of all sizes, alignments and fixed offsets. What never meets in time becomes a
//! [`Component`] of its own. Buffers that conflict with nothing are placed at once.

pub mod component;
pub mod sections;
pub mod split;
pub mod trivial;
pub mod unit;

pub use component::{Component, Domain, Run};

use crate::control::Control;
use crate::index::BufferIdx;
use crate::problem::Problem;
use unit::Unit;

/// A problem made small. Made by [`prepare`]; the default is that of no buffers.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// Independent parts, by their first buffer.
    pub components: Vec<Component>,
    /// Buffers that conflict with nothing, with the lowest offset allowed, in bytes. No component has a single buffer.
    pub alone: Vec<(BufferIdx, u64)>,
    /// Lower bound of the peak in bytes: the load with alignment, fixed offsets, and single buffers.
    pub bound: u64,
    /// Number of buffers of the problem.
    buffers: usize,
}

impl Prepared {
    /// Offsets in bytes of all buffers, given those of each component in the order of [`Component::buffers`].
    ///
    /// A component without offsets (an empty slice) leaves its buffers at 0.
    #[must_use]
    pub fn offsets(&self, of_components: &[Vec<u64>]) -> Vec<u64> {
        let mut offsets = vec![0; self.buffers];
        for &(buffer, offset) in &self.alone {
            offsets[buffer.get()] = offset;
        }
        for (component, values) in self.components.iter().zip(of_components) {
            for (&buffer, &offset) in component.buffers.iter().zip(values) {
                offsets[buffer.get()] = offset;
            }
        }
        offsets
    }

    /// Raises the bounds of components with alignments to what a section needs by itself, where exact search is worth it.
    ///
    /// Complexity: see [`section_stack`](crate::bounds::section_stack).
    #[must_use]
    pub fn with_stacks(mut self, most_buffers: usize) -> Self {
        for component in self.components.iter_mut().filter(|c| c.len() <= most_buffers) {
            component.bound = crate::bounds::section_stack(component);
            self.bound = self.bound.max(component.bound);
        }
        self
    }
}

/// Prepares a problem with one pool. The capacity plays no part: components are asked about capacities later.
///
/// Complexity: `O(n log n)` time and `O(n)` memory for conflicts by lifetimes; `O(pairs * degree)` for given pairs.
#[must_use]
pub fn prepare(problem: &Problem) -> Prepared {
    // Nobody stops this control.
    prepare_within(problem, &Control::default()).unwrap_or_default()
}

/// As [`prepare`]; of many buffers `None` if the caller asked to stop, or time ran out, before it was done.
#[must_use]
pub fn prepare_within(problem: &Problem, control: &Control) -> Option<Prepared> {
    let unwatched = Control::default();
    // Few take no time, and whoever is stopped still has a plan of them.
    let control = if problem.len() <= WATCH { &unwatched } else { control };
    let going = || (!control.is_cancelled()).then_some(());
    let relation = sections::sections(problem, control)?;
    let unit = Unit::of(problem);
    let mut fixed = vec![None; problem.len()];
    for &(buffer, offset) in problem.fixed() {
        fixed[buffer.get()] = Some(offset);
    }
    let mut alone = Vec::new();
    let mut bound = 0;
    let mut add_alone = |i: usize| {
        let size = problem.sizes()[i];
        let lowest = if size == 0 { 0 } else { unit.lowest(problem, i) };
        let offset = fixed[i].unwrap_or(lowest);
        alone.push((BufferIdx::from(i), offset));
        if size > 0 {
            bound = bound.max(offset.saturating_add(size));
        }
    };
    (0..problem.len()).filter(|&i| relation.of(i).is_empty()).for_each(&mut add_alone);
    going()?;
    let parts = split::split(&relation);
    let mut components = Vec::new();
    let mut unseen = WATCH;
    for part in parts.buffers.into_iter().zip(parts.sections) {
        if let &[single] = part.0.as_slice() {
            add_alone(single);
            continue;
        }
        unseen += part.0.len();
        if unseen >= WATCH {
            unseen = 0;
            going()?;
        }
        components.push(Component::new(problem, &relation, part, &parts.names, unit, &fixed));
    }
    bound = components.iter().map(|c| c.bound).fold(bound, u64::max);
    Some(Prepared { components, alone, bound, buffers: problem.len() })
}

/// Buffers between two looks at the control.
const WATCH: usize = 4096;
