//! A run of ejection: one buffer after another.

use std::collections::BinaryHeap;

use super::profile::Profile;
use super::shelf::{Row, Shelf, Sweep};
use super::{Ejection, Next, Run};
use crate::problem::MAX_BYTES;
use crate::random::Random;

/// Buffers looked at in a sweep that take as long as one look of the placement engine.
const LOOKED: usize = 1024;

const PROFILED: usize = 8192;
const SWEEP: u64 = 16;
const WALL: u64 = 1 << 46;
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
    prices: Vec<u64>,
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
    profile: Profile,
    bins: Vec<u32>,
    best: Option<(u64, u64)>,
    unit: f64,
    pub(super) looked: usize,
    count: usize,
    tiny: u64,
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
        let unit = f64::from(1 << 24) / shared.weights.iter().copied().fold(1.0, f64::max);
        let price = |i: usize| match (shared.fixed[i], shared.at_peak[i]) {
            (true, _) => WALL,
            (_, true) => (stay * shared.weights[i] * unit) as u64 + 1,
            _ => (shared.weights[i] * unit) as u64 + 1,
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
            profile: Profile::new(shared.instance.sections(), run.limit),
            bins: Vec::new(),
            best: None,
            unit,
            looked: 0,
            count: std::env::var("COUNT").map_or(16, |v| v.parse().unwrap_or(16)),
            tiny: std::env::var("TINY").map_or(16, |v| v.parse().unwrap_or(16)),
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
            Next::Dearest => self.prices[buffer],
            Next::Largest => self.shared.instance.sizes()[buffer],
        };
        self.waiting.push((key, buffer as u32));
        self.weight += self.shared.weights[buffer];
    }

    /// Where to put a buffer, and whether it is free there; `None` if fixed buffers leave no room. Adds to the work.
    pub(super) fn choose(&mut self, buffer: usize, limit: u64) -> Option<(u64, bool)> {
        let size = self.shared.instance.sizes()[buffer];
        self.best = None;
        let whole = self.shared.instance.len() < PROFILED || limit != self.run.limit || size < self.profile.bin() * self.tiny / 16 && self.random.one_in(SWEEP);
        let found = if whole {
            self.sweep(buffer, limit, 0, u64::MAX)
        } else {
            let mut bins = std::mem::take(&mut self.bins);
            self.profile.cheapest(self.shared.instance.spans()[buffer], size, self.count, &mut bins);
            self.work += 8;
            let width = self.profile.bin();
            let mut found = None;
            for run in bins.chunk_by(|a, b| a + 1 == *b) {
                let (from, to) = (u64::from(run[0]) * width, u64::from(run[run.len() - 1] + 1) * width);
                found = self.sweep(buffer, limit, from, to);
                if found.is_some() {
                    break;
                }
            }
            self.bins = bins;
            found
        };
        let looked = std::mem::take(&mut self.entering.looked) + std::mem::take(&mut self.leaving.looked);
        self.looked += looked;
        self.work += 1 + (looked / LOOKED) as u64;
        found.map(|offset| (offset, true)).or(self.best.map(|(_, offset)| (offset, false)))
    }

    /// A free place from `from` on and before `to`. On the way the cheapest place is noted.
    ///
    /// Candidates are the ground and the ends of what is in the way: where others begin, it only gets dearer.
    fn sweep(&mut self, buffer: usize, limit: u64, from: u64, to: u64) -> Option<u64> {
        let instance = self.shared.instance;
        let size = instance.sizes()[buffer];
        let aligner = instance.aligner(buffer);
        let mut offset = aligner.up(from);
        // What starts below the end of the place and ends above its start is in the way.
        let (mut entered, mut left) = (0_u32, 0_u32);
        let mut price = 0_u64;
        self.entering.open(&self.starts, (from + 1).saturating_sub(self.shared.largest), from + 1);
        self.leaving.open(&self.ends, from + 1, 0);
        loop {
            let end = offset.checked_add(size).filter(|&end| end <= limit && offset < to)?;
            loop {
                let (start, other) = self.entering.peek(&self.starts, instance, buffer);
                if start >= end {
                    break;
                }
                self.entering.pass();
                entered += 1;
                price += other;
            }
            let next = loop {
                let (top, other) = self.leaving.peek(&self.ends, instance, buffer);
                if top > offset {
                    break top;
                }
                self.leaving.pass();
                left += 1;
                price -= other;
            };
            if entered == left {
                return Some(offset);
            }
            if price < WALL && self.best.is_none_or(|(least, _)| price < least) {
                let noisy = price + price / (1024 * NOISE) * self.random.below(1024);
                if self.best.is_none_or(|(least, _)| noisy < least) {
                    self.best = Some((noisy, offset));
                }
            }
            if next == u64::MAX {
                return None;
            }
            offset = aligner.up(next);
        }
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
            self.prices[buffer] += (self.shared.weights[buffer] * self.unit) as u64 + 1;
            let mut out = std::mem::take(&mut self.out);
            let lowest = (offset + 1).saturating_sub(self.shared.largest);
            self.starts.visit(lowest, end, instance.spans()[buffer], |other| out.push(other));
            for other in out.drain(..) {
                let i = other as usize;
                let top = self.offsets[i] + sizes[i];
                if offset < top && instance.meet(buffer, i) {
                    self.starts.remove(self.offsets[i], other);
                    self.ends.remove(top, other);
                    self.profile.add(instance.spans()[i], self.offsets[i], top, self.prices[i].wrapping_neg());
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
                other: end,
                span: instance.spans()[buffer],
                price: self.prices[buffer],
                buffer: buffer as u32,
            };
            self.starts.insert(row);
            self.profile.add(row.span, offset, end, row.price);
            self.ends.insert(Row { key: end, other: offset, ..row });
        }
    }

    /// Goes back to an earlier state of what is placed where; nothing waits any more.
    pub(super) fn restore(&mut self, offsets: Vec<u64>, placed: Vec<bool>) {
        (self.offsets, self.placed) = (offsets, placed);
        self.waiting.clear();
        self.profile = Profile::new(self.shared.instance.sections(), self.run.limit);
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
                other: self.offsets[i] + sizes[i],
                span: instance.spans()[i],
                price: self.prices[i],
                buffer: i as u32,
            })
            .collect();
        rows.sort_by_key(|row| row.key);
        self.starts = Shelf::new(&rows);
        for row in &mut rows {
            self.profile.add(row.span, row.key, row.other, row.price);
            std::mem::swap(&mut row.key, &mut row.other);
        }
        rows.sort_by_key(|row| row.key);
        self.ends = Shelf::new(&rows);
    }
}
