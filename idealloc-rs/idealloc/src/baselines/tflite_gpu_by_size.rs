//! Greedy by size with offsets, of TFLite's GPU delegate.
//!
//! Source: LiteRT, `tflite/delegates/gpu/common/memory_management/greedy_by_size_assignment.cc`, Apache-2.0;
//! Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", arXiv:2001.03288.
//!
//! Order: largest size first, then by position. Placement: the smallest gap that fits, measured from its aligned
//! start; the lowest of equals. The same as XLA's spatial heap but for the tie.
//!
//! Complexity: `O(n log n)` for the order, and one search over the gaps per buffer.

use crate::baselines::fit::{order_by_key, place_in_order, planner, smallest};
use crate::baselines::layout::complete;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;

/// Largest first into the smallest gap.
pub const PLANNER: Planner = planner(
    "tflite-gpu-by-size",
    "LiteRT GPU GreedyBySizeAssignment (offsets)",
    "largest first, into the smallest gap",
    run,
);

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let order = order_by_key(problem, |i| [!problem.sizes()[i]]);
    complete(problem, place_in_order(problem, control, &order, smallest)?)
}
