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

    /// Gives a buffer its offset. Complexity: one insertion into sets of addresses per window that it meets.
    pub fn put(&mut self, buffer: BufferIdx, offset: u64) {
        let size = self.sizes[buffer.get()];
        self.take(buffer, (offset, offset.saturating_add(size)));
    }

    /// Gives a buffer addresses of another length than its size. Complexity: as [`put`](Self::put).
    pub fn take(&mut self, buffer: BufferIdx, (start, end): Range) {
        let i = buffer.get();
        self.offsets[i] = start;
        if end - start != self.sizes[i] {
            self.sizes.to_mut()[i] = end - start;
        }
        self.is_placed[i] = true;
        for &piece in self.instance.pieces(i) {
            self.timeline.insert(piece, start, end);
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
        Gaps { timeline: query, size }
    }

    /// The offsets, once all are placed.
    pub fn into_offsets(self) -> Vec<u64> {
        self.offsets
    }
}

/// Gaps, ascending and as long as they can be; the last one is `[top, UNBOUNDED)`.
///
pub struct Gaps<'o> {
    timeline: &'o mut Timeline,
    size: u64,
}

impl Gaps<'_> {
    /// Where the first gap that fits takes the request; `UNBOUNDED` if none does. The ends of gaps are not looked for.
    pub fn lowest(mut self, request: &Request) -> u64 {
        self.lowest_from(0, request)
    }

    /// As [`lowest`](Self::lowest), at or above `from`, which ascends from call to call.
    pub fn lowest_from(&mut self, from: u64, request: &Request) -> u64 {
        let Request { size, alignment, rounding } = *request;
        let found = if alignment == 1 {
            self.timeline.lowest(from, size, |offset| offset)
        } else {
            self.timeline.lowest(from, size, |offset| rounding.up(offset, alignment))
        };
        found.unwrap_or(UNBOUNDED)
    }

    /// Visits the gaps, lowest first, until `visit` returns true.
    pub fn visit(self, mut visit: impl FnMut(Range) -> bool) {
        self.visit_up_to(|gap| if visit(gap) { 0 } else { u64::MAX });
    }

    /// Visits gaps, lowest first. `visit` returns the length in bytes above which gaps are of no interest any more; 0 to
    /// stop. It may be given longer ones.
    pub fn visit_up_to(self, mut visit: impl FnMut(Range) -> u64) {
        self.timeline.holes(self.size, |start, end| visit((start, end)));
    }
}
