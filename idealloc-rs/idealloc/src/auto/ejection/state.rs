//! A run of ejection: one buffer after another.

use std::collections::BinaryHeap;

use super::shelf::{Row, Shelf, Sweep};
use super::{Ejection, Next, Run};
use crate::problem::MAX_BYTES;
use crate::random::Random;

/// Buffers looked at in a sweep that take as long as one look of the placement engine.
const LOOKED: usize = 1024;

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
    /// What is placed, by where it starts and by where it ends,
    starts: Shelf,
    ends: Shelf,
    /// and sweeps over both.
    entering: Sweep,
    leaving: Sweep,
    /// Who may have to go.
    out: Vec<u32>,
    /// Work done.
    pub(super) work: u64,
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
            starts: Shelf::new(&[]),
            ends: Shelf::new(&[]),
            entering: Sweep::default(),
            leaving: Sweep::default(),
            out: Vec::new(),
            work: 0,
        };
        for i in 0..n {
            if !state.placed[i] {
                state.wait(i);
            }
        }
        state.fill();
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

    /// Where to put a buffer, and whether it is free there; `None` if fixed buffers leave no room. Adds to the work.
    ///
    /// Candidates are the ground and the ends of what is in the way: where others begin, it only gets dearer.
    pub(super) fn choose(&mut self, buffer: usize, limit: u64) -> Option<(u64, bool)> {
        let instance = self.shared.instance;
        let size = instance.sizes()[buffer];
        let aligner = instance.aligner(buffer);
        let mut offset = aligner.up(0);
        // What starts below the end of the place and ends above its start is in the way.
        let (mut entered, mut left) = (0_u32, 0_u32);
        let (mut price, mut walls) = (0.0, 0_u32);
        let mut best: Option<(f64, u64)> = None;
        self.entering.open();
        self.leaving.open();
        let found = loop {
            let Some(end) = offset.checked_add(size).filter(|&end| end <= limit) else { break None };
            loop {
                let (start, other) = self.entering.peek(&self.starts, instance, buffer);
                if start >= end {
                    break;
                }
                self.entering.pass();
                entered += 1;
                if other.is_finite() { price += other } else { walls += 1 }
            }
            let next = loop {
                let (top, other) = self.leaving.peek(&self.ends, instance, buffer);
                if top > offset {
                    break top;
                }
                self.leaving.pass();
                left += 1;
                if other.is_finite() { price -= other } else { walls -= 1 }
            };
            if entered == left {
                break Some(offset);
            }
            if walls == 0 && best.is_none_or(|(least, _)| price < least) {
                let noisy = price * (1.0 + self.random.below(1024) as f64 / (1024 * NOISE) as f64);
                if best.is_none_or(|(least, _)| noisy < least) {
                    best = Some((noisy, offset));
                }
            }
            if next == u64::MAX {
                break None;
            }
            offset = aligner.up(next);
        };
        self.work += 1 + ((self.entering.looked + self.leaving.looked) / LOOKED) as u64;
        found.map(|offset| (offset, true)).or(best.map(|(_, offset)| (offset, false)))
    }

    /// Puts what is not placed where there is room, below the limit or above; false if that takes too long.
    pub(super) fn complete(&mut self, most: u64) -> bool {
        let weights = &self.shared.weights;
        let mut rest: Vec<usize> = (0..self.placed.len()).filter(|&i| !self.placed[i]).collect();
        rest.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        for buffer in rest {
            match self.choose(buffer, MAX_BYTES) {
                Some((offset, true)) if self.work < most => self.place(buffer, offset, true),
                _ => return false,
            }
        }
        true
    }

    /// Puts a buffer where it was decided; what it overlaps there waits.
    pub(super) fn place(&mut self, buffer: usize, offset: u64, free: bool) {
        let instance = self.shared.instance;
        let sizes = instance.sizes();
        let end = offset + sizes[buffer];
        if !free {
            self.prices[buffer] += self.shared.weights[buffer];
            let mut out = std::mem::take(&mut self.out);
            let lowest = (offset + 1).saturating_sub(self.shared.largest);
            self.starts.visit(lowest, end, instance.spans()[buffer], |other| out.push(other));
            for other in out.drain(..) {
                let i = other as usize;
                let top = self.offsets[i] + sizes[i];
                if offset < top && instance.meet(buffer, i) {
                    self.starts.remove(self.offsets[i], other);
                    self.ends.remove(top, other);
                    self.placed[i] = false;
                    self.wait(i);
                }
            }
            self.out = out;
        }
        self.offsets[buffer] = offset;
        self.placed[buffer] = true;
        if sizes[buffer] > 0 {
            let row = Row {
                key: offset,
                span: instance.spans()[buffer],
                price: self.prices[buffer],
                buffer: buffer as u32,
            };
            self.starts.insert(row);
            self.ends.insert(Row { key: end, ..row });
        }
    }

    /// Goes back to an earlier state of what is placed where; nothing waits any more.
    pub(super) fn restore(&mut self, offsets: Vec<u64>, placed: Vec<bool>) {
        (self.offsets, self.placed) = (offsets, placed);
        self.waiting.clear();
        self.fill();
    }

    /// Puts what is placed on the shelves.
    fn fill(&mut self) {
        let instance = self.shared.instance;
        let sizes = instance.sizes();
        let mut rows: Vec<Row> = (0..sizes.len())
            .filter(|&i| self.placed[i] && sizes[i] > 0)
            .map(|i| Row {
                key: self.offsets[i],
                span: instance.spans()[i],
                price: self.prices[i],
                buffer: i as u32,
            })
            .collect();
        rows.sort_by_key(|row| row.key);
        self.starts = Shelf::new(&rows);
        for row in &mut rows {
            row.key += sizes[row.buffer as usize];
        }
        rows.sort_by_key(|row| row.key);
        self.ends = Shelf::new(&rows);
    }
}
