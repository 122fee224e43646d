//! A run of ejection: one buffer after another.

use std::collections::BinaryHeap;

use super::{Ejection, Next, Run};
use crate::problem::MAX_BYTES;
use crate::radix::sort_pairs;
use crate::random::Random;

/// Buffers looked at in the calendar, and buffers sorted, that take as long as one look of the placement engine.
const FILED: usize = 256;
const SORTED: usize = 32;

/// Prices vary at random by one part in so many.
const NOISE: u64 = 20;

/// Price of what is live at the peak, as a multiple of its weight: where all of it has its place, and where not.
const STAYS: f64 = 1e6;
const MOVES: f64 = 32.0;

/// Who is placed where, who waits, and what it costs to throw somebody out.
pub(super) struct State<'a> {
    shared: &'a Ejection<'a>,
    run: Run,
    random: Random,
    pub(super) offsets: Vec<u64>,
    pub(super) placed: Vec<bool>,
    /// What it costs to throw a buffer out.
    prices: Vec<f64>,
    /// Buffers that are not placed, by what says which is next,
    pub(super) waiting: BinaryHeap<(u64, u32)>,
    /// and the sum of their weights.
    pub(super) weight: f64,
    /// What is placed and live at the same time as the buffer at hand,
    near: Vec<u32>,
    /// by where it starts and by where it ends; the second member is a position in `near`.
    starts: Vec<(u64, u32)>,
    ends: Vec<(u64, u32)>,
    spare: Vec<(u64, u32)>,
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
        let price = |i: usize| match (shared.fixed[i], shared.at_peak[i]) {
            (true, _) => f64::INFINITY,
            (_, true) => stay * shared.weights[i],
            _ => shared.weights[i],
        };
        let mut state = Self {
            shared,
            run,
            random: Random::new(run.seed),
            offsets: start.to_vec(),
            prices: (0..n).map(price).collect(),
            waiting: BinaryHeap::new(),
            weight: 0.0,
            placed,
            near: Vec::new(),
            starts: Vec::new(),
            ends: Vec::new(),
            spare: Vec::new(),
        };
        for i in 0..n {
            if !state.placed[i] {
                state.wait(i);
            }
        }
        state
    }

    fn wait(&mut self, buffer: usize) {
        // The bits of a positive float sort like the float.
        let key = match self.run.next {
            Next::Heaviest => self.shared.weights[buffer].to_bits(),
            Next::Dearest => self.prices[buffer].to_bits(),
            Next::Largest => self.shared.instance.sizes()[buffer],
        };
        self.waiting.push((key, buffer as u32));
        self.weight += self.shared.weights[buffer];
    }

    /// Collects what is in the way of a buffer; returns the work.
    pub(super) fn gather(&mut self, buffer: usize) -> u64 {
        self.near.clear();
        self.starts.clear();
        self.ends.clear();
        let instance = self.shared.instance;
        let looked = self.shared.calendar.overlapping(instance.spans()[buffer], |other| {
            let i = other as usize;
            if self.placed[i] && instance.meet(buffer, i) {
                let at = self.near.len() as u32;
                self.near.push(other);
                self.starts.push((self.offsets[i], at));
                self.ends.push((self.offsets[i] + instance.sizes()[i], at));
            }
        });
        sort_pairs(&mut self.starts, &mut self.spare);
        sort_pairs(&mut self.ends, &mut self.spare);
        1 + (looked / FILED + self.near.len() / SORTED) as u64
    }

    /// Where to put a buffer, and whether it is free there; `None` if fixed buffers leave no room.
    ///
    /// Candidates are the ground and the ends of what is in the way: where others begin, it only gets dearer.
    pub(super) fn choose(&mut self, buffer: usize, limit: u64) -> Option<(u64, bool)> {
        let size = self.shared.instance.sizes()[buffer];
        let aligner = self.shared.instance.aligner(buffer);
        let mut offset = aligner.up(0);
        let (mut first, mut past) = (0, 0);
        let (mut price, mut walls) = (0.0, 0_u32);
        let mut best: Option<(f64, u64)> = None;
        while let Some(end) = offset.checked_add(size).filter(|&end| end <= limit) {
            while past < self.starts.len() && self.starts[past].0 < end {
                let other = self.prices[self.near[self.starts[past].1 as usize] as usize];
                if other.is_finite() {
                    price += other
                } else {
                    walls += 1
                }
                past += 1;
            }
            while first < self.ends.len() && self.ends[first].0 <= offset {
                let other = self.prices[self.near[self.ends[first].1 as usize] as usize];
                if other.is_finite() {
                    price -= other
                } else {
                    walls -= 1
                }
                first += 1;
            }
            if first == past {
                return Some((offset, true));
            }
            if walls == 0 && best.is_none_or(|(least, _)| price < least) {
                let noisy = price * (1.0 + self.random.below(1024) as f64 / (1024 * NOISE) as f64);
                if best.is_none_or(|(least, _)| noisy < least) {
                    best = Some((noisy, offset));
                }
            }
            let Some(&(next, _)) = self.ends.get(first) else { break };
            offset = aligner.up(next);
        }
        best.map(|(_, offset)| (offset, false))
    }

    /// Puts what is not placed where there is room, below the limit or above; false if that takes too long.
    pub(super) fn complete(&mut self, work: &mut u64, most: u64) -> bool {
        let weights = &self.shared.weights;
        let mut rest: Vec<usize> = (0..self.placed.len()).filter(|&i| !self.placed[i]).collect();
        rest.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        for buffer in rest {
            *work += self.gather(buffer);
            match self.choose(buffer, MAX_BYTES) {
                Some((offset, true)) if *work < most => self.place(buffer, offset, true),
                _ => return false,
            }
        }
        true
    }

    /// Puts a buffer where it was decided; what it overlaps there waits.
    pub(super) fn place(&mut self, buffer: usize, offset: u64, free: bool) {
        let sizes = self.shared.instance.sizes();
        if !free {
            self.prices[buffer] += self.shared.weights[buffer];
            let end = offset + sizes[buffer];
            for other in std::mem::take(&mut self.near) {
                let i = other as usize;
                if self.offsets[i] < end && offset < self.offsets[i] + sizes[i] {
                    self.placed[i] = false;
                    self.wait(i);
                }
            }
        }
        self.offsets[buffer] = offset;
        self.placed[buffer] = true;
    }
}
