//! MindSpore's SOMAS: safe optimized memory allocation solver.
//!
//! Source: MindSpore, `mindspore/ccsrc/backend/common/somas/somas_solver_{pre,core,alg}.cc`, Apache-2.0. Restated
//! from the source text; never compared with a running MindSpore.
//!
//! Conflicts are any relation: SOMAS derives its own from the ancestors of each operation, so that parallel
//! streams are safe; hand that in as pairs. Sizes are rounded up to 512 bytes (`granule`).
//!
//! Orders: `size`: largest first, then by position. `reuse`: first what can share least with the buffers live at
//! the tick of the load, in bytes; then as `size`. (Upstream puts outputs of the graph first in both, and counts
//! the bytes of "peak tensors"; what marks a peak tensor was not in the text that we have, so `reuse` is our
//! reading.)
//!
//! Fits over the gaps, slack being what is left of a gap: `best` is the least (slack, start), `smallest` the
//! least (start, slack); `largest` has the greatest start and `worst` the greatest slack (debug builds only).
//!
//! Algorithms: `single`: one unbounded region. `shared`: a row of footprints, each as long as the block that
//! opened it; a block takes the first footprint with a gap that fits, else it opens a new one.
//!
//! By default all of {shared, single} x {size, reuse} x {best, smallest} run, and the smallest peak wins, the
//! first of equals; a shared object is kept if a single one saves 100 MiB or less. Contiguous groups and ref
//! tensors are not described by a [`Problem`].
//!
//! Complexity: eight times `O(n log n)` for the order and one search over the gaps per buffer.

use crate::baselines::fit::{Request, order_by_key, place_sizes_in_order};
use crate::baselines::layout::complete;
use crate::baselines::peak_tick::shareable_at_peak;
use crate::baselines::placed::{Gaps, Range, UNBOUNDED};
use crate::baselines::settings::Settings;
use crate::baselines::windows::Windows;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

/// The best of shared and single objects, two orders, two fits.
pub const PLANNER: Planner = Planner {
    name: "somas",
    origin: "MindSpore SOMAS (from source text, not compared)",
    summary: "best of 8: shared or single object, two orders, best or smallest fit",
    features: Features { alignment: true, fixed: false, gaps: true, conflicts: true, pools: false },
    run,
};

/// What a single object has to save over a shared one to win, in bytes.
const SHARED_OBJECT_BONUS: u64 = 100 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Shared,
    Single,
}

#[derive(Clone, Copy)]
enum Fit {
    Best,
    Smallest,
    Largest,
    Worst,
}

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let mut settings = Settings::new(PLANNER.name, options);
    let algorithms: &[Algorithm] =
        match settings.choice("algorithm", &["portfolio", "shared", "single"])? {
            0 => &[Algorithm::Shared, Algorithm::Single],
            1 => &[Algorithm::Shared],
            _ => &[Algorithm::Single],
        };
    let orders: &[bool] = match settings.choice("order", &["portfolio", "size", "reuse"])? {
        0 => &[false, true],
        1 => &[false],
        _ => &[true],
    };
    let fits: &[Fit] =
        match settings.choice("fit", &["portfolio", "best", "smallest", "largest", "worst"])? {
            0 => &[Fit::Best, Fit::Smallest],
            1 => &[Fit::Best],
            2 => &[Fit::Smallest],
            3 => &[Fit::Largest],
            _ => &[Fit::Worst],
        };
    let granule = settings.number("granule", 512)?.max(1);
    settings.finish()?;
    let sizes: Vec<u64> = problem
        .sizes()
        .iter()
        .map(|size| size.checked_next_multiple_of(granule).unwrap_or(UNBOUNDED))
        .collect();
    let mut best: Option<(u64, Algorithm, Vec<u64>)> = None;
    // Shared objects first: a single one has to win against the best of them.
    for &algorithm in algorithms {
        for &by_reuse in orders {
            let order = sort(problem, &sizes, by_reuse);
            for &fit in fits {
                let offsets = solve(problem, &sizes, control, &order, algorithm, fit)?;
                let ends = offsets.iter().zip(&sizes).map(|(&o, &size)| o.saturating_add(size));
                let peak = ends.max().unwrap_or(0);
                let is_best = |&(least, winner, _): &(u64, Algorithm, Vec<u64>)| {
                    wins(peak, algorithm, least, winner)
                };
                if best.as_ref().is_none_or(is_best) {
                    best = Some((peak, algorithm, offsets));
                }
            }
        }
    }
    complete(problem, best.map(|(_, _, offsets)| offsets).unwrap_or_default())
}

fn wins(peak: u64, algorithm: Algorithm, least: u64, winner: Algorithm) -> bool {
    let favoured = algorithm == Algorithm::Single && winner == Algorithm::Shared;
    peak < least && !(favoured && least - peak <= SHARED_OBJECT_BONUS)
}

fn sort(problem: &Problem, sizes: &[u64], by_reuse: bool) -> Vec<BufferIdx> {
    if by_reuse {
        let shareable = shareable_at_peak(problem, sizes);
        order_by_key(problem, |i| [shareable[i], !sizes[i]])
    } else {
        order_by_key(problem, |i| [!sizes[i]])
    }
}

fn solve(
    problem: &Problem,
    sizes: &[u64],
    control: &Control,
    order: &[BufferIdx],
    algorithm: Algorithm,
    fit: Fit,
) -> Result<Vec<u64>, Error> {
    match algorithm {
        Algorithm::Single => {
            let rule = |request: &Request, gaps: Gaps<'_>| {
                let mut choice = Choice::new(fit);
                gaps.visit(|gap| {
                    choice.offer(request, gap);
                    false
                });
                choice.offset().unwrap_or(UNBOUNDED)
            };
            place_sizes_in_order(problem, sizes.into(), control, order, rule)
        }
        Algorithm::Shared => {
            let mut footprints = Windows::default();
            let rule = |request: &Request, gaps: Gaps<'_>| {
                in_footprint(&footprints, request, gaps, fit).unwrap_or_else(|| {
                    let offset = request.rounding.up(footprints.top(), request.alignment);
                    footprints.open(offset.saturating_add(request.size));
                    offset
                })
            };
            place_sizes_in_order(problem, sizes.into(), control, order, rule)
        }
    }
}

/// The place in the first footprint that has one.
fn in_footprint(footprints: &Windows, request: &Request, gaps: Gaps<'_>, fit: Fit) -> Option<u64> {
    let mut current = 0;
    let mut choice = Choice::new(fit);
    footprints.pieces(gaps, |(bottom, _), piece| {
        if bottom != current && choice.offset().is_some() {
            return true;
        }
        current = bottom;
        choice.offer(request, piece);
        false
    });
    choice.offset()
}

/// The best gap so far.
struct Choice {
    fit: Fit,
    best: Option<((u64, u64), u64)>,
}

impl Choice {
    fn new(fit: Fit) -> Self {
        Self { fit, best: None }
    }

    fn offer(&mut self, request: &Request, gap: Range) {
        let Some(offset) = request.offset_in(gap) else { return };
        let slack = (gap.1 - offset).saturating_sub(request.size);
        let key = match self.fit {
            Fit::Best => (slack, offset),
            Fit::Smallest => (offset, slack),
            Fit::Largest => (u64::MAX - offset, 0),
            Fit::Worst => (u64::MAX - slack, offset),
        };
        if self.best.is_none_or(|(least, _)| key < least) {
            self.best = Some((key, offset));
        }
    }

    fn offset(&self) -> Option<u64> {
        self.best.map(|(_, offset)| offset)
    }
}
