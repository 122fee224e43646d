//! How many of the bytes that are live when the load is reached a buffer can share.

use crate::place::instance::{Instance, Span};
use crate::problem::{Conflicts, Problem};

/// For each buffer the bytes of those live in the first section with the load that it does not conflict with.
///
/// Lifetimes say what is live, also where pairs alone say what conflicts; gaps are not looked at.
/// Complexity: `O(n p + pairs)` for `p` buffers live at the load.
pub fn shareable_at_peak(problem: &Problem, sizes: &[u64]) -> Vec<u64> {
    let instance = Instance::new(problem);
    let spans = instance.spans();
    let peak = peak_section(&instance, sizes);
    let is_at_peak = |i: usize| spans[i].overlaps(peak);
    let at_peak: Vec<usize> = (0..sizes.len()).filter(|&i| is_at_peak(i)).collect();
    let by_time = !matches!(problem.conflicts(), Conflicts::Pairs(_));
    let conflicts = |i: usize, j: usize| i == j || by_time && spans[i].overlaps(spans[j]);
    let shareable = |i: usize| {
        let free = at_peak.iter().filter(|&&j| !conflicts(i, j)).map(|&j| sizes[j]);
        let listed = instance.neighbours(i).iter().map(|&j| j as usize);
        let taken = listed.filter(|&j| is_at_peak(j) && !conflicts(i, j)).map(|j| sizes[j]);
        sum(free).saturating_sub(sum(taken))
    };
    (0..sizes.len()).map(shareable).collect()
}

fn sum(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.fold(0, u64::saturating_add)
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
