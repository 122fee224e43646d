//! Samples to learn from (sections 6.2 to 6.4): at each major backtrack, how good each target was.

use rustc_hash::FxHashMap;

use super::features::{NAMES, Row};
use super::model::Model;
use super::search::{Backtrack, End, Guide, Search};
use super::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::exact::{Limits, Outcome, Probe};
use crate::preprocess::{Component, prepare};
use crate::problem::Problem;
use crate::random::{Random, scramble};

/// Solutions of the oracle that are kept.
const SOLUTIONS: usize = 256;

/// How to collect.
#[derive(Clone, Copy, Debug)]
pub struct Collection {
    /// Steps of the search.
    pub steps: u64,
    /// Backtracks that are recorded for each component.
    pub backtracks: usize,
    /// Nodes of `exact` for each question; one that is not answered counts as unsolvable.
    pub oracle_nodes: u64,
    /// Percent of the backtracks that go where the oracle says, the others where the settings say.
    pub oracle_share: u64,
}

/// Targets of backtracks, one after another.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Features of each target, in the order of [`FEATURES`](super::FEATURES).
    pub rows: Vec<[f32; NAMES.len()]>,
    /// Level of each target.
    pub levels: Vec<u32>,
    /// Targets of each backtrack.
    pub groups: Vec<u32>,
    /// Level of each backtrack.
    pub depths: Vec<u32>,
    /// The minimum target of each backtrack: the deepest point whose placements can be completed.
    pub minimum: Vec<u32>,
    /// The best target of each backtrack: the deepest point that its path shares with that of the solution found.
    /// Where none was found, the first point.
    pub best: Vec<u32>,
    /// Whether one was found.
    pub solved: Vec<bool>,
    /// Questions that the oracle searched for.
    pub questions: u64,
    /// Steps of the search, without those of the oracle.
    pub steps: u64,
    /// Independent parts of the problem.
    pub components: u64,
    /// Those for which positions were found.
    pub found: u64,
}

/// Records the backtracks of a search for each component; none of those that the oracle does not solve.
///
/// The search restarts only where its settings say so, and `options.parameters` are those of the planner. Complexity: the
/// steps, and `log depth` questions for each backtrack.
///
/// # Errors
/// [`Error::InvalidOption`] for parameters that are not known, and for a problem without a capacity.
pub fn collect(
    problem: &Problem,
    options: &Options,
    collection: Collection,
    control: &Control,
) -> Result<Samples, Error> {
    let settings = Settings::read(&options.parameters)?;
    let Some(capacity) = problem.capacity() else {
        return Err(Error::InvalidOption("samples need a problem with a capacity".to_owned()));
    };
    let limits = Limits::of(options, collection.steps, control);
    let prepared = prepare(problem);
    let mut samples = Samples::default();
    for component in &prepared.components {
        let of_oracle = limits.with_nodes(collection.oracle_nodes);
        let mut oracle = Oracle::new(component, capacity, of_oracle, collection, options.seed);
        samples.components += 1;
        let Ok(model) = Model::new(component, capacity) else { continue };
        if !oracle.completes(&[], 0) {
            continue;
        }
        let units = ((capacity - component.unit.origin) / component.unit.bytes).cast_signed();
        let mut search = Search::new(&model, &settings, units, options.seed);
        search.rank_all(units);
        let end = search.guided(&limits, Some(&mut oracle));
        let path = search.path();
        samples.questions += oracle.questions;
        samples.steps += search.counts.steps;
        samples.found += u64::from(end == End::Solved);
        let solution = if end == End::Solved { path.as_slice() } else { &[] };
        oracle.records.iter().for_each(|record| samples.add(record, solution));
    }
    Ok(samples)
}

/// A backtrack that is recorded.
struct Record {
    path: Vec<(u32, u64)>,
    targets: Vec<u32>,
    rows: Vec<Row>,
    minimum: u32,
}

impl Samples {
    fn add(&mut self, record: &Record, solution: &[(u32, u64)]) {
        for (row, &level) in record.rows.iter().zip(&record.targets) {
            let mut features = [0.0; NAMES.len()];
            features.copy_from_slice(&row[..NAMES.len()]);
            self.rows.push(features);
            self.levels.push(level);
        }
        let shared = record.path.iter().zip(solution).take_while(|(a, b)| a == b).count();
        self.groups.push(record.targets.len() as u32);
        self.depths.push(record.path.len() as u32);
        self.solved.push(!solution.is_empty());
        self.minimum.push(record.minimum);
        self.best.push((shared as u32).min(record.minimum));
    }
}

