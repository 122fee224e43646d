//! What holds, since when, and why.

use super::literal::{Literal, not, variable};

/// Why a literal holds.
#[derive(Clone, Debug)]
pub(super) enum Reason {
    /// It was decided or assumed.
    None,
    /// The clause with this number; its first literal is the one that holds.
    Clause(u32),
    /// These literals hold.
    Chain(Vec<Literal>),
}

/// Literals in the order in which they came to hold, cut into levels by decisions.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail {
    literals: Vec<Literal>,
    /// Where each level begins.
    levels: Vec<usize>,
    /// By literal.
    holds: Vec<bool>,
    /// By variable.
    reason: Vec<Reason>,
    level: Vec<u32>,
}

impl Trail {
    /// Makes room for so many variables.
    pub fn resize(&mut self, variables: usize) {
        self.holds.resize(2 * variables, false);
        self.reason.resize(variables, Reason::None);
        self.level.resize(variables, 0);
    }

    /// Whether a literal holds.
    pub fn holds(&self, literal: Literal) -> bool {
        self.holds[literal as usize]
    }

    /// Whether its opposite holds.
    pub fn is_false(&self, literal: Literal) -> bool {
        self.holds[not(literal) as usize]
    }

    /// Number of levels.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Number of literals that hold.
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// One of them, the oldest first.
    pub fn get(&self, at: usize) -> Option<Literal> {
        self.literals.get(at).copied()
    }

    /// The level at which a literal, or its opposite, came to hold.
    pub fn level(&self, literal: Literal) -> u32 {
        self.level[variable(literal)]
    }

    /// Why a literal holds.
    pub fn reason(&self, literal: Literal) -> &Reason {
        &self.reason[variable(literal)]
    }

    /// Begins a level.
    pub fn deepen(&mut self) {
        self.levels.push(self.literals.len());
    }

    /// A literal holds from now on.
    pub fn set(&mut self, literal: Literal, reason: Reason) {
        self.holds[literal as usize] = true;
        self.reason[variable(literal)] = reason;
        self.level[variable(literal)] = self.levels.len() as u32;
        self.literals.push(literal);
    }

    /// Where the literals above a level begin, if there are any such levels.
    pub fn start_above(&self, level: usize) -> Option<usize> {
        self.levels.get(level).copied()
    }

    /// Takes all levels above one back; returns their literals, the oldest first.
    pub fn back_to(&mut self, level: usize) -> Vec<Literal> {
        let Some(from) = self.start_above(level) else { return Vec::new() };
        self.levels.truncate(level);
        let gone = self.literals.split_off(from);
        for &literal in &gone {
            self.holds[literal as usize] = false;
        }
        gone
    }
}
