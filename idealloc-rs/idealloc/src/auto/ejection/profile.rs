//! What it costs at least to make room, about at every address, for any span of time.
//!
//! A rectangle of time and address is in the way of another exactly if it is born before the other dies, does not die
//! before the other is born, starts below the other's end and does not end below its start. Of rectangles, none of which
//! ends before it starts, the sum over those in the way is therefore a sum over four kinds, each of them what was born, or
//! died, up to some time, and starts, or ends, below some address: it takes no look at the rectangles themselves.

use crate::place::instance::Span;

/// Cells of time, and cells in a group: a sum over time is that of the groups before and of the cells within one.
const CELLS: usize = 256;
const GROUP: usize = 16;

/// Bins of addresses, at most.
const BINS: usize = 8192;

/// Buffers for each bin.
const BUFFERS: usize = 16;

/// Sums of prices by bin of addresses, over what was born, or died, up to a cell of time.
#[derive(Clone, Debug)]
struct Sums {
    /// Bins, and a few more so that the rows do not compete for the same lines of the cache.
    stride: usize,
    /// For each cell what belongs to it and to those before it in its group.
    cells: Vec<u64>,
    /// For each group what belongs to the groups before it.
    groups: Vec<u64>,
}

impl Sums {
    fn new(bins: usize) -> Self {
        let stride = bins + 8;
        Self { stride, cells: vec![0; CELLS * stride], groups: vec![0; CELLS / GROUP * stride] }
    }

    fn add(&mut self, cell: usize, bin: usize, price: u64) {
        let group = cell / GROUP;
        for later in cell..(group + 1) * GROUP {
            let sum = &mut self.cells[later * self.stride + bin];
            *sum = sum.wrapping_add(price);
        }
        for later in group + 1..CELLS / GROUP {
            let sum = &mut self.groups[later * self.stride + bin];
            *sum = sum.wrapping_add(price);
        }
    }

    /// By bin, two rows to be added: what belongs to this cell or to one before it.
    fn up_to(&self, cell: usize) -> (&[u64], &[u64]) {
        let group = cell / GROUP * self.stride;
        (&self.cells[cell * self.stride..][..self.stride], &self.groups[group..][..self.stride])
    }
}

/// Prices of what is placed, by time and address.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    bins: usize,
    /// Bytes in a bin,
    bin: u64,
    /// sections in a cell.
    cell: u32,
    /// By where they start, and by where they end.
    born: [Sums; 2],
    dead: [Sums; 2],
    /// Prices of what starts, or ends, below a bin.
    below: [Vec<u64>; 2],
}

impl Profile {
    /// Of nothing, for so many buffers below an address.
    pub(super) fn new(buffers: usize, sections: usize, limit: u64) -> Self {
        let bins = (buffers / BUFFERS).next_power_of_two().clamp(64, BINS);
        let sums = || [Sums::new(bins), Sums::new(bins)];
        Self {
            bins,
            bin: limit.div_ceil(bins as u64).max(1),
            cell: (sections as u32).div_ceil(CELLS as u32).max(1),
            born: sums(),
            dead: sums(),
            below: [vec![0; bins + 1], vec![0; bins + 1]],
        }
    }

    /// Bytes in a bin.
    pub(super) fn bin(&self) -> u64 {
        self.bin
    }

    /// True if a life is long enough for the cells of time to tell something.
    pub(super) fn knows(&self, span: Span) -> bool {
        span.len() >= 2 * self.cell
    }

    /// Adds the price of what takes `[low, high)`; to take it out again, add the negative.
    pub(super) fn add(&mut self, span: Span, (low, high): (u64, u64), price: u64) {
        let birth = (span.start / self.cell) as usize;
        let death = (span.end / self.cell) as usize;
        for (side, address) in [low, high].into_iter().enumerate() {
            let bin = ((address / self.bin) as usize).min(self.bins - 1);
            self.born[side].add(birth.min(CELLS - 1), bin, price);
            if death < CELLS {
                self.dead[side].add(death, bin, price);
            }
        }
    }

    /// For each bin a lower bound of what is in the way of a buffer that starts in it, and ends below the limit. `span` is
    /// long enough for this profile to [know](Self::knows) something of it.
    ///
    /// Complexity: `O(bins)`.
    pub(super) fn bounds(&mut self, span: Span, size: u64, bounds: &mut Vec<i64>) {
        // What is born in the cell in which the buffer dies may come after it, what dies in that of its birth before it.
        let last = (span.end / self.cell) as usize;
        let first = (span.start / self.cell) as usize;
        for side in 0..2 {
            let (born, earlier) = self.born[side].up_to(last.clamp(1, CELLS) - 1);
            let (dead, sooner) = self.dead[side].up_to(first.min(CELLS - 1));
            let mut sum = 0_u64;
            let rows = born.iter().zip(earlier).zip(dead.iter().zip(sooner));
            for (below, ((born, earlier), (dead, sooner))) in
                self.below[side][1..].iter_mut().zip(rows)
            {
                let live = born.wrapping_add(*earlier).wrapping_sub(dead.wrapping_add(*sooner));
                sum = sum.wrapping_add(live);
                *below = sum;
            }
        }
        let across = (size / self.bin) as usize;
        let [starts, ends] = &self.below;
        bounds.clear();
        let pairs = starts.iter().skip(across).zip(&ends[1..]);
        bounds.extend(pairs.map(|(start, end)| start.wrapping_sub(*end) as i64));
        bounds.truncate(self.bins.saturating_sub(across));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Profile;
    use crate::place::instance::Span;

    const SECTIONS: u32 = 600;
    const LIMIT: u64 = 10_000;

    proptest! {
        #[test]
        fn nothing_is_cheaper_than_its_bound(
            rows in prop::collection::vec((0_u32..500, 1_u32..100, 0_u64..9000, 1_u64..1000, 1_u64..50), 0..60),
            gone in 0_usize..20,
            (start, life) in (0_u32..400, 6_u32..200),
            size in 1_u64..2000,
        ) {
            let mut profile = Profile::new(rows.len(), SECTIONS as usize, LIMIT);
            let taken = |row: &(u32, u32, u64, u64, u64)| {
                (Span { start: row.0, end: row.0 + row.1 }, (row.2, row.2 + row.3), row.4)
            };
            for (span, ends, price) in rows.iter().map(taken) {
                profile.add(span, ends, price);
            }
            let gone = gone.min(rows.len());
            for (span, ends, price) in rows[..gone].iter().map(taken) {
                profile.add(span, ends, price.wrapping_neg());
            }
            let life = Span { start, end: start + life };
            prop_assert!(profile.knows(life));
            let mut bounds = Vec::new();
            profile.bounds(life, size, &mut bounds);
            for offset in (0..LIMIT - size).step_by(37) {
                let in_the_way = rows[gone..].iter().map(taken).filter(|&(span, (low, high), _)| {
                    span.overlaps(life) && low < offset + size && offset < high
                });
                let price: u64 = in_the_way.map(|(.., price)| price).sum();
                let bin = (offset / profile.bin()) as usize;
                prop_assert!(bounds[bin] <= price as i64, "{} at {offset}", bounds[bin]);
            }
        }
    }
}
