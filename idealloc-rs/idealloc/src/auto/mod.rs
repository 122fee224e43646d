//! The planner `auto`: what is cheap first, and no more than is needed.
//!
//! 1. Very many buffers in two [layers](layers), so that there is a plan at once.
//! 2. Buffers in [orders](arms) by first fit, one pass each, until one reaches the bound; of many buffers what is hard to
//!    place in [blends](blends) of orders.
//! 3. A short [repair](repair) of time windows around whatever ends above the bound.
//! 4. [Exact search](small) of the components that are small enough.
//! 5. [Tree search](crate::mcts) over orders, ties and [climbs](climb): of what is critical first, of all unless the
//!    problem is very large.
//! 6. Repair until the work is used up.
//!
//! It stops as soon as the peak is the bound, or the capacity if only fitting is asked for.

pub mod arms;
pub mod blends;
pub mod climb;
pub mod layers;
pub mod portfolio;
pub mod repair;
pub mod small;

use crate::auto::arms::{ARMS, LOWEST_FIRST};
use crate::auto::climb::Layout;
use crate::auto::layers::layers;
use crate::auto::portfolio::Portfolio;
use crate::auto::repair::{Budget, repair};
use crate::control::{Control, Effort, Options};
use crate::error::Error;
use crate::mcts::{self, Policy};
use crate::place::engine::{Engine, Outcome, Rule, out_of_addresses};
use crate::place::instance::{Instance, Span};
use crate::place::order::{Key, Order, Orders, Tie};
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::problem::{MAX_BYTES, Problem};
use crate::random::scramble;

/// The default planner.
pub const PLANNER: Planner = Planner {
    name: "auto",
    origin: "xdsl_memplan",
    summary: "heuristics, exact search, window repair and tree search, whichever is needed",
    features: Features { alignment: true, fixed: true, gaps: true, conflicts: true, pools: false },
    run,
};

/// Buffers that may be looked at, by effort and number of buffers: milliseconds, about a second, about a minute.
///
/// Looking at one takes longer the more there are, so that many get less.
const fn work_of(effort: Effort, buffers: u64) -> u64 {
    match effort {
        Effort::Low if buffers <= MANY as u64 => 200_000,
        Effort::Low if buffers <= VERY_MANY as u64 => 2 * buffers,
        Effort::Low => buffers,
        Effort::Medium if buffers <= MANY as u64 => 6_000_000 + 4 * buffers,
        Effort::Medium if buffers <= VERY_MANY as u64 => 3_000_000,
        Effort::Medium => 2 * buffers,
        Effort::High if buffers <= MANY as u64 => 100_000_000 + 20 * buffers,
        Effort::High if buffers <= VERY_MANY as u64 => 40_000_000,
        Effort::High => buffers.saturating_mul(5),
        Effort::Max => u64::MAX,
    }
}

/// Above so many buffers only what is hard to place is searched.
const MANY: usize = 50_000;

/// Up to so many buffers lowest-first placement is tried,
const FEW: usize = 2_000;

/// with so many looks at each on average.
const LOOKS: usize = 40;

/// Above so many buffers even one pass takes seconds.
const VERY_MANY: usize = 200_000;

/// What is tried of many buffers besides blends: the peak first.
const ARMS_OF_MANY: &[Order] = &[Order::peak_first(999, Key::Lifetime, Tie::Start)];

/// Stages that can be switched, to see what each is worth.
#[derive(Clone, Copy, Debug)]
struct Stages {
    restarts: Policy,
    exact: bool,
    repair: bool,
    blends: bool,
    search: bool,
}

impl Stages {
    /// `restarts=tree|independent|none`, `exact=on|off`, `repair=on|off`, `blends=on|off`.
    fn of(options: &Options) -> Result<Self, Error> {
        let mut stages =
            Self { restarts: Policy::Uct, exact: true, repair: true, blends: true, search: true };
        for (name, value) in &options.parameters {
            match (name.as_str(), value.as_str()) {
                ("restarts", "tree") => stages.restarts = Policy::Uct,
                ("restarts", "none") => stages.search = false,
                ("restarts", "independent") => stages.restarts = Policy::Restarts,
                ("exact", "on" | "off") => stages.exact = value == "on",
                ("repair", "on" | "off") => stages.repair = value == "on",
                ("blends", "on" | "off") => stages.blends = value == "on",
                _ => {
                    return Err(Error::InvalidOption(format!(
                        "planner 'auto' has no parameter {name}={value}; known: restarts=tree, \
                         restarts=independent, restarts=none, exact=on, exact=off, repair=on, repair=off, \
                         blends=on, blends=off"
                    )));
                }
            }
        }
        Ok(stages)
    }
}

