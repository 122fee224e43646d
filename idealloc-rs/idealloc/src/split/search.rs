//! The programme over groups: which layers go together, and how each group is cut.

use super::best_traffic::best_traffic;
use super::graph::SplitGraph;
use super::group::Group;
use super::layer_orders::{order_of, orders, orders_by_traffic};
use super::layers::Layers;
use super::machine::Machine;
pub use super::misfit::Misfit;
use super::orders_by_peak::least_peak_of_orders;
use super::two_parts::with_threads;
use super::written::Written;

/// Groups that were found, in one of several orders of the layers.
#[derive(Clone, Debug)]
pub struct Found {
    /// Each layer by its place in the graph. The groups are those of the graph in this order.
    pub order: Vec<usize>,
    /// The groups.
    pub groups: Vec<Group>,
}

/// What to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Least bytes moved within the capacity.
    Traffic,
    /// Least bytes on chip, with all that is between groups on chip.
    Peak,
}

/// Which orders of the layers are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reordering {
    /// That of the graph.
    Keep,
    /// Others, as long as that takes little time.
    Optimize,
    /// Others, whatever time it takes.
    Thorough,
}

/// After so much work, in steps of walks, no other order is tried by traffic, unless time does not count: that is 0.7
/// to 1 second on two cores.
const MOST_WORK: usize = 1_100_000;

/// The best sequence of groups in the order of the graph. The number of threads does not change it.
///
/// # Errors
/// `Misfit` names a layer that does not fit.
pub fn search(
    graph: &SplitGraph,
    machine: Machine,
    objective: Objective,
    threads: usize,
) -> Result<Vec<Group>, Misfit> {
    search_order(graph, machine, objective, Reordering::Keep, threads).map(|found| found.groups)
}

/// The best sequence of groups with the layers in one of several orders, or in one put together from these. The number of
/// threads does not change it.
///
/// # Errors
/// `Misfit` names a layer of the first order that does not fit.
pub fn search_order(
    graph: &SplitGraph,
    machine: Machine,
    objective: Objective,
    reordering: Reordering,
    threads: usize,
) -> Result<Found, Misfit> {
    let others = || match objective {
        Objective::Traffic => orders_by_traffic(graph),
        Objective::Peak => orders(graph),
    };
    let (orders, most_work) = match reordering {
        Reordering::Keep => (vec![order_of(graph)], 0),
        Reordering::Optimize => (others(), MOST_WORK),
        Reordering::Thorough => (others(), usize::MAX),
    };
    let found = with_threads(threads, |threads| match objective {
        Objective::Traffic => best_traffic(graph, &orders, most_work, machine, threads),
        Objective::Peak => {
            least_peak_of_orders(graph, &orders, machine, threads).ok_or_else(|| Misfit {
                operator: Layers::of(graph, machine).target.last().copied().unwrap_or(0),
                smallest_capacity: None,
                smallest_for_all: None,
            })
        }
    });
    let (order, Written { groups, .. }) = found?;
    Ok(Found { order, groups })
}
