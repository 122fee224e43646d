//! The programme over groups: which layers go together, and how each group is cut.

use super::graph::SplitGraph;
use super::group::Group;
use super::layers::Layers;
use super::least_peak::least_peak;
use super::least_traffic::least_traffic;
use super::machine::Machine;

/// What to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Least bytes moved within the capacity.
    Traffic,
    /// Least bytes on chip, with all that is between groups on chip.
    Peak,
}

/// The best sequence of groups, or none if nothing fits. The number of threads does not change it.
pub fn search(
    graph: &SplitGraph,
    machine: Machine,
    objective: Objective,
    threads: usize,
) -> Option<Vec<Group>> {
    let layers = Layers::of(graph);
    match objective {
        Objective::Traffic => least_traffic(graph, &layers, machine, threads),
        Objective::Peak => least_peak(graph, &layers, machine, threads),
    }
}
