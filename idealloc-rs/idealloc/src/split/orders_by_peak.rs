//! Groups of least peak of a graph whose layers may run in several orders.

use super::graph::SplitGraph;
use super::least_peak::{LeastWork, Ordered, least_work};
use super::likeness::Likeness;
use super::machine::Machine;
use super::peak_walk::Notes;
use super::written::Written;

/// Tiles that keep their halo along two cuts save at least this fraction of the room: they are small and many.
const WORTH: i64 = 32;

/// The groups that need the least room at the most, and the order that they are in; none if nothing fits.
///
/// Shorter code may need more room: an order that needs more than another before that may need less in the end.
pub(super) fn least_peak_of_orders(
    graph: &SplitGraph,
    orders: &[Vec<usize>],
    machine: Machine,
    threads: usize,
) -> Option<(Vec<usize>, Written)> {
    let mut notes = Notes::default();
    let mut likeness = Likeness::default();
    // Orders that need less and less, and before there is one that fits, those that do not.
    let mut found: Vec<(&Vec<usize>, Ordered, Option<i64>)> = Vec::new();
    let mut coarse = None;
    for order in orders {
        let graph = graph.in_order(order);
        let mut ordered = Ordered::new(&graph, machine, (threads, &mut likeness));
        let known = found.last().and_then(|&(.., least)| least);
        let below = |known: Option<i64>| known.map_or(machine.capacity, |known| known - 1);
        let new = ordered.coarse(below(coarse), (threads, &mut notes));
        coarse = new.or(coarse);
        let most = new.map_or(below(known), |new| new.min(below(known)));
        let least = ordered.least(most, (threads, &mut notes));
        if least.is_some() || known.is_none() {
            found.push((order, ordered, least));
        }
    }
    let mut best: Option<(usize, LeastWork)> = None;
    for (number, (_, ordered, least)) in found.iter_mut().enumerate().rev() {
        let Some(least) = *least else { break };
        if best.as_ref().is_some_and(|(_, best)| best.key() <= (false, i128::from(least))) {
            break;
        }
        let written = least_work(ordered, (least, machine.capacity), (threads, &mut notes));
        let is_better =
            |new: &LeastWork| best.as_ref().is_none_or(|(_, best)| new.key() < best.key());
        if let Some(written) = written.filter(is_better) {
            best = Some((number, written));
        }
    }
    for (number, (_, ordered, _)) in found.iter_mut().enumerate().rev() {
        let known = best.as_ref().map(|(_, best)| best);
        let written = with_borders(ordered, known, machine.capacity, (threads, &mut notes));
        best = written.map(|written| (number, written)).or(best);
    }
    best.map(|(number, best)| (found[number].0.clone(), best.written))
}

/// Groups some of which keep their halo along two cuts, if they need so much less than the best that is known that it is
/// worth their many small tiles; or if none is known, if they fit.
fn with_borders(
    ordered: &mut Ordered,
    best: Option<&LeastWork>,
    capacity: i64,
    (threads, notes): (usize, &mut Notes),
) -> Option<LeastWork> {
    let needs = best.map(|best| best.written.needs);
    let most = needs.map_or(capacity, |needs| needs - needs / WORTH - 1);
    let least = ordered.least_with_borders(most, (threads, &mut *notes))?;
    let written = least_work(ordered, (least, most), (threads, notes))?;
    best.is_none_or(|best| written.key() < best.key()).then_some(written)
}
