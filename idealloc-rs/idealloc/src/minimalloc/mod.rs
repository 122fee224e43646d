//! minimalloc (Moffitt, MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning,
//! ASPLOS 2023, doi 10.1145/3623278.3624752), written from its description: each technique can be switched off.

mod parameters;
mod planner;
mod preorder;
mod search;

pub use parameters::Parameters;
pub use planner::PLANNER;
