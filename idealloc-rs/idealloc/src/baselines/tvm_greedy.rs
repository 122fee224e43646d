//! TVM's greedy planners of its unified static memory planner (USMP).
//!
//! Source: apache/tvm v0.19.0, `src/tir/usmp/algo/greedy.cc`, Apache-2.0; TVM RFC 0009. Removed from TVM in v0.20.0.
//!
//! Order: `tvm-by-size`: (size, number of conflicts, name), all descending; `tvm-by-conflicts`: (number of
//! conflicts, size, name), all descending. The position stands in for the name.
//! Placement: on top of everything placed that conflicts, in the first candidate pool where that fits; holes are
//! never filled. Ends are rounded up to the alignment of the buffer *below*, as upstream does, and then to its
//! own, without which mixed alignments would be wrong upstream. (Upstream, a later conflict can also bring back a
//! pool that was dropped as too small, at too low an offset; here a dropped pool stays dropped.)
//!
//! With one pool its capacity is not looked at. Complexity: `O(n log n + p n log^2 n)` for `p` pools, plus
//! `O(pairs)` for listed conflicts.

use crate::baselines::degrees::degrees;
use crate::baselines::fit::order_by_key;
use crate::baselines::layout::complete;
use crate::baselines::pools::{Candidates, fits};
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::baselines::skyline::Skyline;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::place::instance::Instance;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

const FEATURES: Features =
    Features { alignment: true, fixed: false, gaps: true, conflicts: true, pools: true };

const POLL: usize = 1 << 12;

/// Largest first.
pub const BY_SIZE: Planner = Planner {
    name: "tvm-by-size",
    origin: "TVM USMP greedy_by_size",
    summary: "largest first, on top of all that conflicts",
    features: FEATURES,
    run: |problem: &Problem, options: &Options, control: &Control| {
        Settings::new("tvm-by-size", options).finish()?;
        stack(problem, control, &by_size(problem, control)?)
    },
};

/// Most conflicts first.
pub const BY_CONFLICTS: Planner = Planner {
    name: "tvm-by-conflicts",
    origin: "TVM USMP greedy_by_conflicts",
    summary: "most conflicts first, on top of all that conflicts",
    features: FEATURES,
    run: |problem: &Problem, options: &Options, control: &Control| {
        Settings::new("tvm-by-conflicts", options).finish()?;
        let degrees = degrees(problem, control)?;
        let order =
            order_by_key(problem, |i| [!(degrees[i] as u64), !problem.sizes()[i], !(i as u64)]);
        stack(problem, control, &order)
    },
};

/// (size, number of conflicts, position), all descending.
///
/// # Errors
/// As [`degrees`].
pub fn by_size(problem: &Problem, control: &Control) -> Result<Vec<BufferIdx>, Error> {
    let degrees = degrees(problem, control)?;
    Ok(order_by_key(problem, |i| [!problem.sizes()[i], !(degrees[i] as u64), !(i as u64)]))
}

fn stack(problem: &Problem, control: &Control, order: &[BufferIdx]) -> Result<Placement, Error> {
    let instance = Instance::new(problem);
    let candidates = Candidates::of(problem);
    let roundings: Vec<Rounding> =
        problem.pools().iter().map(|pool| Rounding::at(pool.base_address)).collect();
    let mut skylines = vec![Skyline::new(instance.sections()); problem.pools().len()];
    // End of each placed buffer, rounded up to its own alignment, and its pool.
    let mut placed: Vec<Option<(u64, u32)>> = vec![None; problem.len()];
    let mut offsets = vec![0_u64; problem.len()];
    let mut pools: Vec<u32> = (0..problem.len()).map(|i| candidates.of_buffer(i)[0]).collect();
    for (turn, &buffer) in order.iter().enumerate() {
        if turn % POLL == 0 && control.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let i = buffer.get();
        let (size, alignment) = (problem.sizes()[i], problem.alignment(buffer));
        if size == 0 {
            continue;
        }
        let top = |pool: u32| {
            let mut top = 0;
            for &piece in instance.pieces(i) {
                top = skylines[pool as usize].highest(piece).max(top);
            }
            for &neighbour in instance.neighbours(i) {
                if let Some((end, _)) = placed[neighbour as usize].filter(|&(_, p)| p == pool) {
                    top = end.max(top);
                }
            }
            roundings[pool as usize].up(top, alignment)
        };
        let place = candidates.of_buffer(i).iter().map(|&pool| (top(pool), pool));
        let Some((offset, pool)) =
            place.into_iter().find(|&(top, pool)| fits(problem, pool, top.saturating_add(size)))
        else {
            return Err(Error::buffer(i, format!("its {size} bytes fit none of its pools")));
        };
        let end = roundings[pool as usize].up(offset.saturating_add(size), alignment);
        offsets[i] = offset;
        pools[i] = pool;
        placed[i] = Some((end, pool));
        for &piece in instance.pieces(i) {
            skylines[pool as usize].raise(piece, end);
        }
    }
    let mut placement = complete(problem, offsets)?;
    if problem.pools().len() > 1 {
        placement.pools = pools;
    }
    Ok(placement)
}
