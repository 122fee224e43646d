//! What every way from a state to the end moves, by capacity alone; remembered and carried over to similar states.

use super::super::bit_set::BitSet;
use super::super::budget::Budget;
use super::super::downsets::TooWide;
use super::super::path::Path;
use super::super::step::State;
use super::super::traffic::{Search, price};
use crate::plan::StopReason;

/// States that may be expanded to bound one state: a bound that is not sharp lets the tree grow by more than that.
const MOST_STATES: u64 = 200_000;

/// What is known of the cost from a state of a downset on.
#[derive(Clone, Copy, Debug)]
struct Known<const W: usize> {
    resident: BitSet<W>,
    dirty: BitSet<W>,
    lower: u64,
    upper: u64,
}

/// Bounds of the cost to come.
pub(super) struct Ahead<'a, const W: usize> {
    pub search: Search<'a, W>,
    /// By downset.
    known: Vec<Vec<Known<W>>>,
    /// How much is known in all.
    count: usize,
}

impl<'a, const W: usize> Ahead<'a, W> {
    pub fn new(search: Search<'a, W>) -> Self {
        Self { search, known: Vec::new(), count: 0 }
    }

    /// Bytes that what is remembered takes, but for the search.
    pub const fn held(&self) -> usize {
        self.known.len() * size_of::<Vec<Known<W>>>() + self.count * size_of::<Known<W>>()
    }

    /// Bytes that every way from a state to the end moves; exact enough to say whether that is more than `slack`,
    /// if that can be found out at bearable cost. With a way that moves no more, if one was met.
    pub fn bound(
        &mut self,
        state: State<W>,
        slack: u64,
        budget: &mut Budget<'_>,
    ) -> Result<(u64, Option<Path>), TooWide> {
        let downsets = &self.search.stepper.downsets;
        self.known.resize_with(downsets.lattice.len(), Vec::new);
        let sizes = downsets.sizes(state.downset);
        let me = (state.resident, state.dirty);
        let (mut lower, mut upper) = (0, u64::MAX);
        for k in &self.known[state.downset.0 as usize] {
            let other = (k.resident, k.dirty);
            if k.lower > lower {
                if let Some(price) = price(&sizes, other, me, k.lower - lower) {
                    lower = lower.max(k.lower - price);
                }
            }
            if upper > slack && k.upper <= slack {
                if let Some(price) = price(&sizes, me, other, slack - k.upper) {
                    upper = k.upper + price;
                }
            }
            if lower > slack {
                return Ok((lower, None));
            }
        }
        drop(sizes);
        if upper <= slack {
            return Ok((lower, None));
        }
        let start = State { cost: 0, ..state };
        let whole = budget.narrow(MOST_STATES);
        let found = self.search.run(start, slack, 0, budget);
        budget.widen(whole);
        let found = found?;
        self.search.learn(found.bound);
        let upper = if found.stop == StopReason::Optimal { found.bound } else { u64::MAX };
        lower = lower.max(found.bound);
        let (resident, dirty) = me;
        self.known.resize_with(self.search.stepper.downsets.lattice.len(), Vec::new);
        self.count += 1;
        self.known[state.downset.0 as usize].push(Known { resident, dirty, lower, upper });
        Ok((lower, found.path))
    }
}
