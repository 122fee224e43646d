//! What is free under several lists of what is taken, at once.
//!
//! Holes shorter than what is asked for are nowhere of interest, so every step leaves them out: those of the first
//! list are cut by the next one, and so on. Short lists come first, so that few holes are ever held, and the
//! longest last, where holes are only looked at.

use crate::place::interval_set::{IntervalSet, first_ending_above};

/// Addresses `[start, end)`.
type Range = (u64, u64);

/// A list with less intervals per hole is gone through together with the holes.
const DENSE: usize = 2;

/// What is taken, sorted by start.
#[derive(Clone, Copy, Debug)]
pub struct List<'l> {
    /// Addresses.
    pub taken: &'l [Range],
    /// Whether they are disjoint: then ends ascend, too.
    pub is_disjoint: bool,
}

impl<'l> List<'l> {
    /// Nothing is taken.
    pub const EMPTY: Self = Self { taken: &[], is_disjoint: true };

    /// What is in a set.
    pub fn of(set: &'l IntervalSet) -> Self {
        Self { taken: set.intervals(), is_disjoint: true }
    }
}

/// Holes, ascending and disjoint. The one above all that is taken ends at `u64::MAX`.
#[derive(Clone, Debug, Default)]
pub struct Holes {
    all: Vec<Range>,
    /// How many of `all` are holes; the others are left from before.
    count: usize,
    /// Scratch.
    cut: Vec<Range>,
}

impl Holes {
    /// Nothing is taken.
    pub fn reset(&mut self) {
        self.all.clear();
        self.all.push((0, u64::MAX));
        self.count = 1;
    }

    /// Leaves what is free beside a list as well, in at least `size` bytes.
    ///
    /// Complexity: `O(h + k)` for `h` holes and `k` intervals, or, where `k` is more, `O(h log k + c)` for a disjoint
    /// list of which `c` are in holes.
    pub fn cut_by(&mut self, list: List<'_>, size: u64) {
        let Self { all, count, cut } = self;
        let most = *count + list.taken.len() + 1;
        if cut.len() < most {
            cut.resize(2 * most, (0, 0));
        }
        let holes = &all[..*count];
        let mut left = 0;
        if list.taken.len() < DENSE * holes.len() {
            left = merge(holes, list.taken, size, cut);
        } else {
            sweep(holes, list, |start, end| {
                // Whether a hole is long enough is as good as random, so no branch hangs on it.
                cut[left] = (start, end);
                left += usize::from(end.saturating_sub(start) >= size);
                false
            });
        }
        *count = left;
        std::mem::swap(all, cut);
    }

    /// Visits what [`cut_by`](Self::cut_by) would leave, ascending. `visit` says up to which length holes are still
    /// of interest, and may be given longer ones; it is done when that is less than `size`.
    ///
    /// Complexity: as [`cut_by`](Self::cut_by).
    pub fn visit(&self, list: List<'_>, size: u64, mut visit: impl FnMut(u64, u64) -> u64) {
        let mut longest = u64::MAX;
        sweep(&self.all[..self.count], list, |start, end| {
            let length = end.saturating_sub(start);
            // One comparison for both limits: what is too short wraps around.
            if length.wrapping_sub(size) <= longest - size {
                longest = visit(start, end);
            }
            longest < size
        });
    }
}

/// Hands out what is free in each hole, and empty ranges, until `found` returns true.
#[inline]
fn sweep(holes: &[Range], list: List<'_>, mut found: impl FnMut(u64, u64) -> bool) {
    let List { taken, is_disjoint } = list;
    let (mut position, mut top) = (0, 0);
    for &(start, end) in holes {
        if is_disjoint {
            position = first_ending_above(taken, start, position);
        }
        let mut free = start.max(top);
        while let Some(&(next, after)) = taken.get(position).filter(|taken| taken.0 < end) {
            if found(free, next) {
                return;
            }
            free = free.max(after);
            position += 1;
        }
        if found(free, end) {
            return;
        }
        // The last one may reach into the next hole.
        top = free;
    }
}

/// What is free in holes, at least `size` bytes long, by going through both lists. Returns how many there are.
fn merge(holes: &[Range], taken: &[Range], size: u64, cut: &mut [Range]) -> usize {
    let (mut i, mut j, mut top, mut count) = (0, 0, 0, 0);
    while i < holes.len() {
        let hole = holes[i];
        let (next, after) = if j < taken.len() { taken[j] } else { (u64::MAX, u64::MAX) };
        let (start, end) = (hole.0.max(top), hole.1.min(next));
        cut[count] = (start, end);
        count += usize::from(end.saturating_sub(start) >= size);
        // Which comes next is as good as random, so no branch hangs on it.
        let passes = next < hole.1;
        top = if passes { top.max(after) } else { top };
        j += usize::from(passes);
        i += usize::from(!passes);
    }
    count
}
