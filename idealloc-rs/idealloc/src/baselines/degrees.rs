//! With how many others each buffer conflicts.

use crate::baselines::adjacency::Adjacency;
use crate::baselines::sections::Sections;
use crate::error::Error;
use crate::problem::{Conflicts, Problem};

/// The number of conflicts of each buffer.
///
/// Complexity: `O(n log n)` for lifetimes without gaps, `O(pairs)` for the rest.
///
/// # Errors
/// [`Error::InvalidProblem`] if a conflict graph is needed that is too large.
pub fn degrees(problem: &Problem) -> Result<Vec<usize>, Error> {
    let n = problem.len();
    if *problem.conflicts() != Conflicts::Lifetimes || !problem.gaps().is_empty() {
        let adjacency = Adjacency::of_problem(problem)?;
        return Ok((0..n).map(|i| adjacency.of(i).len()).collect());
    }
    let sections = Sections::of(problem);
    // How many start before a section, and how many have ended with its begin.
    let mut started = vec![0_usize; sections.count() + 2];
    let mut ended = vec![0_usize; sections.count() + 2];
    for i in 0..n {
        for &(from, to) in sections.of_buffer(i) {
            started[from as usize + 1] += 1;
            ended[to as usize] += 1;
        }
    }
    for t in 1..started.len() {
        started[t] += started[t - 1];
        ended[t] += ended[t - 1];
    }
    let of_buffer = |i| match sections.of_buffer(i) {
        // All that start before its end, less those that end before its start, less itself.
        &[(from, to)] => started[to as usize] - ended[from as usize] - 1,
        _ => 0,
    };
    Ok((0..n).map(of_buffer).collect())
}
