//! With how many others each buffer conflicts.

use crate::baselines::adjacency::Adjacency;
use crate::control::Control;
use crate::error::Error;
use crate::place::instance::{Instance, Span};
use crate::problem::{Conflicts, Problem};

/// The number of conflicts of each buffer.
///
/// Complexity: `O(n log n)` for lifetimes without gaps, `O(pairs)` for the rest.
///
/// # Errors
/// [`Error::InvalidProblem`] if a conflict graph is needed that is too large, [`Error::Cancelled`].
pub fn degrees(problem: &Problem, control: &Control) -> Result<Vec<usize>, Error> {
    let n = problem.len();
    if *problem.conflicts() != Conflicts::Lifetimes || !problem.gaps().is_empty() {
        let adjacency = Adjacency::of_problem(problem, control)?;
        return Ok((0..n).map(|i| adjacency.of(i).len()).collect());
    }
    let instance = Instance::new(problem);
    let spans = instance.spans();
    // How many start before a section, and how many have ended with its begin.
    let mut started = vec![0_usize; instance.sections() + 2];
    let mut ended = vec![0_usize; instance.sections() + 2];
    for span in spans.iter().filter(|span| !span.is_empty()) {
        started[span.start as usize + 1] += 1;
        ended[span.end as usize] += 1;
    }
    for t in 1..started.len() {
        started[t] += started[t - 1];
        ended[t] += ended[t - 1];
    }
    // All that start before its end, less those that end before its start, less itself.
    let degree = |span: &Span| {
        if span.is_empty() {
            0
        } else {
            started[span.end as usize] - ended[span.start as usize] - 1
        }
    };
    Ok(spans.iter().map(degree).collect())
}
