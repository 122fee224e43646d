//! From a conflict to what is learned, or to who is to blame.

use super::activity::Activity;
use super::clauses::Clauses;
use super::literal::{Literal, not, variable};
use super::trail::{Reason, Trail};

/// A clause that follows from a conflict.
pub(super) struct Lesson {
    /// The first literal is the one that then holds; the second, if any, has the highest level of the others.
    pub clause: Vec<Literal>,
    /// Levels that it joins.
    pub joins: u32,
}

/// Walks implications backwards; keeps its marks between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Analysis {
    /// By variable; all false between calls.
    seen: Vec<bool>,
}

impl Analysis {
    /// Makes room for so many variables.
    pub fn resize(&mut self, variables: usize) {
        self.seen.resize(variables, false);
    }

    /// The clause of the first unique implication point (Marques-Silva and Sakallah 1999) of literals that all hold and
    /// cannot; the last level must be the highest of theirs.
    pub fn learn(
        &mut self,
        conflict: &[Literal],
        trail: &Trail,
        clauses: &Clauses,
        activity: &mut Activity,
    ) -> Lesson {
        let highest = trail.depth() as u32;
        let mut clause = vec![0];
        let mut open = 0;
        let mut causes = conflict.to_vec();
        let mut at = trail.len();
        loop {
            for &cause in &causes {
                let v = variable(cause);
                if self.seen[v] || trail.level(cause) == 0 {
                    continue;
                }
                self.seen[v] = true;
                activity.raise(v);
                if trail.level(cause) == highest {
                    open += 1;
                } else {
                    clause.push(not(cause));
                }
            }
            let literal = loop {
                at -= 1;
                match trail.get(at) {
                    Some(literal) if self.seen[variable(literal)] => break literal,
                    _ => {}
                }
            };
            self.seen[variable(literal)] = false;
            open -= 1;
            if open == 0 {
                clause[0] = not(literal);
                break;
            }
            causes = causes_of(literal, trail, clauses);
        }
        // What follows from the rest of the clause need not be said.
        let all = clause.clone();
        clause.retain(|&literal| {
            let causes = causes_of(not(literal), trail, clauses);
            let is_known = |&c: &Literal| self.seen[variable(c)] || trail.level(c) == 0;
            literal == all[0] || causes.is_empty() || !causes.iter().all(is_known)
        });
        for &literal in &all[1..] {
            self.seen[variable(literal)] = false;
        }
        if let Some(second) = (1..clause.len()).max_by_key(|&i| trail.level(clause[i])) {
            clause.swap(1, second);
        }
        let mut joined: Vec<u32> = clause.iter().map(|&l| trail.level(l)).collect();
        joined.sort_unstable();
        joined.dedup();
        Lesson { clause, joins: joined.len() as u32 }
    }

    /// The decisions, assumptions among them, that made literals hold.
    pub fn blame(
        &mut self,
        literals: &[Literal],
        trail: &Trail,
        clauses: &Clauses,
    ) -> Vec<Literal> {
        let mut blamed = Vec::new();
        let mut open = literals.to_vec();
        let mut marked = Vec::new();
        while let Some(literal) = open.pop() {
            let v = variable(literal);
            if self.seen[v] || trail.level(literal) == 0 {
                continue;
            }
            self.seen[v] = true;
            marked.push(v);
            let causes = causes_of(literal, trail, clauses);
            if causes.is_empty() {
                blamed.push(literal);
            }
            open.extend(causes);
        }
        marked.into_iter().for_each(|v| self.seen[v] = false);
        blamed
    }
}

/// Literals that hold and made this one hold; none if it was decided.
fn causes_of(literal: Literal, trail: &Trail, clauses: &Clauses) -> Vec<Literal> {
    match trail.reason(literal) {
        Reason::None => Vec::new(),
        Reason::Clause(index) => clauses.get(*index)[1..].iter().map(|&l| not(l)).collect(),
        Reason::Chain(chain) => chain.clone(),
    }
}
