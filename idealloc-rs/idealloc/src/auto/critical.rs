//! Tree search, first of what is critical.

use crate::auto::arms::{PASSES, arms};
use crate::auto::budget::MANY;
use crate::auto::climb::Layout;
use crate::auto::portfolio::Portfolio;
use crate::auto::search::Search;
use crate::mcts;
use crate::place::instance::{Instance, Span};
use crate::place::order::Orders;
use crate::random::scramble;

/// What is critical.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// Buffers that meet a section with at least so many thousandths of the load,
    thousandths: u32,
    /// and take at least this share of it.
    share: u64,
}

/// From few buffers to many. What reaches the target among the critical ones usually does so among all.
pub const REDUCTIONS: &[Reduction] =
    &[Reduction { thousandths: 950, share: 1_000 }, Reduction { thousandths: 800, share: 5_000 }];

impl Search<'_> {
    /// Tree search over what is critical; the rest is placed around it.
    pub fn reduced(&mut self, reduction: Reduction, level: u64) {
        if self.is_done() || !self.stages.search || !self.instance.is_temporal() {
            return;
        }
        let mut orders = Orders::new(self.instance);
        let hot = orders.meets_peak(reduction.thousandths);
        let least = orders.load() / reduction.share;
        let is_critical = |i: usize| hot[i] && self.instance.sizes()[i] >= least;
        let is_fixed =
            |i: usize| self.instance.fixed().binary_search_by_key(&(i as u32), |&(b, _)| b).is_ok();
        let (critical, rest): (Vec<u32>, Vec<u32>) = orders
            .sorted(PASSES[0])
            .into_iter()
            .filter(|&buffer| !is_fixed(buffer as usize))
            .partition(|&buffer| is_critical(buffer as usize));
        if critical.is_empty() || 2 * critical.len() > self.instance.len() {
            return;
        }
        let whole = Span { start: 0, end: self.instance.sections() as u32 };
        let part = self.instance.window(whole, &critical, self.instance.fixed());
        let Some(layout) = self.play(&part, self.left() / 4, level) else { return };
        let mut order: Vec<u32> = layout.order.iter().map(|&i| critical[i as usize]).collect();
        order.extend_from_slice(&rest);
        self.place_below(&order);
    }

    /// Tree search over all buffers.
    pub fn tree(&mut self) {
        if self.is_done() || !self.stages.search || self.instance.len() > MANY {
            return;
        }
        let work = self.left() / 4 * 3;
        if let Some(layout) = self.play(self.instance, work, REDUCTIONS.len() as u64) {
            if layout.peak < self.peak {
                self.accept(&layout.offsets, layout.peak);
            }
        }
    }

    fn play(&mut self, instance: &Instance, work: u64, stream: u64) -> Option<Layout> {
        let arms = arms(self.stages.without);
        let game = Portfolio::new(instance, self.target, arms, self.control);
        let limits = mcts::Limits {
            target: self.target,
            work,
            plays: (4 << 30) / (16 * instance.len() as u64 + 1000),
            threads: self.options.threads,
            seed: self.options.seed ^ scramble(stream),
        };
        let found = mcts::search(&game, self.stages.restarts, self.peak, limits, self.control);
        self.work = self.work.saturating_add(found.work);
        self.plays += found.plays;
        found.best.and_then(|play| play.state.layout().cloned())
    }
}
