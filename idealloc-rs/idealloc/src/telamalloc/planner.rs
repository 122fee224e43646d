//! The planner `telamalloc`.

use super::model::{Model, NoModel};
use super::search::{Counts, End, Search};
use super::settings::Settings;
use crate::control::{Control, Effort, Options};
use crate::error::Error;
use crate::exact::{Limits, first_plans, out_of_time};
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::preprocess::{Component, prepare_within};
use crate::problem::Problem;

/// TelaMalloc.
pub const PLANNER: Planner = Planner {
    name: "telamalloc",
    origin: "Maas et al., ASPLOS 2023",
    summary: "tree search with bounds propagation and explained backtracking; below a capacity, or by bisection",
    features: Features { alignment: true, fixed: true, gaps: true, conflicts: true, pools: false },
    run,
};

/// Steps of one question about one capacity; never without end, as the search cannot prove that there is no plan.
const fn steps(effort: Effort) -> u64 {
    match effort {
        Effort::Low => 10_000,
        Effort::Medium => 500_000,
        Effort::High => 20_000_000,
        Effort::Max => 1_000_000_000,
    }
}

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let settings = Settings::read(&options.parameters)?;
    let limits = Limits::of(options, steps(options.effort), control);
    let Some(prepared) = prepare_within(problem, control) else {
        return out_of_time(problem, control);
    };
    // Below the bound a capacity is no help to who asks for the least peak.
    let capacity = problem.capacity().filter(|&c| !options.minimize || c >= prepared.bound);
    let mut run = Run {
        settings,
        seed: options.seed,
        limits,
        counts: Counts::default(),
        exhausted: 0,
        bound: prepared.bound,
        stop: StopReason::Complete,
    };
    if capacity.is_some_and(|c| prepared.bound > c) {
        run.stop = StopReason::Infeasible;
    }
    let mut offsets = Vec::new();
    let mut plans = None;
    for (k, component) in prepared.components.iter().enumerate() {
        // Plans by first fit, made when the search has none.
        let mut first = || -> Result<Vec<u64>, Error> {
            let plans = match &mut plans {
                Some(plans) => plans,
                none => none.insert(first_plans(problem, &prepared, control)?),
            };
            Ok(plans.get_mut(k).map(std::mem::take).unwrap_or_default())
        };
        let positions = match capacity.filter(|_| !options.minimize) {
            Some(capacity) => run.fit(component, capacity, first)?,
            None => run.least(component, first()?, capacity),
        };
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
        statistics: vec![
            ("steps", run.counts.steps),
            ("minor-backtracks", run.counts.minor_backtracks),
            ("major-backtracks", run.counts.major_backtracks),
            ("restarts", run.counts.restarts),
            ("targets-scored", run.counts.scored),
            ("exhausted", run.exhausted),
            ("components", prepared.components.len() as u64),
        ],
    })
}

/// What a question came to.
enum Answer {
    Positions(Vec<u64>),
    Infeasible,
    /// The search gave up; there may be a plan.
    Unknown,
    Stopped,
}

struct Run<'a> {
    settings: Settings,
    seed: u64,
    limits: Limits<'a>,
    counts: Counts,
    /// Questions that ended with an exhausted tree.
    exhausted: u64,
    bound: u64,
    stop: StopReason,
}

impl Run<'_> {
    /// Below the capacity; the search is asked even where `first` fits, the plan where it finds nothing.
    fn fit(
        &mut self,
        component: &Component,
        capacity: u64,
        first: impl FnOnce() -> Result<Vec<u64>, Error>,
    ) -> Result<Vec<u64>, Error> {
        let before = self.stop;
        match self.ask(component, capacity) {
            Answer::Positions(positions) => return Ok(positions),
            Answer::Infeasible => {
                self.bound = self.bound.max(capacity.saturating_add(1));
                self.stop = StopReason::Infeasible;
            }
            Answer::Unknown | Answer::Stopped => {}
        }
        let first = first()?;
        if component.peak(&first) <= capacity {
            self.stop = before;
        }
        Ok(first)
    }

    /// Below the capacity if `best` is not, then by bisection between the bound and the best plan so far.
    fn least(
        &mut self,
        component: &Component,
        mut best: Vec<u64>,
        capacity: Option<u64>,
    ) -> Vec<u64> {
        if let Some(capacity) = capacity.filter(|&c| component.peak(&best) > c) {
            match self.ask(component, capacity) {
                Answer::Positions(positions) => best = positions,
                Answer::Infeasible => self.bound = self.bound.max(capacity.saturating_add(1)),
                Answer::Unknown | Answer::Stopped => return best,
            }
        }
        let mut low = component.bound.max(self.bound);
        let mut proved = component.bound;
        while component.peak(&best) > low {
            let middle = low + (component.peak(&best) - 1 - low) / 2;
            match self.ask(component, middle) {
                Answer::Positions(positions) => best = positions,
                Answer::Infeasible => {
                    proved = proved.max(middle + 1);
                    low = middle + 1;
                }
                Answer::Unknown => low = middle + 1,
                Answer::Stopped => break,
            }
        }
        self.bound = self.bound.max(proved);
        best
    }

    /// One question; remembers why it was not answered.
    fn ask(&mut self, component: &Component, capacity: u64) -> Answer {
        if component.bound > capacity {
            return Answer::Infeasible;
        }
        // Building the model of a large component takes seconds.
        if self.limits.control.is_cancelled() {
            self.give_up(StopReason::Cancelled);
            return Answer::Stopped;
        }
        let model = match Model::new(component, capacity) {
            Ok(model) => model,
            Err(NoModel::Infeasible) => return Answer::Infeasible,
            Err(NoModel::TooLarge) => {
                self.give_up(StopReason::WorkLimit);
                return Answer::Unknown;
            }
        };
        let units = (capacity - component.unit.origin) / component.unit.bytes;
        let mut search = Search::new(&model, &self.settings, units.cast_signed(), self.seed);
        let end = search.run(&self.limits);
        self.counts.add(search.counts);
        match end {
            End::Solved => return Answer::Positions(search.positions()),
            End::Infeasible => return Answer::Infeasible,
            End::Exhausted => {
                self.exhausted += 1;
                self.give_up(StopReason::WorkLimit);
            }
            End::OutOfSteps => self.give_up(StopReason::WorkLimit),
            End::Stopped => {
                let cancelled = self.limits.control.is_cancelled();
                self.give_up(if cancelled { StopReason::Cancelled } else { StopReason::TimeLimit });
                return Answer::Stopped;
            }
        }
        Answer::Unknown
    }

    fn give_up(&mut self, reason: StopReason) {
        if self.stop != StopReason::Infeasible {
            self.stop = reason;
        }
    }
}
