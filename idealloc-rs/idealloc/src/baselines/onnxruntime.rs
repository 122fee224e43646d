//! ONNX Runtime's memory pattern planner.
//!
//! Source: ONNX Runtime, `core/framework/mem_pattern_planner.h`, MIT. Restated from the source text; never
//! compared with a running ONNX Runtime. Which values share a buffer is decided before, by its allocation
//! planner, and is no part of this.
//!
//! Order: the trace of allocations and frees of one run: start, frees before allocations, then position.
//! Placement: the smallest gap between live blocks that fits, the lowest of equals; else above the highest live
//! block.
//!
//! Complexity: `O(n log n)`; with several alignments `O(n g)` for `g` gaps at a time.

use crate::baselines::fit::order_by_key;
use crate::baselines::layout::complete;
use crate::baselines::online::{place_online, planner, smallest_or_top};
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;
use crate::radix::ascending;

/// In order of start, into the smallest gap between live blocks.
pub const PLANNER: Planner = planner(
    "onnxruntime",
    "ONNX Runtime MemPatternPlanner (from source text, not compared)",
    "one pass over time, into the smallest gap between live buffers",
    run,
);

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let rule = smallest_or_top(Rounding::of(problem));
    let order = order_by_key(problem, |i| [ascending(problem.lifetimes()[i].start)]);
    complete(problem, place_online(problem, problem.sizes(), control, &order, rule)?)
}
