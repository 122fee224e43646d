//! Sets of few words first; of more where these do not hold all that is live at once.

use super::downsets::TooWide;
use super::residency::Schedule;
use crate::error::Error;

/// Most tensors that may be live at once: what the widest sets hold.
pub(super) const MOST_LIVE: usize = 32 * 64;

/// Why a search of one width has no result.
#[derive(Debug)]
pub(super) enum Failure {
    TooWide,
    Error(Error),
}

impl From<TooWide> for Failure {
    fn from(TooWide: TooWide) -> Self {
        Self::TooWide
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Runs `search` in the first width of 2, 8 and 32 words that is enough.
macro_rules! in_words {
    ($search:ident($($argument:expr),*)) => {
        $crate::schedule::widening::first_that_fits([
            &|| $search::<2>($($argument),*),
            &|| $search::<8>($($argument),*),
            &|| $search::<32>($($argument),*),
        ])
    };
}
pub(super) use in_words;

/// The result of the first search that is wide enough.
///
/// # Errors
/// Whatever the search returns; [`Error::InvalidGraph`] if more than [`MOST_LIVE`] tensors are live at once.
pub(super) fn first_that_fits(
    searches: [&dyn Fn() -> Result<Schedule, Failure>; 3],
) -> Result<Schedule, Error> {
    for search in searches {
        match search() {
            Ok(schedule) => return Ok(schedule),
            Err(Failure::Error(error)) => return Err(error),
            Err(Failure::TooWide) => {}
        }
    }
    Err(Error::InvalidGraph(format!(
        "more than {MOST_LIVE} tensors can be live at once, which the exact search cannot follow"
    )))
}
