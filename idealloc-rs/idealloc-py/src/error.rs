//! Maps the core's one error type to named Python exceptions.

use idealloc::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

create_exception!(_idealloc, PlanningError, PyValueError, "Base of the errors of the core.");
create_exception!(_idealloc, InvalidProblemError, PlanningError, "The problem contradicts itself.");
create_exception!(
    _idealloc,
    InvalidOptionError,
    PlanningError,
    "An option is unknown or out of range."
);
create_exception!(_idealloc, UnknownPlannerError, PlanningError, "No planner has this name.");
create_exception!(
    _idealloc,
    UnsupportedError,
    PlanningError,
    "The planner cannot honour a feature of the problem."
);
create_exception!(
    _idealloc,
    TimeLimitError,
    PlanningError,
    "The time limit was reached before there was a plan."
);
create_exception!(_idealloc, InvalidPlanError, PlanningError, "A plan breaks a rule.");
create_exception!(_idealloc, InvalidGraphError, PlanningError, "A graph contradicts itself.");

/// Adds the exceptions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("PlanningError", py.get_type::<PlanningError>())?;
    module.add("InvalidProblemError", py.get_type::<InvalidProblemError>())?;
    module.add("InvalidOptionError", py.get_type::<InvalidOptionError>())?;
    module.add("UnknownPlannerError", py.get_type::<UnknownPlannerError>())?;
    module.add("UnsupportedError", py.get_type::<UnsupportedError>())?;
    module.add("TimeLimitError", py.get_type::<TimeLimitError>())?;
    module.add("InvalidPlanError", py.get_type::<InvalidPlanError>())?;
    module.add("InvalidGraphError", py.get_type::<InvalidGraphError>())
}

/// The exception that stands for an error of the core.
pub fn to_python(error: Error) -> PyErr {
    with_message(&error, error.to_string())
}

/// As [`to_python`], with buffers called as the problem's `describe(position)` says.
pub fn to_python_naming(error: &Error, describe: &Bound<'_, PyAny>) -> PyErr {
    let name_of = |buffer: usize| match describe.call1((buffer,)).and_then(|name| name.extract()) {
        Ok(name) => name,
        // The error that is on its way matters more than one of a name.
        Err(_) => buffer.to_string(),
    };
    with_message(error, error.describe(name_of))
}

fn with_message(error: &Error, message: String) -> PyErr {
    match error {
        Error::InvalidProblem { .. } => InvalidProblemError::new_err(message),
        Error::InvalidOption(_) => InvalidOptionError::new_err(message),
        Error::UnknownPlanner { .. } => UnknownPlannerError::new_err(message),
        Error::Unsupported { .. } => UnsupportedError::new_err(message),
        Error::InvalidPlan { .. } => InvalidPlanError::new_err(message),
        Error::InvalidGraph(_) => InvalidGraphError::new_err(message),
        Error::Parse { .. } => PlanningError::new_err(message),
        Error::OutOfTime { .. } => TimeLimitError::new_err(message),
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
    }
}
