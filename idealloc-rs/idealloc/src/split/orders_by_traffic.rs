//! Groups of least traffic of a graph whose layers may run in several orders, while code may be long.

use super::ending::{Notes, work_of};
use super::graph::SplitGraph;
use super::least_traffic::{Ordered, Path, least_traffic};
use super::likeness::Likeness;
use super::machine::Machine;
use super::ways::Ways;
use super::ways_in_orders::WaysInOrders;

/// The groups of least traffic in an order, with code that may be too long.
pub(super) struct InOrder {
    /// Each layer by its place in the graph.
    pub order: Vec<usize>,
    pub ordered: Ordered,
    pub least: Path,
}

/// Groups in the first of at least one order, and in a better one if there is. Others are looked at as long as there was no more
/// work than `most_work`, in steps of walks. `known` are ways in the first order whose groups are looked at first. None if a
/// layer does not fit.
pub(super) fn least_traffic_in_orders(
    graph: &SplitGraph,
    (orders, known): (&[Vec<usize>], &[Vec<Ways>]),
    most_work: usize,
    machine: Machine,
    (threads, notes): (usize, &mut Notes),
) -> Option<Vec<InOrder>> {
    let first = orders.first()?;
    let mut likeness = Likeness::default();
    let mut in_order =
        |order: &[usize]| Ordered::new(&graph.in_order(order), machine, (threads, &mut likeness));
    let is_enough = |notes: &Notes| work_of(notes) > most_work;
    let (mut ways, least) =
        ways_in_orders((orders, known), &mut in_order, is_enough, machine, (threads, &mut *notes))?;
    // What was found in later orders may lead on in earlier ones.
    for number in 0..ways.orders.len() - 1 {
        if is_enough(notes) {
            break;
        }
        ways.look(number, notes);
    }
    let better = ways.best_path(least.price).map(|(order, path)| {
        let ordered = in_order(&order);
        InOrder { order, ordered, least: path }
    });
    let ordered = ways.orders.swap_remove(0).ordered;
    let first = InOrder { order: first.clone(), ordered, least };
    Some([first].into_iter().chain(better).collect())
}

/// Ways in the first of at least one order, and in others until the work is enough; and the cheapest in the first, none if a
/// layer does not fit.
pub(super) fn ways_in_orders(
    (orders, known): (&[Vec<usize>], &[Vec<Ways>]),
    mut in_order: impl FnMut(&[usize]) -> Ordered,
    is_enough: impl Fn(&Notes) -> bool,
    machine: Machine,
    (threads, notes): (usize, &mut Notes),
) -> Option<(WaysInOrders, Path)> {
    let (first, others) = orders.split_first()?;
    let ordered = in_order(first);
    let least = least_traffic(&ordered, known, machine, (threads, &mut *notes))?;
    let mut ways = WaysInOrders::new(machine, threads, (first.clone(), ordered, &least));
    for order in others {
        if is_enough(notes) {
            break;
        }
        ways.add(order.clone(), in_order(order), notes);
    }
    Some((ways, least))
}
