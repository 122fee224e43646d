//! Exact search: the smallest peak, proved, for instances of up to a few thousand buffers.

mod arm;
mod beam;
mod branch;
mod completion;
mod construct;
pub(crate) mod limits;
mod minimize;
pub(crate) mod model;
mod no_goods;
mod planner;
mod portfolio;
mod probe;
mod search;
mod sequence;
mod stacks;
mod state;

pub use construct::{first_plans, out_of_time};
pub use limits::Limits;
pub use minimize::{Goal, Minimum, MinimumEnd, minimize};
pub use model::MAX_BUFFERS;
pub use planner::PLANNER;
pub use probe::{Answer, Outcome, Probe};
