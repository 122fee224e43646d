//! Overlaps that cannot be packed: no path may have all of one no-good.

use super::overlaps::{Label, Overlaps};

/// One no-good, with a pair of it that was missing when last looked at.
#[derive(Clone, Debug)]
struct NoGood {
    pairs: Vec<(Label, Label)>,
    missing: usize,
}

/// All that have been learned.
#[derive(Clone, Debug, Default)]
pub(super) struct NoGoods {
    all: Vec<NoGood>,
}

impl NoGoods {
    /// Learns one.
    pub fn learn(&mut self, pairs: Vec<(Label, Label)>) {
        self.all.push(NoGood { pairs, missing: 0 });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The pairs of a no-good, from number `from` on, that is there in full.
    pub fn violated(&mut self, overlaps: &Overlaps, from: usize) -> Option<&[(Label, Label)]> {
        for no_good in &mut self.all[from..] {
            if overlaps.contains(no_good.pairs[no_good.missing]) {
                match no_good.pairs.iter().position(|&pair| !overlaps.contains(pair)) {
                    Some(missing) => no_good.missing = missing,
                    None => return Some(&no_good.pairs),
                }
            }
        }
        None
    }
}
