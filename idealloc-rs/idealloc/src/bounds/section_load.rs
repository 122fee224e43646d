//! The load with alignment and fixed offsets.

use crate::preprocess::Component;

/// Bytes that the busiest section needs: the sum of its padded sizes, less the padding that the topmost buffer does
/// not need (at most the largest), above the lowest aligned offset. At least the end of every single buffer at its
/// lowest position.
///
/// With alignment 1 this is the load. Complexity: `O(n + runs + sections log n)`, saturating at `2^64 - 1`.
#[must_use]
pub fn section_load(component: &Component) -> u64 {
    let mut change: Vec<(u128, u128)> = vec![(0, 0); component.sections + 1];
    let padded = (0..component.len()).any(|i| component.padding(i) > 0);
    let most_padding = if padded { largest_padding(component) } else { Vec::new() };
    for (i, &height) in component.heights.iter().enumerate() {
        for run in component.runs(i) {
            change[run.first as usize].0 += u128::from(height);
            change[run.last as usize + 1].1 += u128::from(height);
        }
    }
    let (unit, origin) = (u128::from(component.unit.bytes), u128::from(component.unit.origin));
    let (mut live, mut most) = (0_u128, 0_u128);
    for (s, &(starts, ends)) in change[..component.sections].iter().enumerate() {
        live = live + starts - ends;
        let padding = most_padding.get(s).copied().unwrap_or(0);
        most = most.max(origin + live * unit - u128::from(padding));
    }
    for (i, domain) in component.domains.iter().enumerate() {
        let lowest = domain.fixed.unwrap_or_else(|| domain.align(0));
        most = most.max(origin + u128::from(lowest) * unit + u128::from(component.sizes[i]));
    }
    u64::try_from(most).unwrap_or(u64::MAX)
}

/// Largest padding in each section: runs by descending padding paint what is not painted yet.
pub(crate) fn largest_padding(component: &Component) -> Vec<u64> {
    let mut order: Vec<usize> =
        (0..component.len()).filter(|&i| component.padding(i) > 0).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(component.padding(i)));
    let mut largest = vec![0; component.sections];
    // next[s]: the first section at or after s that is not painted.
    let mut next: Vec<usize> = (0..=component.sections).collect();
    for i in order {
        for run in component.runs(i) {
            let mut s = find(&mut next, run.first as usize);
            while s <= run.last as usize {
                largest[s] = component.padding(i);
                next[s] = s + 1;
                s = find(&mut next, s);
            }
        }
    }
    largest
}

fn find(next: &mut [usize], mut s: usize) -> usize {
    while next[s] != s {
        next[s] = next[next[s]];
        s = next[s];
    }
    s
}
