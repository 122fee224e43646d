//! Groups of least traffic in the end: in several orders, with slices apart or as one box, in all of the room or in less.
//!
//! What each of these moves while code may be long is found first. Short code moves no less, so that it is looked for only
//! where it may be better than what is known.

use super::end_layer::{ALONE, EndLayer};
use super::ending::{Notes, work_of};
use super::finer::finer;
use super::graph::SplitGraph;
use super::group::{Group, moved};
use super::layers::Layers;
use super::least_traffic::{Ordered, least_traffic};
use super::likeness::Likeness;
use super::little_code::little_code;
use super::machine::Machine;
use super::misfit::Misfit;
use super::orders_by_traffic::{InOrder, least_traffic_in_orders};
use super::rough_order::best_first;
use super::shorter_traffic::Traffic;
use super::ways::Ways;
use super::written::{MOST_TIMES, Written};

/// After so much work, in steps of walks, less room is not looked at any more.
const MOST_WORK_OF_ROOMS: usize = 480_000;

/// The groups that move the fewest bytes of those that have no more operations than there may be, unless those move far more
/// bytes than others; and the order that they are in.
///
/// Orders but the first are looked at while there was no more work in all than `most_work`, and half as much again for each
/// machine after the first.
///
/// # Errors
/// `Misfit` names a layer of the first order that does not fit.
pub(super) fn best_traffic(
    graph: &SplitGraph,
    orders: &[Vec<usize>],
    most_work: usize,
    machine: Machine,
    threads: usize,
) -> Result<(Vec<usize>, Written), Misfit> {
    let Some(first) = orders.first() else {
        return Ok((Vec::new(), Written { groups: Vec::new(), needs: 0, is_in_limit: true }));
    };
    let in_first_order = graph.in_order(first);
    let floor = floor_of(&in_first_order, machine);
    let apart = Machine { joins_slices: false, ..machine };
    let (machines, found) = (Vec::new(), Vec::new());
    let mut search = Search { graph, most_work, floor, threads, machines, found, best: None };
    let ranked = best_first(graph, orders, apart, threads);
    let orders = ranked.as_deref().unwrap_or(orders);
    let apart_found = search.look(orders, apart);
    let joined_found = machine.joins_slices.then(|| search.look(orders, machine)).flatten();
    search.take_all();
    for looked in apart_found.into_iter().chain(joined_found) {
        search.look_in_less_room(looked);
    }
    search
        .best
        .ok_or_else(|| Misfit::of(&in_first_order, &Layers::of(&in_first_order, apart), apart))
}

/// The same groups in tiles of other sizes where these move less.
fn in_finer_tiles(
    Ordered { layers, ends }: &Ordered,
    written: Written,
    machine: Machine,
    threads: usize,
) -> Written {
    let goal = Traffic { layers, ends, machine };
    let least = |group: &Group| {
        let bounds = ends[group.last_layer].bounds[group.last_layer - group.first_layer];
        bounds[ALONE].map_or(0, |bound| bound.least.bytes)
    };
    let groups = finer(&goal, &written.groups, least, machine, threads);
    Written { needs: moved(&groups).0, groups, ..written }
}

/// The least bytes that all groups move together; 0 if there are so many layers that it is not known.
fn floor_of(graph: &SplitGraph, machine: Machine) -> i64 {
    let layers = Layers::of(graph, machine);
    let Some(last) = layers.count().checked_sub(1).filter(|&last| last < layers.longest_group())
    else {
        return 0;
    };
    let end = EndLayer::of(graph, &layers, last, machine);
    end.bounds[last][ALONE].map_or(0, |bound| bound.least.bytes)
}

/// What is known while groups are looked for on one machine after another.
struct Search<'a> {
    graph: &'a SplitGraph,
    most_work: usize,
    floor: i64,
    threads: usize,
    /// Machines that were searched for, and what was found out for each.
    machines: Vec<(Machine, Notes)>,
    /// What was found while code may be long, each with the number of its machine. Those whose code was made short are out.
    found: Vec<(usize, InOrder)>,
    best: Option<(Vec<usize>, Written)>,
}

