//! Clauses and who watches them: two literals of each, neither false unless the other holds (Moskewicz et al. 2001).

use super::literal::{Literal, not};
use super::trail::{Reason, Trail};

/// Learned clauses from which on half of them are dropped at a restart, and how many more each time.
///
/// Refuting one packing takes tens of thousands of conflicts at most, and what they teach is needed until the end: with
/// a tenth of this, some packings are never refuted.
const MOST_LEARNED: usize = 50_000;
const MORE_LEARNED: usize = 10_000;

/// Clauses that join fewer levels are never dropped (Audemard and Simon 2009).
const FEW_LEVELS: u32 = 3;

/// All clauses.
#[derive(Clone, Debug)]
pub(super) struct Clauses {
    all: Vec<Vec<Literal>>,
    /// By clause: how many levels a learned one joined; 0 for the others, which stay.
    joins: Vec<u32>,
    learned: usize,
    most_learned: usize,
    /// By literal: clauses to look at when it becomes false.
    watches: Vec<Vec<u32>>,
}

impl Clauses {
    pub const fn new() -> Self {
        Self {
            all: Vec::new(),
            joins: Vec::new(),
            learned: 0,
            most_learned: MOST_LEARNED,
            watches: Vec::new(),
        }
    }

    /// Makes room for so many variables.
    pub fn resize(&mut self, variables: usize) {
        self.watches.resize_with(2 * variables, Vec::new);
    }

    /// The literals of a clause.
    pub fn get(&self, index: u32) -> &[Literal] {
        &self.all[index as usize]
    }

    /// Enters a clause of two literals or more that stays.
    pub fn enter(&mut self, clause: Vec<Literal>) -> u32 {
        self.add(clause, 0)
    }

    /// Enters a learned clause that joins so many levels; its first literal follows from the others.
    pub fn learn(&mut self, clause: Vec<Literal>, joins: u32) -> u32 {
        self.learned += 1;
        self.add(clause, joins)
    }

    fn add(&mut self, clause: Vec<Literal>, joins: u32) -> u32 {
        let index = self.all.len() as u32;
        self.watches[clause[0] as usize].push(index);
        self.watches[clause[1] as usize].push(index);
        self.all.push(clause);
        self.joins.push(joins);
        index
    }

    /// Drops the half of the learned clauses that join the most levels if there are too many; to be called with
    /// nothing decided.
    pub fn forget(&mut self, trail: &Trail) {
        if self.learned <= self.most_learned {
            return;
        }
        self.most_learned += MORE_LEARNED;
        let mut joins: Vec<u32> = self.joins.iter().copied().filter(|&j| j > 0).collect();
        joins.sort_unstable();
        let most = joins.get(joins.len() / 2).copied().unwrap_or(0).max(FEW_LEVELS);
        self.watches.iter_mut().for_each(Vec::clear);
        self.learned = 0;
        let joins = std::mem::take(&mut self.joins);
        for (mut clause, joins) in std::mem::take(&mut self.all).into_iter().zip(joins) {
            if joins >= most || (joins > 0 && clause.iter().any(|&l| trail.holds(l))) {
                continue;
            }
            // Watched are the first two: these must not be false.
            clause.sort_by_key(|&l| trail.is_false(l));
            self.learned += usize::from(joins > 0);
            self.add(clause, joins);
        }
    }

    /// Draws conclusions from a literal that holds; returns a clause that is false, if there is one.
    pub fn propagate(&mut self, literal: Literal, trail: &mut Trail) -> Option<u32> {
        let gone = not(literal);
        let mut watching = std::mem::take(&mut self.watches[gone as usize]);
        let mut kept = 0;
        let mut conflict = None;
        for at in 0..watching.len() {
            let index = watching[at];
            let clause = &mut self.all[index as usize];
            if clause[0] == gone {
                clause.swap(0, 1);
            }
            let first = clause[0];
            if conflict.is_none() && !trail.holds(first) {
                let other = (2..clause.len()).find(|&i| !trail.is_false(clause[i]));
                if let Some(i) = other {
                    clause.swap(1, i);
                    self.watches[clause[1] as usize].push(index);
                    continue;
                }
                if trail.is_false(first) {
                    conflict = Some(index);
                } else {
                    trail.set(first, Reason::Clause(index));
                }
            }
            watching[kept] = index;
            kept += 1;
        }
        watching.truncate(kept);
        self.watches[gone as usize] = watching;
        conflict
    }
}
