//! The best schedule with addresses so far.

use super::baseline::{Replacement, replace_online};
use super::check::check_schedule;
use super::graph::{Graph, OpIdx, topological_order};
use super::pack::{pack, pack_exactly};
use super::path::{Path, residencies, spell_out};
use super::reduce::Reduced;
use super::residency::Residency;
use crate::control::{Control, Effort};
use crate::error::Error;

/// A schedule that fits, and what it moves.
#[derive(Clone, Debug)]
pub(super) struct Incumbent<'a> {
    pub graph: &'a Graph,
    pub capacity: u64,
    pub order: Vec<OpIdx>,
    pub residencies: Vec<Residency>,
    pub traffic: u64,
}

impl<'a> Incumbent<'a> {
    /// The better of two replacement rules in the order of the caller.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] if the graph has a cycle; [`Error::InvalidPlan`] never, but for mistakes of ours.
    pub fn new(graph: &'a Graph, capacity: u64) -> Result<Self, Error> {
        let order = topological_order(graph)?;
        let with = |rule| -> Result<Self, Error> {
            let residencies = replace_online(graph, &order, capacity, rule);
            let (traffic, _) = check_schedule(graph, &order, &residencies, Some(capacity))?;
            Ok(Self { graph, capacity, order: order.clone(), residencies, traffic })
        };
        let (belady, greedy) = (with(Replacement::Belady)?, with(Replacement::Greedy)?);
        Ok(if belady.traffic <= greedy.traffic { belady } else { greedy })
    }

    /// Takes what a search found, if it is better and addresses are found for it.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`] never, but for mistakes of ours.
    pub fn improve(
        &mut self,
        reduced: &Reduced,
        path: &Option<Path>,
        effort: Effort,
        seed: u64,
        control: &Control,
    ) -> Result<(), Error> {
        let Some(path) = path else { return Ok(()) };
        if path.cost >= self.traffic {
            return Ok(());
        }
        let (order, evictions) = spell_out(reduced, path);
        let mut residencies = residencies(self.graph, &order, &evictions);
        let (graph, capacity) = (self.graph, self.capacity);
        let is_packed = pack(graph, &mut residencies, capacity, seed, control)
            || (effort > Effort::Low
                && pack_exactly(graph, &mut residencies, capacity, seed, control));
        if is_packed { self.replace(order, residencies) } else { Ok(()) }
    }

    /// Takes a schedule with addresses, if it is better.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`] if it is not sound.
    pub fn replace(&mut self, order: Vec<OpIdx>, residencies: Vec<Residency>) -> Result<(), Error> {
        let (traffic, _) = check_schedule(self.graph, &order, &residencies, Some(self.capacity))?;
        if traffic < self.traffic {
            self.order = order;
            self.residencies = residencies;
            self.traffic = traffic;
        }
        Ok(())
    }
}
