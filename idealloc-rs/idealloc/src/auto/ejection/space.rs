//! What is placed where, and where room for one more is cheapest.

use super::Ejection;
use super::nearby::{Nearby, Wanted};
use super::profile::Profile;
use super::shelf::{Row, Shelf};
use crate::random::Random;

/// Buffers looked at in the calendar or on a shelf, and buffers sorted, that take as long as one look of the placement engine;
/// bins likewise.
const LOOKED: usize = 256;
const SORTED: usize = 32;
const BINS: usize = 256;

/// Bins searched before the cheapest place found so far is good enough,
const MOST_BINS: usize = 64;
/// and as many at once, at most.
const TOGETHER: usize = 8;

/// Buffers at their offsets below a limit, each with a price for throwing it out.
pub(super) struct Space<'a> {
    shared: &'a Ejection<'a>,
    limit: u64,
    pub(super) offsets: Vec<u64>,
    pub(super) placed: Vec<bool>,
    pub(super) prices: Vec<u64>,
    /// What is placed, by where it starts and by where it ends,
    starts: Shelf,
    ends: Shelf,
    /// and what it costs about to make room.
    profile: Profile,
    bounds: Vec<i64>,
    nearby: Nearby,
    /// Work done.
    pub(super) work: u64,
}

impl<'a> Space<'a> {
    pub(super) fn new(
        shared: &'a Ejection<'a>,
        limit: u64,
        offsets: Vec<u64>,
        placed: Vec<bool>,
        prices: Vec<u64>,
    ) -> Self {
        let instance = shared.instance;
        let mut space = Self {
            shared,
            limit,
            offsets,
            placed,
            prices,
            starts: Shelf::new(&[]),
            ends: Shelf::new(&[]),
            profile: Profile::new(instance.len(), instance.sections(), limit),
            bounds: Vec::new(),
            nearby: Nearby::default(),
            work: 0,
        };
        let present = (0..instance.len()).filter(|&i| space.placed[i] && space.takes_room(i));
        let mut rows: Vec<Row> = present.map(|i| space.row(i)).collect();
        for row in &rows {
            space.profile.add(row.span, (row.key, row.other), row.price);
        }
        rows.sort_by_key(|row| row.key);
        space.starts = Shelf::new(&rows);
        for row in &mut rows {
            *row = row.turned();
        }
        rows.sort_by_key(|row| row.key);
        space.ends = Shelf::new(&rows);
        space
    }

