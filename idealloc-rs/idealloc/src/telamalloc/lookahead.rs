//! What the best choice of targets is worth: every one is tried for a while, and the one taken that ends soonest.

use super::features::NAMES;
use super::model::Model;
use super::search::{Backtrack, End, Guide, Search};
use super::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::exact::Limits;
use crate::preprocess::prepare;
use crate::problem::Problem;
use crate::random::Random;

/// How to look ahead.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Steps of the search itself.
    pub steps: u64,
    /// Steps that each target is tried for, and starting over as well; these are not counted.
    pub trial: u64,
    /// Percent of the backtracks that go where the trials say, the others where the settings say.
    pub share: u64,
    /// Backtracks that are tried for each component.
    pub backtracks: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// Whether everything was placed.
    pub solved: bool,
    /// Steps of the search itself.
    pub steps: u64,
    /// Features of each target that was tried, in the order of [`FEATURES`](super::FEATURES).
    pub rows: Vec<[f32; NAMES.len()]>,
    /// Steps until everything was placed from each target; `trial` where it was not.
    pub costs: Vec<u64>,
    /// Targets of each backtrack.
    pub groups: Vec<u32>,
}

/// Searches below the capacity with that choice.
///
/// With a share of 100 it is a bound: a model that chooses targets would have to know how a search ends.
/// Complexity: `trial` times the targets for each backtrack.
///
/// # Errors
/// [`Error::InvalidOption`] for parameters that are not known, and for a problem without a capacity.
pub fn lookahead(
    problem: &Problem,
    options: &Options,
    trial: Trial,
    control: &Control,
) -> Result<Ahead, Error> {
    let settings = Settings::read(&options.parameters)?;
    let Some(capacity) = problem.capacity() else {
        return Err(Error::InvalidOption("lookahead needs a problem with a capacity".to_owned()));
    };
    let limits = Limits::of(options, trial.steps, control);
    let mut ahead = Ahead { solved: true, ..Ahead::default() };
    for component in &prepare(problem).components {
        let Ok(model) = Model::new(component, capacity) else {
            ahead.solved = false;
            continue;
        };
        let units = ((capacity - component.unit.origin) / component.unit.bytes).cast_signed();
        let mut search = Search::new(&model, &settings, units, options.seed);
        search.rank_all(units);
        let mut guide = Trials {
            limits: limits.clone(),
            trial,
            left: trial.backtracks,
            random: Random::new(options.seed),
            ahead: &mut ahead,
        };
        let end = search.guided(&limits, Some(&mut guide));
        ahead.solved &= end == End::Solved;
        ahead.steps += search.counts.steps;
    }
    Ok(ahead)
}

struct Trials<'a> {
    limits: Limits<'a>,
    trial: Trial,
    /// Backtracks that may still be tried.
    left: u64,
    random: Random,
    ahead: &'a mut Ahead,
}

impl Guide for Trials<'_> {
    fn choose(&mut self, backtrack: &Backtrack<'_>, search: &Search<'_>) -> Option<usize> {
        let follow = self.random.below(100) < self.trial.share;
        if self.left == 0 {
            return Some(backtrack.rule);
        }
        self.left -= 1;
        let begun = search.counts.steps;
        let cost = |level: Option<u32>| {
            let mut copy = search.clone();
            let end = copy.resume(level, &self.limits.with_nodes(begun + self.trial.trial));
            if end == End::Solved { copy.counts.steps - begun } else { self.trial.trial }
        };
        let costs: Vec<u64> = backtrack.targets.iter().map(|&level| cost(Some(level))).collect();
        let anew = cost(None);
        let least = costs.iter().copied().min().unwrap_or(anew);
        for row in backtrack.rows {
            let mut features = [0.0; NAMES.len()];
            features.copy_from_slice(&row[..NAMES.len()]);
            self.ahead.rows.push(features);
        }
        self.ahead.groups.push(costs.len() as u32);
        self.ahead.costs.extend_from_slice(&costs);
        if !follow || least.min(anew) == self.trial.trial {
            Some(backtrack.rule)
        } else if anew < least {
            None
        } else {
            costs.iter().position(|&cost| cost == least)
        }
    }
}
