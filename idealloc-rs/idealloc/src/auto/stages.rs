//! What of `auto` can be switched off.

use crate::auto::arms::PASSES;
use crate::control::Options;
use crate::error::Error;
use crate::mcts::Policy;

/// Stages that can be switched, to see what each is worth.
#[derive(Clone, Copy, Debug)]
pub struct Stages {
    /// How tree search chooses.
    pub restarts: Policy,
    /// Exact search.
    pub exact: bool,
    /// Window repair.
    pub repair: bool,
    /// Gluing, of what has no slack.
    pub glue: bool,
    /// Blends of orders, of many buffers.
    pub blends: bool,
    /// Tree search.
    pub search: bool,
    /// The position of an order that is no arm of tree search.
    pub without: Option<usize>,
}

impl Stages {
    /// `restarts=tree|independent|none`, `exact=on|off`, `repair=on|off`, `glue=on|off`, `blends=on|off`,
    /// `without-order=NUMBER`.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for any other parameter.
    pub fn of(options: &Options) -> Result<Self, Error> {
        let mut stages = Self {
            restarts: Policy::Uct,
            exact: true,
            repair: true,
            glue: true,
            blends: true,
            search: true,
            without: None,
        };
        for (name, value) in &options.parameters {
            match (name.as_str(), value.as_str()) {
                ("restarts", "tree") => stages.restarts = Policy::Uct,
                ("restarts", "none") => stages.search = false,
                ("restarts", "independent") => stages.restarts = Policy::Restarts,
                ("exact", "on" | "off") => stages.exact = value == "on",
                ("repair", "on" | "off") => stages.repair = value == "on",
                ("without-order", number) if order(number).is_some() => {
                    stages.without = order(number);
                }
                ("glue", "on" | "off") => stages.glue = value == "on",
                ("blends", "on" | "off") => stages.blends = value == "on",
                _ => {
                    return Err(Error::InvalidOption(format!(
                        "planner 'auto' has no parameter {name}={value}; known: restarts=tree, \
                         restarts=independent, restarts=none, exact=on, exact=off, repair=on, repair=off, \
                         glue=on, glue=off, blends=on, blends=off, without-order=0 to {}",
                        PASSES.len() - 1
                    )));
                }
            }
        }
        Ok(stages)
    }
}

fn order(number: &str) -> Option<usize> {
    number.parse().ok().filter(|&position| position < PASSES.len())
}
