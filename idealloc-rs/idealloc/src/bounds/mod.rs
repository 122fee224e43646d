//! Lower bounds of the peak.

mod section_load;
mod section_stack;
pub(crate) mod stacking;

pub(crate) use section_load::largest_padding;
pub use section_load::section_load;
pub use section_stack::section_stack;
