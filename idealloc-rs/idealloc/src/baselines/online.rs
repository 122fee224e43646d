//! The loop of planners that go through time once and place each buffer where it starts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::baselines::free_list::FreeList;
use crate::baselines::rounding::Rounding;
use crate::control::Control;
use crate::error::Error;
use crate::index::BufferIdx;
use crate::planner::{Features, Planner, Run};
use crate::problem::Problem;

const POLL: usize = 1 << 10;

/// A planner that goes through time once. It honours alignment, and lifetimes are all it knows of conflicts.
pub const fn planner(
    name: &'static str,
    origin: &'static str,
    summary: &'static str,
    run: Run,
) -> Planner {
    let features =
        Features { alignment: true, fixed: false, gaps: false, conflicts: false, pools: false };
    Planner { name, origin, summary, features, run }
}

/// Places buffers in `order`, which ascends by start. Before each one, all that has ended is freed.
///
/// `rule(free, size, alignment)` says where a buffer goes. Buffers of size 0 and those that are never live get
/// the lowest aligned offset. Complexity: `O(n log n)` and one call of the rule per buffer.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn place_online(
    problem: &Problem,
    sizes: &[u64],
    control: &Control,
    order: &[BufferIdx],
    mut rule: impl FnMut(&FreeList, u64, u64) -> u64,
) -> Result<Vec<u64>, Error> {
    let rounding = Rounding::of(problem);
    let mut free = FreeList::new(rounding, problem.alignments());
    let mut offsets = vec![0_u64; problem.len()];
    // (end of life, end and start of the range)
    let mut live: BinaryHeap<Reverse<(i64, u64, u64)>> = BinaryHeap::new();
    for (turn, &buffer) in order.iter().enumerate() {
        if turn % POLL == 0 && control.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let i = buffer.get();
        let (life, size, alignment) = (problem.lifetimes()[i], sizes[i], problem.alignment(buffer));
        if size == 0 || life.is_empty() {
            offsets[i] = rounding.up(0, alignment);
            continue;
        }
        while let Some(&Reverse((ended, end, start))) = live.peek().filter(|l| l.0.0 <= life.start)
        {
            debug_assert!(ended <= life.start);
            live.pop();
            free.free((start, end));
        }
        let offset = rule(&free, size, alignment);
        let end = offset.saturating_add(size);
        offsets[i] = offset;
        free.take((offset, end));
        live.push(Reverse((life.end, end, offset)));
    }
    Ok(offsets)
}

/// The smallest gap below the highest live buffer, else above it.
pub fn smallest_or_top(rounding: Rounding) -> impl Fn(&FreeList, u64, u64) -> u64 {
    move |free, size, alignment| match free.smallest(size, alignment) {
        Some((offset, _)) => offset,
        None => rounding.up(free.top(), alignment),
    }
}
