//! How many of the bytes that are live when the load is reached a buffer can share.

use crate::place::instance::{Instance, Span};
use crate::problem::{Conflicts, Problem};

/// For each buffer the bytes of those live in the first section with the load that it does not conflict with.
///
/// Lifetimes say what is live, also where pairs alone say what conflicts; gaps are not looked at.
/// Complexity: `O(n log n + pairs)`.
pub fn shareable_at_peak(problem: &Problem, sizes: &[u64]) -> Vec<u64> {
    let instance = Instance::new(problem);
    let spans = instance.spans();
    let peak = peak_section(&instance, sizes);
    let is_at_peak = |i: usize| spans[i].overlaps(peak);
    let by_time = !matches!(problem.conflicts(), Conflicts::Pairs(_));
    let at_peak = || (0..sizes.len()).filter(|&i| is_at_peak(i));
    // All that is at the peak shares a section: who is not there conflicts with what has begun when it ends, if it
    // comes before, or has not ended when it begins.
    let starts = Sums::new(at_peak().map(|j| (spans[j].start, sizes[j])));
    let ends = Sums::new(at_peak().map(|j| (spans[j].end, sizes[j])));
    let free = |i: usize| {
        let span = spans[i];
        if !by_time {
            starts.total() - if is_at_peak(i) { u128::from(sizes[i]) } else { 0 }
        } else if is_at_peak(i) {
            0
        } else if span.is_empty() {
            starts.total()
        } else if span.end <= peak.start {
            starts.total() - starts.below(span.end)
        } else {
            ends.below(span.start + 1)
        }
    };
    let shareable = |i: usize| {
        let conflicts = |j: usize| i == j || by_time && spans[i].overlaps(spans[j]);
        let listed = instance.neighbours(i).iter().map(|&j| j as usize);
        let taken = listed.filter(|&j| is_at_peak(j) && !conflicts(j)).map(|j| sizes[j]);
        saturated(free(i)).saturating_sub(taken.fold(0, u64::saturating_add))
    };
    (0..sizes.len()).map(shareable).collect()
}

fn saturated(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Bytes by section, summed up to each.
struct Sums {
    /// Ascending, with the bytes up to and with each.
    sections: Vec<(u32, u128)>,
}

impl Sums {
    fn new(bytes: impl Iterator<Item = (u32, u64)>) -> Self {
        let mut sections: Vec<(u32, u128)> =
            bytes.map(|(section, bytes)| (section, u128::from(bytes))).collect();
        sections.sort_unstable();
        let mut sum = 0;
        for (_, bytes) in &mut sections {
            sum += *bytes;
            *bytes = sum;
        }
        Self { sections }
    }

    /// Bytes of sections before one.
    fn below(&self, section: u32) -> u128 {
        let count = self.sections.partition_point(|&(at, _)| at < section);
        if count == 0 { 0 } else { self.sections[count - 1].1 }
    }

    fn total(&self) -> u128 {
        self.sections.last().map_or(0, |last| last.1)
    }
}

/// The first section with the most bytes live; empty if nothing is ever live.
fn peak_section(instance: &Instance, sizes: &[u64]) -> Span {
    let mut change = vec![0_i128; instance.sections() + 1];
    for (span, &size) in instance.spans().iter().zip(sizes) {
        change[span.start as usize] += i128::from(size);
        change[span.end as usize] -= i128::from(size);
    }
    let (mut live, mut most, mut peak) = (0, 0, Span::default());
    for (section, change) in (0..instance.sections() as u32).zip(change) {
        live += change;
        if live > most {
            (most, peak) = (live, Span { start: section, end: section + 1 });
        }
    }
    peak
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{peak_section, shareable_at_peak};
    use crate::place::instance::Instance;
    use crate::problem::{Conflicts, Problem};

    proptest! {
        #[test]
        fn sums_what_is_at_the_peak_and_conflicts_not(
            rows in prop::collection::vec((0_u64..9, 0_i64..12, 0_i64..6), 0..30),
            pairs in prop::collection::vec((0_usize..30, 0_usize..30), 0..9),
            only_pairs in any::<bool>(),
        ) {
            let mut builder = Problem::builder();
            for &(size, start, life) in &rows {
                builder.buffer(size, start, start + life);
            }
            let pairs: Vec<_> = pairs
                .into_iter()
                .filter(|&(a, b)| a != b && a < rows.len() && b < rows.len())
                .map(|(a, b)| (a.into(), b.into()))
                .collect();
            if only_pairs {
                builder.conflicts(Conflicts::Pairs(pairs));
            } else if !pairs.is_empty() {
                builder.conflicts(Conflicts::LifetimesAnd(pairs));
            }
            let problem = builder.build().expect("valid by construction");
            let instance = Instance::new(&problem);
            let spans = instance.spans();
            let peak = peak_section(&instance, problem.sizes());
            let conflicts = |i: usize, j: usize| {
                i == j
                    || !only_pairs && spans[i].overlaps(spans[j])
                    || instance.neighbours(i).contains(&(j as u32))
            };
            let plainly: Vec<u64> = (0..rows.len())
                .map(|i| {
                    let free = |&j: &usize| spans[j].overlaps(peak) && !conflicts(i, j);
                    (0..rows.len()).filter(free).map(|j| rows[j].0).sum()
                })
                .collect();
            prop_assert_eq!(shareable_at_peak(&problem, problem.sizes()), plainly);
        }
    }
}
