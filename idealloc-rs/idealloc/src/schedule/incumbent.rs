//! The best schedule with addresses so far.

use super::baseline::{Replacement, replace_online};
use super::check::check_schedule;
use super::graph::{Graph, OpIdx};
use super::pack::{pack, pack_exactly};
use super::path::{Path, residencies, spell_out};
use super::reduce::Reduced;
use super::residency::{Residency, Schedule, load};
use crate::control::{Control, Effort};
use crate::error::Error;
use crate::plan::StopReason;

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
    /// Nothing moved in a given order of the graph, if that fits; else the better of two replacement rules.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`] never, but for mistakes of ours.
    pub fn new(
        graph: &'a Graph,
        order: Vec<OpIdx>,
        capacity: u64,
        seed: u64,
        control: &Control,
    ) -> Result<Self, Error> {
        let mut still = residencies(graph, &order, &[]);
        if load(graph, &still) <= capacity && pack(graph, &mut still, capacity, seed, control) {
            return Ok(Self { graph, capacity, order, residencies: still, traffic: 0 });
        }
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

    /// The schedule with what is proved about it, checked once more as a whole.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`] never, but for mistakes of ours.
    pub fn finish(
        self,
        bound: u64,
        stop: StopReason,
        statistics: Vec<(&'static str, u64)>,
    ) -> Result<Schedule, Error> {
        let Self { graph, capacity, order, residencies, .. } = self;
        let (traffic, peak) = check_schedule(graph, &order, &residencies, Some(capacity))?;
        let stop = if traffic == bound { StopReason::Optimal } else { stop };
        let load = load(graph, &residencies);
        let parts = Vec::new();
        Ok(Schedule { order, residencies, load, peak, traffic, bound, parts, stop, statistics })
    }
}