/// Buffers up to which exact search is worth preparing for.
const EXACT_LIMIT: usize = 20_000;

/// Placements that take about as long as a node of exact search.
const WORK_OF_A_NODE: u64 = 4;

/// What is critical.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    /// Buffers that meet a section with at least so many thousandths of the load,
    thousandths: u32,
    /// and take at least this share of it.
    share: u64,
}

/// From few buffers to many. What reaches the target among the critical ones usually does so among all.
const REDUCTIONS: &[Reduction] =
    &[Reduction { thousandths: 950, share: 1_000 }, Reduction { thousandths: 800, share: 5_000 }];

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let stages = Stages::of(options)?;
    let instance = Instance::new(problem);
    let mut search = Search::new(problem, &instance, options, stages, control);
    search.layers()?;
    search.passes()?;
    search.lowest_first();
    if instance.len() > MANY {
        search.blends(u64::MAX);
    } else {
        search.repair(8 * instance.len() as u64);
        search.exact();
        for (level, &reduction) in REDUCTIONS.iter().enumerate() {
            search.reduced(reduction, level as u64);
        }
        search.tree();
        search.repair(u64::MAX);
    }
    Ok(search.finish())
}

struct Search<'a> {
    problem: &'a Problem,
    instance: &'a Instance,
    options: &'a Options,
    stages: Stages,
    control: &'a Control,
    bound: u64,
    /// Peak at which to stop.
    target: u64,
    offsets: Vec<u64>,
    peak: u64,
    budget: u64,
    work: u64,
    passes: u64,
    windows: u64,
    plays: u64,
    nodes: u64,
}

impl<'a> Search<'a> {
    fn new(
        problem: &'a Problem,
        instance: &'a Instance,
        options: &'a Options,
        stages: Stages,
        control: &'a Control,
    ) -> Self {
        let bound = bound(instance);
        let target = match problem.capacity() {
            Some(capacity) if !options.minimize => capacity.max(bound),
            _ => bound,
        };
        Self {
            problem,
            instance,
            options,
            stages,
            control,
            bound,
            target,
            offsets: Vec::new(),
            peak: u64::MAX,
            budget: work_of(options.effort, instance.len() as u64),
            work: 0,
            passes: 0,
            windows: 0,
            plays: 0,
            nodes: 0,
        }
    }

    fn is_done(&self) -> bool {
        self.peak <= self.target || self.work >= self.budget || self.control.is_cancelled()
    }

    /// A quick plan for very many buffers.
    fn layers(&mut self) -> Result<(), Error> {
        let instance = self.instance;
        if instance.len() <= MANY || !instance.is_temporal() || !instance.fixed().is_empty() {
            return Ok(());
        }
        let mut found = layers(instance, self.control);
        if found.is_none() && self.control.has_timed_out() {
            found = layers(instance, &Control::default());
        }
        match found {
            Some((offsets, peak)) => {
                (self.offsets, self.peak) = (offsets, peak);
                self.work = if instance.len() > VERY_MANY { instance.len() as u64 } else { 0 };
                self.control.add_work(instance.len() as u64);
                self.control.publish(peak, self.bound);
                Ok(())
            }
            None if self.control.is_cancelled() => Err(Error::Cancelled),
            None => Ok(()),
        }
    }

    /// Lowest first, of few buffers: a better start for exact search where first fit ends far above the bound.
    fn lowest_first(&mut self) {
        let n = self.instance.len();
        if self.is_done() || n > FEW {
            return;
        }
        let mut orders = Orders::new(self.instance);
        let mut engine = Engine::new(self.instance);
        for &arm in LOWEST_FIRST {
            let sorted = orders.sorted(arm);
            let (limit, looks) = (self.peak - 1, LOOKS * n);
            let outcome = engine.run_lowest_first(&sorted, limit, looks, self.control);
            self.passes += 1;
            if let Outcome::Placed(peak) = outcome {
                self.peak = peak;
                self.offsets.copy_from_slice(engine.offsets());
                self.control.publish(peak, self.bound);
            }
        }
        self.work = self.work.saturating_add(engine.work());
        self.control.add_work(engine.work());
    }

