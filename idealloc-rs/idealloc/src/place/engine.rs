//! Places buffers one after another: given an order and a rule, where does each one go?

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::control::Control;
use crate::error::Error;
use crate::place::instance::Instance;
use crate::place::occupancy::Occupancy;
use crate::problem::MAX_BYTES;

/// Which free place a buffer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The lowest place where it fits.
    FirstFit,
    /// The smallest hole that holds it.
    BestFit,
}

/// How a pass over all buffers ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All are placed; the peak in bytes.
    Placed(u64),
    /// This buffer does not fit under the limit.
    Above(u32),
    /// The caller asked to stop.
    Cancelled,
}

/// Buffers between two looks at the control.
const WATCH: usize = 512;

/// Offsets under construction, with the index of what is taken. Reused from pass to pass.
#[derive(Debug)]
pub struct Engine<'a> {
    instance: &'a Instance,
    occupancy: Occupancy,
    offsets: Vec<u64>,
    placed: Vec<bool>,
    peak: u64,
    fixed_peak: u64,
    work: u64,
}

impl<'a> Engine<'a> {
    /// An engine for one instance, with only the fixed buffers placed.
    pub fn new(instance: &'a Instance) -> Self {
        let mut engine = Self {
            instance,
            occupancy: Occupancy::new(instance.sections()),
            offsets: vec![0; instance.len()],
            placed: vec![false; instance.len()],
            peak: 0,
            fixed_peak: 0,
            work: 0,
        };
        for &(buffer, offset) in instance.fixed() {
            engine.commit(buffer as usize, offset);
        }
        engine.occupancy.keep();
        engine.fixed_peak = engine.peak;
        engine
    }

    /// Offsets of the last pass, in bytes.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Peak of what is placed so far, in bytes.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// Buffers looked at since the engine was made: the unit of work of all planners that place.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Takes everything but the fixed buffers out again.
    pub fn clear(&mut self) {
        self.occupancy.clear();
        self.placed.fill(false);
        self.peak = self.fixed_peak;
        for &(buffer, _) in self.instance.fixed() {
            self.placed[buffer as usize] = true;
        }
    }

    /// Places all buffers of `order`, stopping at the first that would end above `limit` bytes.
    ///
    /// `order` lists every buffer that is not fixed; a fixed one in it is skipped. Complexity: like
    /// `O(n log^2 sections)` on real instances.
    pub fn run(&mut self, order: &[u32], rule: Rule, limit: u64, control: &Control) -> Outcome {
        self.clear();
        self.extend(order, rule, limit, control)
    }

    /// As [`run`](Self::run), on top of what is placed already.
    pub fn extend(&mut self, order: &[u32], rule: Rule, limit: u64, control: &Control) -> Outcome {
        for (done, &buffer) in order.iter().enumerate() {
            if done % WATCH == 0 && control.is_cancelled() {
                return Outcome::Cancelled;
            }
            if self.placed[buffer as usize] {
                continue;
            }
            match self.find(buffer as usize, 0, rule, limit) {
                Some(offset) => self.commit(buffer as usize, offset),
                None => return Outcome::Above(buffer),
            }
        }
        Outcome::Placed(self.peak)
    }

    /// Always the buffer next that can go lowest, ties by the order ("Tetris"). Each goes to its lowest place.
    ///
    /// Offsets only rise as others are placed, so a heap with stale keys is enough. Gives up, as if that buffer did not
    /// fit, after `most_looks`: on some instances a buffer is looked at very often.
    pub fn run_lowest_first(
        &mut self,
        order: &[u32],
        limit: u64,
        most_looks: usize,
        control: &Control,
    ) -> Outcome {
        self.clear();
        let mut heap: BinaryHeap<Reverse<(u64, u32)>> =
            (0..order.len() as u32).map(|rank| Reverse((0, rank))).collect();
        let mut looks = 0;
        while let Some(Reverse((known, rank))) = heap.pop() {
            looks += 1;
            if looks % WATCH == 0 && control.is_cancelled() {
                return Outcome::Cancelled;
            }
            let buffer = order[rank as usize] as usize;
            if self.placed[buffer] {
                continue;
            }
            if looks > most_looks {
                return Outcome::Above(buffer as u32);
            }
            match self.find(buffer, known, Rule::FirstFit, limit) {
                Some(offset) if offset == known => self.commit(buffer, offset),
                Some(offset) => heap.push(Reverse((offset, rank))),
                None => return Outcome::Above(buffer as u32),
            }
        }
        Outcome::Placed(self.peak)
    }

    /// Where a buffer would go, at or above `from` (first fit only), ending at or below `limit`.
    pub fn find(&mut self, buffer: usize, from: u64, rule: Rule, limit: u64) -> Option<u64> {
        let instance = self.instance;
        let size = instance.sizes()[buffer];
        let limit = limit.min(MAX_BYTES);
        self.work += 1;
        if size == 0 {
            return Some(0);
        }
        let query = self.occupancy.open(instance.pieces(buffer));
        for &other in instance.neighbours(buffer) {
            if self.placed[other as usize] {
                let start = self.offsets[other as usize];
                query.avoid(start, start + instance.sizes()[other as usize]);
            }
        }
        let aligner = instance.aligner(buffer);
        match rule {
            Rule::FirstFit => query.lowest(from, size, aligner, limit),
            Rule::BestFit => query.tightest(size, aligner, limit),
        }
    }

    /// Puts a buffer that is not placed yet at an offset.
    pub fn place(&mut self, buffer: usize, offset: u64) {
        if !self.placed[buffer] {
            self.commit(buffer, offset);
        }
    }

    /// Puts a buffer at an offset.
    pub fn commit(&mut self, buffer: usize, offset: u64) {
        let size = self.instance.sizes()[buffer];
        self.offsets[buffer] = offset;
        self.placed[buffer] = true;
        if size > 0 {
            self.peak = self.peak.max(offset + size);
            for &piece in self.instance.pieces(buffer) {
                self.occupancy.insert(piece, offset, offset + size);
            }
        }
    }
}

/// What to tell a user whose buffers cannot be placed below 2^63 at all in this way.
pub fn out_of_addresses(buffer: u32) -> Error {
    Error::buffer(
        buffer as usize,
        "fixed offsets and alignments leave no place for it below 2^63 - 1 bytes",
    )
}
