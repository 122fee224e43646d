//! Problems without slack: buffers that tile a rectangle.
//!
//! Heuristics that waste a little here and there end far above the bound, and exact search drowns in thousands of buffers.
//! [Gluing](crate::glue) makes few of many; what it cannot put together is planned as a problem of its own.

use crate::auto::apart::part_of;
use crate::auto::budget::{MANY, POOR, VERY_MANY, work_of};
use crate::auto::repair::Budget;
use crate::auto::search::{Search, peak_of};
use crate::auto::solve;
use crate::auto::stages::Stages;
use crate::auto::tiers::{self, tiers};
use crate::control::Options;
use crate::exact;
use crate::glue::forest::Forest;
use crate::glue::gluer::{Gluer, LEVELS};
use crate::glue::ruin;
use crate::glue::tiling::Tiling;
use crate::lifetime::Lifetime;
use crate::place::chains::{Gain, chains};
use crate::place::engine::Outcome;
use crate::place::instance::Instance;
use crate::place::lowest_first::lowest_first;
use crate::place::order::{Key, Order, Orders, Tie};
use crate::preprocess::prepare;
use crate::problem::Problem;
use crate::random::Random;

/// Roots up to which exact search is tried on what is left,
const FEW_ROOTS: usize = 64;

/// with so many nodes.
const NODES: u64 = 3_000;

/// Without exact search in between gluing looks ahead for what is certain, then for what is less doubtful than this.
const AHEAD: [f64; 3] = [0.02, 0.1, 0.5];

/// What is less doubtful than this is glued before exact search is tried on what there is then, of so few tiles as below.
const EARLY: [f64; 6] = [CERTAIN, 0.02, 0.1, 0.5, 2.0, 4.0];

/// with so many nodes: runs that find a plan are short,
const EARLY_NODES: u64 = 5_000;

/// the first times that gluing begins anew.
const EARLY_TIMES: u64 = 20;

/// Of more tiles gluing looks ahead where one of so many is the hub of a certain pinwheel.
const TILES_OF_A_WHEEL: usize = 100;

/// Work of an offer in gluing.
const WORK_OF_AN_OFFER: u64 = 4;

/// Times as much work as for other problems: nothing else comes near the bound;
const TIMES: u64 = 2;

/// of as few as below, where a go is short.
const TIMES_OF_FEW: u64 = 4;

/// Tiles up to which exact search is tried before all is glued, and what is left comes apart for it at the end,
const FEW_TILES: usize = 2_000;

/// where it was glued with more doubt than this, as long as there are
const DOUBTS: [f64; 4] = [40.0, 20.0, 10.0, 5.0];

/// so many pieces at most.
const MOST_OPENED: usize = 250;

/// What is less doubtful than this is certain, more or less.
const CERTAIN: f64 = 0.001;

/// Tiles for each moment above which much meets by chance.
const CROWDED: usize = 5;

/// Times as many offers as tiles without fewer roots than ever, before gluing begins anew or ends,
const PATIENCE: u64 = 100;

/// and of more than few, of which another go with other chances gains more;
const PATIENCE_OF_MANY: u64 = 30;

/// with fewer tiles than this as if there were so many.
const LEAST_PATIENCE: u64 = 500;

/// Buffers above which gluing does not begin anew.
const MANY_TILES: usize = 20_000;

/// Roots above which the large ones come first.
const MANY_ROOTS: usize = 500;

/// What is glued with more doubt comes apart before that; then more of it does, for another try.
const DOUBTFUL: [f64; 2] = [40.0, 10.0];

/// Work of ejection in tiers: such a part of what there is for other searches,
const PART_FOR_TIERS: (u64, u64) = (4, 5);

/// with so many buffers; with less in proportion.
const ENOUGH_BUFFERS: u64 = 6_400;

/// Part of the work for what is left: gluing had most of it.
const REST: u64 = 2;

