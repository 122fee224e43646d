//! Do stays that overlap fit a capacity, and if not, which overlaps are to blame?
//!
//! Satisfiability modulo difference logic: for each pair that overlaps, one lies below the other; a chain of such
//! decisions that is higher than the capacity is a conflict. Conflict-driven clause learning (Marques-Silva and
//! Sakallah 1999). The overlaps are assumptions, so what is learned from one schedule holds for all others, and a
//! refutation names the overlaps that it needs.

use std::collections::BTreeMap;

use super::activity::Activity;
use super::clauses::Clauses;
use super::conflict::Analysis;
use super::heights::{Below, Heights};
use super::literal::{Literal, is_order, not, positive, variable};
use super::overlaps::Label;
use super::trail::{Reason, Trail};
use crate::control::Control;
use crate::luby::luby;

/// How many conflicts pass between looks at cancellation.
const POLL: u64 = 64;

/// Conflicts before the first restart; later ones follow Luby's sequence.
const RESTART: u64 = 64;

/// The answer about a set of overlaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Packed {
    /// They fit: positions by label.
    At(Vec<u64>),
    /// These of them do not fit together.
    Never(Vec<(Label, Label)>),
    /// The conflicts were used up.
    Unknown,
}

/// The solver, with all it has learned.
pub(super) struct Packing {
    heights: Heights,
    labels: usize,
    pairs: Vec<(Label, Label)>,
    number: BTreeMap<(Label, Label), u32>,
    clauses: Clauses,
    trail: Trail,
    activity: Activity,
    analysis: Analysis,
    /// How much of the trail the clauses have seen, and the heights.
    by_clauses: usize,
    by_heights: usize,
    /// By label: numbers of the pairs that are assumed.
    active: Vec<Vec<u32>>,
    conflicts: u64,
}

impl Packing {
    /// Nothing is known yet. `sizes` in bytes, by label.
    pub fn new(sizes: Vec<u64>, capacity: u64) -> Self {
        let labels = sizes.len();
        Self {
            heights: Heights::new(sizes, capacity),
            labels,
            pairs: Vec::new(),
            number: BTreeMap::new(),
            clauses: Clauses::new(),
            trail: Trail::default(),
            activity: Activity::new(),
            analysis: Analysis::default(),
            by_clauses: 0,
            by_heights: 0,
            active: vec![Vec::new(); labels],
            conflicts: 0,
        }
    }

    /// Decides whether stays with these overlaps fit. Exponential at worst; `most_conflicts` limits it.
    pub fn solve(
        &mut self,
        overlaps: &[(Label, Label)],
        most_conflicts: u64,
        control: &Control,
    ) -> Packed {
        let assumed = self.assume(overlaps);
        let (mut restarts, mut left) = (1, luby(1) * RESTART);
        let end = self.conflicts.saturating_add(most_conflicts);
        let answer = loop {
            if let Some(conflict) = self.propagate() {
                self.conflicts += 1;
                left = left.saturating_sub(1);
                if self.trail.depth() <= assumed.len() {
                    break Packed::Never(self.blame(&conflict));
                }
                self.learn(&conflict);
                if self.conflicts >= end
                    || (self.conflicts.is_multiple_of(POLL) && control.is_cancelled())
                {
                    break Packed::Unknown;
                }
                continue;
            }
            if left == 0 {
                restarts += 1;
                left = luby(restarts) * RESTART;
                self.back_to(0);
                self.clauses.forget(&self.trail);
                continue;
            }
            if let Some(&k) = assumed.get(self.trail.depth()) {
                let overlap = positive(3 * k);
                if self.trail.is_false(overlap) {
                    let mut blamed = self.blame(&[not(overlap)]);
                    blamed.push(self.pairs[k as usize]);
                    break Packed::Never(blamed);
                }
                self.trail.deepen();
                if !self.trail.holds(overlap) {
                    self.trail.set(overlap, Reason::None);
                }
                continue;
            }
            let Some(decision) = self.decide(&assumed) else {
                break Packed::At(
                    (0..self.labels as u32).map(|label| self.heights.position(label)).collect(),
                );
            };
            self.trail.deepen();
            self.trail.set(decision, Reason::None);
        };
        self.back_to(0);
        answer
    }

