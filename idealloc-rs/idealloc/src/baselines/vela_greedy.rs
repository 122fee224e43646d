//! Vela's greedy allocator for Ethos-U.
//!
//! Source: Vela 5.2.0, `ethosu/vela/greedy_allocation.py`, Apache-2.0; identical to the installed one on A..K
//! (`tests/golden.rs`).
//!
//! Order: start; then the last to end; then the smallest; then position (Vela: name). Placement, online: the
//! smallest gap between live buffers that fits, measured from its aligned start, where the size is rounded up to
//! the alignment; the lowest of equals. Else above the highest live buffer.
//!
//! Complexity: `O(n log n)`; with several alignments `O(n g)` for `g` gaps at a time.

use crate::baselines::fit::order_by_key;
use crate::baselines::free_list::FreeList;
use crate::baselines::layout::complete;
use crate::baselines::online::{place_online, planner, smallest_or_top};
use crate::baselines::placed::UNBOUNDED;
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;
use crate::radix::ascending;

/// In order of start, the longest first, into the smallest gap between live buffers.
pub const PLANNER: Planner = planner(
    "vela-greedy",
    "Vela GreedyAllocator",
    "one pass over time, longest first, into the smallest gap between live buffers",
    run,
);

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let place = smallest_or_top(Rounding::of(problem));
    // A gap must hold the size rounded up to the alignment; what lies there takes the size.
    let rule = |free: &FreeList, size: u64, alignment: u64| {
        place(free, size.checked_next_multiple_of(alignment).unwrap_or(UNBOUNDED), alignment)
    };
    let order = order_by_key(problem, |i| {
        let life = problem.lifetimes()[i];
        [ascending(life.start), !ascending(life.end), problem.sizes()[i]]
    });
    complete(problem, place_online(problem, problem.sizes(), control, &order, rule)?)
}
