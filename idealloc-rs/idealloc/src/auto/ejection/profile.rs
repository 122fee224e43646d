//! About what it costs to make room, at every address, for any span of time.

use crate::place::instance::Span;

/// Cells of time, and cells in a group: a sum over time adds up whole groups and then single cells.
const CELLS: usize = 256;
const GROUP: usize = 16;

/// Bins of addresses.
const BINS: usize = 2048;

/// Sums over what was born, or died, up to a time, by where it starts, or ends.
#[derive(Clone, Debug)]
struct Sums {
    /// By cell, what is in the same group, up to this cell.
    cells: Vec<u64>,
    /// By group, what is in the groups before.
    groups: Vec<u64>,
}

impl Sums {
    fn new() -> Self {
        Self { cells: vec![0; CELLS * BINS], groups: vec![0; CELLS / GROUP * BINS] }
    }

    fn add(&mut self, cell: usize, bin: usize, price: u64) {
        for later in cell..(cell / GROUP + 1) * GROUP {
            let sum = &mut self.cells[later * BINS + bin];
            *sum = sum.wrapping_add(price);
        }
        for later in cell / GROUP + 1..CELLS / GROUP {
            let sum = &mut self.groups[later * BINS + bin];
            *sum = sum.wrapping_add(price);
        }
    }

    /// By bin, what is in cells up to this one.
    fn up_to(&self, cell: usize) -> (&[u64], &[u64]) {
        let group = cell / GROUP * BINS;
        (&self.cells[cell * BINS..][..BINS], &self.groups[group..][..BINS])
    }
}

/// Prices of what is placed, summed up by time and address.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// Sections in a cell, bytes in a bin.
    cell: u32,
    bin: u64,
    born_by_start: Sums,
    born_by_end: Sums,
    dead_by_start: Sums,
    dead_by_end: Sums,
    starts: Vec<u64>,
    ends: Vec<u64>,
}

impl Profile {
    pub(super) fn new(sections: usize, limit: u64) -> Self {
        Self {
            cell: (sections as u32).div_ceil(CELLS as u32).max(1),
            bin: limit.div_ceil(BINS as u64).max(1),
            born_by_start: Sums::new(),
            born_by_end: Sums::new(),
            dead_by_start: Sums::new(),
            dead_by_end: Sums::new(),
            starts: vec![0; BINS],
            ends: vec![0; BINS],
        }
    }

    pub(super) fn bin(&self) -> u64 {
        self.bin
    }

    /// Adds a price; to take it out again, add its negative.
    pub(super) fn add(&mut self, span: Span, low: u64, high: u64, price: u64) {
        let (birth, death) = ((span.start / self.cell) as usize, (span.end / self.cell) as usize);
        let at = |address: u64| ((address / self.bin) as usize).min(BINS - 1);
        self.born_by_start.add(birth.min(CELLS - 1), at(low), price);
        self.born_by_end.add(birth.min(CELLS - 1), at(high), price);
        if death < CELLS {
            self.dead_by_start.add(death, at(low), price);
            self.dead_by_end.add(death, at(high), price);
        }
    }

    /// The bins with the least price, for a buffer of this size and life that starts there.
    pub(super) fn cheapest(&mut self, span: Span, size: u64, count: usize, found: &mut Vec<u32>) {
        let (first, last) = (span.start / self.cell, (span.end - 1) / self.cell);
        let (a, b) = self.born_by_start.up_to(last as usize);
        let (c, d) = self.born_by_end.up_to(last as usize);
        let mut sum = |target: &mut Vec<u64>, a: &[u64], b: &[u64], c: &[u64], d: &[u64]| {
            for ((((sum, &a), &b), &c), &d) in target.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *sum = a.wrapping_add(b).wrapping_sub(c).wrapping_sub(d);
            }
        };
        let none = [0; BINS];
        let (e, f) = if first > 0 { self.dead_by_start.up_to(first as usize - 1) } else { (&none[..], &none[..]) };
        sum(&mut self.starts, a, b, e, f);
        let (e, f) = if first > 0 { self.dead_by_end.up_to(first as usize - 1) } else { (&none[..], &none[..]) };
        sum(&mut self.ends, c, d, e, f);
        let mut total = 0_u64;
        for sum in &mut self.starts {
            total = total.wrapping_add(*sum);
            *sum = total;
        }
        total = 0;
        for sum in &mut self.ends {
            total = total.wrapping_add(*sum);
            *sum = total;
        }
        // In the way for sure: what starts before the last bin and ends after the first. Perhaps: what touches these.
        let bins = (size / self.bin) as usize;
        let mut scores: Vec<(i64, u32)> = (0..BINS - bins.min(BINS))
            .map(|k| {
                let sure_start = if k + bins > 0 { self.starts[k + bins - 1] } else { 0 };
                let sure = sure_start.wrapping_sub(self.ends[k]);
                let may_end = if k > 0 { self.ends[k - 1] } else { 0 };
                let may = self.starts[(k + bins).min(BINS - 1)].wrapping_sub(may_end);
                (sure.wrapping_add(may) as i64, k as u32)
            })
            .collect();
        found.clear();
        if scores.len() > count {
            scores.select_nth_unstable(count);
            scores.truncate(count);
        }
        found.extend(scores.iter().map(|&(_, k)| k));
        found.sort_unstable();
    }
}
