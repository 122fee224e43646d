//! How many grids are tried.

use super::grids::Run;

/// Of sizes of tiles every fourth is one of few.
const STEP: usize = 4;

/// How many grids are tried for groups that end with a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tries {
    /// All.
    All,
    /// Some sizes of tiles that cut one thing, others only for layers that do not fit with these.
    Few,
}

impl Tries {
    /// Whether grids of a run are tried.
    pub fn include(self, run: &Run) -> bool {
        self == Self::All || run.plain.first().is_some_and(|grid| grid.loops.len() == 1)
    }

    /// Of so many sizes one is tried.
    pub fn step(self) -> usize {
        match self {
            Self::All => 1,
            Self::Few => STEP,
        }
    }
}
