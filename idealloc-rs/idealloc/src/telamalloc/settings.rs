//! What the paper leaves open, each a setting with the default that did best.

use std::sync::Arc;

use super::trees::Trees;
use crate::error::Error;

/// Where a major backtrack goes (sections 5.4 and 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To the second-to-last placement in the conflict.
    Paper,
    /// To the median of the candidate targets of section 6.2.
    Median,
    /// To the one that a learned model ranks first.
    Model,
}

/// Settings of the planner `telamalloc`.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Where a major backtrack goes.
    pub target: Target,
    /// The trees that rank targets, instead of those that come with the planner.
    pub table: Option<Arc<Trees>>,
    /// By how much the threshold of contention falls from phase to phase, in percent of the capacity.
    pub phase_step: u64,
    /// Most candidates of a decision point, moved ones included; after each restart the next of these.
    pub candidates: Vec<usize>,
    /// Whether sections are checked after propagation, beyond the paper.
    pub section_check: bool,
    /// Whether candidates of a failed point move to the target.
    pub moved: bool,
    /// Backtracks in the subtree of a point after which it is stuck; 0 for never.
    pub stuck: u32,
    /// Major backtracks before the first restart, times Luby's sequence; 0 restarts when the tree is exhausted only.
    pub restart: u64,
    /// By how much keys are changed after a restart, in percent either way.
    pub noise: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target: Target::Median,
            table: None,
            phase_step: 10,
            candidates: vec![3, 6],
            section_check: true,
            moved: true,
            stuck: 100,
            restart: 10,
            noise: 30,
        }
    }
}

impl Settings {
    /// Reads settings by name, in kebab case.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for a name or value that is not known.
    pub fn read(given: &[(String, String)]) -> Result<Self, Error> {
        let mut settings = Self::default();
        for (name, value) in given {
            match name.as_str() {
                "target" => settings.target = target(value)?,
                "table" => {
                    let trees = Trees::read(value)
                        .map_err(|what| Error::InvalidOption(format!("'table': {what}")))?;
                    settings.table = Some(Arc::new(trees));
                }
                "phase-step" => settings.phase_step = number(name, value, 1, 100)?,
                "candidates" => {
                    let each = |part: &str| number(name, part, 1, 1 << 20).map(|n| n as usize);
                    settings.candidates = value.split('/').map(each).collect::<Result<_, _>>()?;
                }
                "section-check" => settings.section_check = flag(name, value)?,
                "moved" => settings.moved = flag(name, value)?,
                "stuck" => settings.stuck = number(name, value, 0, 1 << 31)? as u32,
                "restart" => settings.restart = number(name, value, 0, 1 << 40)?,
                "noise" => settings.noise = number(name, value, 0, 100)?,
                _ => {
                    return Err(Error::InvalidOption(format!(
                        "planner telamalloc has no parameter '{name}'; known: target, table, \
                         phase-step, candidates, section-check, moved, stuck, restart, noise"
                    )));
                }
            }
        }
        Ok(settings)
    }
}

fn target(value: &str) -> Result<Target, Error> {
    match value {
        "paper" => Ok(Target::Paper),
        "median" => Ok(Target::Median),
        "model" => Ok(Target::Model),
        _ => Err(Error::InvalidOption(format!(
            "'target' takes paper, median or model, not '{value}'"
        ))),
    }
}

fn flag(name: &str, value: &str) -> Result<bool, Error> {
    value
        .parse()
        .map_err(|_| Error::InvalidOption(format!("'{name}' takes true or false, not '{value}'")))
}

fn number(name: &str, value: &str, least: u64, most: u64) -> Result<u64, Error> {
    value.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        Error::InvalidOption(format!(
            "'{name}' takes a number from {least} to {most}, not '{value}'"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::{Settings, Target};

    #[test]
    fn reads_what_it_knows_and_refuses_the_rest() {
        let read = |name: &str, value: &str| Settings::read(&[(name.to_owned(), value.to_owned())]);
        assert_eq!(read("target", "paper").map(|s| s.target), Ok(Target::Paper));
        assert_eq!(read("moved", "false").map(|s| s.moved), Ok(false));
        assert_eq!(read("phase-step", "2").map(|s| s.phase_step), Ok(2));
        assert_eq!(read("target", "model").map(|s| s.target), Ok(Target::Model));
        for (name, value) in [
            ("target", "oracle"),
            ("table", "no table"),
            ("moved", "no"),
            ("phase-step", "0"),
            ("noise", "101"),
            ("x", "1"),
        ] {
            assert!(read(name, value).is_err(), "{name}={value}");
        }
    }
}
