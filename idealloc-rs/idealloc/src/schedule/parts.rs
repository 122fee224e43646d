//! A bound that adds up: what each of some disjoint parts of a graph must move of the tensors that it makes.
//!
//! A part is a set of macros. Of any schedule of the whole graph, look at the macros of the part only, and at the
//! tensors that they make: that is a schedule of the part, in which tensors of others take room only beside the macros
//! that use them. No byte is moved in two parts, so what the parts move adds up. Parts are windows of an order; which
//! of them to take is weighted interval scheduling.

use super::budget::Budget;
use super::downsets::TooWide;
use super::lattice::{DownsetIdx, Lattice};
use super::options::Reductions;
use super::peak;
use super::peak_bound::moved_by_peak;
use super::reduce::Reduced;
use super::step::Stepper;
use super::traffic::Search;
use crate::plan::StopReason;

/// Macros of a window: the least, and how often that is doubled.
const SHORTEST: usize = 30;
const DOUBLINGS: u32 = 2;

/// Windows of one length that overlap at each place.
const OVERLAP: usize = 2;

/// Sets of tensors to evict for one macro above which the search of a window gives up.
const MOST_CHOICES: usize = 1 << 10;

/// States that may be expanded for all windows, but no more than a search may expand.
const MOST_STATES: u64 = 100_000;

/// States that may be expanded for one window at first.
const FEW_STATES: u64 = 1000;

/// The bound, from wherever a search is.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// An order of all macros.
    order: Vec<u32>,
    /// Windows of it that move something, by end: from where, to where, how many bytes.
    windows: Vec<(usize, usize, u64)>,
}

impl Parts {
    /// Bounds each window of an order of all macros, by exact search and by least peak.
    ///
    /// All windows get a few states; those that need more share what is left.
    pub fn new<const W: usize>(
        reduced: &Reduced,
        order: Vec<u32>,
        capacity: u64,
        reductions: Reductions,
        budget: &mut Budget<'_>,
    ) -> Result<Self, TooWide> {
        let mut parts = Self { order, windows: Vec::new() };
        let problem = (capacity, reductions);
        let end = budget.expanded().saturating_add(most_states(budget));
        let mut open = Vec::new();
        for (from, to) in windows(&live_bytes(reduced, &parts.order)) {
            let part = reduced.part(&parts.order[from..to]);
            let (bytes, is_done) = weigh::<W>(&part, problem, FEW_STATES, budget)?;
            if is_done {
                parts.add((from, to, bytes));
            } else {
                open.push((from, to, bytes));
            }
        }
        for (i, &(from, to, before)) in open.iter().enumerate() {
            let left = end.saturating_sub(budget.expanded()) / (open.len() - i) as u64;
            let part = reduced.part(&parts.order[from..to]);
            let (bytes, _) = weigh::<W>(&part, problem, left, budget)?;
            parts.add((from, to, bytes.max(before)));
        }
        Ok(parts)
    }

    /// Takes a window, if it moves something.
    fn add(&mut self, window: (usize, usize, u64)) {
        if window.2 > 0 {
            self.windows.push(window);
            self.windows.sort_unstable_by_key(|&(from, to, bytes)| (to, from, bytes));
        }
    }

    /// Bytes that every way to the end from a downset must move for the windows of which nothing has run.
    ///
    /// The most that windows weigh which do not overlap. O(macros + windows).
    pub fn bound(&self, lattice: &Lattice<'_>, at: DownsetIdx) -> u64 {
        self.most(|step| lattice.contains(at, step)).last().map_or(0, |most| most.0)
    }

    /// The macros of each window that counts where nothing has run; [`Self::bound`] is the sum. O(macros + windows).
    pub fn chosen(&self) -> Vec<&[u32]> {
        let most = self.most(|_| false);
        let mut chosen = Vec::new();
        let mut end = self.order.len();
        while end > 0 {
            let from = most[end].1;
            if from < end {
                chosen.push(&self.order[from..end]);
                end = from;
            } else {
                end -= 1;
            }
        }
        chosen.reverse();
        chosen
    }

