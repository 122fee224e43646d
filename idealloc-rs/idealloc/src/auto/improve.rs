//! Stages of `auto` that improve the plan that is there, other than tree search.

use crate::auto::arms::PASSES;
use crate::auto::budget::{MANY, VERY_MANY};
use crate::auto::ejection::{Ejection, Next, Run};
use crate::auto::repair::{Budget, repair};
use crate::auto::search::{Search, peak_of};
use crate::auto::{blends, small};
use crate::place::around::{WINDOW, around};
use crate::place::order::Orders;
use crate::preprocess::prepare;

/// Buffers up to which exact search is worth preparing for.
const EXACT_LIMIT: usize = 20_000;

/// With less work than so many looks at every buffer, blends leave out what only meets sections with fewer thousandths
/// of the load: cheaper passes, but now and then what they left out ends on top.
const PASSES_ARE_FEW: u64 = 4;
const CROWDED: u32 = 700;

/// Of very many buffers, what takes less than such a share of the load finds room at the end.
const SHARES: u64 = 1 << 18;

/// Part of the work that is left for what is placed around the hard part.
const FILLING: u64 = 8;

impl Search<'_> {
    /// Orders of what is hard to place and ejection, for at most so much work; the rest is placed around the best of them.
    /// Once, and only if no more than `most` buffers are hard to place.
    pub fn blends(&mut self, work: u64, most: usize) {
        if self.is_done() || self.blended || !self.stages.blends || !self.instance.is_temporal() {
            return;
        }
        let work = self.left().min(work);
        let few = work < PASSES_ARE_FEW * self.instance.len() as u64;
        let crowded = if few { CROWDED } else { 0 };
        let are_very_many = self.instance.len() > VERY_MANY;
        let least = if are_very_many { self.bound / SHARES } else { 0 };
        let (hard, rest) = blends::partition(self.instance, self.bound, crowded, least);
        if hard.is_empty() || hard.len() > most {
            return;
        }
        self.blended = true;
        let part = self.instance.subset(&hard);
        let filling = if few || are_very_many { 0 } else { work / FILLING };
        let budget = Budget {
            work: work.saturating_sub(rest.len() as u64 + filling),
            threads: self.options.threads,
            seed: self.options.seed,
        };
        // Its own load, if that can be: then there is room above it for the rest, and no more than that where it is reached.
        let target = match self.options.minimize && !few {
            true => part.section_loads().into_iter().max().unwrap_or(0),
            false => self.target,
        };
        let found = blends::search(&part, target, self.peak - 1, budget, self.control);
        self.work = self.work.saturating_add(found.work);
        self.plays += found.tried;
        if let Some((offsets, peak)) = found.plan.filter(|_| !self.control.is_abandoned()) {
            let is_low = peak <= self.target;
            let limit = if is_low { self.target } else { self.target.midpoint(peak) };
            self.fill(&hard, &offsets, &rest, limit, filling);
        }
    }

    /// Puts the rest around what is placed, what meets the peak first, even if time is just up; then a run of
    /// ejection of all to a limit, for so much work.
    pub fn fill(&mut self, hard: &[u32], offsets: &[u64], rest: &[u32], limit: u64, work: u64) {
        let at_peak = Orders::new(self.instance).meets_peak(1000);
        let others = self.instance.subset(rest);
        let sorted = Orders::new(&others).sorted(PASSES[0]);
        let mut order: Vec<u32> = sorted.iter().map(|&i| rest[i as usize]).collect();
        order.sort_by_key(|&buffer| !at_peak[buffer as usize]);
        let placed: Vec<(u32, u64)> = hard.iter().copied().zip(offsets.iter().copied()).collect();
        let place =
            || around(self.instance, &placed, &order, WINDOW, self.options.threads, self.control);
        // What was found for the hard part is lost without the rest. Of very many buffers that takes seconds.
        let mut found = place();
        let is_late = self.control.has_timed_out() && self.instance.len() <= VERY_MANY;
        if found.is_none() && is_late {
            found = self.control.overtime(place);
        }
        self.work = self.work.saturating_add(rest.len() as u64);
        let Some((offsets, reached)) = found else { return };
        if reached < self.peak {
            self.accept(&offsets, reached);
        }
        if self.is_done() || work == 0 {
            return;
        }
        let run = Run { limit, next: Next::Heaviest, work, seed: self.options.seed };
        let ejected = Ejection::new(self.instance).run(&offsets, run, self.control);
        self.work = self.work.saturating_add(ejected.work);
        if let Some((offsets, peak)) = ejected.plan.filter(|&(_, peak)| peak < self.peak) {
            self.accept(&offsets, peak);
        }
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

    /// Raises the bound to what alignment makes some section need by itself.
    pub fn stacks(&mut self) {
        if self.is_done() || self.instance.len() > MANY || self.instance.alignments().is_none() {
            return;
        }
        self.raise(prepare(self.problem).with_stacks(MANY).bound);
    }

    fn raise(&mut self, bound: u64) {
        self.bound = self.bound.max(bound);
        self.target = self.target.max(self.bound);
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
        self.raise(proved.bound);
        self.peak = peak_of(self.instance, &self.offsets);
        self.control.add_work(proved.work);
        self.control.publish(self.peak, self.bound);
    }
}
