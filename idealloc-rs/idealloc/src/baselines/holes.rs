//! What is free under several lists of what is taken, at once.
//!
//! Holes shorter than what is asked for are nowhere of interest, so every step leaves them out; those of the first
//! list are cut by the next one, and so on. Short lists come first, so that few holes are ever held, and the
//! longest last, where holes are only looked at. A loop over a list hangs no branch on what is as good as random.

use crate::baselines::timeline::Taken;
use crate::place::instance::Span;

/// A list with so many intervals per hole is searched rather than gone through.
const SPARSE: usize = 6;

/// Addresses `[start, end)`, ascending and disjoint. The hole above all that is taken ends at `u64::MAX`.
#[derive(Clone, Debug, Default)]
pub struct Holes {
    all: Ranges,
    /// Scratch.
    others: Ranges,
    /// Scratch.
    common: Ranges,
}

/// The first `count` of what is there; what comes after is left from before.
#[derive(Clone, Debug, Default)]
struct Ranges {
    places: Vec<(u64, u64)>,
    count: usize,
}

impl Ranges {
    /// Forgets all, and makes room for `most`, and one more that is written but not kept.
    fn clear(&mut self, most: usize) -> &mut [(u64, u64)] {
        if self.places.len() <= most {
            self.places.resize(2 * most + 1, (0, 0));
        }
        self.count = 0;
        &mut self.places
    }

    fn as_slice(&self) -> &[(u64, u64)] {
        &self.places[..self.count]
    }
}

impl Holes {
    /// Nothing is taken.
    pub fn reset(&mut self) {
        self.all.clear(1)[0] = (0, u64::MAX);
        self.all.count = 1;
    }

    /// Leaves what is free beside those of `taken`, sorted by start, that meet `span`, in at least `size` bytes.
    ///
    /// Complexity: `O(h + k)` for `h` holes and `k` in `taken`.
    pub fn cut_by_selected(&mut self, taken: &[Taken], span: Span, size: u64) {
        let Self { all, others, common } = self;
        let places = others.clear(taken.len() + 1);
        let (mut top, mut count) = (0, 0);
        for taken in taken {
            let matters = taken.meets(span);
            places[count] = (top, taken.start);
            count += usize::from(matters & (taken.start.saturating_sub(top) >= size));
            top = if matters & (taken.end > top) { taken.end } else { top };
        }
        places[count] = (top, u64::MAX);
        others.count = count + usize::from(u64::MAX - top >= size);
        if all.as_slice() == [(0, u64::MAX)] {
            std::mem::swap(all, others);
            return;
        }
        let (a, b) = (all.as_slice(), others.as_slice());
        let places = common.clear(a.len() + b.len());
        let (mut i, mut j, mut count) = (0, 0, 0);
        while let (Some(&(a_start, a_end)), Some(&(b_start, b_end))) = (a.get(i), b.get(j)) {
            let (start, end) = (a_start.max(b_start), a_end.min(b_end));
            places[count] = (start, end);
            count += usize::from(end.saturating_sub(start) >= size);
            i += usize::from(a_end <= b_end);
            j += usize::from(b_end <= a_end);
        }
        common.count = count;
        std::mem::swap(all, common);
    }

    /// Leaves what is free beside a list as well, in at least `size` bytes.
    ///
    /// Complexity: `O(h + k)` for `h` holes and `k` intervals, or `O(h log k + c)` where `h` is much less and `c` of
    /// them are in holes.
    pub fn cut_by(&mut self, intervals: &[(u64, u64)], size: u64) {
        let Self { all, common, .. } = self;
        let places = common.clear(all.count + intervals.len());
        let mut count = 0;
        if intervals.len() < SPARSE * all.count {
            let all = all.as_slice();
            let (mut i, mut j) = (0, 0);
            let mut free = 0;
            while i < all.len() {
                let (next, end) = intervals.get(j).copied().unwrap_or((u64::MAX, u64::MAX));
                let hole = all[i];
                let (start, to) = (hole.0.max(free), hole.1.min(next));
                places[count] = (start, to);
                count += usize::from(to.saturating_sub(start) >= size);
                let passes = next < hole.1;
                free = if passes { end } else { free };
                j += usize::from(passes);
                i += usize::from(!passes);
            }
        } else {
            let mut position = 0;
            for &(start, end) in all.as_slice() {
                let mut free = start;
                position = ending_above(intervals, start, position);
                while let Some(&taken) = intervals.get(position).filter(|taken| taken.0 < end) {
                    places[count] = (free, taken.0);
                    count += usize::from(taken.0.saturating_sub(free) >= size);
                    free = taken.1;
                    position += 1;
                }
                places[count] = (free, end);
                count += usize::from(end.saturating_sub(free) >= size);
                // The last one may reach into the next hole.
                position = position.saturating_sub(1);
            }
        }
        common.count = count;
        std::mem::swap(all, common);
    }

    /// Visits what [`cut_by`](Self::cut_by) would leave, ascending. `visit` says up to which length holes are still
    /// of interest; it may be given longer ones.
    ///
    /// Complexity: as [`cut_by`](Self::cut_by).
    pub fn visit_between(
        &self,
        intervals: &[(u64, u64)],
        size: u64,
        mut visit: impl FnMut(u64, u64) -> u64,
    ) {
        let mut position = 0;
        let mut longest = u64::MAX;
        for &(start, end) in self.all.as_slice() {
            position = ending_above(intervals, start, position);
            let mut free = start;
            while let Some(&taken) = intervals.get(position).filter(|taken| taken.0 < end) {
                let length = taken.0.saturating_sub(free);
                if length >= size && length <= longest {
                    longest = visit(free, taken.0);
                    if longest < size {
                        return;
                    }
                }
                free = taken.1;
                position += 1;
            }
            let length = end.saturating_sub(free);
            if length >= size && length <= longest {
                longest = visit(free, end);
                if longest < size {
                    return;
                }
            }
            position = position.saturating_sub(1);
        }
    }
}

/// Position of the first interval at or after `from` that ends above `address`. Galloping: `O(log distance)`.
fn ending_above(intervals: &[(u64, u64)], address: u64, from: usize) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step <= intervals.len() && intervals[low + step - 1].1 <= address {
        low += step;
        step *= 2;
    }
    let high = (low + step - 1).min(intervals.len());
    if low >= high {
        return low;
    }
    low + intervals[low..high].partition_point(|interval| interval.1 <= address)
}
