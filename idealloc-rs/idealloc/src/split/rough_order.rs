//! The order of layers that is best as far as a rough search tells.
//!
//! Which layers are neighbours changes what groups move far more than the last bytes of their tiles do: in NASNet and its like
//! by up to an eighth. A rough search takes a fraction of the time of a full one, so orders are compared by it, and the full
//! one looks at the best first.

use super::ending::Notes;
use super::graph::SplitGraph;
use super::least_traffic::Ordered;
use super::likeness::Likeness;
use super::machine::Machine;
use super::orders_by_traffic::ways_in_orders;

/// What saves less than this fraction of the price is no better: a full search may find the opposite.
const NEGLIGIBLE: i64 = 256;

/// In smaller networks there is time for full searches in several orders. A rough one may be wrong by a fifth there.
const MANY_LAYERS: usize = 200;

/// The orders, after one that is best as far as a rough search tells, which may be put together from several; none where no
/// order is better than the first, and for small networks.
pub(super) fn best_first(
    graph: &SplitGraph,
    orders: &[Vec<usize>],
    machine: Machine,
    threads: usize,
) -> Option<Vec<Vec<usize>>> {
    if orders.len() < 2 || orders[0].len() <= MANY_LAYERS {
        return None;
    }
    let mut likeness = Likeness::default();
    let in_order =
        |order: &[usize]| Ordered::rough(&graph.in_order(order), machine, (threads, &mut likeness));
    let with_notes = (threads, &mut Notes::default());
    let (ways, least) = ways_in_orders((orders, &[]), in_order, |_| false, machine, with_notes)?;
    let (best, _) = ways.best_path(least.price - least.price / NEGLIGIBLE)?;
    let others: Vec<_> = orders.iter().filter(|&other| *other != best).cloned().collect();
    Some([best].into_iter().chain(others).collect())
}
