//! From where and to which limit ejection goes next, when, and for how much work.

use crate::auto::ejection::Next;

/// Plans runs of ejection within a longer search.
#[derive(Clone, Debug)]
pub struct Aim {
    target: u64,
    /// Peak of the best layout so far.
    pub lowest: u64,
    /// Runs so far: in turns from where least ends above the target, to the target, and from the lowest layout.
    runs: usize,
    /// How far from the target to the lowest layout the limit of the latter lies, in 256ths.
    share: u64,
    /// Work of the next run,
    pub work: u64,
    /// and work done by all when it is due.
    pub due: u64,
}

impl Aim {
    /// Ejection to a target, where a layout below `limit` is wanted, by a search that may do so much work.
    pub fn new(target: u64, limit: u64, work: u64) -> Self {
        Self { target, lowest: limit, runs: 0, share: 128, work: work / 16, due: work / 6 }
    }

    /// True if the next run goes on from the lowest layout.
    pub fn refines(&self) -> bool {
        self.runs % 2 == 1
    }

    /// The limit of the next run.
    pub fn limit(&self) -> u64 {
        let between = u128::from(self.lowest - self.target) * u128::from(self.share) / 256;
        self.target + if self.refines() { between as u64 } else { 0 }
    }

    /// Which of the buffers that wait is next in that run.
    pub fn next(&self) -> Next {
        Next::ALL[self.runs / 2 % Next::ALL.len()]
    }

    /// Nearer to the target where it was reached, else nearer to what there is; more work after each pair of runs.
    pub fn learn(&mut self, reached: bool, done: u64) {
        if self.refines() {
            self.share = if reached { self.share / 2 } else { self.share.midpoint(240) };
            self.work += self.work / 2;
            self.due = done + self.work / 2;
        }
        self.runs += 1;
    }
}
