//! What earlier runs of a search say about single states.
//!
//! Adaptive A* (Koenig and Likhachev 2005): if every way from a start to the end costs at least F, then from a state that
//! was reached at the cost g at least F - g is still to come. Later runs from elsewhere begin with that.

use std::collections::HashMap;

use super::bit_set::BitSet;
use super::lattice::DownsetIdx;
use super::step::State;

/// Bytes still to come, by state.
#[derive(Clone, Debug, Default)]
pub(super) struct Learned<const W: usize> {
    by_state: HashMap<(DownsetIdx, BitSet<W>, BitSet<W>), u64>,
}

impl<const W: usize> Learned<W> {
    /// Notes a bound of a state; the best one is kept.
    pub fn note(&mut self, state: State<W>, bytes: u64) {
        let known = self.by_state.entry((state.downset, state.resident, state.dirty)).or_default();
        *known = bytes.max(*known);
    }

    /// The bound of a state, 0 if there is none.
    pub fn bound(&self, state: State<W>) -> u64 {
        let key = (state.downset, state.resident, state.dirty);
        self.by_state.get(&key).copied().unwrap_or(0)
    }

    /// Bytes taken, about.
    pub fn held(&self) -> usize {
        self.by_state.capacity() * size_of::<(State<W>, u64)>()
    }
}

#[cfg(test)]
mod tests {
    use crate::control::Control;
    use crate::plan::StopReason;
    use crate::schedule::budget::Budget;
    use crate::schedule::graph::tests::of_two_reads;
    use crate::schedule::reduce::Reduced;
    use crate::schedule::step::{State, Stepper};
    use crate::schedule::traffic::Search;
    use crate::schedule::{Reductions, SearchOptions};
    use proptest::prelude::*;

    proptest! {
        /// A search that has learned from runs with other limits finds the same as one that starts afresh.
        #[test]
        fn what_was_learned_changes_no_value(
            sizes in prop::collection::vec(1u64..6, 9),
            reads in prop::collection::vec((0usize..8, 0usize..8), 9),
            extra in 0u64..4,
            limits in prop::collection::vec(0u64..40, 4),
        ) {
            let graph = of_two_reads(&sizes, &reads);
            let capacity = graph.largest_footprint().map_or(0, |(_, bytes)| bytes) + extra;
            let reduced = Reduced::new(&graph, false);
            let reductions = Reductions { canonical_last: false, defer_sources: false, ..Reductions::default() };
            let (options, control) = (SearchOptions::default(), Control::default());
            let run = |search: &mut Search<'_, 2>, state: State<2>, upper: u64| {
                let found = search.run(state, upper, 0, &mut Budget::new(&options, &control)).ok();
                found.map(|found| (found.bound, found.stop, found.path.map(|path| path.cost)))
            };
            let mut learning = Search::<2>::new(&reduced, capacity, reductions).expect("narrow");
            let mut fresh = Search::<2>::new(&reduced, capacity, reductions).expect("narrow");
            let first = Stepper::first();
            let truth = run(&mut fresh, first, u64::MAX).expect("narrow");
            for upper in limits.into_iter().chain([u64::MAX]) {
                let (bound, stop, moved) = run(&mut learning, first, upper).expect("narrow");
                prop_assert!(bound <= truth.0 && (moved.is_some() || bound > upper));
                prop_assert_eq!(moved, truth.2.filter(|&moved| moved <= upper));
                prop_assert_eq!(stop == StopReason::Optimal, moved.is_some());
                learning.learn(bound);
                // From the states after one operator, too.
                fresh.stepper.downsets.expand(first.downset);
                learning.stepper.downsets.expand(first.downset);
                for by in 0..fresh.stepper.downsets.moves(first.downset).len() {
                    let mut after = [&mut fresh, &mut learning].map(|search| {
                        let downsets = &mut search.stepper.downsets;
                        let to = downsets.target(first.downset, by).expect("narrow");
                        let made = downsets.moves(first.downset)[by].made;
                        let bytes = downsets.sum(to, made);
                        let state = State { downset: to, resident: made, dirty: made, bytes, cost: 0 };
                        run(search, state, u64::MAX)
                    });
                    let (a, b) = (after[0].take(), after[1].take());
                    prop_assert_eq!(&a, &b);
                    learning.learn(b.map_or(0, |found| found.0));
                }
            }
        }
    }
}
