//! Do stays that overlap fit a capacity, and if not, which overlaps are to blame?
//!
//! Satisfiability modulo difference logic: for each pair that overlaps, one lies below the other; a chain of such
//! decisions that is higher than the capacity is a conflict. Conflict-driven clause learning (Marques-Silva and
//! Sakallah 1999; watched literals, first unique implication points and activities as in MiniSat, Eén and Sörensson
//! 2003). The overlaps are assumptions, so what is learned from one schedule holds for all others, and a refutation
//! names the overlaps that it needs.

use std::collections::BTreeMap;

use super::heights::{Below, Heights};
use super::overlaps::Label;
use crate::control::Control;

/// How many conflicts pass between looks at cancellation.
const POLL: u64 = 64;

/// Conflicts before the first restart; later ones follow Luby's sequence.
const RESTART: u64 = 64;

/// Learned clauses from which on half of them are dropped at a restart, and how many more each time.
const MOST_LEARNED: usize = 3000;
const MORE_LEARNED: usize = 1000;

/// Bumps grow by this factor from conflict to conflict.
const DECAY: f64 = 1.0 / 0.95;

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

/// A variable, twice; plus one if negated.
type Literal = u32;

const fn positive(variable: u32) -> Literal {
    2 * variable
}

const fn not(literal: Literal) -> Literal {
    literal ^ 1
}

/// Why a literal holds.
#[derive(Clone, Debug)]
enum Reason {
    /// It was decided or assumed.
    None,
    /// The clause with this number; its first literal is the one that holds.
    Clause(u32),
    /// These literals hold.
    Chain(Vec<Literal>),
}

/// The solver, with all it has learned.
///
/// Pair number `k` has three variables: `3k` that it overlaps, `3k + 1` that its first stay lies below the second,
/// `3k + 2` that the second lies below the first.
pub(super) struct Packing {
    heights: Heights,
    labels: usize,
    pairs: Vec<(Label, Label)>,
    number: BTreeMap<(Label, Label), u32>,
    clauses: Vec<Vec<Literal>>,
    /// By clause: how many levels a learned one joined; 0 for the others, which stay.
    joins: Vec<u32>,
    learned: usize,
    most_learned: usize,
    /// By literal: clauses to look at when it becomes false.
    watches: Vec<Vec<u32>>,
    /// By literal.
    holds: Vec<bool>,
    /// By variable.
    reason: Vec<Reason>,
    level: Vec<u32>,
    activity: Vec<f64>,
    seen: Vec<bool>,
    bump: f64,
    trail: Vec<Literal>,
    levels: Vec<usize>,
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
            clauses: Vec::new(),
            joins: Vec::new(),
            learned: 0,
            most_learned: MOST_LEARNED,
            watches: Vec::new(),
            holds: Vec::new(),
            reason: Vec::new(),
            level: Vec::new(),
            activity: Vec::new(),
            seen: Vec::new(),
            bump: 1.0,
            trail: Vec::new(),
            levels: Vec::new(),
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
        self.active.iter_mut().for_each(Vec::clear);
        let mut assumed = Vec::with_capacity(overlaps.len());
        for &(a, b) in overlaps {
            let k = self.pair((a.min(b), a.max(b)));
            assumed.push(k);
            self.active[a as usize].push(k);
            self.active[b as usize].push(k);
        }
        let (mut restarts, mut left) = (1, luby(1) * RESTART);
        let end = self.conflicts.saturating_add(most_conflicts);
        let answer = loop {
            if let Some(conflict) = self.propagate() {
                self.conflicts += 1;
                left = left.saturating_sub(1);
                if self.levels.len() <= assumed.len() {
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
                if self.learned > self.most_learned {
                    self.most_learned += MORE_LEARNED;
                    self.forget();
                }
                continue;
            }
            if let Some(&k) = assumed.get(self.levels.len()) {
                let overlap = positive(3 * k);
                if self.holds[not(overlap) as usize] {
                    let mut blamed = self.blame(&[not(overlap)]);
                    blamed.push(self.pairs[k as usize]);
                    break Packed::Never(blamed);
                }
                self.levels.push(self.trail.len());
                if !self.holds[overlap as usize] {
                    self.set(overlap, Reason::None);
                }
                continue;
            }
            let open = assumed.iter().copied().filter(|&k| {
                !self.holds[positive(3 * k + 1) as usize]
                    && !self.holds[positive(3 * k + 2) as usize]
            });
            let best = open.max_by(|&a, &b| {
                let activity =
                    |k: u32| self.activity[3 * k as usize + 1] + self.activity[3 * k as usize + 2];
                activity(a).total_cmp(&activity(b)).then(b.cmp(&a))
            });
            let Some(k) = best else {
                break Packed::At(
                    (0..self.labels as u32).map(|label| self.heights.position(label)).collect(),
                );
            };
            let (a, b) = self.pairs[k as usize];
            let is_first_below = self.heights.position(a) <= self.heights.position(b);
            self.levels.push(self.trail.len());
            self.set(positive(if is_first_below { 3 * k + 1 } else { 3 * k + 2 }), Reason::None);
        };
        self.back_to(0);
        answer
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
        self.watches.resize_with(2 * variables, Vec::new);
        self.holds.resize(2 * variables, false);
        self.reason.resize(variables, Reason::None);
        self.level.resize(variables, 0);
        self.activity.resize(variables, 0.0);
        self.seen.resize(variables, false);
        let [overlap, ab, ba] = [0, 1, 2].map(|i| positive(3 * k + i));
        self.enter(vec![ab, ba, not(overlap)], 0);
        self.enter(vec![not(ab), not(ba)], 0);
        k
    }

