//! Lower bounds of the peak.

mod cyclic_knapsack;
mod filling;
mod section_load;
mod section_stack;
mod simplex;
pub(crate) mod stacking;

pub(crate) use section_load::largest_padding;
pub use section_load::section_load;
pub use section_stack::section_stack;
