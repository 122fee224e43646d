//! The order of layers that is best as far as a few grids tell.
//!
//! Which layers are neighbours changes what groups move far more than the last bytes of their tiles do: in NASNet and its like
//! by up to an eighth. A rough search takes a fraction of the time of a full one, so all orders are compared by it, and the
//! full one looks at the best first.

use super::ending::Notes;
use super::graph::SplitGraph;
use super::least_traffic::{Ordered, least_traffic};
use super::likeness::Likeness;
use super::machine::Machine;
use super::tries::Tries;
use super::ways_in_orders::WaysInOrders;

/// Layers of a group at the most while orders are compared.
const LONGEST: usize = 16;

/// What saves less than this fraction of the price is no better: a full search may find the opposite.
const NEGLIGIBLE: i64 = 256;

/// In smaller networks there is time for full searches in several orders. A rough one may be wrong by a fifth there.
const MANY_LAYERS: usize = 200;

/// Orders that are compared. Those after them were not the best of any network that was measured.
const MOST_ORDERS: usize = 3;

/// The order that is best as far as few grids tell, which may be put together from several; none where none is better than the
/// first, and for small networks.
pub(super) fn rough_order(
    graph: &SplitGraph,
    orders: &[Vec<usize>],
    machine: Machine,
    threads: usize,
) -> Option<Vec<usize>> {
    let (first, others) = orders.split_first().filter(|(first, _)| first.len() > MANY_LAYERS)?;
    let few = (machine, Tries::Few);
    let (mut likeness, mut notes) = (Likeness::default(), Notes::default());
    let mut in_order = |order: &[usize]| {
        Ordered::with_longest(&graph.in_order(order), LONGEST, machine, (threads, &mut likeness))
    };
    let ordered = in_order(first);
    let least = least_traffic(&ordered, &[], few, (threads, &mut notes))?;
    let mut ways = WaysInOrders::new(few, threads, (first.clone(), ordered, &least));
    for order in others.iter().take(MOST_ORDERS - 1) {
        ways.add(order.clone(), in_order(order), &mut notes);
    }
    ways.best_path(least.price - least.price / NEGLIGIBLE).map(|(order, _)| order)
}
