//! The programme over groups: which layers go together, and how each group is cut.

use super::graph::SplitGraph;
use super::group::Group;
use super::layers::Layers;
use super::least_peak::least_peak;
use super::little_code::little_code;
use super::machine::Machine;
pub use super::misfit::Misfit;
use super::two_parts::with_threads;

/// What to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Least bytes moved within the capacity.
    Traffic,
    /// Least bytes on chip, with all that is between groups on chip.
    Peak,
}

/// The best sequence of groups. The number of threads does not change it.
///
/// # Errors
/// `Misfit` names a layer that does not fit.
pub fn search(
    graph: &SplitGraph,
    machine: Machine,
    objective: Objective,
    threads: usize,
) -> Result<Vec<Group>, Misfit> {
    let layers = Layers::of(graph, machine);
    with_threads(threads, |threads| match objective {
        Objective::Traffic => little_code(graph, &layers, machine, threads),
        Objective::Peak => least_peak(graph, &layers, machine, threads).ok_or(Misfit {
            operator: layers.target.last().copied().unwrap_or(0),
            smallest_capacity: None,
            smallest_for_all: None,
        }),
    })
}
