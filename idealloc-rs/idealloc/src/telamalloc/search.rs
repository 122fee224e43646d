//! The search tree (sections 4 and 5): place a candidate, propagate, go back.

use super::blame::Blame;
use super::bounds::{Bounds, Conflict};
use super::candidates::Candidates;
use super::conflict::Reasons;
use super::features::{Failure, Features, Row};
use super::model::Model;
use super::phases::phases;
use super::point::Point;
use super::settings::{Order, Settings, Target};
use super::targets::{median, targets};
use super::trees::Trees;
use crate::exact::Limits;
use crate::luby::luby;
use crate::random::Random;

/// Steps between two looks at whether to stop.
const POLL: u64 = 64;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything is placed.
    Solved,
    /// It is proved, before any decision, that nothing fits.
    Infeasible,
    /// Every candidate of every point has failed, which proves nothing.
    Exhausted,
    /// The steps were used up.
    OutOfSteps,
    /// The caller asked to stop, or the deadline passed.
    Stopped,
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Placements tried.
    pub steps: u64,
    /// Placements that failed at once.
    pub minor_backtracks: u64,
    /// Points at which every candidate failed.
    pub major_backtracks: u64,
    /// Times that the search started over.
    pub restarts: u64,
    /// Targets that were scored by trees.
    pub scored: u64,
}

impl Counts {
    /// Adds another search.
    pub const fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.minor_backtracks += other.minor_backtracks;
        self.major_backtracks += other.major_backtracks;
        self.restarts += other.restarts;
        self.scored += other.scored;
    }
}

/// A point at which every candidate failed, as a guide sees it.
pub struct Backtrack<'a> {
    /// The decisions that led to it: buffers and their positions.
    pub path: Vec<(u32, u64)>,
    /// Levels to which the search may go back, ascending; never empty.
    pub targets: &'a [u32],
    /// Features of each target.
    pub rows: &'a [Row],
    /// Which target the settings choose.
    pub rule: usize,
}

/// Who chooses targets instead of the settings.
pub trait Guide {
    /// Which of the targets to go back to, or `None` to start over; `search` stands where every candidate has failed.
    fn choose(&mut self, backtrack: &Backtrack<'_>, search: &Search<'_>) -> Option<usize>;
}

/// What a major backtrack does.
enum Way {
    /// Back to this level.
    Level(u32),
    /// To the root, with other keys.
    Anew,
}

/// What ranks targets, with memory that is used again.
#[derive(Clone)]
struct Ranking {
    features: Features,
    rows: Vec<Row>,
    scores: Vec<f32>,
}

/// One search for positions below a capacity.
#[derive(Clone)]
pub struct Search<'a> {
    model: &'a Model,
    settings: &'a Settings,
    bounds: Bounds<'a>,
    candidates: Candidates,
    random: Random,
    /// The points on the path; those from `path.len() + 1` on are spare.
    points: Vec<Point>,
    /// Buffers placed, one per level.
    path: Vec<u32>,
    /// Buffers to place.
    movable: usize,
    /// A placement that failed and is not undone yet.
    failed: Option<(u32, Conflict)>,
    reasons: Reasons,
    /// Levels of the decisions in the conflict looked at last.
    conflict: Vec<u32>,
    /// What contradicted itself last.
    cause: Option<Conflict>,
    targets: Vec<u32>,
    /// Where targets are ranked.
    ranking: Option<Ranking>,
    /// Major backtracks until the next restart.
    until_restart: u64,
    /// Buffers that restarts place earlier.
    blame: Blame,
    /// Contention phase of each buffer.
    phase_of: Vec<u32>,
    /// What was done so far.
    pub counts: Counts,
}

impl<'a> Search<'a> {
    /// A search that has not begun; `capacity` in units.
    #[must_use]
    pub fn new(model: &'a Model, settings: &'a Settings, capacity: i64, seed: u64) -> Self {
        let phase_of = phases(model, capacity, settings.phase_step);
        let ranking = (settings.target == Target::Model).then(|| Ranking {
            features: Features::new(model, capacity, &phase_of),
            rows: Vec::new(),
            scores: Vec::new(),
        });
        let candidates = Candidates::new(model, &phase_of, settings.order(0), None, &[]);
        Self {
            model,
            settings,
            bounds: Bounds::new(model, settings.section_check),
            candidates,
            random: Random::new(seed),
            points: Vec::new(),
            path: Vec::new(),
            movable: model.domains.iter().filter(|domain| domain.fixed.is_none()).count(),
            failed: None,
            reasons: Reasons::default(),
            conflict: Vec::new(),
            cause: None,
            targets: Vec::new(),
            ranking,
            until_restart: u64::MAX,
            blame: Blame::new(model.n),
            phase_of,
            counts: Counts::default(),
        }
    }

    /// Computes the features of targets whatever the settings; for a guide.
    pub fn rank_all(&mut self, capacity: i64) {
        self.ranking.get_or_insert_with(|| Ranking {
            features: Features::new(self.model, capacity, &self.phase_of),
            rows: Vec::new(),
            scores: Vec::new(),
        });
    }

