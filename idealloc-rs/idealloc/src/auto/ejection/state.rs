//! A run of ejection: one buffer after another.

use std::collections::BinaryHeap;

use super::nearby::{Nearby, WALL, Wanted};
use super::profile::Profile;
use super::shelf::{Row, Shelf};
use super::{Ejection, Next, Run};
use crate::problem::MAX_BYTES;
use crate::random::Random;

/// Buffers looked at in the calendar or on a shelf, buffers sorted, and bins, that take as long as one look of the placement engine.
const FILED: usize = 256;
const SHELVED: usize = 256;
const SORTED: usize = 32;
const BINS: usize = 256;

/// Price of what is live at the peak, as a multiple of its weight: where all of it has its place, and where not.
const STAYS: f64 = 1e6;
const MOVES: f64 = 32.0;

/// The dearest of weights as a price: prices are whole numbers, so that sums of them are exact.
const DEAREST: f64 = 16_777_216.0;

/// Who is placed where, who waits, and what it costs to throw somebody out.
pub(super) struct State<'a> {
    shared: &'a Ejection<'a>,
    run: Run,
    random: Random,
    pub(super) offsets: Vec<u64>,
    pub(super) placed: Vec<bool>,
    /// What it costs to throw a buffer out, and what a price is for a unit of weight.
    prices: Vec<u64>,
    unit: f64,
    /// Buffers that are not placed, by what says which is next,
    pub(super) waiting: BinaryHeap<(u64, u32)>,
    /// and the sum of their weights.
    pub(super) weight: f64,
    /// What is placed, by where it starts and by where it ends,
    starts: Shelf,
    ends: Shelf,
    /// and what it costs to make room.
    profile: Profile,
    bounds: Vec<i64>,
    /// What is in the way of the buffer at hand.
    nearby: Nearby,
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
        let unit = DEAREST / shared.weights.iter().copied().fold(1.0, f64::max);
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
            unit,
            placed,
            starts: Shelf::new(&[]),
            ends: Shelf::new(&[]),
            profile: Profile::new(n, shared.instance.sections(), run.limit),
            bounds: Vec::new(),
            nearby: Nearby::default(),
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
            Next::Dearest => self.prices[buffer],
            Next::Largest => self.shared.instance.sizes()[buffer],
        };
        self.waiting.push((key, buffer as u32));
        self.weight += self.shared.weights[buffer];
    }

    /// Puts what is placed on the shelves.
    fn fill(&mut self) {
        let instance = self.shared.instance;
        let sizes = instance.sizes();
        let mut rows: Vec<Row> = (0..sizes.len())
            .filter(|&i| self.placed[i] && sizes[i] > 0 && !instance.spans()[i].is_empty())
            .map(|i| self.row(i))
            .collect();
        for row in &rows {
            self.profile.add(row.span, (row.key, row.other), row.price);
        }
        rows.sort_by_key(|row| row.key);
        self.starts = Shelf::new(&rows);
        for row in &mut rows {
            std::mem::swap(&mut row.key, &mut row.other);
        }
        rows.sort_by_key(|row| row.key);
        self.ends = Shelf::new(&rows);
    }

    /// A placed buffer by where it starts.
    fn row(&self, buffer: usize) -> Row {
        Row {
            key: self.offsets[buffer],
            other: self.offsets[buffer] + self.shared.instance.sizes()[buffer],
            span: self.shared.instance.spans()[buffer],
            price: self.prices[buffer],
            buffer: buffer as u32,
        }
    }

    /// Where to put a buffer, and whether it is free there; `None` if fixed buffers leave no room.
    pub(super) fn choose(&mut self, buffer: usize) -> Option<(u64, bool)> {
        self.work += 1;
        let span = self.shared.instance.spans()[buffer];
        self.nearby.cheapest = None;
        let free = match self.profile.knows(span) {
            true => self.choose_by_bounds(buffer),
            false => self.choose_by_time(buffer, self.run.limit),
        };
        free.map(|offset| (offset, true)).or(self.nearby.cheapest.map(|(_, offset)| (offset, false)))
    }

    /// Looks at all that is live at the same time. Returns a free place, if there is one.
    fn choose_by_time(&mut self, buffer: usize, limit: u64) -> Option<u64> {
        let instance = self.shared.instance;
        self.nearby.clear();
        let looked = self.shared.calendar.overlapping(instance.spans()[buffer], |other| {
            let i = other as usize;
            if self.placed[i] && instance.meet(buffer, i) {
                let start = self.offsets[i];
                self.nearby.starts.push((start, self.prices[i]));
                self.nearby.ends.push((start + instance.sizes()[i], self.prices[i]));
            }
        });
        self.nearby.sort();
        self.work += (looked / FILED + self.nearby.starts.len() / SORTED) as u64;
        let wanted = Wanted { size: instance.sizes()[buffer], aligner: instance.aligner(buffer), limit };
        self.nearby.search(wanted, 0, &mut self.random)
    }

    /// Looks where room may be cheapest, until it cannot be cheaper elsewhere. Returns a free place, if there is one.
    fn choose_by_bounds(&mut self, buffer: usize) -> Option<u64> {
        let instance = self.shared.instance;
        let size = instance.sizes()[buffer];
        let mut bounds = std::mem::take(&mut self.bounds);
        self.profile.bounds(instance.spans()[buffer], size, &mut bounds);
        self.work += (bounds.len() / BINS) as u64;
        let mut next: Vec<(i64, u32)> = Vec::new();
        let mut found = None;
        let mut from = 0;
        while let Some(start) = (from..bounds.len()).find(|&bin| bounds[bin] <= 0) {
            let end = (start..bounds.len()).find(|&bin| bounds[bin] > 0).unwrap_or(bounds.len());
            found = self.choose_in_bins(buffer, start, end);
            if found.is_some() {
                break;
            }
            from = end;
        }
        if found.is_none() {
            let positive = || (0_u32..).zip(&bounds).filter(|&(_, &bound)| bound > 0);
            if let Some((first, _)) = positive().min_by_key(|&(_, &bound)| bound) {
                found = self.choose_in_bins(buffer, first as usize, first as usize + 1);
                let most = self.nearby.least();
                next.extend(positive().filter(|&(bin, &bound)| (bound as u64) < most && bin != first).map(|(bin, &bound)| (bound, bin)));
                next.sort_unstable();
                for &(bound, bin) in &next {
                    if bound as u64 >= self.nearby.least() || found.is_some() {
                        break;
                    }
                    found = self.choose_in_bins(buffer, bin as usize, bin as usize + 1);
                }
            }
        }
        self.bounds = bounds;
        found
    }

    /// Looks at places that start in these bins.
    fn choose_in_bins(&mut self, buffer: usize, first: usize, past: usize) -> Option<u64> {
        let instance = self.shared.instance;
        let (size, span) = (instance.sizes()[buffer], instance.spans()[buffer]);
        let aligner = instance.aligner(buffer);
        let from = first as u64 * self.profile.bin();
        let to = aligner.up(past as u64 * self.profile.bin());
        let Nearby { starts, ends, .. } = &mut self.nearby;
        starts.clear();
        ends.clear();
        let meets = |row: &Row| instance.meet(buffer, row.buffer as usize);
        let low = from.saturating_sub(self.shared.largest);
        let looked = self.starts.visit((low, to.saturating_add(size)), from, span, |row| {
            if meets(row) {
                starts.push((row.key, row.price));
            }
        }) + self.ends.visit((from, to), 0, span, |row| {
            if meets(row) {
                ends.push((row.key, row.price));
            }
        });
        self.work += (looked / SHELVED) as u64;
        let wanted = Wanted { size, aligner, limit: self.run.limit };
        self.nearby.search(wanted, from, &mut self.random)
    }

    /// Puts what is not placed where there is room, below the limit or above; false if that takes too long.
    pub(super) fn complete(&mut self, most: u64) -> bool {
        let weights = &self.shared.weights;
        let mut rest: Vec<usize> = (0..self.placed.len()).filter(|&i| !self.placed[i]).collect();
        rest.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        for buffer in rest {
            self.work += 1;
            self.nearby.cheapest = None;
            match self.choose_by_time(buffer, MAX_BYTES) {
                Some(offset) if self.work < most => {
                    self.offsets[buffer] = offset;
                    self.placed[buffer] = true;
                }
                _ => return false,
            }
        }
        true
    }

    /// Puts a buffer where it was decided; what it overlaps there waits.
    pub(super) fn place(&mut self, buffer: usize, offset: u64, free: bool) {
        let instance = self.shared.instance;
        if !free {
            self.prices[buffer] += (self.shared.weights[buffer] * self.unit) as u64 + 1;
            let end = offset + instance.sizes()[buffer];
            let low = offset.saturating_sub(self.shared.largest);
            let mut out = std::mem::take(&mut self.out);
            self.starts.visit((low, end), offset + 1, instance.spans()[buffer], |row| out.push(row.buffer));
            for other in out.drain(..).map(|other| other as usize) {
                if instance.meet(buffer, other) {
                    let row = self.row(other);
                    self.starts.remove(row.key, row.buffer);
                    self.ends.remove(row.other, row.buffer);
                    self.profile.add(row.span, (row.key, row.other), row.price.wrapping_neg());
                    self.placed[other] = false;
                    self.wait(other);
                }
            }
            self.out = out;
        }
        self.offsets[buffer] = offset;
        self.placed[buffer] = true;
        if instance.sizes()[buffer] > 0 && !instance.spans()[buffer].is_empty() {
            let row = self.row(buffer);
            self.starts.insert(row);
            self.profile.add(row.span, (row.key, row.other), row.price);
            self.ends.insert(Row { key: row.other, other: row.key, ..row });
        }
    }
}
