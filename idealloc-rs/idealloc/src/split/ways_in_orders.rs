//! Ways through the layers of a graph in several orders.
//!
//! Where the same layers have run in two orders, a way of one may go on as one of the other: so of each part of a network the
//! order that is best there is taken.

use super::ending::{Notes, ways_to};
use super::least_traffic::{Ordered, Path};
use super::machine::Machine;
use super::ways::{Reached, Ways};

/// All orders, and the cheapest ways in them.
pub(super) struct WaysInOrders {
    machine: Machine,
    threads: usize,
    pub orders: Vec<WaysInOrder>,
}

/// One order, and the cheapest ways to have run its first layers.
pub(super) struct WaysInOrder {
    pub ordered: Ordered,
    order: Vec<usize>,
    /// For each layer its place in the order.
    place: Vec<usize>,
    /// For each place, and the newest tensor off chip or on chip, the cheapest way; none yet beyond the last.
    reached: Vec<Ways>,
    /// The same: the order that the last group of the way is in.
    owners: Vec<[usize; 2]>,
}

impl WaysInOrder {
    fn new(order: Vec<usize>, ordered: Ordered) -> Self {
        let mut place = vec![0; order.len()];
        for (at, &layer) in order.iter().enumerate() {
            place[layer] = at;
        }
        Self { ordered, order, place, reached: Vec::new(), owners: Vec::new() }
    }

    /// For each place whether the same layers are before it as in another order.
    fn meets(&self, other: &Self) -> Vec<bool> {
        let mut last = 0;
        let mut meets = vec![true];
        for (at, &layer) in self.order.iter().enumerate() {
            last = last.max(other.place[layer]);
            meets.push(last == at);
        }
        meets
    }
}

impl WaysInOrders {
    /// Begins with an order in which all groups of least traffic were found.
    pub fn new(
        machine: Machine,
        threads: usize,
        (order, ordered, least): (Vec<usize>, Ordered, &Path),
    ) -> Self {
        let mut first = WaysInOrder::new(order, ordered);
        first.reached = least.reached.clone();
        first.owners = vec![[0; 2]; first.reached.len()];
        Self { machine, threads, orders: vec![first] }
    }

    /// Adds an order, and looks for ways in it.
    pub fn add(&mut self, order: Vec<usize>, ordered: Ordered, notes: &mut Notes) {
        self.orders.push(WaysInOrder::new(order, ordered));
        self.look(self.orders.len() - 1, notes);
    }

    /// Looks for ways in an order, from those in all orders that are known.
    pub fn look(&mut self, number: usize, notes: &mut Notes) {
        let this = &self.orders[number];
        let meets: Vec<Vec<bool>> = self.orders.iter().map(|other| this.meets(other)).collect();
        let mut reached: Vec<Ways> = vec![[Some(Reached::default()), None]];
        let mut owners = vec![[number; 2]];
        for end in &this.ordered.ends {
            let (known, owner) = self.known(number, end.layer + 1, &meets);
            let layers = &this.ordered.layers;
            let ways = (&reached[..], known.clone());
            let ways = ways_to(layers, end, &[], self.machine, ways, (self.threads, notes));
            let is_known = |newest: usize| match (&known[newest], &ways[newest]) {
                (Some(known), Some(way)) => !way.is_better(Some(known)),
                _ => false,
            };
            owners.push([0, 1].map(|newest| if is_known(newest) { owner[newest] } else { number }));
            reached.push(ways);
        }
        let this = &mut self.orders[number];
        (this.reached, this.owners) = (reached, owners);
    }

    /// The cheapest ways that are known to have run the layers before a place of an order, and the orders of their last
    /// groups.
    fn known(&self, number: usize, at: usize, meets: &[Vec<bool>]) -> (Ways, [usize; 2]) {
        let this = &self.orders[number];
        let mut best: (Ways, [usize; 2]) = ([None, None], [number; 2]);
        for (other, meets) in self.orders.iter().zip(meets) {
            if at >= other.reached.len() || !meets[at] {
                continue;
            }
            // Off chip, and on chip where it is the same tensor.
            let is_same = other.order[at - 1] == this.order[at - 1];
            for newest in 0..1 + usize::from(is_same) {
                if let Some(way) = &other.reached[at][newest]
                    && way.is_better(best.0[newest].as_ref())
                {
                    best.0[newest] = Some(way.clone());
                    best.1[newest] = other.owners[at][newest];
                }
            }
        }
        best
    }

    /// The cheapest way through all layers, put together from all orders, if it costs less than `price`: the order that its
    /// groups are in, and the groups.
    pub fn best_path(&self, price: i64) -> Option<(Vec<usize>, Path)> {
        let count = self.orders.first()?.order.len();
        let last = |order: &WaysInOrder| order.reached[count][0].as_ref().map(|way| way.price);
        let prices =
            self.orders.iter().enumerate().filter_map(|(n, order)| Some((n, last(order)?)));
        let (number, _) = prices.min_by_key(|&(_, price)| price)?;
        let (mut number, mut at, mut newest) = (number, count, 0);
        let mut steps: Vec<(&WaysInOrder, &Reached)> = Vec::new();
        while at > 0 {
            let WaysInOrder { reached, owners, .. } = &self.orders[number];
            // The owner may have found another way since, or taken one of a third order.
            let way = reached[at][newest].as_ref()?;
            let group = way.group.as_ref()?;
            number = owners[at][newest];
            steps.push((&self.orders[number], way));
            (at, newest) = (group.first_layer, usize::from(group.starts_on_chip));
        }
        let (order, path) = self.path_of(steps.into_iter().rev(), count)?;
        (path.price < price).then_some((order, path))
    }

    /// The groups that ways end with, one after another, in one order.
    fn path_of<'w>(
        &self,
        steps: impl Iterator<Item = (&'w WaysInOrder, &'w Reached)>,
        count: usize,
    ) -> Option<(Vec<usize>, Path)> {
        let mut order: Vec<usize> = Vec::with_capacity(count);
        let mut groups = Vec::new();
        let mut reached: Vec<Ways> = vec![[None, None]; count + 1];
        // What led to a way when it was found may be cheaper by now.
        let (mut way, mut operators) = (Reached::default(), 0);
        reached[0][0] = Some(way.clone());
        for (owner, last) in steps {
            let group = last.group.as_ref()?;
            let start = &owner.ordered.layers.start;
            let (from, to) = (start[group.first_layer], start[group.last_layer + 1]);
            let moved = group.moved((group.first_layer, order.len()), (from, operators));
            order.extend(&owner.order[group.first_layer..=group.last_layer]);
            operators += to - from;
            way = way.and_then(Some(moved.clone()), (&moved.cost, last.length), self.machine);
            reached[order.len()][usize::from(moved.ends_on_chip)] = Some(way.clone());
            groups.push(moved);
        }
        Some((order, Path { groups, traffic: way.traffic, price: way.price, reached }))
    }
}