    /// The decisions of the path: buffers and their positions.
    #[must_use]
    pub fn path(&self) -> Vec<(u32, u64)> {
        let at = |&b: &u32| (b, self.bounds.low(b as usize).unsigned_abs());
        self.path.iter().map(at).collect()
    }

    /// Positions of all buffers; once solved, a plan.
    #[must_use]
    pub fn positions(&self) -> Vec<u64> {
        (0..self.model.n).map(|i| self.bounds.low(i).unsigned_abs()).collect()
    }

    /// Runs until it is solved or ends otherwise.
    pub fn run(&mut self, limits: &Limits<'_>) -> End {
        self.guided(limits, None)
    }

    /// The same with targets chosen by `guide`.
    pub fn guided(&mut self, limits: &Limits<'_>, guide: Option<&mut dyn Guide>) -> End {
        if self.bounds.propagate_all().is_err() {
            return End::Infeasible;
        }
        self.begin();
        self.go(limits, guide)
    }

    /// Goes on where every candidate has failed: at one of the targets, or from the root again.
    pub fn resume(&mut self, target: Option<u32>, limits: &Limits<'_>) -> End {
        match target {
            Some(target) => {
                let target = self.stuck(target);
                self.return_to(target as usize);
            }
            None if !self.start_over() => return End::Exhausted,
            None => {}
        }
        self.go(limits, None)
    }

    fn go(&mut self, limits: &Limits<'_>, mut guide: Option<&mut dyn Guide>) -> End {
        while self.path.len() < self.movable {
            let most = self.most_candidates();
            let order = self.order();
            let point = &mut self.points[self.path.len()];
            let Some(buffer) = point.next((&self.candidates, &self.bounds), order, most) else {
                if !self.go_back(&mut guide) && !self.start_over() {
                    return End::Exhausted;
                }
                continue;
            };
            self.undo_failed();
            if self.counts.steps >= limits.nodes {
                return End::OutOfSteps;
            }
            self.counts.steps += 1;
            if self.counts.steps.is_multiple_of(POLL) {
                limits.control.add_work(POLL);
                if limits.stopped() {
                    return End::Stopped;
                }
            }
            match self.bounds.place(buffer as usize, self.path.len() as u32) {
                Ok(()) => self.go_on(buffer),
                Err(conflict) => {
                    self.failed = Some((buffer, conflict));
                    self.counts.minor_backtracks += 1;
                }
            }
        }
        End::Solved
    }

    fn most_candidates(&self) -> usize {
        self.settings.candidates(self.counts.restarts)
    }

    fn order(&self) -> Order {
        self.settings.order(self.counts.restarts)
    }

    /// The first point, with nothing placed but what is fixed.
    fn begin(&mut self) {
        for (i, domain) in self.model.domains.iter().enumerate() {
            if domain.fixed.is_some() {
                self.candidates.take(i);
            }
        }
        let base = if self.settings.noise == 0 { 0 } else { self.settings.restart };
        self.until_restart = match base.saturating_mul(luby(self.counts.restarts + 1)) {
            0 => u64::MAX,
            backtracks => backtracks,
        };
        self.open(0);
    }

    fn open(&mut self, home: usize) {
        let depth = self.path.len();
        if self.points.len() == depth {
            self.points.push(Point::default());
        }
        let limit = if self.settings.stuck == 0 { u32::MAX } else { self.settings.stuck };
        let run = match depth.checked_sub(1).map(|before| &self.points[before]) {
            Some(before) => before.run(home) + 1,
            None => 0,
        };
        self.points[depth].open((home, run), self.bounds.trail().len(), limit);
    }

    /// Goes one level deeper.
    fn go_on(&mut self, buffer: u32) {
        self.candidates.take(buffer as usize);
        self.path.push(buffer);
        self.open(self.candidates.phase_of[buffer as usize] as usize);
    }

    /// The minor backtrack (section 5.4).
    fn undo_failed(&mut self) {
        if let Some((buffer, _)) = self.failed.take() {
            self.bounds.undo(self.points[self.path.len()].trail, buffer as usize);
        }
    }

    /// Looks at the placement that failed last, before it is undone.
    fn explain(&mut self) {
        if let Some((_, conflict)) = self.failed {
            let levels = self.reasons.of(self.model, &self.bounds, conflict);
            self.conflict.clear();
            self.conflict.extend_from_slice(levels);
        }
        self.cause = self.failed.map(|(_, conflict)| conflict);
    }

    /// The major backtrack (section 5.4); false if there is nowhere to go.
    fn go_back(&mut self, guide: &mut Option<&mut dyn Guide>) -> bool {
        self.counts.major_backtracks += 1;
        let depth = self.path.len() as u32;
        self.explain();
        // Without a failed candidate, what led here is the reason still, but for the decision that was undone.
        self.conflict.retain(|&level| level < depth);
        self.undo_failed();
        if let Some(cause) = self.cause {
            let placed = |buffer: u32| self.bounds.is_placed(buffer as usize);
            self.blame.count(self.model, cause, placed);
        }
        self.until_restart -= 1;
        if self.until_restart == 0 && self.start_over() {
            return true;
        }
        if let Some(ranking) = &mut self.ranking {
            ranking.features.blame(&self.path, &self.conflict);
        }
        match self.choose(guide) {
            Some(Way::Level(target)) => {
                let target = self.stuck(target);
                self.return_to(target as usize);
                true
            }
            Some(Way::Anew) => self.start_over(),
            None => false,
        }
    }

