//! Does a component fit a capacity?

use super::limits::Limits;
use super::model::{MAX_BUFFERS, Model};
use super::portfolio::Portfolio;
use super::search::End;
use super::state::State;
use crate::preprocess::Component;

/// The answer, with the nodes it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The answer.
    pub outcome: Outcome,
    /// Nodes used: placements tried.
    pub nodes: u64,
}

/// What a search found out about a component and a capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It fits, with these positions (see [`Component::offsets`]).
    Solved(Vec<u64>),
    /// It is proved that it does not fit.
    Infeasible,
    /// The nodes were used up, or the component has more than [`MAX_BUFFERS`] buffers.
    Limit,
    /// The caller asked to stop, or the deadline passed.
    Stopped,
}

/// The question whether a component fits a capacity in bytes, and what is known of it so far.
#[derive(Debug)]
pub struct Probe {
    progress: Progress,
}

#[derive(Debug)]
enum Progress {
    /// The answer.
    Known(Outcome),
    /// What searches for it.
    Open(Box<Portfolio>),
}

impl Probe {
    /// A question that is not searched yet, but answered if that is easy.
    ///
    /// Complexity: `O(n^2 / 64 * sections)` time. Memory: `O(n^2)` bits.
    #[must_use]
    pub fn new(component: &Component, capacity: u64, seed: u64) -> Self {
        let known = |outcome| Self { progress: Progress::Known(outcome) };
        if component.bound > capacity {
            return known(Outcome::Infeasible);
        }
        if let Some(positions) = component.trivial() {
            let fits = component.peak(&positions) <= capacity;
            return known(if fits { Outcome::Solved(positions) } else { Outcome::Infeasible });
        }
        if component.len() > MAX_BUFFERS {
            return known(Outcome::Limit);
        }
        let Some(model) = Model::new(component, capacity) else {
            return known(Outcome::Infeasible);
        };
        let model = model.with_stacks(component, capacity);
        match State::new(&model) {
            Ok(root) => {
                let portfolio = Box::new(Portfolio::new(model, root, seed));
                Self { progress: Progress::Open(portfolio) }
            }
            Err(_) => known(Outcome::Infeasible),
        }
    }

    /// Searches for positions, from where the last call ended.
    ///
    /// Complexity: exponential in the worst case; `limits.nodes` bounds it, but for beams that are under way. Memory:
    /// `O(n)` words for each buffer on the current path.
    pub fn run(&mut self, limits: &Limits<'_>) -> Answer {
        let portfolio = match &mut self.progress {
            Progress::Known(outcome) => return Answer { outcome: outcome.clone(), nodes: 0 },
            Progress::Open(portfolio) => portfolio,
        };
        let run = portfolio.run(limits);
        let outcome = match run.end {
            End::Solved => Outcome::Solved(run.positions),
            End::Failed => Outcome::Infeasible,
            End::OutOfNodes => Outcome::Limit,
            End::Stopped => Outcome::Stopped,
        };
        Answer { outcome, nodes: run.nodes }
    }
}
