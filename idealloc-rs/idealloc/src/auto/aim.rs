//! From where and to which limits ejection goes next, when, and for how much work.

use crate::auto::ejection::Next;

/// Plans runs of ejection within a longer search, two at a time: one to the target, from where least ends above it, and one
/// from the lowest layout to a limit between both.
#[derive(Clone, Debug)]
pub struct Aim {
    target: u64,
    /// Peak of the best layout so far.
    pub lowest: u64,
    /// Pairs of runs so far.
    pairs: usize,
    /// How far from the target to the lowest layout the limit of the second run lies, in 256ths.
    share: u64,
    /// Work of each of the next runs,
    pub work: u64,
    /// and work done by all when they are due.
    pub due: u64,
}

impl Aim {
    /// Ejection to a target, where a layout below `limit` is wanted, by a search that may do so much work.
    pub fn new(target: u64, limit: u64, work: u64) -> Self {
        Self { target, lowest: limit, pairs: 0, share: 128, work: work / 24, due: work / 12 }
    }

    /// The limits of both runs.
    pub fn limits(&self) -> [u64; 2] {
        let between = u128::from(self.lowest - self.target) * u128::from(self.share) / 256;
        [self.target, self.target + between as u64]
    }

    /// Which of the buffers that wait is next in both.
    pub fn next(&self) -> Next {
        Next::ALL[self.pairs % Next::ALL.len()]
    }

    /// Nearer to the target where the limit between was reached, else nearer to what there is; more work each time.
    pub fn learn(&mut self, reached: bool, done: u64) {
        self.share = if reached { self.share / 2 } else { self.share.midpoint(240) };
        self.work += self.work / 2;
        self.due = done + self.work / 4;
        self.pairs += 1;
    }
}
