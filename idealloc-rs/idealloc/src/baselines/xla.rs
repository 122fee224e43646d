//! XLA's `GlobalDecreasingSizeBestFitHeap`: global sort, then best fit.
//!
//! Source: OpenXLA, `xla/service/heap_simulator/heap_simulator.cc`, Apache-2.0. Its buffers come with inclusive
//! lifetimes `[start, end]`; ours are half-open.
//!
//! Sort keys, ascending, position last:
//!
//! | planner | XLA's name | key |
//! |---|---|---|
//! | `xla-spatial` | `kSpatial` | largest size, longest lifetime |
//! | `xla-temporal` | `kTemporal` | longest lifetime, largest size |
//! | `xla-area` | `kSpatialTemporal` | largest size times live ticks |
//! | `xla-start` | `kFastMerge`, `kPhaseWindow` | earliest start, largest size |
//! | `xla-end` | `kPhaseWindowEnd` | earliest end, largest size |
//!
//! Placement: the smallest gap between conflicting buffers that fits, measured from its aligned start to its end,
//! the lowest of equals (`fit=best`), or the lowest gap that fits (`fit=lowest`, in XLA since 2026). The gap
//! above everything only where nothing else fits.
//!
//! XLA aligns all buffers of a heap alike; here each has its own alignment, which is the same where all are equal.
//! Fixed buffers, gaps in lifetimes and listed conflicts are obstacles like any other; XLA has none of the three.
//! Colocated and sliced buffers are not described by a [`Problem`].
//!
//! Complexity: `O(n log n)` for the order, and one search over the gaps per buffer.

use crate::baselines::fit::{lowest, order_by_key, place_in_order, planner, smallest};
use crate::baselines::layout::complete;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::planner::{Placement, Planner};
use crate::problem::Problem;
use crate::radix::ascending;

const ORIGIN: &str = "OpenXLA GlobalDecreasingSizeBestFitHeap";

/// Largest first.
pub const SPATIAL: Planner = planner(
    "xla-spatial",
    ORIGIN,
    "largest first, into the smallest gap (fit=lowest: the lowest gap)",
    |p, o, c| run("xla-spatial", spatial, p, o, c),
);

/// Longest first.
pub const TEMPORAL: Planner = planner(
    "xla-temporal",
    ORIGIN,
    "longest lifetime first, into the smallest gap (fit=lowest: the lowest gap)",
    |p, o, c| run("xla-temporal", temporal, p, o, c),
);

/// Largest size times live ticks first.
pub const AREA: Planner = planner(
    "xla-area",
    ORIGIN,
    "largest size times lifetime first, into the smallest gap (fit=lowest: the lowest gap)",
    |p, o, c| run("xla-area", area, p, o, c),
);

/// Earliest start first.
pub const START: Planner = planner(
    "xla-start",
    ORIGIN,
    "earliest start first, into the smallest gap (fit=lowest: the lowest gap)",
    |p, o, c| run("xla-start", start, p, o, c),
);

/// Earliest end first.
pub const END: Planner = planner(
    "xla-end",
    ORIGIN,
    "earliest end first, into the smallest gap (fit=lowest: the lowest gap)",
    |p, o, c| run("xla-end", end, p, o, c),
);

/// The best of several of the above.
///
/// `list=packing-search` (default, XLA 2026's `CreateHeapWithPackingSearch`): best and lowest fit, each with spatial,
/// temporal and area. `list=classic`: spatial and temporal with best fit. The first of equals wins, as in
/// `ChooseBestHeapAlgorithm`.
pub const BEST_OF: Planner = planner(
    "xla-best-of",
    "OpenXLA ChooseBestHeapAlgorithm",
    "the best of spatial, temporal and area with both fits (list=classic: of the first two)",
    best_of,
);

type Order = fn(&Problem) -> Vec<BufferIdx>;

fn span(problem: &Problem, buffer: usize) -> u64 {
    let life = problem.lifetimes()[buffer];
    life.end.abs_diff(life.start)
}

fn spatial(problem: &Problem) -> Vec<BufferIdx> {
    order_by_key(problem, |i| [!problem.sizes()[i], !span(problem, i)])
}

fn temporal(problem: &Problem) -> Vec<BufferIdx> {
    order_by_key(problem, |i| [!span(problem, i), !problem.sizes()[i]])
}

fn area(problem: &Problem) -> Vec<BufferIdx> {
    let mut live_ticks: Vec<u64> = (0..problem.len()).map(|i| span(problem, i)).collect();
    for &(buffer, gap) in problem.gaps() {
        live_ticks[buffer.get()] -= gap.end.abs_diff(gap.start);
    }
    order_by_key(problem, |i| {
        let area = u128::from(problem.sizes()[i]) * u128::from(live_ticks[i]);
        [!((area >> 64) as u64), !(area as u64)]
    })
}

fn start(problem: &Problem) -> Vec<BufferIdx> {
    order_by_key(problem, |i| [ascending(problem.lifetimes()[i].start), !problem.sizes()[i]])
}

fn end(problem: &Problem) -> Vec<BufferIdx> {
    order_by_key(problem, |i| [ascending(problem.lifetimes()[i].end), !problem.sizes()[i]])
}

fn run(
    name: &'static str,
    order: Order,
    problem: &Problem,
    options: &Options,
    control: &Control,
) -> Result<Placement, Error> {
    let mut settings = Settings::new(name, options);
    let is_lowest = settings.choice("fit", &["best", "lowest"])? == 1;
    settings.finish()?;
    complete(problem, heap(problem, control, order, is_lowest)?)
}

fn heap(
    problem: &Problem,
    control: &Control,
    order: Order,
    is_lowest: bool,
) -> Result<Vec<u64>, Error> {
    let order = order(problem);
    if is_lowest {
        place_in_order(problem, control, &order, lowest)
    } else {
        place_in_order(problem, control, &order, smallest)
    }
}

fn best_of(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let mut settings = Settings::new("xla-best-of", options);
    let is_classic = settings.choice("list", &["packing-search", "classic"])? == 1;
    settings.finish()?;
    let orders: &[Order] =
        if is_classic { &[spatial, temporal] } else { &[spatial, temporal, area] };
    let fits: &[bool] = if is_classic { &[false] } else { &[false, true] };
    let mut best: Option<(u64, Vec<u64>)> = None;
    for &is_lowest in fits {
        for &order in orders {
            let offsets = heap(problem, control, order, is_lowest)?;
            let peak =
                offsets.iter().zip(problem.sizes()).map(|(&o, &s)| o.saturating_add(s)).max();
            let peak = peak.unwrap_or(0);
            if best.as_ref().is_none_or(|&(least, _)| peak < least) {
                best = Some((peak, offsets));
            }
        }
    }
    complete(problem, best.map(|(_, offsets)| offsets).unwrap_or_default())
}
