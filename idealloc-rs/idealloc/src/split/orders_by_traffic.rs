//! Groups of least traffic of a graph whose layers may run in several orders.

use super::ending::{Note, Notes};
use super::graph::SplitGraph;
use super::least_traffic::{Ordered, least_traffic};
use super::likeness::Likeness;
use super::little_code::little_code;
use super::machine::Machine;
use super::misfit::Misfit;
use super::ways_in_orders::WaysInOrders;
use super::written::Written;

/// The groups of least traffic, with code that is not too long, and the order that they are in.
///
/// The order is that in which they cost least while code may be long; but the first where that is better in the end. Once
/// there was more work than `most_work`, in steps of walks, no order is looked at any more.
pub(super) fn least_traffic_of_orders(
    graph: &SplitGraph,
    orders: &[Vec<usize>],
    most_work: usize,
    machine: Machine,
    threads: usize,
) -> Result<(Vec<usize>, Written), Misfit> {
    let Some((first, others)) = orders.split_first() else {
        return Ok((Vec::new(), Written { groups: Vec::new(), needs: 0, is_in_limit: true }));
    };
    let mut notes = Notes::default();
    let mut likeness = Likeness::default();
    let mut in_order =
        |order: &[usize]| Ordered::new(graph.in_order(order), machine, (threads, &mut likeness));
    let ordered = in_order(first);
    let least = least_traffic(&ordered, &[], machine, (threads, &mut notes))?;
    let mut ways = WaysInOrders::new(machine, threads, (first.clone(), ordered, &least));
    let is_enough = |notes: &Notes| notes.iter().map(Note::work).sum::<usize>() > most_work;
    for order in others {
        if is_enough(&notes) {
            break;
        }
        ways.add(order.clone(), in_order(order), &mut notes);
    }
    // What was found in later orders may lead on in earlier ones.
    for number in 0..ways.orders.len() - 1 {
        if is_enough(&notes) {
            break;
        }
        ways.look(number, &mut notes);
    }
    let best = ways.best_order(least.price).and_then(|order| {
        let other = in_order(&order);
        let path = least_traffic(&other, &[], machine, (threads, &mut notes)).ok()?;
        (path.price < least.price).then_some((order, other, path))
    });
    let Some((order, other, path)) = best else {
        let written = little_code(&ways.orders[0].ordered, least, machine, (threads, &mut notes))?;
        return Ok((first.clone(), written));
    };
    let found = little_code(&other, path, machine, (threads, &mut notes))?;
    if !found.is_in_limit || found.needs > least.traffic {
        let known = little_code(&ways.orders[0].ordered, least, machine, (threads, &mut notes))?;
        if known.key() <= found.key() {
            return Ok((first.clone(), known));
        }
    }
    Ok((order, found))
}
