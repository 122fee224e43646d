//! The planners of production compilers, restated.
//!
//! One planner, or one family of planners that differ in a key only, per file. What they share:
//!
//! - [`sections`]: time compressed to what matters for conflicts;
//! - [`occupancy`] over [`ranges`]: which addresses are taken when; [`placed`]: the gaps between conflicting buffers;
//! - [`fit`]: rules that choose among gaps, and the loop of every planner that places in a static order;
//! - [`adjacency`]: conflicts as lists, for the searches that walk over neighbours;
//! - [`rounding`], [`settings`], [`layout`]: alignment, settings by name, the result.

mod adjacency;
mod fit;
mod layout;
mod occupancy;
mod placed;
mod ranges;
mod rounding;
mod sections;
mod settings;
mod xla;

use crate::planner::Planner;

/// All planners of this module, in the order in which they are listed to people.
pub const PLANNERS: &[Planner] =
    &[xla::SPATIAL, xla::TEMPORAL, xla::AREA, xla::START, xla::END, xla::BEST_OF];
