//! The planner `minimalloc`.

use super::parameters::Parameters;
use super::preorder::preorder;
use super::search::{End, Search};
use crate::control::{Control, Effort, Options};
use crate::error::Error;
use crate::exact::model::{MAX_BUFFERS, Model};
use crate::exact::{Answer, Limits, Outcome, first_plans, out_of_time};
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::preprocess::{Component, prepare_within};
use crate::problem::Problem;

/// minimalloc.
pub const PLANNER: Planner = Planner {
    name: "minimalloc",
    origin: "Moffitt, ASPLOS 2023",
    summary: "search over canonical placements with section inference; below a capacity, or by bisection",
    features: Features { alignment: true, fixed: true, gaps: true, conflicts: true, pools: false },
    run,
};

/// Nodes of one question about one capacity.
const fn nodes(effort: Effort) -> u64 {
    match effort {
        Effort::Low => 10_000,
        Effort::Medium => 1_000_000,
        Effort::High => 30_000_000,
        Effort::Max => u64::MAX,
    }
}

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let parameters = Parameters::read(&options.parameters)?;
    let limits = Limits::of(options, nodes(options.effort), control);
    let Some(prepared) = prepare_within(problem, control) else {
        return out_of_time(problem, control);
    };
    let mut run =
        Run { parameters, limits, nodes: 0, bound: prepared.bound, stop: StopReason::Complete };
    // Below the bound a capacity is no help to who asks for the least peak.
    let capacity = problem.capacity().filter(|&c| !options.minimize || c >= prepared.bound);
    if capacity.is_some_and(|c| prepared.bound > c) {
        run.stop = StopReason::Infeasible;
    }
    let mut offsets = Vec::new();
    let plans = first_plans(problem, &prepared, control)?;
    for (component, plan) in prepared.components.iter().zip(plans) {
        let positions = run.component(component, plan, capacity, options.minimize);
        offsets.push(component.offsets(&positions));
    }
    if run.stop == StopReason::Complete && capacity.is_some() && !options.minimize {
        run.stop = StopReason::Fits;
    }
    Ok(Placement {
        offsets: prepared.offsets(&offsets),
        pools: Vec::new(),
        bound: run.bound,
        stop: run.stop,
        statistics: vec![("nodes", run.nodes), ("components", prepared.components.len() as u64)],
    })
}

struct Run<'a> {
    parameters: Parameters,
    limits: Limits<'a>,
    nodes: u64,
    bound: u64,
    stop: StopReason,
}

impl Run<'_> {
    /// Below the capacity, then by bisection between the bound and the best plan so far, at first the given one.
    fn component(
        &mut self,
        component: &Component,
        mut best: Vec<u64>,
        capacity: Option<u64>,
        minimize: bool,
    ) -> Vec<u64> {
        if let Some(capacity) = capacity.filter(|&c| component.peak(&best) > c) {
            match self.ask(component, capacity) {
                Outcome::Solved(positions) => best = positions,
                Outcome::Infeasible => {
                    self.bound = self.bound.max(capacity + 1);
                    if !minimize {
                        self.stop = StopReason::Infeasible;
                    }
                }
                Outcome::Limit if minimize => {}
                Outcome::Limit | Outcome::Stopped => return best,
            }
        }
        if capacity.is_some() && !minimize {
            return best;
        }
        let mut low = component.bound.max(self.bound);
        let mut proved = component.bound;
        while component.peak(&best) > low {
            let middle = low + (component.peak(&best) - 1 - low) / 2;
            match self.ask(component, middle) {
                Outcome::Solved(positions) => best = positions,
                Outcome::Infeasible => {
                    proved = proved.max(middle + 1);
                    low = middle + 1;
                }
                Outcome::Limit => low = middle + 1,
                Outcome::Stopped => break,
            }
        }
        self.bound = self.bound.max(proved);
        best
    }

    /// One question; remembers why it was not answered.
    fn ask(&mut self, component: &Component, capacity: u64) -> Outcome {
        let answer = solve(component, capacity, &self.parameters, &self.limits);
        self.nodes += answer.nodes;
        let unanswered = match answer.outcome {
            Outcome::Solved(_) | Outcome::Infeasible => None,
            Outcome::Limit => Some(StopReason::WorkLimit),
            Outcome::Stopped if self.limits.control.is_cancelled() => Some(StopReason::Cancelled),
            Outcome::Stopped => Some(StopReason::TimeLimit),
        };
        if let Some(reason) = unanswered.filter(|_| self.stop != StopReason::Infeasible) {
            self.stop = reason;
        }
        answer.outcome
    }
}

/// Does a component fit a capacity? The preorders take turns, with `2 n` nodes each, doubled after each round.
fn solve(
    component: &Component,
    capacity: u64,
    parameters: &Parameters,
    limits: &Limits<'_>,
) -> Answer {
    let mut nodes = 0;
    let answer = |outcome, nodes| Answer { outcome, nodes };
    if component.len() > MAX_BUFFERS {
        return answer(Outcome::Limit, 0);
    }
    let Some(model) = Model::new(component, capacity).filter(|_| component.bound <= capacity)
    else {
        return answer(Outcome::Infeasible, 0);
    };
    let orders: Vec<Vec<u32>> = if parameters.static_preordering {
        parameters.preorders.iter().map(|keys| preorder(&model, keys)).collect()
    } else {
        vec![(0..model.n as u32).collect()]
    };
    let mut budget = 2 * model.n as u64;
    loop {
        for order in &orders {
            let left = limits.nodes.saturating_sub(nodes);
            if left == 0 {
                return answer(Outcome::Limit, nodes);
            }
            let mut search = Search::new(&model, parameters, order, budget.min(left), limits);
            let end = search.run();
            nodes += search.nodes;
            match end {
                End::Solved => return answer(Outcome::Solved(search.into_positions()), nodes),
                End::Failed => return answer(Outcome::Infeasible, nodes),
                End::Stopped => return answer(Outcome::Stopped, nodes),
                End::OutOfNodes => {}
            }
        }
        budget = budget.saturating_mul(2);
    }
}
