//! The buffers placed so far, and the gaps they leave for the next one.

use std::borrow::Cow;

use crate::baselines::fit::Request;
use crate::baselines::timeline::Timeline;
use crate::index::BufferIdx;
use crate::place::instance::Instance;
use crate::problem::Problem;

/// Addresses `[start, end)` in bytes.
pub type Range = (u64, u64);

/// End of the gap above everything that is placed.
pub const UNBOUNDED: u64 = u64::MAX;

/// Buffers with offsets in one memory. Knows every kind of conflict that a problem can have.
///
/// Fixed buffers are there from the beginning.
pub struct Placed<'p> {
    instance: Instance,
    timeline: Timeline,
    sizes: Cow<'p, [u64]>,
    offsets: Vec<u64>,
    is_placed: Vec<bool>,
}

impl<'p> Placed<'p> {
    /// Nothing but the fixed buffers. Sizes may be larger than in the problem: rounded up.
    ///
    /// Complexity: `O(n log n)`.
    pub fn new(problem: &Problem, sizes: Cow<'p, [u64]>) -> Self {
        let instance = Instance::new(problem);
        let mut placed = Self {
            timeline: Timeline::new(instance.sections(), instance.spans()),
            instance,
            sizes,
            offsets: vec![0; problem.len()],
            is_placed: vec![false; problem.len()],
        };
        for &(buffer, offset) in problem.fixed() {
            placed.put(buffer, offset);
        }
        placed
    }

    /// Whether a buffer has its offset.
    pub fn contains(&self, buffer: BufferIdx) -> bool {
        self.is_placed[buffer.get()]
    }

    /// Gives a buffer its offset. Complexity: `O(log n)` insertions into sets of addresses.
    pub fn put(&mut self, buffer: BufferIdx, offset: u64) {
        let i = buffer.get();
        self.offsets[i] = offset;
        self.is_placed[i] = true;
        let end = offset.saturating_add(self.sizes[i]);
        for &piece in self.instance.pieces(i) {
            self.timeline.insert(piece, offset, end);
        }
    }

    /// The gaps of at least `size` bytes between all placed buffers that conflict with `buffer`.
    pub fn gaps(&mut self, buffer: BufferIdx, size: u64) -> Gaps<'_> {
        let i = buffer.get();
        let query = self.timeline.open(self.instance.pieces(i));
        for &j in self.instance.neighbours(i) {
            let j = j as usize;
            if self.is_placed[j] {
                query.avoid(self.offsets[j], self.offsets[j].saturating_add(self.sizes[j]));
            }
        }
        query.close();
        Gaps { timeline: query, size, next: Some(0) }
    }

    /// The offsets, once all are placed.
    pub fn into_offsets(self) -> Vec<u64> {
        self.offsets
    }
}

/// Gaps, ascending and as long as they can be; the last one is `[top, UNBOUNDED)`.
///
/// Found one by one: a rule that takes the first gap does not pay for the others.
pub struct Gaps<'o> {
    timeline: &'o mut Timeline,
    size: u64,
    next: Option<u64>,
}

impl Gaps<'_> {
    /// Where the first gap that fits takes the request; `UNBOUNDED` if none does. The ends of gaps are not looked for.
    pub fn lowest(self, request: &Request) -> u64 {
        let Request { size, alignment, rounding } = *request;
        let found = if alignment == 1 {
            self.timeline.lowest(0, size, |offset| offset)
        } else {
            self.timeline.lowest(0, size, |offset| rounding.up(offset, alignment))
        };
        found.unwrap_or(UNBOUNDED)
    }
}

impl Iterator for Gaps<'_> {
    type Item = Range;

    fn next(&mut self) -> Option<Range> {
        let (start, end) = self.timeline.next_hole(self.next?, self.size)?;
        self.next = (end != UNBOUNDED).then_some(end);
        Some((start, end))
    }
}
