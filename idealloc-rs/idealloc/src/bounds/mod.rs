//! Lower bounds of the peak.

mod section_load;

pub(crate) use section_load::largest_padding;
pub use section_load::section_load;
