//! Local search over orders: a few macros in a row change places with what follows or precedes them.
//!
//! Orders are compared by [`Replay`]. One that moves more is kept, too, while it is better than the one some rounds ago
//! (late acceptance, Burke and Bykov 2017): that leads out of valleys without a temperature to choose.

use super::reduce::Reduced;
use super::replay::Replay;
use crate::control::Control;
use crate::random::Random;

/// Rounds between a value and the one that it is compared with.
const MEMORY: usize = 200;

/// Most macros that move together, and most that they move past.
const LONGEST_BLOCK: usize = 8;
const FARTHEST: usize = 64;

/// Rounds between looks at cancellation.
const POLL: u64 = 256;

/// Improves an order of all macros under a capacity in bytes; `most_steps` macros are played in all.
///
/// Returns the best order met and the bytes that [`Replay`] moves in it.
pub(super) fn search(
    reduced: &Reduced,
    capacity: u64,
    order: Vec<u32>,
    most_steps: u64,
    seed: u64,
    control: &Control,
) -> (Vec<u32>, u64) {
    let n = order.len();
    let mut replay = Replay::new(reduced, capacity);
    let mut now = replay.moved(&order, u64::MAX).unwrap_or(u64::MAX);
    let mut best = (order.clone(), now);
    let mut search = Blocks { reduced, order, position: vec![0; n], random: Random::new(seed) };
    search.locate(0, n);
    let mut earlier = [now; MEMORY];
    for round in 0..most_steps / n.max(1) as u64 {
        if best.1 == 0 || (round.is_multiple_of(POLL) && control.is_cancelled()) {
            break;
        }
        let slot = (round % MEMORY as u64) as usize;
        let Some((from, middle, to)) = search.pick() else { continue };
        search.exchange(from, middle, to);
        match replay.moved(&search.order, now.max(earlier[slot])) {
            Some(moved) => now = moved,
            None => search.exchange(from, from + to - middle, to),
        }
        if now < best.1 {
            best = (search.order.clone(), now);
        }
        earlier[slot] = earlier[slot].min(now);
    }
    best
}

/// An order in which blocks of macros change places.
struct Blocks<'a> {
    reduced: &'a Reduced,
    order: Vec<u32>,
    position: Vec<usize>,
    random: Random,
}

impl Blocks<'_> {
    /// Two blocks `[from, middle)` and `[middle, to)` of which the second may run before the first.
    fn pick(&mut self) -> Option<(usize, usize, usize)> {
        let n = self.order.len();
        if n < 2 {
            return None;
        }
        let length = 1 + self.below(LONGEST_BLOCK.min(n - 1)).min(self.below(LONGEST_BLOCK));
        let start = self.below(n - length + 1);
        let end = start + length;
        if self.below(2) == 0 {
            let later = &self.order[end..n.min(end + FARTHEST)];
            let macros = &self.reduced.macros;
            let is_free = |&&step: &&u32| {
                let mut needed = macros[step as usize].predecessors.iter();
                needed.all(|&p| !(start..end).contains(&self.position[p as usize]))
            };
            let far = later.iter().take_while(is_free).count();
            (far > 0).then(|| (start, end, end + 1 + self.below(far)))
        } else {
            let earlier = &self.order[start.saturating_sub(FARTHEST)..start];
            let macros = &self.reduced.macros;
            let is_free = |&&step: &&u32| {
                let mut followers = macros[step as usize].successors.iter();
                followers.all(|&s| !(start..end).contains(&self.position[s as usize]))
            };
            let far = earlier.iter().rev().take_while(is_free).count();
            (far > 0).then(|| (start - 1 - self.below(far), start, end))
        }
    }

    /// Exchanges two neighbouring blocks.
    fn exchange(&mut self, from: usize, middle: usize, to: usize) {
        self.order[from..to].rotate_left(middle - from);
        self.locate(from, to);
    }

    fn locate(&mut self, from: usize, to: usize) {
        for at in from..to {
            self.position[self.order[at] as usize] = at;
        }
    }

    fn below(&mut self, most: usize) -> usize {
        self.random.below(most as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::search;
    use crate::control::Control;
    use crate::schedule::graph::tests::of_two_reads;
    use crate::schedule::reduce::Reduced;
    use crate::schedule::{OpIdx, SearchOptions, least_traffic, least_traffic_in_order};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// What is found is an order of the graph, never worse than the first, and no better than the exact optimum.
        #[test]
        fn orders_are_sound_and_their_value_is_not_too_good(
            sizes in prop::collection::vec(1u64..6, 9),
            reads in prop::collection::vec((0usize..8, 0usize..8), 9),
            extra in 0u64..4,
            seed in 0u64..1000,
        ) {
            let graph = of_two_reads(&sizes, &reads);
            let capacity = graph.largest_footprint().map_or(0, |(_, bytes)| bytes) + extra;
            let reduced = Reduced::new(&graph, false);
            let control = Control::default();
            let start = reduced.topological_order();
            let (_, before) = search(&reduced, capacity, start.clone(), 0, seed, &control);
            let (order, moved) = search(&reduced, capacity, start, 4000, seed, &control);
            prop_assert!(moved <= before);
            let order: Vec<OpIdx> = order.iter().map(|&step| reduced.macros[step as usize].ops[0]).collect();
            let options = SearchOptions::default();
            // By capacity alone: with addresses more may have to move.
            let one = least_traffic_in_order(&graph, &order, capacity, &options, &control).expect("an order");
            let all = least_traffic(&graph, capacity, &options, &control).expect("a schedule");
            prop_assert!(all.traffic <= one.traffic);
            let found = crate::schedule::traffic::Search::<2>::new(
                &reduced.chained(&order.iter().map(|op| op.get() as u32).collect::<Vec<_>>()),
                capacity,
                crate::schedule::Reductions { canonical_last: false, defer_sources: false, ..options.reductions },
            )
            .map(|mut s| {
                let first = crate::schedule::step::Stepper::first();
                s.run(first, u64::MAX, 0, &mut crate::schedule::budget::Budget::new(&options, &control))
            });
            if let Ok(Ok(found)) = found {
                prop_assert!(found.bound <= moved);
            }
        }
    }
}
