//! Stages of `auto` that improve the plan that is there, other than tree search.

use crate::auto::arms::PASSES;
use crate::auto::repair::{Budget, repair};
use crate::auto::search::{Search, peak_of};
use crate::auto::{blends, small};
use crate::place::order::Orders;

/// Buffers up to which exact search is worth preparing for.
const EXACT_LIMIT: usize = 20_000;

/// With less work than so many looks at every buffer, blends leave out what only meets sections with fewer thousandths
/// of the load: cheaper passes, but now and then what they left out ends on top.
const PASSES_ARE_FEW: u64 = 4;
const CROWDED: u32 = 700;

impl Search<'_> {
    /// Orders of what is hard to place; the rest is placed around the best of them.
    pub fn blends(&mut self) {
        if self.is_done() || !self.stages.blends || !self.instance.is_temporal() {
            return;
        }
        let few = self.left() < PASSES_ARE_FEW * self.instance.len() as u64;
        let crowded = if few { CROWDED } else { 0 };
        let (hard, rest) = blends::partition(self.instance, self.bound, crowded);
        if hard.is_empty() {
            return;
        }
        let part = self.instance.subset(&hard);
        let budget = Budget {
            work: self.left().saturating_sub(rest.len() as u64),
            threads: self.options.threads,
            seed: self.options.seed,
        };
        let found = blends::search(&part, self.target, self.peak - 1, budget, self.control);
        self.work = self.work.saturating_add(found.work);
        self.plays += found.tried;
        let Some(order) = found.order.filter(|_| !self.control.is_abandoned()) else { return };
        let mut order: Vec<u32> = order.iter().map(|&i| hard[i as usize]).collect();
        let others = self.instance.subset(&rest);
        let sorted = Orders::new(&others).sorted(PASSES[0]);
        order.extend(sorted.iter().map(|&i| rest[i as usize]));
        self.place_below(&order);
    }

    /// Window repair, for at most so much work.
    pub fn repair(&mut self, work: u64) {
        if self.is_done() || !self.stages.repair || !self.instance.is_temporal() {
            return;
        }
        let budget = Budget {
            work: self.left().min(work),
            threads: self.options.threads,
            seed: self.options.seed ^ self.windows,
        };
        let done = repair(self.instance, &mut self.offsets, self.target, budget, self.control);
        self.work = self.work.saturating_add(done.work);
        self.windows += done.windows;
        self.peak = peak_of(self.instance, &self.offsets);
        self.control.publish(self.peak, self.bound);
    }

    /// Exact search of small components, for at most so much work.
    pub fn exact(&mut self, work: u64) {
        if self.is_done() || !self.stages.exact || self.instance.len() > EXACT_LIMIT {
            return;
        }
        let work = self.left().min(work);
        let seed = self.options.seed.wrapping_add(self.nodes);
        let goal = (self.target, work, seed);
        let (options, control) = (self.options, self.control);
        let proved = small::improve(self.problem, &mut self.offsets, goal, options, control);
        self.work = self.work.saturating_add(proved.work);
        self.nodes += proved.nodes;
        self.bound = self.bound.max(proved.bound);
        self.target = self.target.max(self.bound);
        self.peak = peak_of(self.instance, &self.offsets);
        self.control.add_work(proved.work);
        self.control.publish(self.peak, self.bound);
    }
}
