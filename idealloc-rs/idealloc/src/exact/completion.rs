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
    /// The runs of all buffers, by buffer, not released yet.
    of_buffers: Vec<Task>,
    /// Where the runs of each buffer begin, and where the last ones end.
    begins: Vec<u32>,
    room: Vec<i32>,
    /// Jobs that are released later than before.
    later: Vec<Release>,
    /// Jobs that meet the sections at hand.
    tasks: Vec<Task>,
    /// The vector instructions of this machine.
    simd: pulp::Arch,
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
        let (mut of_buffers, mut begins) = (Vec::new(), vec![0]);
        for (runs, height) in model.runs.iter().zip(&model.heights) {
            let height = (height >> shift) as i32;
            of_buffers.extend(runs.iter().map(|run| {
                let (first, last) = (run.first as i32, run.last as i32);
                Task { release: 0, height, first, last }
            }));
            begins.push(of_buffers.len() as u32);
        }
        Self {
            shift,
            of_buffers,
            begins,
            room: model.room.iter().map(|&room| (room >> shift) as i32).collect(),
            later: Vec::new(),
            tasks: Vec::new(),
            simd: pulp::Arch::new(),
        }
    }

    /// The jobs of a state; `None` if a section cannot hold what it must.
    ///
    /// Complexity: `O(n log n)`, and one step per unplaced buffer and section.
    pub fn of(&mut self, model: &Model, state: &State) -> Option<Jobs> {
        let release = |b| release((state.lowest[b] >> self.shift) as i32, b);
        let mut order: Vec<Release> = state.unplaced_buffers().map(release).collect();
        order.sort_unstable();
        let mut jobs = Jobs { ends: vec![0; model.sections], order };
        self.run(&mut jobs, 0, model.sections).then_some(jobs)
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
        self.run(after, low, high).then_some(Change { low, high, marks })
    }

    /// Completes sections `low .. high`; false if one cannot hold what it must.
    fn run(&mut self, jobs: &mut Jobs, low: usize, high: usize) -> bool {
        let mut from = low;
        for ends in jobs.ends[low..high].chunks_mut(BLOCKS * LANES) {
            let sections = from..from + ends.len();
            self.tasks.clear();
            for &job in &jobs.order {
                let (release, b) = (position(job), buffer(job));
                let runs = self.begins[b] as usize..self.begins[b + 1] as usize;
                for &run in &self.of_buffers[runs] {
                    if run.first < sections.end as i32 && run.last >= from as i32 {
                        self.tasks.push(Task { release, ..run });
                    }
                }
            }
            self.simd.dispatch(Complete { tasks: &self.tasks, from: from as i32, ends });
            if ends.iter().zip(&self.room[sections]).any(|(end, room)| end > room) {
                return false;
            }
            from += ends.len();
        }
        true
    }
}

/// A job in a run of sections.
#[derive(Clone, Copy, Debug)]
struct Task {
    release: i32,
    height: i32,
    first: i32,
    last: i32,
}

/// Sections that are completed at once, as a block: two registers of 256 bits.
const LANES: usize = 16;

/// Blocks that share a list of tasks. Most tasks meet most of so few blocks; where they do not, the list is shorter than
/// that of all the jobs.
const BLOCKS: usize = 16;

/// Computes the ends of the sections from `from` on. Every task is given to every section of a block, as one of no
/// height at 0 outside its run: faster than to find the sections of each, as most runs are short.
struct Complete<'a> {
    tasks: &'a [Task],
    from: i32,
    ends: &'a mut [i32],
}

impl pulp::WithSimd for Complete<'_> {
    type Output = ();

    // Only what is inlined is compiled for the instructions that were found.
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { tasks, from, ends } = self;
        for (block, ends) in ends.chunks_mut(LANES).enumerate() {
            let mut sections = [0; LANES];
            for (lane, section) in sections.iter_mut().enumerate() {
                *section = from + (block * LANES + lane) as i32;
            }
            let mut end = [0; LANES];
            for task in tasks {
                for lane in 0..LANES {
                    // All ones inside the run.
                    let inside = -i32::from(task.first <= sections[lane])
                        & -i32::from(sections[lane] <= task.last);
                    end[lane] = end[lane].max(task.release & inside) + (task.height & inside);
                }
            }
            ends.copy_from_slice(&end[..ends.len()]);
        }
    }
}
