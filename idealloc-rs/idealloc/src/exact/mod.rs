//! Exact search.
pub mod arm;
pub mod model;
pub mod search;
pub mod state;