    /// Where to go; `None` if there is nothing to go back to.
    fn choose(&mut self, guide: &mut Option<&mut dyn Guide>) -> Option<Way> {
        let depth = self.path.len() as u32;
        let paper = self.conflict.last().copied().or(depth.checked_sub(1));
        let simple = match self.settings.target {
            Target::Last => depth.checked_sub(1),
            Target::Paper => paper,
            Target::Median | Target::Model => None,
        };
        if guide.is_none() && simple.is_some() {
            return simple.map(Way::Level);
        }
        targets(&self.conflict, depth, &mut self.targets);
        let middle = median(&self.targets)?;
        self.rank();
        let Some(ranking) = &self.ranking else { return Some(Way::Level(middle)) };
        let level = match self.settings.target {
            Target::Last | Target::Paper => simple?,
            Target::Median => middle,
            Target::Model => best(&self.targets, &ranking.scores).unwrap_or(middle),
        };
        let Some(guide) = guide else { return Some(Way::Level(level)) };
        let path = self.path();
        let rule = self.targets.partition_point(|&target| target < level);
        let rule = rule.min(self.targets.len() - 1);
        let backtrack = Backtrack { path, targets: &self.targets, rows: &ranking.rows, rule };
        match guide.choose(&backtrack, self) {
            Some(chosen) => self.targets.get(chosen).copied().map(Way::Level),
            None => Some(Way::Anew),
        }
    }

    /// Computes the features and the scores of the targets.
    fn rank(&mut self) {
        let most = self.most_candidates();
        let Some(ranking) = &mut self.ranking else { return };
        let failure = Failure {
            path: &self.path,
            points: &self.points,
            conflict: &self.conflict,
            cause: self.cause,
            most,
            total: self.counts.major_backtracks,
        };
        ranking.features.rows(
            (self.model, &self.bounds),
            &self.phase_of,
            &failure,
            &self.targets,
            &mut ranking.rows,
        );
        if self.settings.target == Target::Model {
            let trees = self.settings.table.as_deref().unwrap_or_else(|| Trees::built_in());
            trees.score(&ranking.rows, &mut ranking.scores);
            self.counts.scored += ranking.rows.len() as u64;
        }
    }

    /// Counts the backtrack; where a point has seen too many, the deepest such point is the target instead.
    fn stuck(&mut self, target: u32) -> u32 {
        let on_path = &mut self.points[..=target as usize];
        on_path.iter_mut().for_each(|point| point.subtree += 1);
        let Some(deepest) = on_path.iter().rposition(|point| point.subtree > point.limit) else {
            return target;
        };
        on_path[..=deepest].iter_mut().for_each(|point| point.subtree = 0);
        on_path[deepest].limit = on_path[deepest].limit.saturating_mul(2);
        deepest as u32
    }

    /// Undoes the decisions from `target` on, and goes on there with the candidates that failed.
    fn return_to(&mut self, target: usize) {
        let (failed, most) = (self.path.len(), self.most_candidates());
        while self.path.len() > target {
            let Some(buffer) = self.path.pop() else { break };
            self.candidates.put_back(buffer as usize);
            self.bounds.undo(self.points[self.path.len()].trail, buffer as usize);
        }
        let (before, after) = self.points.split_at_mut(failed);
        let moved = if self.settings.moved { after[0].tried.as_slice() } else { &[] };
        before[target].return_with(moved, most);
        before[target].arrivals += 1;
    }

    /// Starts over with other keys; false if that is not asked for.
    fn start_over(&mut self) -> bool {
        if self.settings.noise == 0 {
            return false;
        }
        while let Some(buffer) = self.path.pop() {
            self.bounds.undo(self.points[self.path.len()].trail, buffer as usize);
        }
        self.counts.restarts += 1;
        let factors = self.blame.factors(self.settings.blame);
        let order = self.order();
        let noise = Some((&mut self.random, self.settings.noise));
        self.candidates = Candidates::new(self.model, &self.phase_of, order, noise, &factors);
        self.begin();
        true
    }
}

/// The target of the highest score, of equal ones the deepest; `None` if the scores do not tell them apart.
fn best(targets: &[u32], scores: &[f32]) -> Option<u32> {
    let mut pairs = targets.iter().copied().zip(scores.iter().copied());
    let first = pairs.next()?;
    let (mut best, mut differ) = (first, false);
    for pair in pairs {
        differ |= pair.1 != first.1;
        if pair.1 >= best.1 {
            best = pair;
        }
    }
    differ.then_some(best.0)
}
