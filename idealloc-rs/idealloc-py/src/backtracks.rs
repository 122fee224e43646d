//! Python's view of what `telamalloc` learns from.

use idealloc::telamalloc::{Collection, FEATURES, Trial, collect, lookahead};
use idealloc::{Effort, Options};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::ProblemArrays;
use crate::error::to_python;
use crate::gate;

/// One list of values for each target; level of each target; targets, depth, minimum and best target of each backtrack, and
/// whether a solution was found; questions put to the oracle, steps of the search, independent parts
/// and those that were solved.
type SampleTuple =
    (Vec<Vec<f32>>, Vec<u32>, (Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>, Vec<bool>), [u64; 4]);

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("BACKTRACK_FEATURES", FEATURES.to_vec())?;
    module.add_function(wrap_pyfunction!(backtracks, module)?)?;
    module.add_function(wrap_pyfunction!(lookahead_backtracks, module)?)
}

/// The options of a planner that is only watched.
fn options_of(seed: u64, parameters: &Bound<'_, PyDict>) -> PyResult<Options> {
    Ok(Options {
        seed,
        effort: Effort::Medium,
        threads: 1,
        parameters: parameters.items().extract()?,
        ..Options::default()
    })
}

/// Records major backtracks of `telamalloc`, with the targets that an oracle finds.
#[pyfunction]
#[pyo3(signature = (problem, *, seed, parameters, steps, most, oracle_nodes, oracle_share))]
#[expect(clippy::too_many_arguments, reason = "one keyword per option, as Python callers see them")]
fn backtracks(
    py: Python<'_>,
    problem: ProblemArrays<'_>,
    seed: u64,
    parameters: &Bound<'_, PyDict>,
    steps: u64,
    most: usize,
    oracle_nodes: u64,
    oracle_share: u64,
) -> PyResult<SampleTuple> {
    let options = options_of(seed, parameters)?;
    let problem = problem.to_problem(py)?;
    let collection = Collection { steps, backtracks: most, oracle_nodes, oracle_share };
    let samples =
        gate::enter(py, None, move |control| collect(&problem, &options, collection, control))?
            .map_err(to_python)?;
    let rows = samples.rows.iter().map(|row| row.to_vec()).collect();
    let groups = (samples.groups, samples.depths, samples.minimum, samples.best, samples.solved);
    Ok((
        rows,
        samples.levels,
        groups,
        [samples.questions, samples.steps, samples.components, samples.found],
    ))
}

/// Whether a problem was solved, and in how many steps; one list of values for each target, what it cost, and targets of
/// each backtrack.
type AheadTuple = (bool, u64, Vec<Vec<f32>>, Vec<u64>, Vec<u32>);

/// Searches with `telamalloc`, trying every target of a backtrack for some steps first.
#[pyfunction]
#[pyo3(signature = (problem, *, seed, parameters, steps, trial, most, share))]
#[expect(clippy::too_many_arguments, reason = "one keyword per option, as Python callers see them")]
fn lookahead_backtracks(
    py: Python<'_>,
    problem: ProblemArrays<'_>,
    seed: u64,
    parameters: &Bound<'_, PyDict>,
    steps: u64,
    trial: u64,
    most: u64,
    share: u64,
) -> PyResult<AheadTuple> {
    let options = options_of(seed, parameters)?;
    let problem = problem.to_problem(py)?;
    let trial = Trial { steps, trial, share, backtracks: most };
    let ahead =
        gate::enter(py, None, move |control| lookahead(&problem, &options, trial, control))?
            .map_err(to_python)?;
    let rows = ahead.rows.iter().map(|row| row.to_vec()).collect();
    Ok((ahead.solved, ahead.steps, rows, ahead.costs, ahead.groups))
}