impl Search<'_> {
    /// Looks for groups for a machine; returns those, the first order first, or none if nothing better than what is known is
    /// to be found.
    fn look(&mut self, orders: &[Vec<usize>], machine: Machine) -> Option<Looked> {
        if self.is_done() {
            return None;
        }
        let mut notes = Notes::default();
        let (graph, threads) = (self.graph, self.threads);
        let number = self.machines.len();
        let most_work = self.most_work.saturating_add((self.most_work / 2).saturating_mul(number));
        let most_work = most_work.saturating_sub(self.work());
        let known = self.known(&orders[0], machine);
        let of = (orders, &known[..]);
        let found = least_traffic_in_orders(graph, of, most_work, machine, (threads, &mut notes))?;
        let looked = Looked::of(machine, &found);
        self.machines.push((machine, notes));
        self.found.extend(found.into_iter().map(|in_order| (number, in_order)));
        self.take_up_to(self.floor);
        Some(looked)
    }

    /// Ways in an order that were found on a machine whose groups run on this one as well.
    fn known(&self, order: &[usize], machine: Machine) -> Vec<Vec<Ways>> {
        let runs_here = |number: usize| self.machines[number].0.capacity <= machine.capacity;
        let found = self.found.iter().filter(|(number, _)| runs_here(*number));
        let in_order = found.filter(|(_, found)| found.order == order);
        in_order.map(|(_, found)| found.least.reached.clone()).collect()
    }

    /// Whether nothing moves fewer bytes than the best.
    fn is_done(&self) -> bool {
        self.best.as_ref().is_some_and(|(_, best)| best.is_no_worse_than(self.floor))
    }

    /// Looks for groups in half of the room, in half of that, and so on, until they move far more bytes than what is known.
    ///
    /// What has the least price in more room may move more bytes, in fewer moves and less code; and where code is too long
    /// bytes are moved for it. What is best in half of the room is a way in all of it, so that bytes rise with the room only
    /// where another order is best there, or code is too long.
    fn look_in_less_room(&mut self, mut looked: Looked) {
        if self.is_done() || !self.is_quick() {
            return;
        }
        let least = self.least_bytes(&looked);
        let is_open = |best: &Option<(Vec<usize>, Written)>, traffic: i64| {
            best.as_ref().is_some_and(|(_, best)| {
                !best.is_no_worse_than(least) && traffic <= MOST_TIMES * best.needs
            })
        };
        while is_open(&self.best, looked.traffic)
            && self.is_quick()
            && let Some(machine) = looked.with_less_room()
            && let Some(less) = self.look(&looked.orders, machine)
        {
            self.take_all();
            looked = less;
        }
    }

    /// The least bytes that are moved in the same orders, in as many moves and as much code as that takes. In less room no
    /// fewer are.
    fn least_bytes(&self, looked: &Looked) -> i64 {
        let machine = Machine { transfer_bytes: 0, code_bytes: 0, ..looked.machine };
        let mut likeness = Likeness::default();
        let least = |order: &Vec<usize>| {
            let graph = self.graph.in_order(order);
            let ordered = Ordered::new(&graph, machine, (self.threads, &mut likeness));
            let notes = &mut Notes::default();
            Some(least_traffic(&ordered, &[], machine, (self.threads, notes))?.traffic)
        };
        looked.orders.iter().filter_map(least).min().unwrap_or(0)
    }

    /// Whether there was so little work that there is time for more.
    fn is_quick(&self) -> bool {
        self.work() <= MOST_WORK_OF_ROOMS
    }

    /// How much work there was so far, in steps of walks.
    fn work(&self) -> usize {
        self.machines.iter().map(|(_, notes)| work_of(notes)).sum()
    }

    /// Makes code short of all that may be better than what is known, and forgets the rest.
    fn take_all(&mut self) {
        self.take_up_to(i64::MAX);
        self.found.clear();
    }

    /// Makes code short of what moves no more bytes than `most`, the fewest first, and takes what is best.
    fn take_up_to(&mut self, most: i64) {
        let key = |in_order: &InOrder| (in_order.least.traffic, in_order.least.price);
        while let Some(next) = (0..self.found.len()).min_by_key(|&next| key(&self.found[next].1)) {
            let traffic = self.found[next].1.least.traffic;
            let known = self.best.as_ref().map(|(_, known)| known);
            if traffic > most || known.is_some_and(|known| known.is_no_worse_than(traffic)) {
                break;
            }
            let (number, InOrder { order, ordered, least }) = self.found.remove(next);
            let (machine, notes) = &mut self.machines[number];
            let new = little_code(&ordered, least, *machine, (self.threads, notes));
            let new = new.map(|new| in_finer_tiles(&ordered, new, *machine, self.threads));
            if let Some(new) = new.filter(|new| known.is_none_or(|known| new.moves_less(known))) {
                self.best = Some((order, new));
            }
        }
    }
}

/// A machine that was searched for, the orders in which groups were found, the least bytes that they move while code may be
/// long, and the room that they take.
struct Looked {
    machine: Machine,
    orders: Vec<Vec<usize>>,
    traffic: i64,
    room: i64,
}

impl Looked {
    fn of(machine: Machine, found: &[InOrder]) -> Self {
        let groups = found.iter().flat_map(|in_order| &in_order.least.groups);
        let room = groups.map(|group| group.cost.peak).max().unwrap_or(0);
        let traffic = found.iter().map(|in_order| in_order.least.traffic).min().unwrap_or(0);
        Self {
            machine,
            traffic,
            orders: found.iter().map(|in_order| in_order.order.clone()).collect(),
            room,
        }
    }

    /// Half of the room, or half of that, and so on: the first in which the groups do not fit any more.
    fn with_less_room(&self) -> Option<Machine> {
        let halves = std::iter::successors(Some(self.machine.capacity), |&room| Some(room / 2));
        let capacity = halves.take_while(|&room| room > 0).find(|&room| room < self.room)?;
        Some(Machine { capacity, ..self.machine })
    }
}
