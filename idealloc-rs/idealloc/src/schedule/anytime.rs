//! Good schedules before the exact search has come to its end: beams, and local search from where they lead.

use super::beam;
use super::budget::Budget;
use super::incumbent::Incumbent;
use super::local;
use super::options::Reductions;
use super::parts::Parts;
use super::path::Path;
use super::reduce::Reduced;
use super::step::Stepper;
use super::traffic::Search;
use super::widening::Failure;
use crate::control::Effort;

/// Macros that a local search plays: for each state that the exact search may expand, and at most.
const STEPS_PER_STATE: u64 = 30;
const MOST_STEPS: u64 = 10_000_000;

/// States that may be expanded for the best replacement in one order.
const STATES: u64 = 20_000;

/// Width of the beam where these are not enough.
const WIDTH: usize = 256;

/// Capacities that are tried, in 64ths: what just fits a smaller one can be packed under a larger one.
const SHARES: &[u64] = &[64, 62, 60, 56];

/// What the searches need to know.
pub(super) struct Anytime<'a> {
    pub reduced: &'a Reduced,
    pub capacity: u64,
    pub reductions: Reductions,
    pub seed: u64,
}

impl Anytime<'_> {
    /// The best replacement in some orders of the macros, beams of some widths, then local search.
    pub fn improve<const W: usize>(
        &self,
        best: &mut Incumbent<'_>,
        orders: &[Vec<u32>],
        widths: &[usize],
        budget: &mut Budget<'_>,
    ) -> Result<(), Failure> {
        for order in orders {
            self.improve_in_order::<W>(best, order, budget)?;
        }
        let path = self.improve_by_beams::<W>(best, widths, None, budget)?;
        if best.traffic > 0 && !budget.is_over() {
            let path = path.filter(|path| path.cost <= best.traffic);
            let order = path.map_or_else(
                || self.reduced.macro_order(&best.order),
                |path| path.steps.iter().map(|step| step.step).collect(),
            );
            self.improve_locally::<W>(best, order, budget)?;
        }
        Ok(())
    }

    /// Takes what beams of some widths find, if it is better; returns the cheapest path of all.
    pub fn improve_by_beams<const W: usize>(
        &self,
        best: &mut Incumbent<'_>,
        widths: &[usize],
        parts: Option<&Parts>,
        budget: &Budget<'_>,
    ) -> Result<Option<Path>, Failure> {
        let control = budget.control();
        let mut cheapest: Option<Path> = None;
        for &width in widths {
            let states = width.saturating_mul(self.reduced.macros.len()) as u64;
            if !budget.allows(states) || control.is_cancelled() || best.traffic == 0 {
                break;
            }
            let path = beam::search::<W>(self.reduced, self.capacity, width, parts, budget)?;
            best.improve(self.reduced, &path, Effort::Low, self.seed, control)?;
            let is_cheaper = |path: &Path| cheapest.as_ref().is_none_or(|c| path.cost < c.cost);
            cheapest = path.filter(is_cheaper).or(cheapest);
        }
        Ok(cheapest)
    }

    /// Local search from an order; then the best replacement in the order found.
    fn improve_locally<const W: usize>(
        &self,
        best: &mut Incumbent<'_>,
        order: Vec<u32>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Failure> {
        let (reduced, seed, control) = (self.reduced, self.seed, budget.control());
        let steps = budget
            .options()
            .max_states
            .map_or(MOST_STEPS, |most| most.saturating_mul(STEPS_PER_STATE).min(MOST_STEPS));
        let (order, _) = local::search(reduced, self.capacity, order, steps, seed, control);
        self.improve_in_order::<W>(best, &order, budget)
    }

    /// The best replacement in an order of the macros, or what a beam finds.
    fn improve_in_order<const W: usize>(
        &self,
        best: &mut Incumbent<'_>,
        order: &[u32],
        budget: &mut Budget<'_>,
    ) -> Result<(), Failure> {
        let (reduced, seed, control) = (self.reduced, self.seed, budget.control());
        let chained = reduced.chained(order);
        let needed = reduced.largest_need();
        let before = best.traffic;
        for share in SHARES {
            let capacity = (self.capacity / 64 * share + self.capacity % 64).max(needed);
            let one_order =
                Reductions { canonical_last: false, defer_sources: false, ..self.reductions };
            let mut search = Search::<W>::new(&chained, capacity, one_order)?;
            let whole = budget.narrow(STATES);
            let found = search.run(Stepper::first(), best.traffic, 0, budget)?;
            budget.widen(whole);
            let path = match found.path {
                None => beam::search::<W>(&chained, capacity, WIDTH, None, budget)?,
                path => path,
            };
            best.improve(&chained, &path, Effort::Low, seed, control)?;
            if best.traffic < before || control.is_cancelled() {
                break;
            }
        }
        Ok(())
    }
}
