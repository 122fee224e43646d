//! Settings of one planner, given by name.

use crate::control::Options;
use crate::error::Error;

/// Reads the parameters of [`Options`] and refuses those that nobody asked for.
pub struct Settings<'o> {
    planner: &'static str,
    given: &'o [(String, String)],
    known: Vec<&'static str>,
}

impl<'o> Settings<'o> {
    /// The settings that were given to a planner.
    pub fn new(planner: &'static str, options: &'o Options) -> Self {
        Self { planner, given: &options.parameters, known: Vec::new() }
    }

    fn value(&mut self, name: &'static str) -> Option<&'o str> {
        self.known.push(name);
        self.given.iter().rev().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// One of several words; the first is the default. Returns its position.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for another word.
    pub fn choice(&mut self, name: &'static str, words: &[&str]) -> Result<usize, Error> {
        let Some(given) = self.value(name) else { return Ok(0) };
        words.iter().position(|word| *word == given).ok_or_else(|| {
            Error::InvalidOption(format!(
                "{}: {name} is '{given}'; known: {}",
                self.planner,
                words.join(", ")
            ))
        })
    }

    /// A number that is not negative.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for anything else.
    pub fn number(&mut self, name: &'static str, default: u64) -> Result<u64, Error> {
        let Some(given) = self.value(name) else { return Ok(default) };
        given.parse().map_err(|_| {
            Error::InvalidOption(format!("{}: {name} is '{given}', not a number", self.planner))
        })
    }

    /// To be called last.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] naming a setting that this planner does not have.
    pub fn finish(self) -> Result<(), Error> {
        match self.given.iter().find(|(name, _)| !self.known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) if self.known.is_empty() => {
                Err(Error::InvalidOption(format!("{} has no settings, not '{name}'", self.planner)))
            }
            Some((name, _)) => Err(Error::InvalidOption(format!(
                "{} has no setting '{name}'; known: {}",
                self.planner,
                self.known.join(", ")
            ))),
        }
    }
}