    /// The numbers of the pairs, which are the ones to look at from now on.
    fn assume(&mut self, overlaps: &[(Label, Label)]) -> Vec<u32> {
        self.active.iter_mut().for_each(Vec::clear);
        let mut assumed = Vec::with_capacity(overlaps.len());
        for &(a, b) in overlaps {
            let k = self.pair((a.min(b), a.max(b)));
            assumed.push(k);
            self.active[a as usize].push(k);
            self.active[b as usize].push(k);
        }
        assumed
    }

    /// Which stay of the most active open pair is to lie below; the one that can lie lower.
    fn decide(&self, assumed: &[u32]) -> Option<Literal> {
        let open = assumed.iter().copied().filter(|&k| {
            !self.trail.holds(positive(3 * k + 1)) && !self.trail.holds(positive(3 * k + 2))
        });
        let k = open.max_by(|&a, &b| {
            let activity = |k: u32| {
                self.activity.of(3 * k as usize + 1) + self.activity.of(3 * k as usize + 2)
            };
            activity(a).total_cmp(&activity(b)).then(b.cmp(&a))
        })?;
        let (a, b) = self.pairs[k as usize];
        let is_first_below = self.heights.position(a) <= self.heights.position(b);
        Some(positive(if is_first_below { 3 * k + 1 } else { 3 * k + 2 }))
    }

    /// The number of a pair, which is entered if it is new.
    fn pair(&mut self, pair: (Label, Label)) -> u32 {
        if let Some(&k) = self.number.get(&pair) {
            return k;
        }
        let k = self.pairs.len() as u32;
        self.pairs.push(pair);
        self.number.insert(pair, k);
        let variables = 3 * self.pairs.len();
        self.clauses.resize(variables);
        self.trail.resize(variables);
        self.activity.resize(variables);
        self.analysis.resize(variables);
        let [overlap, ab, ba] = [0, 1, 2].map(|i| positive(3 * k + i));
        self.clauses.enter(vec![ab, ba, not(overlap)]);
        self.clauses.enter(vec![not(ab), not(ba)]);
        k
    }

    fn back_to(&mut self, level: usize) {
        let Some(from) = self.trail.start_above(level) else { return };
        for (i, literal) in self.trail.back_to(level).into_iter().enumerate() {
            if from + i < self.by_heights && is_order(literal) {
                self.heights.undo();
            }
        }
        self.by_clauses = self.by_clauses.min(from);
        self.by_heights = self.by_heights.min(from);
    }

    /// Draws conclusions; returns literals that all hold and cannot if there is a conflict.
    fn propagate(&mut self) -> Option<Vec<Literal>> {
        loop {
            while let Some(literal) = self.trail.get(self.by_clauses) {
                self.by_clauses += 1;
                if let Some(clause) = self.clauses.propagate(literal, &mut self.trail) {
                    return Some(self.clauses.get(clause).iter().map(|&l| not(l)).collect());
                }
            }
            let literal = self.trail.get(self.by_heights)?;
            self.by_heights += 1;
            if !is_order(literal) {
                continue;
            }
            let edge = self.edge(literal);
            let mut touched = Vec::new();
            if let Err(chain) = self.heights.add(edge, &mut touched) {
                return Some(chain);
            }
            touched.sort_unstable();
            touched.dedup();
            for stay in touched {
                self.rule_out(stay);
            }
        }
    }

