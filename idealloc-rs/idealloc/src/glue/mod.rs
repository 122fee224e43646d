//! Gluing: what has no slack anywhere is put together again from the smallest pieces.
//!
//! Where every section is full, buffers tile a rectangle of time and bytes without a hole. Edges must then meet edges:
//! where a buffer ends and another of the same size starts, or where two live equally long, they likely lie side by side,
//! and are [glued](gluer) to one. That undoes the cuts of a guillotine, the last first; [pinwheels](wheel) of five tiles are
//! found as well. Where several tiles live alike it is not known which belong together until what they make fits something
//! ([ahead]). What fits by chance is glued by mistake, so that something is left over in the end; there some of it comes
//! [apart](ruin) again where it is doubtful, and is put together in another way.
//!
//! Buffers that became one rectangle are planned as one. Nothing is proved: what is left may fit nowhere.

mod ahead;
pub mod forest;
pub mod gluer;
mod index;
pub mod ruin;
mod sums;
pub mod tile;
pub mod tiling;
mod wheel;
