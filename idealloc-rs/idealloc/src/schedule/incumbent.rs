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
    /// Where its addresses end.
    peak: u64,
}

impl<'a> Incumbent<'a> {
    /// Nothing moved in a given order of the graph, if that fits; else what Belady's rule makes of it.
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
        let mut residencies = residencies(graph, &order, &[]);
        let fits = load(graph, &order, &residencies) <= capacity
            && pack(graph, &order, &mut residencies, capacity, seed, control);
        if !fits {
            residencies = replace_online(graph, &order, capacity, Replacement::Belady);
        }
        let (traffic, peak) = check_schedule(graph, &order, &residencies, Some(capacity))?;
        Ok(Self { graph, capacity, order, residencies, traffic, peak })
    }

    /// Takes what a rule makes of the order, if it is better.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`] never, but for mistakes of ours.
    pub fn try_rule(&mut self, rule: Replacement) -> Result<(), Error> {
        let residencies = replace_online(self.graph, &self.order, self.capacity, rule);
        self.replace(self.order.clone(), residencies)
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
        let is_packed = pack(graph, &order, &mut residencies, capacity, seed, control)
            || (effort > Effort::Low
                && pack_exactly(graph, &order, &mut residencies, capacity, seed, control));
        if is_packed { self.replace(order, residencies) } else { Ok(()) }
    }

    /// Takes a schedule with addresses, if it is better.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`] if it is not sound.
    pub fn replace(&mut self, order: Vec<OpIdx>, residencies: Vec<Residency>) -> Result<(), Error> {
        let (traffic, peak) =
            check_schedule(self.graph, &order, &residencies, Some(self.capacity))?;
        if traffic < self.traffic {
            *self = Self { order, residencies, traffic, peak, ..*self };
        }
        Ok(())
    }

    /// The schedule with what is proved about it.
    pub fn finish(
        self,
        bound: u64,
        stop: StopReason,
        statistics: Vec<(&'static str, u64)>,
    ) -> Schedule {
        let Self { graph, order, residencies, traffic, peak, .. } = self;
        let stop = if traffic == bound { StopReason::Optimal } else { stop };
        let load = load(graph, &order, &residencies);
        let parts = Vec::new();
        Schedule { order, residencies, load, peak, traffic, bound, parts, stop, statistics }
    }
}
