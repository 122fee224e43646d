//! First fit: buffers in a static order, each at the lowest offset where it fits.

use std::cmp::Reverse;

use crate::control::{Control, Options};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

const FEATURES: Features =
    Features { alignment: true, fixed: true, gaps: false, conflicts: false, pools: false };

/// First fit by size, largest first; ties by position.
pub const BY_SIZE: Planner = Planner {
    name: "first-fit-by-size",
    origin: "folklore",
    summary: "largest first, each at the lowest offset where it fits",
    features: FEATURES,
    run: by_size,
};

/// First fit by area (size times lifetime), largest first; ties by position.
pub const BY_AREA: Planner = Planner {
    name: "first-fit-by-area",
    origin: "folklore",
    summary: "largest size times lifetime first, each at the lowest offset where it fits",
    features: FEATURES,
    run: by_area,
};

fn by_size(problem: &Problem, _: &Options, _: &Control) -> Result<Placement, Error> {
    let mut order: Vec<usize> = (0..problem.len()).collect();
    order.sort_by_key(|&i| Reverse(problem.sizes()[i]));
    Ok(place(problem, &order))
}

fn by_area(problem: &Problem, _: &Options, _: &Control) -> Result<Placement, Error> {
    let mut order: Vec<usize> = (0..problem.len()).collect();
    order.sort_by_key(|&i| {
        let life = problem.lifetimes()[i];
        Reverse(u128::from(problem.sizes()[i]) * u128::from(life.end.abs_diff(life.start)))
    });
    Ok(place(problem, &order))
}

/// Places in the given order, fixed buffers first. Complexity: `O(n^2)` in the worst case.
fn place(problem: &Problem, order: &[usize]) -> Placement {
    let mut offsets = vec![0_u64; problem.len()];
    // Placed buffers by ascending offset.
    let mut placed: Vec<usize> = problem
        .fixed()
        .iter()
        .map(|&(buffer, offset)| {
            offsets[buffer.get()] = offset;
            buffer.get()
        })
        .collect();
    let is_fixed: Vec<bool> = {
        let mut flags = vec![false; problem.len()];
        placed.iter().for_each(|&i| flags[i] = true);
        flags
    };
    placed.sort_by_key(|&i| offsets[i]);
    for &i in order {
        let size = problem.sizes()[i];
        if is_fixed[i] || size == 0 {
            continue;
        }
        let alignment = problem.alignment(BufferIdx::from(i));
        let align = |offset: u64| {
            let address = problem.base_address() + offset;
            address.next_multiple_of(alignment) - problem.base_address()
        };
        let mut at = align(0);
        for &j in &placed {
            if !problem.lifetimes()[i].overlaps(problem.lifetimes()[j]) {
                continue;
            }
            if at + size <= offsets[j] {
                break;
            }
            at = at.max(align(offsets[j] + problem.sizes()[j]));
        }
        offsets[i] = at;
        let position = placed.partition_point(|&j| offsets[j] <= at);
        placed.insert(position, i);
    }
    Placement {
        offsets,
        pools: Vec::new(),
        bound: 0,
        stop: StopReason::Complete,
        statistics: vec![("placed", problem.len() as u64)],
    }
}