    /// First fit of each arm. The first pass is finished come what may, so that there is a plan.
    fn passes(&mut self) -> Result<(), Error> {
        if self.is_done() && !self.offsets.is_empty() {
            return Ok(());
        }
        let arms = match self.offsets.is_empty() {
            true => ARMS,
            false if self.instance.len() > VERY_MANY => &[],
            false => ARMS_OF_MANY,
        };
        let mut orders = Orders::new(self.instance);
        let mut engine = Engine::new(self.instance);
        let unwatched = Control::default();
        let before = self.work;
        for &arm in arms {
            let sorted = orders.sorted(arm);
            let first = self.offsets.is_empty();
            // Of many buffers only a pass that ends at the target is worth its time.
            let below = if self.instance.len() > MANY { self.target } else { self.peak - 1 };
            let limit = if first { MAX_BYTES } else { below };
            let mut outcome = engine.run(&sorted, Rule::FirstFit, limit, self.control);
            if first && outcome == Outcome::Cancelled && self.control.has_timed_out() {
                outcome = engine.run(&sorted, Rule::FirstFit, limit, &unwatched);
            }
            self.passes += 1;
            match outcome {
                Outcome::Placed(peak) => {
                    self.peak = peak;
                    self.offsets.clear();
                    self.offsets.extend_from_slice(engine.offsets());
                    self.control.publish(peak, self.bound);
                }
                Outcome::Above(buffer) if first => return Err(out_of_addresses(buffer)),
                Outcome::Above(_) => {}
                Outcome::Cancelled if first => return Err(Error::Cancelled),
                Outcome::Cancelled => break,
            }
            self.work = before + engine.work();
            if self.is_done() || self.instance.is_empty() {
                break;
            }
        }
        self.control.add_work(self.work - before);
        Ok(())
    }

    /// Orders of what is hard to place; the rest is placed around the best of them.
    fn blends(&mut self, work: u64) {
        if self.is_done() || !self.stages.blends || !self.instance.is_temporal() {
            return;
        }
        let (hard, rest) = blends::partition(self.instance, self.bound);
        if hard.is_empty() {
            return;
        }
        let part = self.instance.subset(&hard);
        let budget = Budget {
            work: (self.budget - self.work).saturating_sub(rest.len() as u64).min(work),
            threads: self.options.threads,
            seed: self.options.seed,
        };
        let found = blends::search(&part, self.target, self.peak - 1, budget, self.control);
        self.work = self.work.saturating_add(found.work);
        self.plays += found.tried;
        let Some(order) = found.order.filter(|_| !self.control.is_abandoned()) else { return };
        let mut order: Vec<u32> = order.iter().map(|&i| hard[i as usize]).collect();
        let others = self.instance.subset(&rest);
        let sorted = Orders::new(&others).sorted(ARMS[0]);
        order.extend(sorted.iter().map(|&i| rest[i as usize]));
        self.place_below(&order);
    }

    /// First fit of all buffers in an order, kept if it ends below what there is.
    fn place_below(&mut self, order: &[u32]) {
        let mut engine = Engine::new(self.instance);
        let outcome = engine.run(order, Rule::FirstFit, self.peak - 1, self.control);
        self.work = self.work.saturating_add(engine.work());
        if let Outcome::Placed(peak) = outcome {
            self.peak = peak;
            self.offsets.copy_from_slice(engine.offsets());
            self.control.publish(peak, self.bound);
        }
    }

    /// Window repair, for at most so much work.
    fn repair(&mut self, work: u64) {
        if self.is_done() || !self.stages.repair || !self.instance.is_temporal() {
            return;
        }
        let budget = Budget {
            work: (self.budget - self.work).min(work),
            threads: self.options.threads,
            seed: self.options.seed ^ self.windows,
        };
        let done = repair(self.instance, &mut self.offsets, self.target, budget, self.control);
        self.work = self.work.saturating_add(done.work);
        self.windows += done.windows;
        self.peak = peak_of(self.instance, &self.offsets);
        self.control.publish(self.peak, self.bound);
    }

    /// Exact search of small components.
    fn exact(&mut self) {
        if self.is_done() || !self.stages.exact || self.instance.len() > EXACT_LIMIT {
            return;
        }
        let nodes = (self.budget - self.work) / 4 * 3 / WORK_OF_A_NODE;
        let (options, control) = (self.options, self.control);
        let proved =
            small::improve(self.problem, &mut self.offsets, self.target, nodes, options, control);
        self.work = self.work.saturating_add(proved.nodes.saturating_mul(WORK_OF_A_NODE));
        self.nodes = proved.nodes;
        self.bound = self.bound.max(proved.bound);
        self.target = self.target.max(self.bound);
        self.peak = peak_of(self.instance, &self.offsets);
        self.control.add_work(proved.nodes.saturating_mul(WORK_OF_A_NODE));
        self.control.publish(self.peak, self.bound);
    }