/// Asks `exact` whether placements can be completed.
struct Oracle<'a> {
    component: &'a Component,
    capacity: u64,
    limits: Limits<'a>,
    collection: Collection,
    random: Random,
    seed: u64,
    /// Answers by the set of placements.
    known: FxHashMap<u64, bool>,
    /// Positions of all buffers, the newest solution last.
    solutions: Vec<Vec<u64>>,
    records: Vec<Record>,
    questions: u64,
}

impl<'a> Oracle<'a> {
    fn new(
        component: &'a Component,
        capacity: u64,
        limits: Limits<'a>,
        collection: Collection,
        seed: u64,
    ) -> Self {
        Self {
            component,
            capacity,
            limits,
            collection,
            random: Random::new(seed),
            seed,
            known: FxHashMap::default(),
            solutions: Vec::new(),
            records: Vec::new(),
            questions: 0,
        }
    }

    /// Whether placements, whose key is given, can be completed.
    fn completes(&mut self, placements: &[(u32, u64)], key: u64) -> bool {
        let fits = |solution: &Vec<u64>| {
            placements.iter().all(|&(buffer, at)| solution[buffer as usize] == at)
        };
        if self.solutions.iter().any(fits) {
            return true;
        }
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let mut component = self.component.clone();
        for &(buffer, at) in placements {
            component.domains[buffer as usize].fixed = Some(at);
        }
        self.questions += 1;
        let answer = Probe::new(&component, self.capacity, self.seed).run(&self.limits);
        let found = if let Outcome::Solved(positions) = answer.outcome {
            if self.solutions.len() == SOLUTIONS {
                self.solutions.remove(0);
            }
            self.solutions.push(positions);
            true
        } else {
            false
        };
        self.known.insert(key, found);
        found
    }

    /// The deepest point of a path whose placements can be completed, by bisection.
    fn minimum(&mut self, path: &[(u32, u64)]) -> u32 {
        let mut keys = vec![0_u64];
        for &(buffer, at) in path {
            let last = keys.last().copied().unwrap_or(0);
            keys.push(last.wrapping_add(scramble(u64::from(buffer) ^ scramble(at))));
        }
        let shared = |solution: &Vec<u64>| {
            path.iter().take_while(|&&(buffer, at)| solution[buffer as usize] == at).count()
        };
        let mut low = self.solutions.iter().map(shared).max().unwrap_or(0);
        let fails = |key: &u64| self.known.get(key) == Some(&false);
        let mut high = keys[low + 1..].iter().position(fails).map_or(path.len(), |k| low + k);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.completes(&path[..middle], keys[middle]) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low as u32
    }
}

impl Guide for Oracle<'_> {
    fn choose(&mut self, backtrack: &Backtrack<'_>, _: &Search<'_>) -> Option<usize> {
        let follow = self.random.below(100) < self.collection.oracle_share;
        if self.records.len() >= self.collection.backtracks {
            return Some(backtrack.rule);
        }
        let minimum = self.minimum(&backtrack.path);
        self.records.push(Record {
            path: backtrack.path.clone(),
            targets: backtrack.targets.to_vec(),
            rows: backtrack.rows.to_vec(),
            minimum,
        });
        // The first target at or above the minimum one; the root is never left out.
        let deepest = backtrack.targets.partition_point(|&target| target <= minimum);
        Some(if follow { deepest.saturating_sub(1) } else { backtrack.rule })
    }
}

#[cfg(test)]
mod tests {
    use super::{Collection, Oracle, collect};
    use crate::control::{Control, Options};
    use crate::exact::Limits;
    use crate::preprocess::prepare;
    use crate::problem::Problem;
    use crate::random::Random;
    use crate::telamalloc::model::Model;

    const COLLECTION: Collection =
        Collection { steps: 2_000, backtracks: 20, oracle_nodes: 100_000, oracle_share: 50 };

    fn problem(seed: u64, n: u64) -> Problem {
        let mut random = Random::new(seed);
        let mut builder = Problem::builder();
        for _ in 0..n {
            let start = random.below(n).cast_signed();
            let life = 1 + random.below(n / 2).cast_signed();
            builder.buffer(1 + random.below(4), start, start + life);
        }
        builder.build().expect("valid by construction")
    }

