//! The arena of the TFLite interpreter on CPUs.
//!
//! Source: LiteRT, `tflite/arena_planner.cc` (`CreateTensorAllocationVector`) and `tflite/simple_memory_arena.cc`
//! (`SimpleMemoryArena::Allocate`), Apache-2.0.
//!
//! Order: by size, largest first; by start; by position (upstream's `std::sort` leaves the last tie open).
//! Tensors that upstream never releases come before all others; a buffer of a [`Problem`] always ends, so there
//! are none here.
//! Placement: gaps from the bottom up. One that fits is taken for the present one if what it holds above the aligned
//! offset is less than all of the present one, alignment included. So a gap as large as the present one, or larger, may
//! replace it where alignment costs it more. In-place sharing of tensors happens before planning and is not part of it.
//!
//! Complexity: `O(n log n)` for the order, and one search over the gaps per buffer.

use crate::baselines::fit::{Request, order_by_key, place_in_order, planner};
use crate::baselines::layout::complete;
use crate::baselines::placed::{Gaps, UNBOUNDED};
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;
use crate::radix::ascending;

/// Largest first, then earliest, into the smallest gap.
pub const PLANNER: Planner = planner(
    "tflite-arena",
    "LiteRT SimpleMemoryArena",
    "largest first, earliest first, into the smallest gap",
    run,
);

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let order =
        order_by_key(problem, |i| [!problem.sizes()[i], ascending(problem.lifetimes()[i].start)]);
    complete(problem, place_in_order(problem, control, &order, gap)?)
}

/// The offset that `SimpleMemoryArena::Allocate` chooses.
fn gap(request: &Request, gaps: Gaps<'_>) -> u64 {
    let mut best: Option<(u64, u64)> = None;
    let mut top = UNBOUNDED;
    gaps.visit_up_to(|gap @ (start, end)| {
        let Some(offset) = request.offset_in(gap) else { return u64::MAX };
        if end == UNBOUNDED {
            top = offset;
        } else if best.is_none_or(|(length, _)| end - offset < length) {
            best = Some((end - start, offset));
        }
        // What is above an aligned offset is shorter than the gap by less than the alignment.
        best.map_or(u64::MAX, |(length, _)| length.saturating_add(request.alignment))
    });
    best.map_or(top, |(_, offset)| offset)
}