    /// Tree search over what is critical; the rest is placed around it.
    fn reduced(&mut self, reduction: Reduction, level: u64) {
        if self.is_done() || !self.stages.search || !self.instance.is_temporal() {
            return;
        }
        let mut orders = Orders::new(self.instance);
        let hot = orders.meets_peak(reduction.thousandths);
        let least = orders.load() / reduction.share;
        let is_critical = |i: usize| hot[i] && self.instance.sizes()[i] >= least;
        let is_fixed =
            |i: usize| self.instance.fixed().binary_search_by_key(&(i as u32), |&(b, _)| b).is_ok();
        let (critical, rest): (Vec<u32>, Vec<u32>) = orders
            .sorted(ARMS[0])
            .into_iter()
            .filter(|&buffer| !is_fixed(buffer as usize))
            .partition(|&buffer| is_critical(buffer as usize));
        if critical.is_empty() || 2 * critical.len() > self.instance.len() {
            return;
        }
        let whole = Span { start: 0, end: self.instance.sections() as u32 };
        let part = self.instance.window(whole, &critical, self.instance.fixed());
        let Some(layout) = self.play(&part, (self.budget - self.work) / 4, level) else { return };
        let mut order: Vec<u32> = layout.order.iter().map(|&i| critical[i as usize]).collect();
        order.extend_from_slice(&rest);
        self.place_below(&order);
    }

    /// Tree search over all buffers.
    fn tree(&mut self) {
        if self.is_done() || !self.stages.search || self.instance.len() > MANY {
            return;
        }
        let work = (self.budget - self.work) / 4 * 3;
        if let Some(layout) = self.play(self.instance, work, REDUCTIONS.len() as u64) {
            if layout.peak < self.peak {
                self.peak = layout.peak;
                self.offsets.clone_from(&layout.offsets);
            }
        }
    }

    fn play(&mut self, instance: &Instance, work: u64, stream: u64) -> Option<Layout> {
        let game = Portfolio::new(instance, self.target, self.control);
        let limits = mcts::Limits {
            target: self.target,
            work,
            plays: (4 << 30) / (16 * instance.len() as u64 + 1000),
            threads: self.options.threads,
            seed: self.options.seed ^ scramble(stream),
        };
        let found = mcts::search(&game, self.stages.restarts, self.peak, limits, self.control);
        self.work = self.work.saturating_add(found.work);
        self.plays += found.plays;
        found.best.and_then(|play| play.state.layout().cloned())
    }

    fn finish(self) -> Placement {
        let stop = if self.peak <= self.bound {
            StopReason::Optimal
        } else if self.peak <= self.target {
            StopReason::Fits
        } else if self.problem.capacity().is_some_and(|capacity| self.bound > capacity) {
            StopReason::Infeasible
        } else if self.control.has_timed_out() {
            StopReason::TimeLimit
        } else if self.control.is_cancelled() {
            StopReason::Cancelled
        } else {
            StopReason::WorkLimit
        };
        Placement {
            offsets: self.offsets,
            pools: Vec::new(),
            bound: self.bound,
            stop,
            statistics: vec![
                ("placements", self.work),
                ("passes", self.passes),
                ("windows", self.windows),
                ("nodes", self.nodes),
                ("plays", self.plays),
            ],
        }
    }
}

/// The load, or where the highest buffer must end at least, alone in memory. `O(n + sections)`.
fn bound(instance: &Instance) -> u64 {
    let load = instance.section_loads().into_iter().max().unwrap_or(0);
    let mut alone: Vec<u64> = vec![0; instance.len()];
    for &(buffer, offset) in instance.fixed() {
        alone[buffer as usize] = offset;
    }
    (0..instance.len())
        .filter(|&i| instance.sizes()[i] > 0)
        .map(|i| instance.aligner(i).up(alone[i]).saturating_add(instance.sizes()[i]))
        .fold(load, u64::max)
}

fn peak_of(instance: &Instance, offsets: &[u64]) -> u64 {
    let ends = offsets.iter().zip(instance.sizes()).filter(|&(_, &size)| size > 0);
    ends.map(|(offset, size)| offset + size).max().unwrap_or(0)
}
