//! Monte Carlo tree search for single-player games.

pub mod game;
pub mod tree;

pub use game::{Game, Play};
pub use tree::{Found, Limits, Policy, search};
