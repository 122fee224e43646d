//! The free memory below the highest live buffer, for planners that go through time once.

use std::collections::{BTreeMap, BTreeSet};

use crate::baselines::placed::{Range, UNBOUNDED};
use crate::baselines::rounding::Rounding;

/// Gaps between live blocks, by address and by length.
///
/// Finding the smallest gap takes `O(log g)` for `g` gaps where all buffers have one alignment, else `O(g)`.
#[derive(Debug)]
pub struct FreeList {
    rounding: Rounding,
    /// The alignment of all requests, if it is one.
    alignment: Option<u64>,
    /// Start to end. The last gap has no end.
    by_start: BTreeMap<u64, u64>,
    /// (End less the aligned start, start) of the bounded gaps that hold an aligned byte; only with one alignment.
    by_length: BTreeSet<(u64, u64)>,
}

impl FreeList {
    /// Nothing is taken. `alignments`: of all requests to come; `None`: 1.
    pub fn new(rounding: Rounding, alignments: Option<&[u64]>) -> Self {
        let alignment = match alignments {
            None => Some(1),
            Some(all) => all.first().copied().filter(|first| all.iter().all(|a| a == first)),
        };
        Self {
            rounding,
            alignment,
            by_start: BTreeMap::from([(0, UNBOUNDED)]),
            by_length: BTreeSet::new(),
        }
    }

    fn length(&self, (start, end): Range, alignment: u64) -> Option<u64> {
        end.checked_sub(self.rounding.up(start, alignment)).filter(|_| end != UNBOUNDED)
    }

    fn add(&mut self, gap: Range) {
        self.by_start.insert(gap.0, gap.1);
        if let Some(length) = self.alignment.and_then(|a| self.length(gap, a)) {
            self.by_length.insert((length, gap.0));
        }
    }

    fn remove(&mut self, gap: Range) {
        self.by_start.remove(&gap.0);
        if let Some(length) = self.alignment.and_then(|a| self.length(gap, a)) {
            self.by_length.remove(&(length, gap.0));
        }
    }

    /// End of the highest live block.
    pub fn top(&self) -> u64 {
        self.by_start.last_key_value().map_or(UNBOUNDED, |(&start, _)| start)
    }

    /// The offset in the smallest gap below the top with `size` bytes from its aligned start on; the lowest of
    /// equals.
    ///
    /// Returns the offset and the bytes from there to the end of the gap.
    pub fn smallest(&self, size: u64, alignment: u64) -> Option<(u64, u64)> {
        let found = if self.alignment == Some(alignment) {
            self.by_length.range((size, 0)..).next().copied()
        } else {
            let bounded = self.by_start.iter().map(|(&start, &end)| (start, end));
            let lengths = bounded.filter_map(|gap| Some((self.length(gap, alignment)?, gap.0)));
            lengths.filter(|&(length, _)| length >= size).min()
        };
        found.map(|(length, start)| (self.rounding.up(start, alignment), length))
    }

    /// Takes a range that is free.
    pub fn take(&mut self, (start, end): Range) {
        if start == end {
            return;
        }
        if let Some((&s, &e)) = self.by_start.range(..=start).next_back() {
            self.remove((s, e));
            if s < start {
                self.add((s, start));
            }
            if end < e {
                self.add((end, e));
            }
        }
    }

    /// Frees a range that was taken, and joins it with the gaps on both sides.
    pub fn free(&mut self, (mut start, mut end): Range) {
        if start == end {
            return;
        }
        if let Some((&s, &e)) =
            self.by_start.range(..start).next_back().filter(|gap| *gap.1 == start)
        {
            self.remove((s, e));
            start = s;
        }
        if let Some((&s, &e)) = self.by_start.get_key_value(&end) {
            self.remove((s, e));
            end = e;
        }
        self.add((start, end));
    }
}