    /// For each prefix of the order the most that its windows weigh of which nothing has run and which do not overlap,
    /// and where the last one that ends right there begins; its own end if none does.
    fn most(&self, has_run: impl Fn(u32) -> bool) -> Vec<(u64, usize)> {
        let mut most = vec![(0u64, 0)];
        let mut windows = self.windows.iter().peekable();
        // Where the stretch of macros that have not run begins.
        let mut begin = 0;
        for (end, &step) in (1..).zip(&self.order) {
            if has_run(step) {
                begin = end;
            }
            let mut best = (most[end - 1].0, end);
            while let Some(&(from, _, bytes)) = windows.next_if(|window| window.1 == end) {
                let sum = most[from].0.saturating_add(bytes);
                if from >= begin && sum > best.0 {
                    best = (sum, from);
                }
            }
            most.push(best);
        }
        most
    }
}

/// Bytes of tensors that are live between the macros of an order: made or read before, and read later.
fn live_bytes(reduced: &Reduced, order: &[u32]) -> Vec<u64> {
    let mut position = vec![0; order.len()];
    for (i, &step) in order.iter().enumerate() {
        position[step as usize] = i;
    }
    let mut live = vec![0u64; order.len() + 1];
    for item in &reduced.items {
        let uses = item.consumers.iter().chain(&item.producer).map(|&step| position[step as usize]);
        let (first, last) = (uses.clone().min().unwrap_or(0), uses.max().unwrap_or(0));
        for bytes in &mut live[first + 1..=last] {
            *bytes += item.bytes;
        }
    }
    live
}

/// Stretches of an order, the short ones first; they end where few bytes are live.
fn windows(live: &[u64]) -> Vec<(usize, usize)> {
    let n = live.len() - 1;
    let mut windows = Vec::new();
    for doubling in 0..=DOUBLINGS {
        let length = SHORTEST << doubling;
        let stride = length / OVERLAP;
        let mut cuts = vec![0];
        let mut from = stride / 2;
        while from + stride < n {
            cuts.extend((from..from + stride).min_by_key(|&at| (live[at], at)));
            from += stride;
        }
        cuts.push(n);
        windows.extend(
            (0..cuts.len() - 1).map(|i| (cuts[i], cuts[(i + OVERLAP).min(cuts.len() - 1)])),
        );
        if length >= n {
            break;
        }
    }
    windows
}

/// Bounds what a part moves within so many states; whether that is all that it moves.
fn weigh<const W: usize>(
    part: &Reduced,
    (capacity, reductions): (u64, Reductions),
    states: u64,
    budget: &mut Budget<'_>,
) -> Result<(u64, bool), TooWide> {
    if part.items.is_empty() || budget.is_over() {
        return Ok((0, true));
    }
    let whole = budget.narrow(states.min(FEW_STATES));
    let peak = peak::search(part, reductions, budget).bound;
    budget.widen(whole);
    let whole = budget.narrow(states);
    let mut search = Search::<W>::with_choices(part, capacity, reductions, MOST_CHOICES)?;
    let found = search.run(Stepper::first(), u64::MAX, 0, budget)?;
    budget.widen(whole);
    let bytes = found.bound.max(moved_by_peak(part, capacity, peak));
    Ok((bytes, found.stop == StopReason::Optimal || found.has_too_many_choices))
}

/// States that may be expanded for all windows of one order.
fn most_states(budget: &Budget<'_>) -> u64 {
    budget.options().max_states.map_or(MOST_STATES, |most| most.min(MOST_STATES))
}

#[cfg(test)]
mod tests {
    use super::{Parts, Search, Stepper, windows};
    use crate::control::Control;
    use crate::plan::StopReason;
    use crate::random::Random;
    use crate::schedule::budget::Budget;
    use crate::schedule::graph::Graph;
    use crate::schedule::lattice::Lattice;
    use crate::schedule::options::{Reductions, SearchOptions};
    use crate::schedule::reduce::Reduced;

    #[test]
    fn the_heaviest_disjoint_windows_of_what_has_not_run_count() {
        let mut b = Graph::builder();
        let tensors: Vec<_> =
            (0..9).map(|i| b.tensor(format!("t{i}"), 1, i == 0, i == 8)).collect();
        for pair in tensors.windows(2) {
            b.op("op", &[pair[0]], &[pair[1]]);
        }
        let reduced = Reduced::new(&b.build().expect("valid"), false);
        let mut lattice = Lattice::new(&reduced, false);
        let windows = vec![(0, 4, 5), (2, 6, 9), (0, 8, 11), (4, 8, 5), (6, 8, 3)];
        let parts = Parts { order: (0..8).collect(), windows };
        let mut at = Lattice::FIRST;
        let mut bounds = Vec::new();
        for step in 0..8 {
            bounds.push(parts.bound(&lattice, at));
            at = lattice.with(at, step).0;
        }
        assert_eq!(bounds, [12, 12, 12, 5, 5, 3, 3, 0]);
        assert_eq!(parts.chosen(), [[2, 3, 4, 5].as_slice(), &[6, 7]]);
    }

