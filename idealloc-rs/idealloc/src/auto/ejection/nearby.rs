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
    /// The largest alignment where alignments differ, else 0.
    pub coarsest: u64,
}

impl Wanted {
    /// Bytes below and above a place that are as good as lost: what is less than the largest alignment above, as below, is
    /// room for few others.
    fn waste(&self, below: u64, above: u64) -> u64 {
        if self.coarsest == 0 {
            return 0;
        }
        below + if above < self.coarsest { above } else { 0 }
    }

    /// A price and what is wasted below the place, at half of the price for as much as the largest alignment.
    fn with_waste(&self, price: u64, below: u64) -> u64 {
        if self.coarsest == 0 || below == 0 {
            return price;
        }
        let waste = price as f64 * (below as f64 / self.coarsest as f64 / 2.0);
        price.saturating_add(waste as u64)
    }
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

    /// The free place that wastes least, if there is one: the lowest where alignments are alike, as nothing is wasted then. On
    /// the way the cheapest that is not free is noted.
    ///
    /// Candidates are the ends at or above `from` (the ground is one of `0`): where others begin, it only gets dearer. What
    /// ends below is no longer there; both lists are sorted. Sums of prices wrap around at 2^64, which only makes the choice
    /// a poor one.
    pub(super) fn search(&mut self, wanted: Wanted, from: u64, random: &mut Random) -> Option<u64> {
        let Self { starts, ends, cheapest, .. } = self;
        let mut candidate = if from == 0 { 0 } else { ends.first()?.0 };
        let (mut entered, mut left) = (0, 0);
        let (mut price, mut walls) = (0_u64, 0_u32);
        // Waste and offset.
        let mut free: Option<(u64, u64)> = None;
        loop {
            let offset = wanted.aligner.up(candidate);
            let end = offset.checked_add(wanted.size).filter(|&end| end <= wanted.limit);
            let Some(end) = end else { break };
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
                let above = starts.get(entered).map_or(0, |(start, _)| start - end);
                let waste = wanted.waste(offset - candidate, above);
                if free.is_none_or(|(least, _)| waste < least) {
                    free = Some((waste, offset));
                }
                if waste == 0 {
                    break;
                }
            }
            let price = wanted.with_waste(price, offset - candidate);
            if free.is_none() && walls == 0 && cheapest.is_none_or(|(least, _)| price < least) {
                let noise = price / (1024 * NOISE) * random.below(1024);
                let noisy = price.saturating_add(noise).max(1);
                if cheapest.is_none_or(|(least, _)| noisy < least) {
                    *cheapest = Some((noisy, offset));
                }
            }
            let Some(&(next, _)) = ends.get(left) else { break };
            candidate = next;
        }
        free.map(|(_, offset)| offset)
    }
}

#[cfg(test)]
mod tests {
    use super::{Nearby, Wanted};
    use crate::place::instance::Aligner;
    use crate::random::Random;

    /// Where 60 bytes go, with holes of 100 bytes from 200 on and of 64 from 400 on.
    fn place(coarsest: u64) -> Option<u64> {
        let mut nearby = Nearby::default();
        nearby.starts.extend([(0, 1), (300, 1), (464, 1)]);
        nearby.ends.extend([(200, 1), (400, 1), (1000, 1)]);
        let wanted = Wanted { size: 60, aligner: Aligner::default(), limit: 1000, coarsest };
        nearby.search(wanted, 0, &mut Random::new(0))
    }

    #[test]
    fn the_lowest_hole_is_taken_where_alignments_are_alike_else_that_which_wastes_least() {
        assert_eq!(place(0), Some(200));
        assert_eq!(place(64), Some(400));
        // Forty bytes above are room for others.
        assert_eq!(place(32), Some(200));
    }

    #[test]
    fn what_is_wasted_below_a_place_makes_it_dearer() {
        let wanted = Wanted { size: 1, aligner: Aligner::default(), limit: 1000, coarsest: 64 };
        assert_eq!((wanted.with_waste(100, 0), wanted.with_waste(100, 32)), (100, 125));
        assert_eq!(Wanted { coarsest: 0, ..wanted }.with_waste(100, 32), 100);
    }
}
