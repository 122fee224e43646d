//! How many grids are tried.

use super::grids::Run;

/// Of sizes of tiles every fourth is one of few.
const STEP: usize = 4;

/// How many grids are tried for groups that end with a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tries {
    /// All.
    All,
    /// Some sizes of tiles that do no work again, others only for layers that do not fit with these.
    Cached,
    /// The same, of tiles that cut one thing.
    Single,
}

impl Tries {
    /// Whether grids of a run are tried.
    pub fn include(self, run: &Run) -> bool {
        let is_single = || run.plain.first().is_some_and(|grid| grid.loops.len() == 1);
        match self {
            Self::All => true,
            Self::Cached => run.is_cached || is_single(),
            Self::Single => is_single(),
        }
    }

    /// Of so many sizes one is tried.
    pub fn step(self) -> usize {
        if self == Self::All { 1 } else { STEP }
    }
}
