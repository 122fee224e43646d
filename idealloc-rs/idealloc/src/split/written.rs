//! Groups that were found, with code as short as it could be made.

use super::group::{Group, moved};

/// Groups that move more than so many times the bytes are of no use, however short their code is.
pub(super) const MOST_TIMES: i64 = 2;

/// But to have no more operations than there may be, they may move so many times the bytes.
pub(super) const MOST_TIMES_IN_LIMIT: i64 = 8;

/// Groups, what they need, and whether their code is as short as it must be.
pub(super) struct Written {
    pub groups: Vec<Group>,
    /// Bytes moved, or room, by what was searched for.
    pub needs: i64,
    /// Whether there are no more operations than there may be, or code has no price.
    pub is_in_limit: bool,
}

impl Written {
    /// Whether groups of little traffic are better than others: they move fewer bytes, or as many in fewer moves. Of two of
    /// which one has too many operations, that is the other, if it does not move far more bytes.
    pub fn moves_less(&self, other: &Self) -> bool {
        match (self.is_in_limit, other.is_in_limit) {
            (true, false) => self.needs <= MOST_TIMES_IN_LIMIT * other.needs,
            (false, true) => other.needs > MOST_TIMES_IN_LIMIT * self.needs,
            _ => moved(&self.groups) < moved(&other.groups),
        }
    }

    /// Whether groups that move so many bytes, or more, are no better whatever code they have.
    pub fn is_no_worse_than(&self, traffic: i64) -> bool {
        traffic >= self.needs && (self.is_in_limit || traffic > MOST_TIMES_IN_LIMIT * self.needs)
    }
}
