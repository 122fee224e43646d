//! Python's view of offset assignment.

use std::time::Duration;

use idealloc::{Control, Effort, Options, Problem};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{ProblemArrays, write};
use crate::error::{InvalidOptionError, to_python, to_python_naming};
use crate::gate;

/// Name, origin, summary, and whether alignment, fixed offsets, gaps, conflicts, pools are supported.
type PlannerTuple = (&'static str, &'static str, &'static str, [bool; 5]);

/// Peak, load, bound in bytes, stop reason, statistics.
type PlanTuple = (u64, u64, u64, &'static str, Vec<(&'static str, u64)>);

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Prepared>()?;
    module.add_function(wrap_pyfunction!(planners, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(cross, module)?)?;
    module.add_function(wrap_pyfunction!(mixed_lifetimes, module)?)?;
    module.add_function(wrap_pyfunction!(plan, module)?)
}

/// Lists all planners.
#[pyfunction]
fn planners() -> Vec<PlannerTuple> {
    idealloc::planners()
        .into_iter()
        .map(|p| {
            let f = p.features;
            (p.name, p.origin, p.summary, [f.alignment, f.fixed, f.gaps, f.conflicts, f.pools])
        })
        .collect()
}

/// Checks offsets against a problem and returns the peak in bytes.
#[pyfunction]
fn check(
    py: Python<'_>,
    problem: ProblemArrays<'_>,
    offsets: PyBuffer<i64>,
    pools: Option<PyBuffer<i64>>,
) -> PyResult<u64> {
    let describe = problem.describe.clone();
    let problem = problem.to_problem(py)?;
    let to_unsigned =
        |values: Vec<i64>| values.into_iter().map(i64::cast_unsigned).collect::<Vec<u64>>();
    let offsets = to_unsigned(offsets.to_vec(py)?);
    let pools: Vec<u32> = match pools {
        Some(pools) => {
            pools.to_vec(py)?.into_iter().map(|p| u32::try_from(p).unwrap_or(u32::MAX)).collect()
        }
        None => Vec::new(),
    };
    py.detach(|| idealloc::check(&problem, &offsets, &pools))
        .map_err(|error| to_python_naming(&error, &describe))
}

/// Converts a problem there and an array of offsets back, and plans nothing: what crossing the boundary costs.
#[pyfunction]
fn cross(py: Python<'_>, problem: ProblemArrays<'_>, offsets: PyBuffer<i64>) -> PyResult<()> {
    let problem = problem.to_problem(py)?;
    write(py, problem.sizes().iter().copied(), &offsets)
}

/// A problem in the core's terms, on which planners can be timed without conversion and check.
#[pyclass(frozen)]
struct Prepared {
    problem: Problem,
}

#[pymethods]
impl Prepared {
    #[new]
    fn new(py: Python<'_>, problem: ProblemArrays<'_>) -> PyResult<Self> {
        Ok(Self { problem: problem.to_problem(py)? })
    }

    /// Runs a planner in this thread and forgets its plan.
    fn run(&self, py: Python<'_>, planner: &str) -> PyResult<()> {
        py.detach(|| {
            idealloc::planner::find(planner)
                .and_then(|found| {
                    (found.run)(&self.problem, &Options::default(), &Control::default())
                })
                .map(drop)
        })
        .map_err(to_python)
    }
}

/// Fills three arrays of equal length with the sizes, starts and ends of made-up buffers.
#[pyfunction]
fn mixed_lifetimes(
    py: Python<'_>,
    seed: u64,
    sizes: PyBuffer<i64>,
    starts: PyBuffer<i64>,
    ends: PyBuffer<i64>,
) -> PyResult<()> {
    let count = sizes.item_count();
    let problem = idealloc::generate::mixed_lifetimes(count, seed).map_err(to_python)?;
    let lifetimes = problem.lifetimes();
    write(py, problem.sizes().iter().copied(), &sizes)?;
    write(py, lifetimes.iter().map(|life| life.start.cast_unsigned()), &starts)?;
    write(py, lifetimes.iter().map(|life| life.end.cast_unsigned()), &ends)
}

/// Runs a planner; writes offsets (and pools, for several memories) into the caller's arrays.
#[pyfunction]
#[pyo3(signature = (problem, offsets, pools, *, planner, seed, effort, threads, time_limit_seconds, minimize, parameters, progress))]
#[expect(clippy::too_many_arguments, reason = "one keyword per option, as Python callers see them")]
fn plan(
    py: Python<'_>,
    problem: ProblemArrays<'_>,
    offsets: PyBuffer<i64>,
    pools: Option<PyBuffer<i64>>,
    planner: String,
    seed: u64,
    effort: &str,
    threads: usize,
    time_limit_seconds: Option<f64>,
    minimize: bool,
    parameters: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PlanTuple> {
    let options = Options {
        seed,
        effort: effort_from(effort)?,
        threads,
        time_limit: match time_limit_seconds {
            Some(seconds) => Some(Duration::try_from_secs_f64(seconds).map_err(|_| {
                InvalidOptionError::new_err(format!(
                    "time limit {seconds} is not a number of seconds"
                ))
            })?),
            None => None,
        },
        minimize,
        parameters: parameters
            .extract::<Vec<(String, String)>>()
            .or_else(|_| parameters.items().extract::<Vec<(String, String)>>())?,
    };
    let describe = problem.describe.clone();
    let problem = problem.to_problem(py)?;
    let result = gate::enter(py, progress, move |control| {
        idealloc::plan(&problem, &planner, &options, control)
    })?
    .map_err(|error| to_python_naming(&error, &describe))?;
    write(py, result.offsets.iter().copied(), &offsets)?;
    if let Some(pools) = pools {
        write(py, result.pools.iter().map(|&p| u64::from(p)), &pools)?;
    }
    Ok((result.peak, result.load, result.bound, result.stop.name(), result.statistics))
}

fn effort_from(name: &str) -> PyResult<Effort> {
    match name {
        "low" => Ok(Effort::Low),
        "medium" => Ok(Effort::Medium),
        "high" => Ok(Effort::High),
        "max" => Ok(Effort::Max),
        other => Err(InvalidOptionError::new_err(format!(
            "unknown effort '{other}'; known: low, medium, high, max"
        ))),
    }
}
