//! Splitting of operators into tiles, so that a network runs in a memory that no operator fits.

mod boxes;
mod code;
pub mod compress;
pub mod cost;
pub mod cut;
pub mod external;
pub mod given;
pub mod graph;
pub mod grids;
pub mod group;
mod layers;
pub mod layout;
mod least_peak;
mod least_traffic;
mod little_code;
pub mod machine;
pub mod peak;
mod profile;
mod rows;
mod savings;
pub mod search;
pub mod settle;
pub mod storages;
pub mod sweep;
pub mod tally;
pub mod track_pool;
mod two_parts;
