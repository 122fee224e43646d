//! Groups that were found, with code as short as it could be made.

use super::group::Group;

/// Groups, what they need, and whether their code is as short as it must be.
pub(super) struct Written {
    pub groups: Vec<Group>,
    /// Bytes moved, or room, by what was searched for.
    pub needs: i64,
    /// Whether there are no more operations than there may be, or code has no price.
    pub is_in_limit: bool,
}

impl Written {
    /// The less the better: code that is too long is worse than any need.
    pub fn key(&self) -> (bool, i64) {
        (!self.is_in_limit, self.needs)
    }
}