    /// Rules out orders of a stay and its neighbours that are too high by now.
    fn rule_out(&mut self, stay: Label) {
        for i in 0..self.active[stay as usize].len() {
            let k = self.active[stay as usize][i];
            for order in [positive(3 * k + 1), positive(3 * k + 2)] {
                let Below { lower, upper, .. } = self.edge(order);
                if self.trail.holds(order)
                    || self.trail.is_false(order)
                    || self.heights.allows(lower, upper)
                {
                    continue;
                }
                let chain = self.heights.explain(lower, upper);
                self.trail.set(not(order), Reason::Chain(chain));
            }
        }
    }

    /// What a positive literal about an order says.
    fn edge(&self, literal: Literal) -> Below {
        let (k, i) = (literal / 6, literal / 2 % 3);
        let (a, b) = self.pairs[k as usize];
        let (lower, upper) = if i == 1 { (a, b) } else { (b, a) };
        Below { lower, upper, because: literal }
    }

    /// Learns from a conflict and goes back to where that says something new.
    fn learn(&mut self, conflict: &[Literal]) {
        let highest = conflict.iter().map(|&l| self.trail.level(l)).max().unwrap_or(0);
        self.back_to(highest as usize);
        let lesson = self.analysis.learn(conflict, &self.trail, &self.clauses, &mut self.activity);
        self.activity.decay();
        let first = lesson.clause[0];
        let Some(&second) = lesson.clause.get(1) else {
            self.back_to(0);
            self.trail.set(first, Reason::None);
            return;
        };
        self.back_to(self.trail.level(second) as usize);
        let index = self.clauses.learn(lesson.clause, lesson.joins);
        self.trail.set(first, Reason::Clause(index));
    }

    /// The assumptions that made literals hold.
    fn blame(&mut self, literals: &[Literal]) -> Vec<(Label, Label)> {
        let decisions = self.analysis.blame(literals, &self.trail, &self.clauses);
        let variables = decisions.into_iter().map(variable);
        variables.filter(|v| v.is_multiple_of(3)).map(|v| self.pairs[v / 3]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Packed, Packing};
    use crate::control::Control;
    use proptest::prelude::*;

    /// Tries all positions.
    fn fits(sizes: &[u64], overlaps: &[(u32, u32)], capacity: u64, at: &mut Vec<u64>) -> bool {
        let i = at.len();
        if i == sizes.len() {
            return true;
        }
        for position in 0..(capacity + 1).saturating_sub(sizes[i]) {
            let clashes = overlaps.iter().any(|&(a, b)| {
                let (a, b) = (a.min(b) as usize, a.max(b) as usize);
                b == i && position < at[a] + sizes[a] && at[a] < position + sizes[b]
            });
            if !clashes {
                at.push(position);
                if fits(sizes, overlaps, capacity, at) {
                    return true;
                }
                at.pop();
            }
        }
        false
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn equals_brute_force_one_after_the_other(
            sizes in prop::collection::vec(1u64..4, 6),
            rounds in prop::collection::vec(prop::collection::btree_set((0u32..6, 0u32..6), 1..16), 3),
            capacity in 3u64..8,
        ) {
            let mut packing = Packing::new(sizes.clone(), capacity);
            for round in rounds {
                let mut overlaps: Vec<(u32, u32)> =
                    round.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
                overlaps.sort_unstable();
                overlaps.dedup();
                let expected = fits(&sizes, &overlaps, capacity, &mut Vec::new());
                match packing.solve(&overlaps, u64::MAX, &Control::default()) {
                    Packed::At(at) => {
                        prop_assert!(expected);
                        for (a, b) in overlaps {
                            let (a, b) = (a as usize, b as usize);
                            prop_assert!(at[a] + sizes[a] <= at[b] || at[b] + sizes[b] <= at[a]);
                        }
                        prop_assert!((0..6).all(|i| at[i] + sizes[i] <= capacity));
                    }
                    Packed::Never(blamed) => {
                        prop_assert!(!expected);
                        prop_assert!(blamed.iter().all(|pair| overlaps.contains(pair)));
                        prop_assert!(!fits(&sizes, &blamed, capacity, &mut Vec::new()));
                    }
                    Packed::Unknown => prop_assert!(false),
                }
            }
        }
    }
}