    fn enter(&mut self, clause: Vec<Literal>, joins: u32) -> u32 {
        let index = self.clauses.len() as u32;
        self.watches[clause[0] as usize].push(index);
        self.watches[clause[1] as usize].push(index);
        self.clauses.push(clause);
        self.joins.push(joins);
        index
    }

    /// Drops the half of the learned clauses that join the most levels; to be called with nothing decided.
    fn forget(&mut self) {
        let mut joins: Vec<u32> = self.joins.iter().copied().filter(|&j| j > 0).collect();
        joins.sort_unstable();
        let most = joins.get(joins.len() / 2).copied().unwrap_or(0).max(3);
        self.watches.iter_mut().for_each(Vec::clear);
        self.learned = 0;
        let joins = std::mem::take(&mut self.joins);
        for (mut clause, joins) in std::mem::take(&mut self.clauses).into_iter().zip(joins) {
            let holds = |l: &Literal| self.holds[*l as usize];
            if joins >= most || (joins > 0 && clause.iter().any(holds)) {
                continue;
            }
            // Watched are the first two: these must not be false.
            clause.sort_by_key(|&l| self.holds[not(l) as usize]);
            self.learned += usize::from(joins > 0);
            self.enter(clause, joins);
        }
    }

    fn set(&mut self, literal: Literal, reason: Reason) {
        self.holds[literal as usize] = true;
        self.reason[literal as usize / 2] = reason;
        self.level[literal as usize / 2] = self.levels.len() as u32;
        self.trail.push(literal);
    }

    fn back_to(&mut self, level: usize) {
        if self.levels.len() <= level {
            return;
        }
        let from = self.levels[level];
        self.levels.truncate(level);
        while self.trail.len() > from {
            if let Some(literal) = self.trail.pop() {
                if self.trail.len() < self.by_heights && is_order(literal) {
                    self.heights.undo();
                }
                self.holds[literal as usize] = false;
            }
        }
        self.by_clauses = self.by_clauses.min(from);
        self.by_heights = self.by_heights.min(from);
    }

