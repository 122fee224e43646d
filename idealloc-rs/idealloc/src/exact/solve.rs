//! Does a component fit a capacity?

use super::limits::Limits;
use super::model::{MAX_BUFFERS, Model};
use super::portfolio;
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

/// Searches for positions of a component below a capacity in bytes.
///
/// Complexity: exponential in the worst case; `limits.nodes` bounds it, but for beams that are under way. Memory: `O(n^2)` bits, and `O(n)` words for
/// each buffer on the current path.
#[must_use]
pub fn solve(component: &Component, capacity: u64, seed: u64, limits: &Limits<'_>) -> Answer {
    let answer = |outcome, nodes| Answer { outcome, nodes };
    if component.bound > capacity {
        return answer(Outcome::Infeasible, 0);
    }
    if let Some(positions) = component.trivial() {
        let fits = component.peak(&positions) <= capacity;
        return answer(if fits { Outcome::Solved(positions) } else { Outcome::Infeasible }, 0);
    }
    if component.len() > MAX_BUFFERS {
        return answer(Outcome::Limit, 0);
    }
    let Some(model) = Model::new(component, capacity) else {
        return answer(Outcome::Infeasible, 0);
    };
    let Ok(root) = State::new(&model) else {
        return answer(Outcome::Infeasible, 0);
    };
    let run = portfolio::run(&model, &root, seed, limits);
    let outcome = match run.end {
        End::Solved => Outcome::Solved(run.positions),
        End::Failed => Outcome::Infeasible,
        End::OutOfNodes => Outcome::Limit,
        End::Stopped => Outcome::Stopped,
    };
    answer(outcome, run.nodes)
}
