//! What alignment tells about the order of the buffers of a section.

use super::model::Model;
use super::stacks::Stacks;
use super::state::{Fail, State};

impl State {
    /// Lifts what cannot be the lowest of a section, as what is left would then not fit above it with its alignments, onto the
    /// lowest end of the others ("not first" of one-machine scheduling: Carlier, Pinson, Management Science 35, 1989). True
    /// if something was lifted; fails if nothing can be the lowest.
    ///
    /// Complexity: `O(k)` for `k` unplaced members, and what is lifted.
    pub fn sequence(&mut self, model: &Model, stacks: &Stacks, s: usize) -> Result<bool, Fail> {
        let (total, left) = (self.total[s], self.left[s]);
        let is_first_up_to = |waste: u64| model.room[s].saturating_sub(total).checked_sub(waste);
        if is_first_up_to(stacks.waste(left)).is_none_or(|most| self.floor[s] > most) {
            return Err(Fail);
        }
        if !stacks.tells(left) {
            return Ok(false);
        }
        let can_be_first = |c: usize, at: u64| {
            let rest = left - stacks.stride(model, c, s);
            is_first_up_to(stacks.waste(rest)).is_some_and(|most| at <= most)
        };
        // The lowest end, whose it is, and the lowest of the others.
        let (mut least, mut second, mut owner) = (u64::MAX, u64::MAX, usize::MAX);
        let (mut some_can, mut all_can) = (false, true);
        for c in self.unplaced_members(model, s) {
            let end = self.lowest[c] + model.heights[c];
            if end < least {
                (second, least, owner) = (least, end, c);
            } else {
                second = second.min(end);
            }
            let can = can_be_first(c, self.lowest[c]);
            some_can |= can;
            all_can &= can;
        }
        if all_can {
            return Ok(false);
        }
        if !some_can {
            return Err(Fail);
        }
        let mut lifted = false;
        for (w, &row) in model.members(s).iter().enumerate() {
            let mut bits = row & self.unplaced[w];
            while bits != 0 {
                let c = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let under = if c == owner { second } else { least };
                if self.lowest[c] >= under || can_be_first(c, self.lowest[c]) {
                    continue;
                }
                if model.domains[c].fixed.is_some() {
                    return Err(Fail);
                }
                self.lift(model, c, under)?;
                lifted = true;
            }
        }
        Ok(lifted)
    }
}