    /// Draws conclusions; returns literals that all hold and cannot if there is a conflict.
    fn propagate(&mut self) -> Option<Vec<Literal>> {
        loop {
            if let Some(clause) = self.propagate_clauses() {
                return Some(self.clauses[clause as usize].iter().map(|&l| not(l)).collect());
            }
            let &literal = self.trail.get(self.by_heights)?;
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
                for i in 0..self.active[stay as usize].len() {
                    let k = self.active[stay as usize][i];
                    for order in [positive(3 * k + 1), positive(3 * k + 2)] {
                        let Below { lower, upper, .. } = self.edge(order);
                        if self.holds[order as usize]
                            || self.holds[not(order) as usize]
                            || self.heights.allows(lower, upper)
                        {
                            continue;
                        }
                        let chain = self.heights.explain(lower, upper);
                        self.set(not(order), Reason::Chain(chain));
                    }
                }
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

    fn propagate_clauses(&mut self) -> Option<u32> {
        while let Some(&literal) = self.trail.get(self.by_clauses) {
            self.by_clauses += 1;
            let gone = not(literal);
            let mut watching = std::mem::take(&mut self.watches[gone as usize]);
            let mut kept = 0;
            let mut conflict = None;
            for at in 0..watching.len() {
                let index = watching[at];
                let clause = &mut self.clauses[index as usize];
                if clause[0] == gone {
                    clause.swap(0, 1);
                }
                let first = clause[0];
                let other = (2..clause.len()).find(|&i| !self.holds[not(clause[i]) as usize]);
                if conflict.is_none() && !self.holds[first as usize] {
                    if let Some(i) = other {
                        clause.swap(1, i);
                        self.watches[clause[1] as usize].push(index);
                        continue;
                    }
                    if self.holds[not(first) as usize] {
                        conflict = Some(index);
                    } else {
                        self.set(first, Reason::Clause(index));
                    }
                }
                watching[kept] = index;
                kept += 1;
            }
            watching.truncate(kept);
            self.watches[gone as usize] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Literals that hold and made this one hold; none if it was decided.
    fn causes(&self, literal: Literal) -> Vec<Literal> {
        match &self.reason[literal as usize / 2] {
            Reason::None => Vec::new(),
            Reason::Clause(index) => {
                self.clauses[*index as usize][1..].iter().map(|&l| not(l)).collect()
            }
            Reason::Chain(chain) => chain.clone(),
        }
    }

    /// Learns the first unique implication point of a conflict and goes back to where that says something new.
    fn learn(&mut self, conflict: &[Literal]) {
        let highest = conflict.iter().map(|&l| self.level[l as usize / 2]).max().unwrap_or(0);
        self.back_to(highest as usize);
        let mut clause = vec![0];
        let mut open = 0;
        let mut causes = conflict.to_vec();
        let mut at = self.trail.len();
        loop {
            for &cause in &causes {
                let variable = cause as usize / 2;
                if self.seen[variable] || self.level[variable] == 0 {
                    continue;
                }
                self.seen[variable] = true;
                self.activity[variable] += self.bump;
                if self.level[variable] == highest {
                    open += 1;
                } else {
                    clause.push(not(cause));
                }
            }
            let literal = loop {
                at -= 1;
                if self.seen[self.trail[at] as usize / 2] {
                    break self.trail[at];
                }
            };
            self.seen[literal as usize / 2] = false;
            open -= 1;
            if open == 0 {
                clause[0] = not(literal);
                break;
            }
            causes = self.causes(literal);
        }
        // What follows from the rest of the clause need not be said.
        let all = clause.clone();
        clause.retain(|&literal| {
            let causes = self.causes(not(literal));
            let is_known =
                |&c: &Literal| self.seen[c as usize / 2] || self.level[c as usize / 2] == 0;
            literal == all[0] || causes.is_empty() || !causes.iter().all(is_known)
        });
        for literal in &all[1..] {
            self.seen[*literal as usize / 2] = false;
        }
        self.decay();
        let second = (1..clause.len()).max_by_key(|&i| self.level[clause[i] as usize / 2]);
        let Some(second) = second else {
            self.back_to(0);
            self.set(clause[0], Reason::None);
            return;
        };
        clause.swap(1, second);
        self.back_to(self.level[clause[1] as usize / 2] as usize);
        let first = clause[0];
        let mut joined: Vec<u32> = clause.iter().map(|&l| self.level[l as usize / 2]).collect();
        joined.sort_unstable();
        joined.dedup();
        let index = self.enter(clause, joined.len() as u32);
        self.learned += 1;
        self.set(first, Reason::Clause(index));
    }

    fn decay(&mut self) {
        self.bump *= DECAY;
        if self.bump > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
        }
    }

    /// The assumptions that made literals hold.
    fn blame(&mut self, literals: &[Literal]) -> Vec<(Label, Label)> {
        let mut blamed = Vec::new();
        let mut open = literals.to_vec();
        let mut marked = Vec::new();
        while let Some(literal) = open.pop() {
            let variable = literal as usize / 2;
            if self.seen[variable] || self.level[variable] == 0 {
                continue;
            }
            self.seen[variable] = true;
            marked.push(variable);
            let causes = self.causes(literal);
            if causes.is_empty() && variable.is_multiple_of(3) {
                blamed.push(self.pairs[variable / 3]);
            }
            open.extend(causes);
        }
        marked.into_iter().for_each(|variable| self.seen[variable] = false);
        blamed
    }
}

/// Whether a literal says that one stay lies below another.
const fn is_order(literal: Literal) -> bool {
    literal.is_multiple_of(2) && !(literal / 2).is_multiple_of(3)
}

/// 1, 1, 2, 1, 1, 2, 4, ... from `i` = 1 on (Luby, Sinclair and Zuckerman 1993).
fn luby(i: u64) -> u64 {
    let bits = u64::BITS - i.leading_zeros();
    if i == (1 << bits) - 1 { 1 << (bits - 1) } else { luby(i - (1 << (bits - 1)) + 1) }
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
