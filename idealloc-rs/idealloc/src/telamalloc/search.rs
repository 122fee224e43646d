//! The search tree (sections 4 and 5): place a candidate, propagate, go back.

use super::bounds::{Bounds, Conflict};
use super::candidates::Candidates;
use super::conflict::Reasons;
use super::features::{Failure, Features, Row};
use super::model::Model;
use super::phases::phases;
use super::point::Point;
use super::settings::{Settings, Target};
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
}

impl Counts {
    /// Adds another search.
    pub const fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.minor_backtracks += other.minor_backtracks;
        self.major_backtracks += other.major_backtracks;
        self.restarts += other.restarts;
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
    /// Which of the targets to go back to.
    fn choose(&mut self, backtrack: &Backtrack<'_>) -> usize;
}

/// What ranks targets, with memory that is used again.
struct Ranking {
    features: Features,
    rows: Vec<Row>,
    scores: Vec<f32>,
}

/// One search for positions below a capacity.
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
    guide: Option<&'a mut dyn Guide>,
    /// Major backtracks until the next restart.
    until_restart: u64,
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
        let candidates = Candidates::new(model, &phase_of, None);
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
            guide: None,
            until_restart: u64::MAX,
            counts: Counts::default(),
        }
    }

    /// The same search with targets chosen by `guide`.
    #[must_use]
    pub fn guided(mut self, guide: &'a mut dyn Guide, capacity: i64) -> Self {
        let phase_of = &self.candidates.phase_of;
        self.ranking.get_or_insert_with(|| Ranking {
            features: Features::new(self.model, capacity, phase_of),
            rows: Vec::new(),
            scores: Vec::new(),
        });
        self.guide = Some(guide);
        self
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
        if self.bounds.propagate_all().is_err() {
            return End::Infeasible;
        }
        self.begin();
        while self.path.len() < self.movable {
            let most = self.most_candidates();
            let Some(buffer) = self.points[self.path.len()].next(&self.candidates, most) else {
                if !self.go_back() && !self.start_over() {
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
        let all = &self.settings.candidates;
        all.get(self.counts.restarts as usize % all.len().max(1)).copied().unwrap_or(1)
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

    /// The major backtrack (section 5.4); false if there is nowhere to go.
    fn go_back(&mut self) -> bool {
        self.counts.major_backtracks += 1;
        let depth = self.path.len() as u32;
        if let Some((_, conflict)) = self.failed {
            let levels = self.reasons.of(self.model, &self.bounds, conflict);
            self.conflict.clear();
            self.conflict.extend_from_slice(levels);
        }
        self.cause = self.failed.map(|(_, conflict)| conflict);
        // Without a failed candidate, what led here is the reason still, but for the decision that was undone.
        self.conflict.retain(|&level| level < depth);
        self.undo_failed();
        self.until_restart -= 1;
        if self.until_restart == 0 && self.start_over() {
            return true;
        }
        if let Some(ranking) = &mut self.ranking {
            ranking.features.blame(&self.path, &self.conflict);
        }
        let Some(target) = self.choose() else { return false };
        let target = self.stuck(target);
        self.return_to(target as usize);
        true
    }

    /// The level to go back to.
    fn choose(&mut self) -> Option<u32> {
        let depth = self.path.len() as u32;
        let paper = self.conflict.last().copied().or(depth.checked_sub(1));
        if self.settings.target == Target::Paper && self.guide.is_none() {
            return paper;
        }
        targets(&self.conflict, depth, &mut self.targets);
        let middle = median(&self.targets)?;
        if self.ranking.is_none() {
            return Some(middle);
        }
        self.rank();
        let Some(ranking) = &self.ranking else { return Some(middle) };
        let level = match self.settings.target {
            Target::Paper => paper?,
            Target::Median => middle,
            Target::Model => best(&self.targets, &ranking.scores).unwrap_or(middle),
        };
        let path = self.path();
        let Some(guide) = &mut self.guide else { return Some(level) };
        let rule = self.targets.partition_point(|&target| target < level);
        let rule = rule.min(self.targets.len() - 1);
        let backtrack = Backtrack { path, targets: &self.targets, rows: &ranking.rows, rule };
        self.targets.get(guide.choose(&backtrack)).copied()
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
            &self.candidates.phase_of,
            &failure,
            &self.targets,
            &mut ranking.rows,
        );
        if self.settings.target == Target::Model {
            let trees = self.settings.table.as_deref().unwrap_or_else(|| Trees::built_in());
            trees.score(&ranking.rows, &mut ranking.scores);
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
        let phase_of = std::mem::take(&mut self.candidates.phase_of);
        let noise = Some((&mut self.random, self.settings.noise));
        self.candidates = Candidates::new(self.model, &phase_of, noise);
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
