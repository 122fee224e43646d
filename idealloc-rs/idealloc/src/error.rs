//! The one error type of the crate.

use std::fmt;
use std::time::Duration;

/// What can go wrong. Messages are complete sentences for a user who knows her buffers, not our code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The problem contradicts itself.
    InvalidProblem {
        /// The buffers to blame, at most two.
        buffers: Vec<usize>,
        /// What is wrong, as it follows their names.
        reason: String,
    },
    /// An option is unknown or out of range.
    InvalidOption(String),
    /// No planner has this name.
    UnknownPlanner {
        /// The name asked for.
        name: String,
        /// All names there are.
        known: Vec<&'static str>,
    },
    /// The planner cannot honour something that the problem uses.
    Unsupported {
        /// The planner.
        planner: &'static str,
        /// The feature of the problem, e.g. `fixed offsets`.
        feature: &'static str,
    },
    /// Text that is not a problem.
    Parse {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// A plan broke a rule: a defect of a planner, reported by the checker.
    InvalidPlan {
        /// The buffers it is about, at most two.
        buffers: Vec<usize>,
        /// What they do, as it follows their names.
        reason: String,
    },
    /// A graph contradicts itself.
    InvalidGraph(String),
    /// The caller asked to stop, and there is nothing to return.
    Cancelled,
    /// The time limit was reached, and there is nothing to return yet.
    OutOfTime {
        /// The planner.
        planner: &'static str,
        /// Its time limit.
        limit: Duration,
    },
}

impl Error {
    /// A problem that is wrong as a whole.
    pub fn problem(reason: impl Into<String>) -> Self {
        Self::InvalidProblem { buffers: Vec::new(), reason: reason.into() }
    }

    /// A problem that is wrong because of one buffer.
    pub fn buffer(buffer: usize, reason: impl Into<String>) -> Self {
        Self::InvalidProblem { buffers: vec![buffer], reason: format!(": {}", reason.into()) }
    }

    /// A plan that is wrong because of these buffers, at most two; the reason goes on after their names.
    pub fn plan(buffers: &[usize], reason: impl Into<String>) -> Self {
        let space = if buffers.is_empty() { "" } else { " " };
        Self::InvalidPlan { buffers: buffers.to_vec(), reason: format!("{space}{}", reason.into()) }
    }

    /// The message, with buffers called as `name_of` says.
    pub fn describe(&self, name_of: impl Fn(usize) -> String) -> String {
        let (Self::InvalidProblem { buffers, reason } | Self::InvalidPlan { buffers, reason }) =
            self
        else {
            return self.to_string();
        };
        match buffers[..] {
            [] => reason.clone(),
            [one] => format!("buffer {}{reason}", name_of(one)),
            [one, other, ..] => {
                format!("buffers {} and {}{reason}", name_of(one), name_of(other))
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidProblem { .. } | Self::InvalidPlan { .. } => {
                f.write_str(&self.describe(|buffer| buffer.to_string()))
            }
            Self::InvalidOption(reason) | Self::InvalidGraph(reason) => f.write_str(reason),
            Self::UnknownPlanner { name, known } => {
                write!(f, "unknown planner '{name}'; known planners: {}", known.join(", "))
            }
            Self::Unsupported { planner, feature } => {
                write!(f, "planner '{planner}' does not support {feature}")
            }
            Self::Parse { line, column, reason } => {
                write!(f, "line {line}, column {column}: {reason}")
            }
            Self::Cancelled => f.write_str("cancelled"),
            Self::OutOfTime { planner, limit } => write!(
                f,
                "planner '{planner}' had no plan yet when its time limit of {} s was reached; allow more time, \
                 or take a planner that searches or goes over the buffers once, such as auto or onnxruntime",
                limit.as_secs_f64()
            ),
        }
    }
}

impl std::error::Error for Error {}
