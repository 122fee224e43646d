//! Operator order, replacement and addresses together: which bytes move off chip, and when.

mod anytime;
mod baseline;
mod beam;
mod bit_set;
mod budget;
mod check;
mod downsets;
mod evict;
mod forced;
mod graph;
mod incumbent;
mod joint;
mod lattice;
mod learned;
mod lists;
mod local;
mod options;
mod pack;
mod parts;
mod path;
mod peak;
mod peak_bound;
mod reduce;
mod replay;
mod residency;
mod solve;
mod step;
mod traffic;
mod widening;

pub use baseline::{Replacement, replace_online};
pub use check::check_schedule;
pub use graph::{Graph, GraphBuilder, Op, OpIdx, Tensor, TensorIdx};
pub use options::{Reductions, SearchOptions};
pub use residency::{Residency, Schedule};
pub use solve::{least_peak, least_traffic, least_traffic_in_order, replacement};
