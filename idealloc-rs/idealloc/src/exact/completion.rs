//! The one-machine bound of every section.

use super::model::Model;
use super::state::State;
use crate::random::scramble;

/// When each section can be complete at the earliest: its unplaced buffers as jobs of one machine, released at their
/// lowest positions, in order of release (Jackson 1955: that order ends first). At least the floor and the total.
#[derive(Debug, Default)]
pub struct Jobs {
    /// Earliest end of each section; 0 where everything is placed.
    pub ends: Vec<i32>,
    /// Unplaced buffers in order of release, ties by buffer.
    order: Vec<Release>,
}

/// Computes [`Jobs`].
///
/// Positions and heights are rounded down to multiples of `2^shift`, so that sums fit 31 bits and several sections go
/// through one vector instruction: a bound still, and the exact one up to 2^30 units.
#[derive(Debug)]
pub struct Completion {
    shift: u32,
    heights: Vec<i32>,
    room: Vec<i32>,
    /// Jobs that are released later than before.
    later: Vec<Release>,
}

/// What became of jobs when their state changed.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// First section whose end may differ.
    pub low: usize,
    /// One past the last.
    pub high: usize,
    /// What to add to a sum of [`mark`] over the jobs, wrapping.
    pub marks: u64,
}

/// A buffer in the low half, its lowest position in the high half.
type Release = u64;

fn release(position: i32, b: usize) -> Release {
    u64::from(position.unsigned_abs()) << 32 | b as u64
}

fn buffer(release: Release) -> usize {
    (release & u64::from(u32::MAX)) as usize
}

fn position(release: Release) -> i32 {
    (release >> 32) as i32
}

/// A random number for a job: sums of them tell sets of jobs apart (Zobrist 1970).
fn mark(release: Release) -> u64 {
    scramble(release)
}

/// Bits of the largest room that sums are exact for.
const BITS: u32 = 30;

impl Completion {
    pub fn new(model: &Model) -> Self {
        let most = model.room.iter().copied().max().unwrap_or(0);
        let shift = (u64::BITS - most.leading_zeros()).saturating_sub(BITS);
        let scaled = |values: &[u64]| values.iter().map(|&v| (v >> shift) as i32).collect();
        Self {
            shift,
            heights: scaled(&model.heights),
            room: scaled(&model.room),
            later: Vec::new(),
        }
    }

    /// The jobs of a state; `None` if a section cannot hold what it must.
    ///
    /// Complexity: `O(n log n)`, and one step per unplaced buffer and section.
    pub fn of(&self, model: &Model, state: &State) -> Option<Jobs> {
        let release = |b| release((state.lowest[b] >> self.shift) as i32, b);
        let mut order: Vec<Release> = state.unplaced_buffers().map(release).collect();
        order.sort_unstable();
        let mut jobs = Jobs { ends: vec![0; model.sections], order };
        self.run(model, &mut jobs, 0, model.sections).then_some(jobs)
    }

    /// The jobs of a state, from those that it had before some buffers were placed or lifted; `None` if a section
    /// cannot hold what it must.
    ///
    /// Complexity: `O(n + k log k)` for `k` lifted buffers, and one step per unplaced buffer and section that one of
    /// them meets.
    pub fn update(
        &mut self,
        model: &Model,
        before: &Jobs,
        state: &State,
        after: &mut Jobs,
    ) -> Option<Change> {
        self.later.clear();
        after.order.clear();
        let (mut low, mut high, mut marks) = (model.sections, 0, 0_u64);
        for &job in &before.order {
            let b = buffer(job);
            let now = (state.lowest[b] >> self.shift) as i32;
            let open = state.is_unplaced(b);
            if open && now == position(job) {
                after.order.push(job);
                continue;
            }
            marks = marks.wrapping_sub(mark(job));
            if open {
                let job = release(now, b);
                marks = marks.wrapping_add(mark(job));
                self.later.push(job);
            }
            low = low.min(model.hull[b].first as usize);
            high = high.max(model.hull[b].last as usize + 1);
        }
        self.later.sort_unstable();
        // Merged from behind, in place.
        let order = &mut after.order;
        let (mut i, mut j) = (order.len(), self.later.len());
        order.extend_from_slice(&self.later);
        while j > 0 {
            if i > 0 && order[i - 1] > self.later[j - 1] {
                order[i + j - 1] = order[i - 1];
                i -= 1;
            } else {
                order[i + j - 1] = self.later[j - 1];
                j -= 1;
            }
        }
        low = low.min(high);
        after.ends.clone_from(&before.ends);
        after.ends[low..high].fill(0);
        self.run(model, after, low, high).then_some(Change { low, high, marks })
    }

    /// Completes sections `low .. high`, whose ends are 0; false if one cannot hold what it must.
    fn run(&self, model: &Model, jobs: &mut Jobs, low: usize, high: usize) -> bool {
        for &job in &jobs.order {
            let (release, b) = (position(job), buffer(job));
            let height = self.heights[b];
            for run in &model.runs[b] {
                let (from, to) = (low.max(run.first as usize), high.min(run.last as usize + 1));
                if from < to {
                    for end in &mut jobs.ends[from..to] {
                        *end = release.max(*end) + height;
                    }
                }
            }
        }
        jobs.ends[low..high].iter().zip(&self.room[low..high]).all(|(end, room)| end <= room)
    }
}
