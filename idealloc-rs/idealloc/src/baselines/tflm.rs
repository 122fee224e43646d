//! TFLite Micro's greedy planner.
//!
//! Source: tflite-micro, `tensorflow/lite/micro/memory_planner/greedy_memory_planner.cc`, Apache-2.0.
//!
//! Order: fixed ("offline planned") buffers first; then by size, largest first. Upstream fills its array from the
//! tail and sorts it with a stable bubble sort, so that buffers of equal size come in *reverse* order of
//! position.
//! Placement: the lowest gap that fits. Sizes are rounded up to the alignment beforehand, as upstream's caller
//! does.
//!
//! Complexity: `O(n log n)` for the order, and one search over the gaps per buffer.

use crate::baselines::fit::{aligned_sizes, lowest, order_by_key, place_sizes_in_order, planner};
use crate::baselines::layout::complete;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;

/// Largest first, the last of equals first, at the lowest offset that fits.
pub const PLANNER: Planner = planner(
    "tflm",
    "TFLite Micro GreedyMemoryPlanner",
    "fixed buffers, then largest first, each at the lowest offset where it fits",
    run,
);

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let sizes = aligned_sizes(problem);
    let order = order_by_key(problem, |i| [!sizes[i], !(i as u64)]);
    complete(problem, place_sizes_in_order(problem, sizes, control, &order, lowest)?)
}
