//! What is known of a candidate target (section 6.4), for a model that ranks them.

use super::bounds::{Bounds, Cause, Conflict, Entry};
use super::model::Model;
use super::point::Point;

/// Names of the features; the first nine are the paper's.
pub const NAMES: [&str; 18] = [
    "size",        // of the block placed at the target, over the capacity
    "lifetime",    // of it, over all sections
    "contention",  // of it, over the capacity
    "level",       // at which it was placed
    "reasons",     // how often it was in the reason of a major backtrack
    "to",          // major backtracks to this point since it was opened
    "subtree",     // major backtracks in its subtree
    "same-region", // whether its phase is that of the candidate that failed last
    "total",       // major backtracks so far
    "slack",       // how far it could have been moved up when it was placed, over the capacity
    "effect",      // bounds that changed because of it, for each buffer
    "conflict",    // decisions in the conflict, for each decision on the path
    "in-conflict", // whether it is one of these
    "meets",       // whether it is alive with what failed
    "tried",       // candidates tried at the target, over the most that are tried
    "depth",       // level over the level that failed
    "rank",        // how many of the targets are less deep, over the targets
    "phase", // how many of its phase were placed right before it, over the buffers of the phase
];

/// Number of features, with room to spare for a fast evaluation.
pub const WIDTH: usize = 32;

/// One value for each of [`NAMES`]; the rest is 0.
pub type Row = [f32; WIDTH];

/// A point at which every candidate failed.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    /// The path, one buffer per level.
    pub path: &'a [u32],
    /// The points on the path, with the one that failed.
    pub points: &'a [Point],
    /// Levels of the decisions in the conflict.
    pub conflict: &'a [u32],
    /// What contradicted itself last, if anything did.
    pub cause: Option<Conflict>,
    /// Most candidates of a point.
    pub most: usize,
    /// Major backtracks so far.
    pub total: u64,
}

/// Features of buffers that do not change in a search, and how often each one was blamed.
#[derive(Clone, Debug)]
pub struct Features {
    size: Vec<f32>,
    lifetime: Vec<f32>,
    contention: Vec<f32>,
    reasons: Vec<u32>,
    in_phase: Vec<u32>,
    capacity: f32,
}

impl Features {
    /// Features of the buffers of a model; `capacity` in units. Complexity: the sections of all buffers.
    #[must_use]
    pub fn new(model: &Model, capacity: i64, phase_of: &[u32]) -> Self {
        let capacity = capacity.max(1) as f32;
        let highest = |i: usize| {
            let sections = model.runs[i].iter().flat_map(|run| run.range());
            sections.map(|s| model.contention[s]).max().unwrap_or(0)
        };
        let mut in_phase = vec![0; phase_of.iter().max().map_or(0, |&last| last as usize + 1)];
        phase_of.iter().for_each(|&phase| in_phase[phase as usize] += 1);
        Self {
            size: model.heights.iter().map(|&height| height as f32 / capacity).collect(),
            lifetime: (model.lifetimes.iter())
                .map(|&life| life as f32 / model.sections.max(1) as f32)
                .collect(),
            contention: (0..model.n).map(|i| highest(i) as f32 / capacity).collect(),
            reasons: vec![0; model.n],
            in_phase,
            capacity,
        }
    }

    /// Blames the decisions of a conflict.
    pub fn blame(&mut self, path: &[u32], conflict: &[u32]) {
        for &level in conflict {
            if let Some(&buffer) = path.get(level as usize) {
                self.reasons[buffer as usize] += 1;
            }
        }
    }

    /// Fills one row for each target.
    ///
    /// Complexity: the targets, and the conflict.
    pub fn rows(
        &self,
        (model, bounds): (&Model, &Bounds<'_>),
        phase_of: &[u32],
        failure: &Failure<'_>,
        targets: &[u32],
        rows: &mut Vec<Row>,
    ) {
        let depth = failure.path.len().max(1) as f32;
        let left = &failure.points[failure.path.len()];
        let region = left.tried.last().map(|&buffer| phase_of[buffer as usize]);
        rows.clear();
        for (rank, &level) in targets.iter().enumerate() {
            let (point, next) =
                (&failure.points[level as usize], &failure.points[level as usize + 1]);
            let buffer = failure.path[level as usize] as usize;
            let decision = bounds.trail()[point.trail];
            let phase = phase_of[buffer];
            let mut row = [0.0; WIDTH];
            let values = [
                self.size[buffer],
                self.lifetime[buffer],
                self.contention[buffer],
                level as f32,
                self.reasons[buffer] as f32,
                point.arrivals as f32,
                point.subtree as f32,
                f32::from(region == Some(phase)),
                failure.total as f32,
                freedom(bounds, &decision) as f32 / self.capacity,
                (next.trail - point.trail) as f32 / model.n as f32,
                failure.conflict.len() as f32 / depth,
                f32::from(failure.conflict.binary_search(&level).is_ok()),
                f32::from(failure.cause.is_some_and(|cause| meets(model, buffer, cause))),
                point.tried.len() as f32 / failure.most.max(1) as f32,
                level as f32 / depth,
                rank as f32 / targets.len() as f32,
                point.run(phase as usize) as f32 / self.in_phase[phase as usize].max(1) as f32,
            ];
            row[..NAMES.len()].copy_from_slice(&values);
            rows.push(row);
        }
    }
}

/// By how much a decision lowered the upper bound of its buffer.
fn freedom(bounds: &Bounds<'_>, decision: &Entry) -> i64 {
    debug_assert!(matches!(decision.cause, Cause::Decision(_)), "a point begins with its decision");
    let variable = decision.variable as usize;
    bounds.value(variable, decision.before) - decision.value
}

/// Whether a buffer is alive with what contradicted itself.
fn meets(model: &Model, buffer: usize, cause: Conflict) -> bool {
    match cause {
        Conflict::Empty(other) => {
            other as usize == buffer || model.overlaps(buffer).binary_search(&other).is_ok()
        }
        Conflict::Section { section, .. } => {
            model.runs[buffer].iter().any(|run| (run.first..=run.last).contains(&section))
        }
    }
}
