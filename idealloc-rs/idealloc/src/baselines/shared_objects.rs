//! Shared objects: buffers that take turns in one piece of memory.

use std::collections::BTreeMap;

use crate::baselines::layout::complete;
use crate::baselines::rounding::Rounding;
use crate::error::Error;
use crate::lifetime::Lifetime;
use crate::planner::Placement;
use crate::problem::Problem;

/// Objects and who is in them. All members of an object start at its first byte and take turns in time.
#[derive(Debug)]
pub struct SharedObjects<'p> {
    problem: &'p Problem,
    sizes: Vec<u64>,
    /// For each object the lifetimes of its members, start to end; disjoint.
    taken: Vec<BTreeMap<i64, i64>>,
    object_of: Vec<Option<u32>>,
}

impl<'p> SharedObjects<'p> {
    /// No objects.
    pub fn new(problem: &'p Problem) -> Self {
        Self { problem, sizes: Vec::new(), taken: Vec::new(), object_of: vec![None; problem.len()] }
    }

    /// Bytes of each object.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Opens an object for a buffer and returns it.
    pub fn open(&mut self, buffer: usize) -> usize {
        let object = self.sizes.len();
        self.sizes.push(0);
        self.taken.push(BTreeMap::new());
        self.join(object, buffer);
        object
    }

    /// Puts a buffer into an object, which grows if need be. The caller has made sure that it is free. `O(log m)`.
    pub fn join(&mut self, object: usize, buffer: usize) {
        let life = self.problem.lifetimes()[buffer];
        self.sizes[object] = self.sizes[object].max(self.problem.sizes()[buffer]);
        if !life.is_empty() {
            self.taken[object].insert(life.start, life.end);
        }
        self.object_of[buffer] = Some(object as u32);
    }

    /// Whether no member is live in a lifetime. `O(log m)` for `m` members.
    pub fn is_free(&self, object: usize, life: Lifetime) -> bool {
        life.is_empty()
            || self.taken[object]
                .range(..life.end)
                .next_back()
                .is_none_or(|(_, &end)| end <= life.start)
    }

    /// Ticks between a lifetime and the closest member of an object; `None` unless it is free then. `O(log m)`.
    pub fn distance(&self, object: usize, life: Lifetime) -> Option<u64> {
        let taken = &self.taken[object];
        let before = taken.range(..life.end).next_back().map(|(_, &end)| end);
        if before.is_some_and(|end| end > life.start) {
            return None;
        }
        let before = before.map(|end| life.start.abs_diff(end));
        let after = taken.range(life.end..).next().map(|(&start, _)| start.abs_diff(life.end));
        before.into_iter().chain(after).min()
    }

    /// One object above the other, in the order in which they were opened.
    ///
    /// Each starts at a multiple of the alignments of all its members; buffers in no object are at the bottom.
    ///
    /// # Errors
    /// [`Error::InvalidProblem`] if that is above 2^63 - 1.
    pub fn into_placement(self) -> Result<Placement, Error> {
        let mut alignments = vec![1_u64; self.sizes.len()];
        if let Some(all) = self.problem.alignments() {
            for (object, &alignment) in self.object_of.iter().zip(all) {
                if let Some(object) = *object {
                    let common = &mut alignments[object as usize];
                    *common = least_common_multiple(*common, alignment);
                }
            }
        }
        let rounding = Rounding::of(self.problem);
        let mut top = 0_u64;
        let mut starts = Vec::with_capacity(self.sizes.len());
        for (&size, &alignment) in self.sizes.iter().zip(&alignments) {
            let start = rounding.up(top, alignment);
            starts.push(start);
            top = start.saturating_add(size);
        }
        let offset = |(i, object): (usize, &Option<u32>)| match object {
            Some(object) => starts[*object as usize],
            None => rounding.up(0, self.problem.alignment(i.into())),
        };
        complete(self.problem, self.object_of.iter().enumerate().map(offset).collect())
    }
}

/// Saturates: a start that is rounded up to `u64::MAX` is refused with the layout.
fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x.max(1)).saturating_mul(b)
}
