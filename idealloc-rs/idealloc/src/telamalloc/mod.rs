//! TelaMalloc (Maas, Beaugnon, Chauhan, Ilbeyi: TelaMalloc: Efficient On-Chip Memory Allocation for Production Machine
//! Learning Accelerators, ASPLOS 2023, doi 10.1145/3567955.3567961), written from its description.
//!
//! A search tree whose nodes place one buffer each, at the lowest position that a constraint solver leaves it. It
//! answers whether buffers fit a memory; that it finds nothing proves nothing.

mod blame;
mod bounds;
mod candidates;
mod collect;
mod conflict;
mod features;
mod floors;
mod lookahead;
mod model;
mod phases;
mod planner;
mod point;
mod search;
mod settings;
mod targets;
mod trees;

pub use collect::{Collection, Samples, collect};
pub use features::NAMES as FEATURES;
pub use lookahead::{Ahead, Trial, lookahead};
pub use planner::PLANNER;
pub use settings::{Settings, Target};
