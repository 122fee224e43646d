//! How many of the bytes that are live when the load is reached a buffer can share.

use crate::baselines::adjacency::Adjacency;
use crate::baselines::sections::Sections;
use crate::problem::{Conflicts, Problem};

/// For each buffer the bytes of those live in the first section with the load that it does not conflict with.
///
/// With listed pairs only, lifetimes still say what is live. Gaps of the buffers live at the load are not looked at.
/// Complexity: `O(n p + pairs)` for `p` buffers live at the load.
pub fn shareable_at_peak(problem: &Problem, sizes: &[u64]) -> Vec<u64> {
    let sections = Sections::of(problem);
    let Some(peak) = peak_section(&sections, sizes) else { return vec![0; sizes.len()] };
    let (by_time, listed) = match problem.conflicts() {
        Conflicts::Lifetimes => (true, None),
        Conflicts::LifetimesAnd(pairs) => (true, Some(Adjacency::new(sizes.len(), pairs))),
        Conflicts::Pairs(pairs) => (false, Some(Adjacency::new(sizes.len(), pairs))),
    };
    let mut at_peak: Vec<Live> = Vec::new();
    let mut is_at_peak = vec![false; sizes.len()];
    for (i, &size) in sizes.iter().enumerate() {
        let stretches = sections.of_buffer(i);
        if stretches.iter().any(|&(from, to)| from <= peak && peak < to) {
            is_at_peak[i] = true;
            at_peak.push(Live { from: stretches[0].0, to: stretches[stretches.len() - 1].1, size });
        }
    }
    let conflicts = |i: usize, life: &Live| {
        by_time && sections.of_buffer(i).iter().any(|&(from, to)| from < life.to && life.from < to)
    };
    let free = |i: usize| {
        let shared = at_peak.iter().filter(|life| !conflicts(i, life)).map(|life| life.size);
        let taken = listed.iter().flat_map(|adjacency| adjacency.of(i));
        let taken = taken.filter(|j| is_at_peak[j.get()]).map(|j| sizes[j.get()]);
        let own = if is_at_peak[i] { sizes[i] } else { 0 };
        sum(shared).saturating_sub(sum(taken)).saturating_sub(if by_time { 0 } else { own })
    };
    (0..sizes.len()).map(free).collect()
}

struct Live {
    from: u32,
    to: u32,
    size: u64,
}

fn sum(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.fold(0, u64::saturating_add)
}

fn peak_section(sections: &Sections, sizes: &[u64]) -> Option<u32> {
    let mut change = vec![0_i128; sections.count() + 1];
    for (i, &size) in sizes.iter().enumerate() {
        for &(from, to) in sections.of_buffer(i) {
            change[from as usize] += i128::from(size);
            change[to as usize] -= i128::from(size);
        }
    }
    let (mut live, mut most, mut peak) = (0, 0, None);
    for (section, change) in change.iter().take(sections.count()).enumerate() {
        live += change;
        if live > most {
            (most, peak) = (live, Some(section as u32));
        }
    }
    peak
}
