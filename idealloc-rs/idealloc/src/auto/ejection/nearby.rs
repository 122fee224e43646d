//! What is in the way of one buffer, and where it costs least.

use crate::place::instance::Aligner;
use crate::radix::sort_pairs;
use crate::random::Random;

/// Price of a buffer that has to stay where it is.
pub(super) const WALL: u64 = u64::MAX;

/// Prices vary at random by one part in so many.
const NOISE: u64 = 20;

/// What a buffer needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub size: u64,
    pub aligner: Aligner,
    /// Where it may end at most.
    pub limit: u64,
}

/// Addresses and prices of what is in the way, and the cheapest place so far.
#[derive(Debug, Default)]
pub(super) struct Nearby {
    /// By where it starts and by where it ends.
    pub starts: Vec<(u64, u64)>,
    pub ends: Vec<(u64, u64)>,
    spare: Vec<(u64, u64)>,
    /// Price and offset.
    cheapest: Option<(u64, u64)>,
}

impl Nearby {
    /// Nothing is in the way.
    pub(super) fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
    }

    /// No place was found yet.
    pub(super) fn forget(&mut self) {
        self.cheapest = None;
    }

    /// Sorts what was collected in any order.
    pub(super) fn sort(&mut self) {
        sort_pairs(&mut self.starts, &mut self.spare);
        sort_pairs(&mut self.ends, &mut self.spare);
    }

    /// The cheapest place so far that is not free: offset and price.
    pub(super) fn cheapest(&self) -> Option<(u64, u64)> {
        self.cheapest.map(|(price, offset)| (offset, price))
    }

    /// Price of the cheapest place so far.
    pub(super) fn least(&self) -> u64 {
        self.cheapest.map_or(u64::MAX, |(price, _)| price)
    }

    /// The lowest free place, if there is one; on the way the cheapest that is not free is noted.
    ///
    /// Candidates are the ends at or above `from` (the ground is one of `0`): where others begin, it only gets dearer. What
    /// ends below is no longer there; both lists are sorted. Sums of prices wrap around at 2^64, which only makes the choice
    /// a poor one.
    pub(super) fn search(&mut self, wanted: Wanted, from: u64, random: &mut Random) -> Option<u64> {
        let Self { starts, ends, cheapest, .. } = self;
        let mut candidate = if from == 0 { 0 } else { ends.first()?.0 };
        let (mut entered, mut left) = (0, 0);
        let (mut price, mut walls) = (0_u64, 0_u32);
        loop {
            let offset = wanted.aligner.up(candidate);
            let end = offset.checked_add(wanted.size).filter(|&end| end <= wanted.limit)?;
            while let Some(&(_, other)) = starts.get(entered).filter(|(start, _)| *start < end) {
                if other == WALL {
                    walls += 1
                } else {
                    price = price.wrapping_add(other)
                }
                entered += 1;
            }
            while let Some(&(_, other)) = ends.get(left).filter(|(end, _)| *end <= offset) {
                if other == WALL {
                    walls -= 1
                } else {
                    price = price.wrapping_sub(other)
                }
                left += 1;
            }
            if entered == left {
                return Some(offset);
            }
            if walls == 0 && cheapest.is_none_or(|(least, _)| price < least) {
                let noise = price / (1024 * NOISE) * random.below(1024);
                let noisy = price.saturating_add(noise).max(1);
                if cheapest.is_none_or(|(least, _)| noisy < least) {
                    *cheapest = Some((noisy, offset));
                }
            }
            candidate = ends.get(left)?.0;
        }
    }
}
