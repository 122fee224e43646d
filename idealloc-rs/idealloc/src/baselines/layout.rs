//! From offsets to what the registry expects.

use crate::error::Error;
use crate::plan::StopReason;
use crate::planner::Placement;
use crate::problem::{MAX_BYTES, Problem};

/// A complete placement in one memory.
///
/// # Errors
/// [`Error::InvalidProblem`] if a buffer ends above 2^63 - 1: alignment or fixed offsets can push it there.
pub fn complete(problem: &Problem, offsets: Vec<u64>) -> Result<Placement, Error> {
    for (i, (&offset, &size)) in offsets.iter().zip(problem.sizes()).enumerate() {
        if offset.checked_add(size).is_none_or(|end| end > MAX_BYTES) {
            return Err(Error::buffer(i, "no place below 2^63 - 1 is left for it"));
        }
    }
    Ok(Placement {
        offsets,
        pools: Vec::new(),
        bound: 0,
        stop: StopReason::Complete,
        statistics: vec![("placed", problem.len() as u64)],
    })
}
