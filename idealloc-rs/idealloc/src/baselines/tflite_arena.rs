//! The arena of the TFLite interpreter on CPUs.
//!
//! Source: LiteRT, `tflite/arena_planner.cc` (`CreateTensorAllocationVector`) and `tflite/simple_memory_arena.cc`
//! (`SimpleMemoryArena::Allocate`), Apache-2.0.
//!
//! Order: by size, largest first; by start; by position (upstream's `std::sort` leaves the last tie open).
//! Tensors that upstream never releases come before all others; a buffer of a [`Problem`] always ends, so there
//! are none here.
//! Placement: the smallest gap that fits, measured from its unaligned start; the lowest of equals. In-place
//! sharing of tensors happens before planning and is not part of it.
//!
//! Complexity: `O(n log n)` for the order, and one search over the gaps per buffer.

use crate::baselines::fit::{order_by_key, place_in_order, planner, smallest_hole};
use crate::baselines::layout::complete;
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
    complete(problem, place_in_order(problem, control, &order, smallest_hole)?)
}