    fn takes_room(&self, buffer: usize) -> bool {
        self.shared.instance.sizes()[buffer] > 0 && !self.shared.instance.spans()[buffer].is_empty()
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

    /// Puts a buffer somewhere.
    pub(super) fn put(&mut self, buffer: usize, offset: u64) {
        self.offsets[buffer] = offset;
        self.placed[buffer] = true;
        if self.takes_room(buffer) {
            let row = self.row(buffer);
            self.profile.add(row.span, (row.key, row.other), row.price);
            self.starts.insert(row);
            self.ends.insert(row.turned());
        }
    }

    /// Takes out what a buffer would overlap at an offset, and lists it.
    pub(super) fn clear(&mut self, buffer: usize, offset: u64, out: &mut Vec<u32>) {
        let instance = self.shared.instance;
        let end = offset + instance.sizes()[buffer];
        let lowest = offset.saturating_sub(self.shared.largest);
        out.clear();
        self.starts.visit((lowest, end), offset + 1, instance.spans()[buffer], |row| {
            if instance.meet(buffer, row.buffer as usize) {
                out.push(row.buffer);
            }
        });
        for &other in out.iter() {
            let row = self.row(other as usize);
            self.profile.add(row.span, (row.key, row.other), row.price.wrapping_neg());
            self.starts.remove(row.key, other);
            self.ends.remove(row.other, other);
            self.placed[other as usize] = false;
        }
    }

    /// Where to put a buffer and what has to go for it costs, 0 if it is free there; `None` if fixed buffers leave no room.
    pub(super) fn choose(&mut self, buffer: usize, random: &mut Random) -> Option<(u64, u64)> {
        self.work += 1;
        if !self.takes_room(buffer) {
            return Some((0, 0));
        }
        self.nearby.forget();
        let mut free = None;
        if self.profile.knows(self.shared.instance.spans()[buffer]) {
            free = self.search_by_bounds(buffer, random);
        }
        // Nothing may end in any of the bins that were looked at: then all is looked at, lest the run ends though there is room.
        if free.is_none() && self.nearby.cheapest().is_none() {
            free = self.search_by_time(buffer, random);
        }
        free.map(|offset| (offset, 0)).or(self.nearby.cheapest())
    }

    fn wanted(&self, buffer: usize) -> Wanted {
        Wanted {
            size: self.shared.instance.sizes()[buffer],
            aligner: self.shared.instance.aligner(buffer),
            limit: self.limit,
            coarsest: self.shared.coarsest,
        }
    }

    /// Looks at all that is live at the same time. Returns a free place, if there is one.
    fn search_by_time(&mut self, buffer: usize, random: &mut Random) -> Option<u64> {
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
        self.work += (looked / LOOKED + self.nearby.starts.len() / SORTED) as u64;
        self.nearby.search(self.wanted(buffer), 0, random)
    }

    /// Looks where room may be free, from a random address on; then where it may be cheapest, until it cannot be cheaper
    /// elsewhere. Returns a free place, if one was found.
    fn search_by_bounds(&mut self, buffer: usize, random: &mut Random) -> Option<u64> {
        let instance = self.shared.instance;
        let mut bounds = std::mem::take(&mut self.bounds);
        let size = instance.sizes()[buffer];
        self.profile.bounds(instance.spans()[buffer], size, &mut bounds);
        self.work += (bounds.len() / BINS) as u64;
        let found = self.search_in_order(buffer, &bounds, random);
        self.bounds = bounds;
        found
    }

    fn search_in_order(
        &mut self,
        buffer: usize,
        bounds: &[i64],
        random: &mut Random,
    ) -> Option<u64> {
        let turn = random.below(bounds.len().max(1) as u64) as usize;
        let mut tried = 0;
        for (mut from, past) in [(turn, bounds.len()), (0, turn)] {
            while let Some(first) = (from..past).find(|&bin| bounds[bin] <= 0) {
                let most = past.min(first + TOGETHER);
                from = (first..most).find(|&bin| bounds[bin] > 0).unwrap_or(most);
                let found = self.search_in_bins(buffer, (first, from), random);
                tried += from - first;
                if found.is_some() || tried >= MOST_BINS {
                    return found;
                }
            }
        }
        let others = || (0..bounds.len()).filter(|&bin| bounds[bin] > 0);
        let first = others().min_by_key(|&bin| bounds[bin])?;
        let mut found = self.search_in_bins(buffer, (first, first + 1), random);
        let may_be_cheaper =
            |&bin: &usize| bin != first && (bounds[bin] as u64) < self.nearby.least();
        let mut rest: Vec<(i64, usize)> =
            others().filter(may_be_cheaper).map(|bin| (bounds[bin], bin)).collect();
        rest.sort_unstable();
        for &(bound, bin) in rest.iter().take(MOST_BINS - tried) {
            if found.is_some() || bound as u64 >= self.nearby.least() {
                break;
            }
            found = self.search_in_bins(buffer, (bin, bin + 1), random);
        }
        found
    }

    /// Looks at places that start in these bins. Returns a free one, if there is one.
    fn search_in_bins(
        &mut self,
        buffer: usize,
        (first, past): (usize, usize),
        random: &mut Random,
    ) -> Option<u64> {
        let instance = self.shared.instance;
        let wanted = self.wanted(buffer);
        let span = instance.spans()[buffer];
        let from = first as u64 * self.profile.bin();
        // Rounding up may lead out of the bins.
        let to = wanted.aligner.up(past as u64 * self.profile.bin());
        let lowest = from.saturating_sub(self.shared.largest);
        let meets = |row: &Row| instance.meet(buffer, row.buffer as usize);
        self.nearby.clear();
        let Nearby { starts, ends, .. } = &mut self.nearby;
        let entering = (lowest, to.saturating_add(wanted.size));
        let looked = self.starts.visit(entering, from, span, |row| {
            if meets(row) {
                starts.push((row.key, row.price));
            }
        });
        let leaving = self.ends.visit((from, to), 0, span, |row| {
            if meets(row) {
                ends.push((row.key, row.price));
            }
        });
        self.work += ((looked + leaving) / LOOKED) as u64;
        self.nearby.search(wanted, from, random)
    }
}

#[cfg(test)]
mod tests {
    use super::Space;
    use crate::auto::ejection::Ejection;
    use crate::place::instance::Instance;
    use crate::problem::Problem;
    use crate::random::Random;

    /// Above two small buffers all is free, in more bins than are looked at, and in most of them nothing ends.
    #[test]
    fn room_is_found_far_from_where_anything_ends() {
        let mut builder = Problem::builder();
        builder.buffer(1, 0, 2);
        builder.buffer(1, 0, 1);
        builder.buffer(1, 1, 2);
        // Bins are as many as buffers make them.
        (0..4096).for_each(|_| {
            builder.buffer(0, 0, 1);
        });
        let instance = Instance::new(&builder.build().expect("is well formed"));
        let shared = Ejection::new(&instance);
        let mut placed = vec![true; instance.len()];
        placed[0] = false;
        let (offsets, prices) = (vec![0; instance.len()], vec![1; instance.len()]);
        let mut space = Space::new(&shared, 10_000, offsets, placed, prices);
        for seed in 0..20 {
            assert_eq!(space.choose(0, &mut Random::new(seed)), Some((1, 0)), "{seed}");
        }
    }
}
