//! Placement: given an order of the buffers, where does each one go?

pub mod first_fit;

use crate::planner::Planner;

/// The planners that place in one static order.
pub const PLANNERS: &[Planner] = &[first_fit::BY_SIZE, first_fit::BY_AREA];
