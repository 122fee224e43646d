//! Best fit of MLIR's static memory planner.
//!
//! Source: llvm-project, `mlir/lib/Dialect/Bufferization/Transforms/StaticMemoryPlanning.cpp` (pass
//! `static-memory-planner-analysis`, `algorithm=best-fit`), Apache-2.0 WITH LLVM-exception.
//!
//! Order: start, then position. Placement, online: the smallest gap between live buffers that fits, measured from
//! its aligned start; what lies between the highest live buffer and the end of the arena so far counts as a gap;
//! the lowest of equals. Else on top of the highest live buffer.
//!
//! Complexity: `O(n log n)`; with several alignments `O(n g)` for `g` gaps at a time.

use crate::baselines::fit::order_by_key;
use crate::baselines::free_list::FreeList;
use crate::baselines::layout::complete;
use crate::baselines::online::{place_online, planner};
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;
use crate::radix::ascending;

/// In order of start, into the smallest gap between live buffers.
pub const PLANNER: Planner = planner(
    "mlir-best-fit",
    "MLIR static-memory-planner-analysis",
    "one pass over time, into the smallest gap or the free end of the arena",
    run,
);

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let rounding = Rounding::of(problem);
    let order = order_by_key(problem, |i| [ascending(problem.lifetimes()[i].start)]);
    let mut arena = 0_u64;
    let rule = |free: &FreeList, size: u64, alignment: u64| {
        let tail = rounding.up(free.top(), alignment);
        let room = arena.saturating_sub(tail);
        let offset = match free.smallest(size, alignment) {
            Some((offset, length)) if room < size || length <= room => offset,
            _ => tail,
        };
        arena = arena.max(offset.saturating_add(size));
        offset
    };
    complete(problem, place_online(problem, problem.sizes(), control, &order, rule)?)
}
