//! The buffers placed so far, and the gaps they leave for the next one.

use std::borrow::Cow;

use crate::baselines::adjacency::Adjacency;
use crate::baselines::occupancy::Occupancy;
use crate::baselines::ranges::{Range, RangeUnion, UNBOUNDED, subtract};
use crate::baselines::sections::Sections;
use crate::index::BufferIdx;
use crate::problem::{Conflicts, Problem};

/// Buffers with offsets in one memory. Knows every kind of conflict that a problem can have.
///
/// Fixed buffers are there from the beginning.
pub struct Placed<'p> {
    sizes: Cow<'p, [u64]>,
    sections: Sections,
    /// By time; `None` where conflicts are listed pair by pair only.
    occupancy: Option<Occupancy>,
    /// Conflicts that are listed.
    listed: Option<Adjacency>,
    offsets: Vec<u64>,
    is_placed: Vec<bool>,
    gaps: Vec<Range>,
    narrowed: Vec<Range>,
    neighbours: Vec<Range>,
    neighbour_union: RangeUnion,
}

impl<'p> Placed<'p> {
    /// Nothing but the fixed buffers. Sizes may be larger than in the problem: rounded up. Complexity: `O(n log n)`.
    pub fn new(problem: &'p Problem, sizes: Cow<'p, [u64]>) -> Self {
        let sections = Sections::of(problem);
        let (by_time, listed) = match problem.conflicts() {
            Conflicts::Lifetimes => (true, None),
            Conflicts::LifetimesAnd(pairs) => (true, Some(Adjacency::new(problem.len(), pairs))),
            Conflicts::Pairs(pairs) => (false, Some(Adjacency::new(problem.len(), pairs))),
        };
        let mut placed = Self {
            sizes,
            occupancy: by_time.then(|| Occupancy::new(sections.count())),
            sections,
            listed,
            offsets: vec![0; problem.len()],
            is_placed: vec![false; problem.len()],
            gaps: Vec::new(),
            narrowed: Vec::new(),
            neighbours: Vec::new(),
            neighbour_union: RangeUnion::default(),
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

    /// Gives a buffer its offset. Complexity: `O(log n)` insertions into unions.
    pub fn put(&mut self, buffer: BufferIdx, offset: u64) {
        let i = buffer.get();
        self.offsets[i] = offset;
        self.is_placed[i] = true;
        let end = offset.saturating_add(self.sizes[i]);
        if let Some(occupancy) = self.occupancy.as_mut().filter(|_| offset < end) {
            for &stretch in self.sections.of_buffer(i) {
                occupancy.take(stretch, (offset, end));
            }
        }
    }

    /// The gaps of at least `size` bytes between all placed buffers that conflict with `buffer`, ascending.
    ///
    /// Gaps are maximal; the last one is `[top, UNBOUNDED)`. Complexity: `O(log n)` unions, each cut out of the gaps
    /// that are left so far, which are few when they have to be large.
    pub fn gaps(&mut self, buffer: BufferIdx, size: u64) -> &[Range] {
        let i = buffer.get();
        let mut unions: Vec<&[Range]> = Vec::with_capacity(64);
        if let Some(occupancy) = &self.occupancy {
            for &stretch in self.sections.of_buffer(i) {
                occupancy.unions(stretch, &mut unions);
            }
        }
        if let Some(listed) = &self.listed {
            self.neighbours.clear();
            for &j in listed.of(i) {
                let (j, size) = (j.get(), self.sizes[j.get()]);
                if self.is_placed[j] && size > 0 {
                    self.neighbours.push((self.offsets[j], self.offsets[j].saturating_add(size)));
                }
            }
            self.neighbour_union.collect_from(&mut self.neighbours);
            unions.push(self.neighbour_union.ranges());
        }
        self.gaps.clear();
        self.gaps.push((0, UNBOUNDED));
        for union in unions {
            subtract(&self.gaps, union, size, &mut self.narrowed);
            std::mem::swap(&mut self.gaps, &mut self.narrowed);
        }
        &self.gaps
    }

    /// The offsets, once all are placed.
    pub fn into_offsets(self) -> Vec<u64> {
        self.offsets
    }
}
