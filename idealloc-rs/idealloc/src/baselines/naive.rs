//! One place for each buffer, no sharing.
//!
//! Source: TFLite's GPU delegate (`NAIVE`), TFLite Micro's `LinearMemoryPlanner`, Vela's `Linear`, ExecuTorch's
//! `naive`.
//!
//! Order: position. Placement: above the one before, aligned. Complexity: `O(n)`.

use crate::baselines::layout::complete;
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

/// One above the other.
pub const PLANNER: Planner = Planner {
    name: "naive",
    origin: "TFLite GPU NAIVE, TFLM LinearMemoryPlanner, Vela Linear",
    summary: "one above the other, nothing shared: what planning saves against",
    features: Features { alignment: true, fixed: false, gaps: true, conflicts: true, pools: false },
    run,
};

fn run(problem: &Problem, options: &Options, _: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let rounding = Rounding::of(problem);
    let mut top = 0_u64;
    let place = |(i, &size): (usize, &u64)| {
        if size == 0 {
            return 0;
        }
        let offset = rounding.up(top, problem.alignment(BufferIdx::from(i)));
        top = offset.saturating_add(size);
        offset
    };
    complete(problem, problem.sizes().iter().enumerate().map(place).collect())
}
