//! The one error type of the crate.

use std::fmt;

/// What can go wrong. Messages are complete sentences for a user who knows her buffers, not our code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The problem contradicts itself.
    InvalidProblem {
        /// The buffer it is about, if one is to blame.
        buffer: Option<usize>,
        /// What is wrong.
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
    InvalidPlan(String),
    /// A graph contradicts itself.
    InvalidGraph(String),
    /// The caller asked to stop, and there is nothing to return.
    Cancelled,
}

impl Error {
    /// A problem that is wrong as a whole.
    pub fn problem(reason: impl Into<String>) -> Self {
        Self::InvalidProblem { buffer: None, reason: reason.into() }
    }

    /// A problem that is wrong because of one buffer.
    pub fn buffer(buffer: usize, reason: impl Into<String>) -> Self {
        Self::InvalidProblem { buffer: Some(buffer), reason: reason.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidProblem { buffer: Some(buffer), reason } => {
                write!(f, "buffer {buffer}: {reason}")
            }
            Self::InvalidProblem { buffer: None, reason }
            | Self::InvalidOption(reason)
            | Self::InvalidGraph(reason)
            | Self::InvalidPlan(reason) => f.write_str(reason),
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
        }
    }
}

impl std::error::Error for Error {}
