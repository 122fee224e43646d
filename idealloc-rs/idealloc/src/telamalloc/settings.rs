//! What the paper leaves open, each a setting with the default that did best.

use std::sync::Arc;

use super::trees::Trees;
use crate::error::Error;

/// Where a major backtrack goes (sections 5.4 and 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To the point before the one that failed.
    Last,
    /// To the second-to-last placement in the conflict.
    Paper,
    /// To the median of the candidate targets of section 6.2.
    Median,
    /// To the one that a learned model ranks first.
    Model,
}

/// Which buffers of a phase are candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The longest lifetime, the largest size and the largest product of both (section 5.1).
    Paper,
    /// By one key alone, as the paper's Figure 14 compares.
    One(Key),
}

/// What candidates are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The longest lifetime first.
    Lifetime,
    /// The largest first.
    Size,
    /// The largest product of both first.
    Area,
    /// The one whose lowest valid position is lowest first.
    Position,
}

/// Settings of the planner `telamalloc`.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Where a major backtrack goes.
    pub target: Target,
    /// Which buffers of a phase are candidates; after each restart the next of these.
    pub order: Vec<Order>,
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
    /// By how much a restart raises the keys of the buffer that most often had no place, in percent; beyond the paper.
    pub blame: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target: Target::Median,
            order: vec![Order::Paper, Order::One(Key::Position)],
            table: None,
            phase_step: 10,
            candidates: vec![3, 4],
            section_check: true,
            moved: true,
            stuck: 100,
            restart: 10,
            noise: 30,
            blame: 500,
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
                "order" => {
                    settings.order = value.split('/').map(order).collect::<Result<_, _>>()?
                }
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
                "blame" => settings.blame = number(name, value, 0, 1_000_000)?,
                "noise" => settings.noise = number(name, value, 0, 100)?,
                _ => {
                    return Err(Error::InvalidOption(format!(
                        "planner telamalloc has no parameter '{name}'; known: target, order, \
                         table, phase-step, candidates, section-check, moved, stuck, restart, noise, blame"
                    )));
                }
            }
        }
        Ok(settings)
    }

    /// Most candidates of a decision point after so many restarts.
    #[must_use]
    pub fn candidates(&self, restarts: u64) -> usize {
        turn(&self.candidates, restarts).unwrap_or(1)
    }

    /// Which buffers are candidates after so many restarts.
    #[must_use]
    pub fn order(&self, restarts: u64) -> Order {
        turn(&self.order, restarts).unwrap_or(Order::Paper)
    }
}

fn turn<T: Copy>(all: &[T], restarts: u64) -> Option<T> {
    all.get(restarts as usize % all.len().max(1)).copied()
}

fn target(value: &str) -> Result<Target, Error> {
    match value {
        "last" => Ok(Target::Last),
        "paper" => Ok(Target::Paper),
        "median" => Ok(Target::Median),
        "model" => Ok(Target::Model),
        _ => Err(Error::InvalidOption(format!(
            "'target' takes last, paper, median or model, not '{value}'"
        ))),
    }
}

fn order(value: &str) -> Result<Order, Error> {
    match value {
        "paper" => Ok(Order::Paper),
        "lifetime" => Ok(Order::One(Key::Lifetime)),
        "size" => Ok(Order::One(Key::Size)),
        "area" => Ok(Order::One(Key::Area)),
        "position" => Ok(Order::One(Key::Position)),
        _ => Err(Error::InvalidOption(format!(
            "'order' takes paper, lifetime, size, area or position, not '{value}'"
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
    use super::{Key, Order, Settings, Target};

    #[test]
    fn reads_what_it_knows_and_refuses_the_rest() {
        let read = |name: &str, value: &str| Settings::read(&[(name.to_owned(), value.to_owned())]);
        assert_eq!(read("target", "paper").map(|s| s.target), Ok(Target::Paper));
        assert_eq!(read("moved", "false").map(|s| s.moved), Ok(false));
        assert_eq!(read("phase-step", "2").map(|s| s.phase_step), Ok(2));
        assert_eq!(read("order", "paper/size").map(|s| s.order(1)), Ok(Order::One(Key::Size)));
        assert_eq!(read("target", "model").map(|s| s.target), Ok(Target::Model));
        for (name, value) in [
            ("target", "oracle"),
            ("order", "random"),
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
