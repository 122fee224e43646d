//! Which variables were in conflicts lately (Eén and Sörensson 2003).

/// Bumps grow by this factor from conflict to conflict.
const DECAY: f64 = 1.0 / 0.95;

/// A number that is scaled down before it overflows.
const LARGE: f64 = 1e100;

/// By variable.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    values: Vec<f64>,
    bump: f64,
}

impl Activity {
    pub const fn new() -> Self {
        Self { values: Vec::new(), bump: 1.0 }
    }

    /// Makes room for so many variables.
    pub fn resize(&mut self, variables: usize) {
        self.values.resize(variables, 0.0);
    }

    /// How active a variable is.
    pub fn of(&self, variable: usize) -> f64 {
        self.values[variable]
    }

    /// Notes that a variable was part of a conflict.
    pub fn raise(&mut self, variable: usize) {
        self.values[variable] += self.bump;
    }

    /// Lets earlier conflicts count for less.
    pub fn decay(&mut self) {
        self.bump *= DECAY;
        if self.bump > LARGE {
            self.values.iter_mut().for_each(|value| *value /= LARGE);
            self.bump /= LARGE;
        }
    }
}
