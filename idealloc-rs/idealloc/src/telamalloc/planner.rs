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
    let plans = first_plans(problem, &prepared, control)?;
    for (component, first) in prepared.components.iter().zip(plans) {
        let positions = run.component(component, first, capacity, options.minimize);
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
    /// Below the capacity, then by bisection between the bound and the best plan so far. `first` is the plan where the
    /// search finds none; if only fitting is asked for, the search is asked even where `first` fits.
    fn component(
        &mut self,
        component: &Component,
        first: Vec<u64>,
        capacity: Option<u64>,
        minimize: bool,
    ) -> Vec<u64> {
        let mut best = first;
        let fits = |positions: &[u64]| capacity.is_none_or(|c| component.peak(positions) <= c);
        if let Some(capacity) = capacity.filter(|_| !minimize || !fits(&best)) {
            let before = self.stop;
            match self.ask(component, capacity) {
                Answer::Positions(positions) => best = positions,
                Answer::Infeasible => {
                    self.bound = self.bound.max(capacity.saturating_add(1));
                    if !minimize {
                        self.stop = StopReason::Infeasible;
                        return best;
                    }
                }
                Answer::Unknown | Answer::Stopped if fits(&best) => self.stop = before,
                Answer::Unknown | Answer::Stopped => return best,
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