/// Lowest first, what is best on tilings.
const LOWEST_FIRST: [Order; 3] = [
    Order { tie: Tie::Larger, ..Order::by(Key::Lifetime) },
    Order { tie: Tie::Larger, ..Order::by(Key::Area) },
    Order { tie: Tie::Start, ..Order::by(Key::Size) },
];

impl Search<'_> {
    /// Glues what has no slack. True if nothing has, so that all that is worth it is done.
    pub fn perfect(&mut self) -> bool {
        if self.is_done() || !self.stages.glue {
            return false;
        }
        let Some(tiling) = Tiling::of(self.instance) else { return false };
        // Of more than few tiles gluing has work for one go only, and parts would share it.
        if tiling.tiles.len() <= FEW_TILES && self.apart(&tiling) {
            return true;
        }
        let crowded = tiling.tiles.len() > CROWDED * tiling.moments;
        let uneven = tiers::are_uneven(self.instance.sizes(), self.bound);
        // Of many uneven tiles tiers end far below plans of one pass, which take seconds.
        let tiers_first = crowded && uneven && tiling.tiles.len() > MANY;
        if !tiers_first {
            self.quick_plans(&tiling, crowded);
        }
        if self.is_done() {
            return true;
        }
        let (mut forest, solved) = self.glue(&tiling);
        let few = forest.roots().len() <= MANY_ROOTS;
        let of_roots = solved.or_else(|| (few || !uneven).then(|| self.rest(&forest)).flatten());
        self.accept_roots(&tiling, &forest, of_roots);
        // When time is up there is none for a problem of what is left, nor for tiers of it.
        let in_tiers = uneven || tiling.tiles.len() <= MANY;
        if in_tiers && self.peak > self.target && !self.control.is_cancelled() {
            let step = if uneven { tiers::STEP } else { tiers::STEP_OF_EVEN };
            let mut planned = usize::MAX;
            for doubt in DOUBTFUL {
                forest.open(doubt);
                // Where nothing more came apart the plan would be the same.
                if forest.roots().len() == planned {
                    continue;
                }
                planned = forest.roots().len();
                let of_roots = self.in_tiers(&problem_of(&forest, None), step);
                self.accept_roots(&tiling, &forest, of_roots);
                if self.peak <= self.target || self.control.is_cancelled() {
                    break;
                }
            }
        }
        if tiers_first && self.peak - self.bound > self.bound / POOR {
            self.quick_plans(&tiling, crowded);
        }
        true
    }

    /// Plans of one pass, kept if they are better.
    fn quick_plans(&mut self, tiling: &Tiling, crowded: bool) {
        self.one_pass(tiling);
        if crowded && tiling.tiles.len() <= VERY_MANY {
            self.rules_of_tilings();
        }
    }

    fn accept_roots(&mut self, tiling: &Tiling, forest: &Forest, of_roots: Option<Vec<u64>>) {
        if let Some(of_roots) = of_roots {
            self.accept_better(&tiling.offsets(forest, &of_roots, self.instance.len()));
        }
    }

    /// Takes a plan that is there in full if it ends below what there is.
    pub fn accept_better(&mut self, offsets: &[u64]) {
        let peak = peak_of(self.instance, offsets);
        if peak < self.peak {
            self.accept(offsets, peak);
        }
    }

    /// Offsets of what gluing left, as `auto` plans any problem; `None` if it was stopped before it had some.
    fn rest(&mut self, forest: &Forest) -> Option<Vec<u64>> {
        if self.control.is_cancelled() {
            return None;
        }
        let problem = problem_of(forest, self.problem.capacity());
        // With more, its nodes are dear, and few plans are found by them.
        let few = problem.len() <= 2 * FEW_ROOTS;
        let stages = Stages { glue: false, exact: self.stages.exact && few, ..self.stages };
        let work = self.budget / REST;
        self.solved(&problem, self.options, stages, work)
    }

    /// Offsets of many roots, the large ones first, in tiers with such a ratio of sizes.
    fn in_tiers(&mut self, problem: &Problem, step: f64) -> Option<Vec<u64>> {
        let instance = Instance::new(problem);
        let (bound, seed) = (self.bound, self.options.seed);
        let buffers = problem.len() as u64;
        let (times, parts) = PART_FOR_TIERS;
        let most = work_of(self.options.effort, buffers.min(MANY as u64)) / parts * times;
        let work = most / ENOUGH_BUFFERS * buffers.min(ENOUGH_BUFFERS);
        let options = Options { minimize: false, ..self.options.clone() };
        let stages = Stages { glue: false, ..self.stages };
        let (budget, control) = (self.budget / REST, self.control);
        let pack = |large: &[u32]| {
            let problem = part_of(problem, large, Some(bound));
            Some(solve(&problem, &options, stages, budget, control).ok()?.offsets)
        };
        let budget = Budget { work, threads: self.options.threads, seed };
        let found = tiers(&instance, (bound, step), pack, budget, control);
        self.work = self.work.saturating_add(found.work);
        Some(found.plan?.0)
    }

    /// Lowest first, and chains.
    fn one_pass(&mut self, tiling: &Tiling) {
        let part = self.instance.subset(&tiling.buffers);
        let mut orders = Orders::new(&part);
        let control = self.control;
        // Of many it takes seconds, and only the longest first is now and then the best.
        let orders_tried = if part.len() > MANY { 1 } else { LOWEST_FIRST.len() };
        for &order in &LOWEST_FIRST[..orders_tried] {
            if let (offsets, Outcome::Placed(_)) =
                lowest_first(&part, &orders.sorted(order), control)
            {
                self.accept_better(&tiling.of_buffers(&offsets, self.instance.len()));
            }
        }
        for gain in [Gain::Length, Gain::Square] {
            if let Some((offsets, _)) = chains(&part, gain, control) {
                self.accept_better(&tiling.of_buffers(&offsets, self.instance.len()));
            }
        }
        self.passes += 5;
        self.work += 5 * part.len() as u64;
    }

    /// Glues, takes apart and glues again; what came of it, and offsets of its roots if they reach the bound.
    fn glue(&mut self, tiling: &Tiling) -> (Forest, Option<Vec<u64>>) {
        let few = tiling.tiles.len() <= FEW_TILES && self.stages.exact;
        let times = if few { TIMES_OF_FEW } else { TIMES };
        let budget = self.left().saturating_mul(times) / WORK_OF_AN_OFFER;
        let mut random = Random::new(self.options.seed);
        let mut work = 0;
        let mut best: Option<Forest> = None;
        let control = self.control;
        let mut early = if few { EARLY_TIMES } else { 0 };
        let offers = if few { PATIENCE } else { PATIENCE_OF_MANY };
        let patience = offers * (tiling.tiles.len() as u64).max(LEAST_PATIENCE);
        // Looking ahead glues more that is right, and at times something wrong: goes take turns. Of many, where the first go may be
        // the only one, none looks ahead but for pinwheels.
        let (mut looks_ahead, mut ahead) = (few, few);
        while work < budget && !control.is_cancelled() {
            let mut forest = tiling.forest();
            let mut gluer = Gluer::new(random.next(), 1);
            gluer.offer_all(&forest, &|| control.is_cancelled());
            gluer.run_to(&mut forest, CERTAIN, ahead, &|| control.is_cancelled());
            if best.is_none() && !few && gluer.wheels * TILES_OF_A_WHEEL >= tiling.tiles.len() {
                (looks_ahead, ahead) = (true, true);
                gluer.run_to(&mut forest, CERTAIN, ahead, &|| control.is_cancelled());
            }
            if forest.roots().len() > MANY && tiling.tiles.len() > CROWDED * tiling.moments {
                // By chance a lot meets, so that most of what would follow is wrong.
                forest.keep();
                self.spend(gluer.work);
                return (forest, None);
            }
            if early > 0 {
                early -= 1;
                if let Some(offsets) = self.early(&mut forest, &mut gluer, ahead, &mut random) {
                    return (forest, Some(offsets));
                }
            } else {
                for level in AHEAD {
                    gluer.run_to(&mut forest, level, ahead, &|| control.is_cancelled());
                }
            }
            gluer.run(&mut forest, &LEVELS[2..], &|| control.is_cancelled());
            forest.keep();
            work += gluer.work;
            let (mut fewest, mut tried) = (forest.roots().len(), usize::MAX);
            let mut since = 0;
            while work < budget && since < patience && !control.is_cancelled() {
                let roots = forest.roots().len();
                if roots == 1 {
                    return (forest, Some(vec![0]));
                }
                if roots <= FEW_ROOTS && roots < tried && self.stages.exact {
                    tried = roots;
                    if let Some(offsets) = self.exactly(&forest, NODES, self.options.seed) {
                        return (forest, Some(offsets));
                    }
                }
                let done = 1 + ruin::step(&mut forest, &mut random);
                (work, since) = (work + done, since + done);
                if forest.roots().len() < fewest {
                    (fewest, since) = (forest.roots().len(), 0);
                }
            }
            if few {
                if let Some(offsets) = self.opened(&mut forest) {
                    return (forest, Some(offsets));
                }
            }
            if best.as_ref().is_none_or(|best| forest.roots().len() < best.roots().len()) {
                best = Some(forest);
            }
            if tiling.tiles.len() > MANY_TILES {
                break;
            }
            ahead = looks_ahead && !ahead;
        }
        self.spend(work);
        (best.unwrap_or_else(|| tiling.forest()), None)
    }

    /// Glues with more and more doubt, and tries exact search each time; offsets of the roots if it finds some at the bound.
    fn early(
        &mut self,
        forest: &mut Forest,
        gluer: &mut Gluer,
        ahead: bool,
        random: &mut Random,
    ) -> Option<Vec<u64>> {
        let control = self.control;
        EARLY.iter().find_map(|&level| {
            gluer.run_to(forest, level, ahead, &|| control.is_cancelled());
            self.exactly(forest, EARLY_NODES, random.next())
        })
    }

    /// Takes apart what is most doubtful, then more and more, and tries exact search on what there is then; offsets of the roots
    /// if it finds some at the bound.
    fn opened(&mut self, forest: &mut Forest) -> Option<Vec<u64>> {
        let mut tried = forest.roots().len();
        for doubt in DOUBTS {
            forest.open(doubt);
            let roots = forest.roots().len();
            if roots > MOST_OPENED {
                forest.take_back();
                return None;
            }
            if roots > tried {
                tried = roots;
                let found = self.exactly(forest, NODES, self.options.seed);
                if found.is_some() {
                    return found;
                }
            }
        }
        forest.take_back();
        None
    }

    /// Counts offers as work.
    fn spend(&mut self, offers: u64) {
        let work = offers.saturating_mul(WORK_OF_AN_OFFER);
        self.work = self.work.saturating_add(work);
        self.control.add_work(work);
    }

    /// Offsets of the roots if exact search finds some at the bound at once.
    fn exactly(&mut self, forest: &Forest, nodes: u64, seed: u64) -> Option<Vec<u64>> {
        let problem = problem_of(forest, None);
        let prepared = prepare(&problem);
        let limits = exact::Limits::of(self.options, nodes, self.control);
        let mut found = Vec::new();
        for component in &prepared.components {
            let answer = exact::Probe::new(component, self.bound, seed).run(&limits);
            self.nodes += answer.nodes;
            match answer.outcome {
                exact::Outcome::Solved(positions) => found.push(component.offsets(&positions)),
                _ => return None,
            }
        }
        Some(prepared.offsets(&found))
    }
}

/// What is left, as a problem.
fn problem_of(forest: &Forest, capacity: Option<u64>) -> Problem {
    let roots = || forest.roots().iter().map(|&root| forest.tile(root));
    let lifetimes = roots().map(|tile| Lifetime::new(i64::from(tile.start), i64::from(tile.end)));
    let mut builder = Problem::builder();
    builder.arrays(roots().map(|tile| tile.size).collect(), lifetimes.collect(), None);
    builder.memory(capacity, 0);
    // No more than the buffers, which were a problem.
    builder.build().unwrap_or_default()
}