    #[test]
    fn windows_reach_to_the_end() {
        for n in [0, 1, 24, 25, 100, 1000] {
            let windows = windows(&vec![1; n + 1]);
            assert!(windows.iter().all(|&(from, to)| from <= to && to <= n));
            assert_eq!(windows.iter().map(|w| w.1).max(), Some(n));
        }
    }

    #[test]
    fn two_parts_that_each_move_something_add_up() {
        // Twice: a tensor waits while something larger than the rest of the memory is made and read.
        let mut b = Graph::builder();
        let mut last = b.tensor("x", 1, true, false);
        for i in 0..2 {
            let kept = b.tensor(format!("kept {i}"), 4, false, false);
            let large = b.tensor(format!("large {i}"), 8, false, false);
            let end = b.tensor(format!("end {i}"), 1, false, i == 1);
            b.op("make", &[last], &[kept]);
            b.op("grow", &[kept], &[large]);
            let small = b.tensor(format!("small {i}"), 8, false, false);
            b.op("change", &[large], &[small]);
            b.op("join", &[kept, small], &[end]);
            last = end;
        }
        let reduced = Reduced::new(&b.build().expect("valid"), false);
        let (options, control) = (SearchOptions::default(), Control::default());
        let mut budget = Budget::new(&options, &control);
        let lattice = Lattice::new(&reduced, false);
        let order = reduced.topological_order();
        let all = Reductions::default();
        let parts = Parts::new::<2>(&reduced, order, 16, all, &mut budget);
        let bound = parts.map(|parts| parts.bound(&lattice, Lattice::FIRST));
        assert_eq!(bound.ok(), Some(16));
    }

    /// Operators that read one to three of the last tensors.
    fn random_graph(seed: u64, ops: u32) -> Graph {
        let mut random = Random::new(seed);
        let mut b = Graph::builder();
        let mut tensors = vec![b.tensor("x", 1 + random.below(9), true, false)];
        for i in 0..ops {
            let made = b.tensor(format!("t{i}"), 1 + random.below(9), false, random.below(8) == 0);
            let last = tensors.len() as u64;
            let mut inputs = Vec::new();
            for _ in 0..=random.below(3) {
                inputs.push(tensors[(last - 1 - random.below(last.min(5))) as usize]);
            }
            b.op(format!("op{i}"), &inputs, &[made]);
            tensors.push(made);
        }
        b.build().expect("valid")
    }

    #[test]
    fn the_bound_is_one_and_changes_no_value() {
        let (options, control) = (SearchOptions::default(), Control::default());
        let mut gained = 0;
        for seed in 0..60 {
            let graph = random_graph(seed, 70);
            let capacity = graph.largest_footprint().map_or(0, |(_, bytes)| bytes) + seed % 5;
            let reduced = Reduced::new(&graph, true);
            let mut budget = Budget::new(&options, &control);
            let all = Reductions::default();
            let exact = |search: Result<Search<'_, 2>, _>, budget: &mut Budget<'_>| {
                let found = search.and_then(|mut s| s.run(Stepper::first(), u64::MAX, 0, budget));
                found.map(|found| (found.bound, found.stop)).ok()
            };
            let plain = exact(Search::new(&reduced, capacity, all), &mut budget);
            let Some((optimum, StopReason::Optimal)) = plain else { continue };
            let order = (0..reduced.macros.len() as u32).collect();
            let Ok(parts) = Parts::new::<2>(&reduced, order, capacity, all, &mut budget) else {
                continue;
            };
            let bound = parts.bound(&Lattice::new(&reduced, false), Lattice::FIRST);
            assert!(bound <= optimum, "seed {seed}: {bound} of {optimum}");
            gained += u32::from(bound > 0);
            for most_choices in [1 << 16, 8, 2] {
                let search = Search::with_choices(&reduced, capacity, all, most_choices);
                let search = search.map(|s| s.with_parts(parts.clone()));
                match exact(search, &mut budget) {
                    Some((value, StopReason::Optimal)) => assert_eq!(value, optimum, "seed {seed}"),
                    Some((value, _)) => assert!(value <= optimum, "seed {seed}"),
                    None => {}
                }
            }
        }
        assert!(gained > 20, "{gained}");
    }
}
