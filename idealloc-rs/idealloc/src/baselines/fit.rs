//! Gap rules: which of several gaps a buffer goes to.

use std::borrow::Cow;

use crate::baselines::placed::{Gaps, Placed, Range, UNBOUNDED};
use crate::baselines::rounding::Rounding;
use crate::control::Control;
use crate::error::Error;
use crate::index::BufferIdx;
use crate::planner::{Features, Planner, Run};
use crate::problem::Problem;
use crate::radix;

/// Buffers placed between two looks at whether the caller wants to stop.
pub const POLL: usize = 1 << 10;

/// A planner that places in a static order among gaps. It honours all that a problem in one memory can have.
pub const fn planner(
    name: &'static str,
    origin: &'static str,
    summary: &'static str,
    run: Run,
) -> Planner {
    let features =
        Features { alignment: true, fixed: true, gaps: true, conflicts: true, pools: false };
    Planner { name, origin, summary, features, run }
}

/// What is to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub alignment: u64,
    /// How offsets of this memory are aligned.
    pub rounding: Rounding,
}

impl Request {
    /// Where in a gap the buffer would go, if it fits.
    #[inline]
    pub fn offset_in(&self, (start, end): Range) -> Option<u64> {
        let offset = self.rounding.up(start, self.alignment);
        (end == UNBOUNDED || offset.saturating_add(self.size) <= end).then_some(offset)
    }
}

/// The lowest gap that fits.
pub fn lowest(request: &Request, gaps: Gaps<'_>) -> u64 {
    gaps.lowest(request)
}

/// The smallest gap that fits, measured from the aligned offset to its end; the lowest of equals. The unbounded
/// gap is the last resort.
pub fn smallest(request: &Request, gaps: Gaps<'_>) -> u64 {
    smallest_by(request, gaps, |(_, end), offset| end - offset)
}

/// As [`smallest`], measured from the start of the gap as it is.
pub fn smallest_hole(request: &Request, gaps: Gaps<'_>) -> u64 {
    smallest_by(request, gaps, |(start, end), _| end - start)
}

/// The gap that fits with the least `measure(gap, aligned offset)`: the size or more, and what alignment leaves free
/// below the offset not counted or counted. The lowest of equals. The unbounded gap is the last resort.
pub fn smallest_by(request: &Request, gaps: Gaps<'_>, measure: impl Fn(Range, u64) -> u64) -> u64 {
    let mut best = (u64::MAX, UNBOUNDED);
    gaps.visit_up_to(|gap| {
        if let Some(offset) = request.offset_in(gap) {
            // The last resort.
            let measured = if gap.1 == UNBOUNDED { u64::MAX } else { measure(gap, offset) };
            if measured < best.0 || best.1 == UNBOUNDED {
                best = (measured, offset);
            }
        }
        if best.0 == request.size { 0 } else { best.0.saturating_add(request.alignment - 1) }
    });
    best.1
}

/// Places the buffers of `order` one after another, each where `rule` says, around the fixed ones.
///
/// Buffers of size 0 get offset 0. Complexity: one search for gaps and one insertion per buffer, see [`Placed`].
///
/// # Errors
/// [`Error::Cancelled`].
pub fn place_in_order(
    problem: &Problem,
    control: &Control,
    order: &[BufferIdx],
    rule: impl FnMut(&Request, Gaps<'_>) -> u64,
) -> Result<Vec<u64>, Error> {
    place_sizes_in_order(problem, Cow::Borrowed(problem.sizes()), control, order, rule)
}

/// As [`place_in_order`], where buffers take other sizes than in the problem: rounded ones.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn place_sizes_in_order(
    problem: &Problem,
    sizes: Cow<'_, [u64]>,
    control: &Control,
    order: &[BufferIdx],
    mut rule: impl FnMut(&Request, Gaps<'_>) -> u64,
) -> Result<Vec<u64>, Error> {
    let mut placed = Placed::new(problem, sizes.clone());
    let rounding = Rounding::of(problem);
    for (turn, &buffer) in order.iter().enumerate() {
        if turn % POLL == 0 && control.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let size = sizes[buffer.get()];
        if size == 0 || placed.contains(buffer) {
            continue;
        }
        let request = Request { size, alignment: problem.alignment(buffer), rounding };
        let offset = rule(&request, placed.gaps(buffer, size));
        placed.put(buffer, offset);
    }
    Ok(placed.into_offsets())
}

/// The sizes, each rounded up to a multiple of its buffer's alignment.
pub fn aligned_sizes(problem: &Problem) -> Cow<'_, [u64]> {
    match problem.alignments() {
        None => Cow::Borrowed(problem.sizes()),
        Some(alignments) => {
            let round = |(&size, &alignment): (&u64, &u64)| {
                size.checked_next_multiple_of(alignment).unwrap_or(UNBOUNDED)
            };
            problem.sizes().iter().zip(alignments).map(round).collect()
        }
    }
}

/// All buffers by ascending key, then by position. `!value` sorts downwards, [`crate::radix::ascending`] takes times.
pub fn order_by_key<const K: usize>(
    problem: &Problem,
    key: impl Fn(usize) -> [u64; K],
) -> Vec<BufferIdx> {
    radix::order(problem.len(), key).into_iter().map(BufferIdx::new).collect()
}