    /// True if the rest fits somewhere, whatever the order.
    fn completes(model: &Model, fixed: &[(u32, u64)], positions: &mut Vec<i64>) -> bool {
        let i = positions.len();
        if i == model.n {
            return true;
        }
        (0..=model.last[i]).any(|at| {
            let wanted = fixed.iter().find(|&&(buffer, _)| buffer as usize == i);
            let apart = |&j: &u32| {
                positions.get(j as usize).is_none_or(|&other| {
                    at >= other + model.heights[j as usize] || other >= at + model.heights[i]
                })
            };
            if wanted.is_some_and(|&(_, position)| position.cast_signed() != at)
                || !model.overlaps(i).iter().all(apart)
            {
                return false;
            }
            positions.push(at);
            let found = completes(model, fixed, positions);
            positions.pop();
            found
        })
    }

    #[test]
    fn the_minimum_target_is_the_deepest_point_that_can_be_completed() {
        let (mut all, mut some) = (0, 0);
        let control = Control::default();
        for seed in 0..300 {
            let mut random = Random::new(seed);
            for component in &prepare(&problem(seed, 6)).components {
                let Ok(model) = Model::new(component, component.bound) else { continue };
                let limits = Limits::of(&Options::default(), 100_000, &control);
                let mut oracle = Oracle::new(component, component.bound, limits, COLLECTION, seed);
                if !oracle.completes(&[], 0) {
                    assert!(!completes(&model, &[], &mut Vec::new()), "seed {seed}");
                    continue;
                }
                // Twice, as the second path meets what the first one left in memory.
                for _ in 0..2 {
                    let mut path: Vec<(u32, u64)> = Vec::new();
                    let mut left: Vec<u32> = (0..model.n as u32).collect();
                    while !left.is_empty() {
                        let buffer = left.swap_remove(random.below(left.len() as u64) as usize);
                        let most = model.last[buffer as usize].unsigned_abs();
                        path.push((buffer, random.below(2 * most + 1).saturating_sub(most)));
                    }
                    let deepest = (0..=path.len())
                        .rev()
                        .find(|&k| completes(&model, &path[..k], &mut Vec::new()));
                    assert_eq!(Some(oracle.minimum(&path) as usize), deepest, "seed {seed}");
                    all += 1;
                    some += u32::from(deepest > Some(0));
                }
            }
        }
        assert!(all > 300 && some > 100, "{all} {some}");
    }

    #[test]
    fn samples_agree_with_each_other_and_repeat() {
        let mut backtracks = 0;
        for seed in 0..60 {
            let free = problem(seed, 40);
            let mut builder = Problem::builder();
            builder.arrays(free.sizes().to_vec(), free.lifetimes().to_vec(), None);
            builder.memory(Some(crate::load(&free)), 0);
            let tight = builder.build().expect("valid by construction");
            let options = Options { seed, ..Options::default() };
            let found = collect(&tight, &options, COLLECTION, &Control::default()).expect("works");
            let again = collect(&tight, &options, COLLECTION, &Control::default()).expect("works");
            assert_eq!((&found.rows, &found.minimum), (&again.rows, &again.minimum));
            assert_eq!(found.groups.iter().sum::<u32>() as usize, found.rows.len());
            assert_eq!(found.levels.len(), found.rows.len());
            let mut rows = found.rows.iter().zip(&found.levels);
            for (k, &targets) in found.groups.iter().enumerate() {
                let depth = found.depths[k];
                assert!(found.best[k] <= found.minimum[k] && found.minimum[k] <= depth);
                for rank in 0..targets {
                    let (row, &level) = rows.next().expect("as many as in the groups");
                    assert!(level < depth && row.iter().all(|value| *value >= 0.0), "{row:?}");
                    assert_eq!((row[3], row[15]), (level as f32, level as f32 / depth as f32));
                    assert_eq!(row[16], rank as f32 / targets as f32);
                }
            }
            backtracks += found.groups.len();
        }
        assert!(backtracks > 40, "{backtracks}");
        let refused = collect(&problem(1, 4), &Options::default(), COLLECTION, &Control::default());
        assert!(refused.is_err_and(|error| error.to_string().contains("capacity")));
    }
}
