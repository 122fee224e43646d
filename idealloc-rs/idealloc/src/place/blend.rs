//! Orders between size, lifetime and contention.

use std::cmp::Reverse;

use crate::place::order::{Orders, log2_in_256ths};
use crate::random::Random;

/// By classes of size, where a long life and a crowded moment count like some more bytes; within a class by contention,
/// then by start.
///
/// Neighbouring blends give quite different layouts of nearly equal quality: the best of many is much better than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blend {
    /// What a doubled life counts, in sixteenths of a doubled size.
    lifetime: u64,
    /// What meeting the most crowded section counts, in 256ths of a doubled size,
    bonus: u64,
    /// declining to nothing at a section with so many thousandths of the load less.
    reach: u64,
    /// Width of a class, in 256ths of a doubled size,
    width: u64,
    /// and where classes begin.
    phase: u64,
    /// Contention within a class counts in steps of so many thousandths of the load; 0 for exactly.
    step: u64,
}

impl Blend {
    /// What to try first: best together on generated instances (`mixed_lifetimes`, 100,000 buffers, seeds 5 to 12).
    pub const FIRST: [Self; 4] = [
        Self { lifetime: 2, bonus: 256, reach: 30, width: 256, phase: 192, step: 5 },
        Self { lifetime: 3, bonus: 0, reach: 60, width: 256, phase: 192, step: 0 },
        Self { lifetime: 3, bonus: 256, reach: 30, width: 256, phase: 192, step: 0 },
        Self { lifetime: 2, bonus: 256, reach: 60, width: 256, phase: 0, step: 5 },
    ];

    /// One at random.
    pub fn draw(random: &mut Random) -> Self {
        let mut one_of = |values: &[u64]| values[random.below(values.len() as u64) as usize];
        Self {
            lifetime: one_of(&[0, 1, 2, 2, 3]),
            bonus: one_of(&[0, 0, 128, 128, 256, 256, 512]),
            reach: one_of(&[10, 30, 60, 60, 200]),
            width: one_of(&[128, 256, 256, 512]),
            phase: one_of(&[0, 64, 128, 192]),
            step: one_of(&[0, 5]),
        }
    }

    /// The same with what meets the most crowded section before all else, so that it lies there without a hole.
    pub fn peak_first(self, random: &mut Random) -> Self {
        let reach = [1, 1, 3, 10][random.below(4) as usize];
        Self { bonus: 4096, reach, ..self }
    }

    /// All buffers in this order; `lifts` are added to their class, in 256ths of a doubled size. `O(n log n)`.
    pub fn sorted(self, orders: &mut Orders<'_>, lifts: &[u32]) -> Vec<u32> {
        let load = orders.load();
        let instance = orders.instance();
        let contention = orders.contention();
        let mut rows: Vec<(Reverse<u64>, u64, u32, u32)> = (0..instance.len())
            .map(|i| {
                let span = instance.spans()[i];
                let below = load - contention[i].min(load);
                let thousandths = (u128::from(below) * 1000 / u128::from(load.max(1))) as u64;
                let class = log2_in_256ths(instance.sizes()[i])
                    + log2_in_256ths(u64::from(span.len())) * self.lifetime / 16
                    + self.bonus * self.reach.saturating_sub(thousandths) / self.reach
                    + u64::from(lifts[i])
                    + self.phase;
                let crowd = thousandths.checked_div(self.step).unwrap_or(below);
                (Reverse(class / self.width), crowd, span.start, i as u32)
            })
            .collect();
        rows.sort_unstable();
        rows.into_iter().map(|(.., i)| i).collect()
    }
}
