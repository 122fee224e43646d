//! ExecuTorch's greedy memory planning.
//!
//! Source: ExecuTorch, `exir/memory_planning.py` (`greedy`, `pick_shared_obj`), BSD-3-Clause.
//!
//! Order: by size rounded up to the alignment, largest first; equal sizes in *reverse* order of position
//! (upstream sorts ascending with insertions after equals and reverses). Upstream's input is a set, so its own
//! ties depend on hashing.
//! Placement: memory is a row of shared objects, each as large as the buffer that opened it. A buffer goes to the
//! start of the first object in which nothing conflicts with it; else (`overlap=true`, the default) into the
//! first object in which it fits above all that conflicts; else it opens a new one.
//!
//! Objects lie one above the other, so all of them are one address space, and both searches are over its gaps.
//! Where alignments differ, a buffer starts at the first aligned byte of its place.
//!
//! Complexity: `O(n log n)` for the order; per buffer one search over the gaps, and over the objects in them.

use crate::baselines::fit::{Request, aligned_sizes, order_by_key, place_sizes_in_order};
use crate::baselines::layout::complete;
use crate::baselines::placed::Gaps;
use crate::baselines::settings::Settings;
use crate::baselines::windows::Windows;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

/// Largest first into the first shared object with room.
pub const PLANNER: Planner = Planner {
    name: "executorch",
    origin: "ExecuTorch greedy",
    summary: "largest first, into the first shared object with room (overlap=false: one buffer at a time)",
    features: Features { alignment: true, fixed: false, gaps: true, conflicts: true, pools: false },
    run,
};

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let mut settings = Settings::new(PLANNER.name, options);
    let allows_overlap = settings.choice("overlap", &["true", "false"])? == 0;
    settings.finish()?;
    let sizes = aligned_sizes(problem);
    let order = order_by_key(problem, |i| [!sizes[i], !(i as u64)]);
    let mut objects = Windows::default();
    let rule = |request: &Request, gaps: Gaps<'_>| {
        place(&objects, request, gaps, allows_overlap).unwrap_or_else(|| {
            let offset = request.rounding.up(objects.top(), request.alignment);
            objects.open(offset.saturating_add(request.size));
            offset
        })
    };
    complete(problem, place_sizes_in_order(problem, sizes, control, &order, rule)?)
}

/// Where in the objects there are the buffer goes, if in any.
fn place(
    objects: &Windows,
    request: &Request,
    gaps: Gaps<'_>,
    allows_overlap: bool,
) -> Option<u64> {
    let (mut empty, mut above) = (None, None);
    objects.pieces(gaps, |(bottom, top), (start, end)| {
        if end != top {
            return false;
        }
        let offset = request.offset_in((start, end));
        if start == bottom {
            empty = offset;
        } else if above.is_none() && allows_overlap {
            above = offset;
        }
        empty.is_some()
    });
    empty.or(above)
}
