//! IREE's layout of slices of a pack.
//!
//! Source: IREE, `compiler/src/iree/compiler/Dialect/Stream/Transforms/LayoutSlices.cpp`, Apache-2.0 WITH
//! LLVM-exception. IREE calls it greedy strip packing; the rule is that of TFLite's arena without its sort.
//!
//! Order: position. Placement: the smallest gap that fits, measured from its aligned start; the lowest of equals.
//! Sizes are rounded up to the alignment.
//!
//! Complexity: one search over the gaps per buffer.

use crate::baselines::fit::{aligned_sizes, order_by_key, place_sizes_in_order, planner, smallest};
use crate::baselines::layout::complete;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;

/// In the order given, into the smallest gap.
pub const PLANNER: Planner =
    planner("iree", "IREE Stream LayoutSlices", "in the order given, into the smallest gap", run);

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let order = order_by_key(problem, |_| []);
    let sizes = aligned_sizes(problem);
    complete(problem, place_sizes_in_order(problem, sizes, control, &order, smallest)?)
}
