//! Splitting of operators into tiles, so that a network runs in a memory that no operator fits.

pub mod compress;
pub mod cut;
pub mod evaluate;
pub mod graph;
pub mod grids;
pub mod search;
pub mod sweep;
