//! Sets of addresses as sorted ranges.

/// Addresses `[start, end)` in bytes.
pub type Range = (u64, u64);

/// End of the gap above everything that is placed.
pub const UNBOUNDED: u64 = u64::MAX;

/// A union of address ranges: ascending, disjoint, never touching.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeUnion {
    ranges: Vec<Range>,
}

impl RangeUnion {
    /// The ranges, ascending.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// Adds a range that is not empty; returns false if it was in the union already.
    ///
    /// Complexity: `O(log r)` to find it, `O(r)` to move what lies above, for `r` ranges.
    pub fn insert(&mut self, (start, end): Range) -> bool {
        let first = self.ranges.partition_point(|&(_, e)| e < start);
        let Some(&(s, e)) = self.ranges.get(first).filter(|&&(s, _)| s <= end) else {
            self.ranges.insert(first, (start, end));
            return true;
        };
        if s <= start && end <= e {
            return false;
        }
        let mut last = first;
        while self.ranges.get(last + 1).is_some_and(|&(s, _)| s <= end) {
            last += 1;
        }
        self.ranges[first] = (s.min(start), self.ranges[last].1.max(end));
        self.ranges.drain(first + 1..=last);
        true
    }

    /// The union of any ranges. Complexity: `O(r log r)`.
    pub fn collect_from(&mut self, ranges: &mut [Range]) {
        ranges.sort_unstable();
        self.ranges.clear();
        for &(start, end) in ranges.iter() {
            match self.ranges.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => self.ranges.push((start, end)),
            }
        }
    }
}

/// Intersects gaps with the complement of `occupied`, keeping pieces of at least `size` bytes.
///
/// Both are ascending and so is `out`. Complexity: `O(g log r + pieces)` for `g` gaps and `r` ranges.
pub fn subtract(gaps: &[Range], occupied: &[Range], size: u64, out: &mut Vec<Range>) {
    out.clear();
    let mut rest = occupied;
    for &(mut start, end) in gaps {
        rest = &rest[rest.partition_point(|&(_, e)| e <= start)..];
        let mut passed = 0;
        for &(s, e) in rest {
            if s >= end {
                break;
            }
            if s > start && s - start >= size {
                out.push((start, s));
            }
            start = e;
            passed += 1;
        }
        // The last range passed may reach into the next gap.
        rest = &rest[passed.max(1) - 1..];
        if start < end && end - start >= size {
            out.push((start, end));
        }
    }
}
