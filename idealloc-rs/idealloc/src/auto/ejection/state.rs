//! A run of ejection: one buffer after another.

use std::collections::BinaryHeap;

use super::nearby::WALL;
use super::space::Space;
use super::{Ejection, Next, Run};
use crate::random::Random;

/// Price of what is live at the peak, as a multiple of its weight: where all of it has its place, and where not.
const STAYS: f64 = 1e6;
const MOVES: f64 = 32.0;

/// The largest weight as a price: prices are whole numbers, so that sums of them are exact.
const DEAREST: f64 = 16_777_216.0;

/// Nobody bids more: without a limit two that want the same place outbid each other for ever.
const MOST: u64 = 1 << 44;

/// Who is placed where, who waits, and what it costs to throw somebody out.
pub(super) struct State<'a> {
    shared: &'a Ejection<'a>,
    next: Next,
    random: Random,
    pub(super) space: Space<'a>,
    /// Buffers that are not placed, by what says which is next,
    waiting: BinaryHeap<(u64, u32)>,
    /// and the sum of their weights.
    pub(super) weight: f64,
    /// Price of a unit of weight.
    unit: f64,
    out: Vec<u32>,
}

impl<'a> State<'a> {
    pub(super) fn new(shared: &'a Ejection<'a>, start: &[u64], run: Run) -> Self {
        let sizes = shared.instance.sizes();
        let n = sizes.len();
        let fits = |i: usize| {
            sizes[i] == 0 || shared.fixed[i] || start[i].saturating_add(sizes[i]) <= run.limit
        };
        let placed: Vec<bool> = (0..n).map(fits).collect();
        let stay = match (0..n).any(|i| shared.at_peak[i] && !placed[i]) {
            true => MOVES,
            false => STAYS,
        };
        let unit = DEAREST / shared.weights.iter().copied().fold(1.0, f64::max);
        let price = |i: usize| match (shared.fixed[i], shared.at_peak[i]) {
            (true, _) => WALL,
            (_, true) => as_price(stay * shared.weights[i], unit),
            _ => as_price(shared.weights[i], unit),
        };
        let prices = (0..n).map(price).collect();
        let mut state = Self {
            shared,
            next: run.next,
            random: Random::new(run.seed),
            space: Space::new(shared, run.limit, start.to_vec(), placed, prices),
            waiting: BinaryHeap::new(),
            weight: 0.0,
            unit,
            out: Vec::new(),
        };
        for i in 0..n {
            if !state.space.placed[i] {
                state.wait(i);
            }
        }
        state
    }

    fn wait(&mut self, buffer: usize) {
        // The bits of a positive float sort like the float.
        let key = match self.next {
            Next::Heaviest => self.shared.weights[buffer].to_bits(),
            Next::Largest => self.shared.instance.sizes()[buffer],
        };
        self.waiting.push((key, buffer as u32));
        self.weight += self.shared.weights[buffer];
    }

    /// True if nobody waits.
    pub(super) fn is_done(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Places the next buffer; what has to go for it waits. False if nobody waits or there is no room for it at all.
    pub(super) fn step(&mut self) -> bool {
        let Some((_, buffer)) = self.waiting.pop() else { return false };
        let buffer = buffer as usize;
        self.weight -= self.shared.weights[buffer];
        let Some((offset, price)) = self.space.choose(buffer, &mut self.random) else {
            self.wait(buffer);
            return false;
        };
        if price > 0 {
            let own = self.space.prices[buffer] + as_price(self.shared.weights[buffer], self.unit);
            self.space.prices[buffer] = own.max(price).min(MOST);
            let mut out = std::mem::take(&mut self.out);
            self.space.clear(buffer, offset, &mut out);
            for &other in &out {
                self.wait(other as usize);
            }
            self.out = out;
        }
        self.space.put(buffer, offset);
        true
    }
}

/// A weight as a price, never nothing.
fn as_price(weight: f64, unit: f64) -> u64 {
    (weight * unit) as u64 + 1
}
