//! Groups of least peak: what is between groups stays on chip as a whole.
//!
//! Three programmes over the layers, each of which looks only at groups that may be part of a better path: the least peak
//! with a few grids, the least peak with all, step by step, and of all paths with that peak the one of least work, then of
//! fewest tiles.
//! If its code is too long, a fourth one finds the least code instead of the fewest tiles, with more and more room.

use super::graph::SplitGraph;
use super::group::Group;
use super::layers::Layers;
use super::likeness::Likeness;
use super::machine::{Length, Machine};
use super::path::groups_of;
use super::peak_end::PeakEnd;
use super::peak_ending::{Aim, Goal, Reached, Score, way_to};
use super::peak_walk::Notes;
use super::shorter::{Shortened, Shorter, Wanted};
use super::shorter_peak::Peak;
use super::written::Written;

/// Short code may cost so many 32nds of the least peak: the first that is enough.
const SHARES: [i64; 6] = [0, 1, 2, 4, 6, 8];

/// And so many where all that was found has more operations than it may.
const SHARES_BEYOND: [i64; 6] = [10, 12, 14, 16, 24, 32];

/// The least peak is searched for down to this fraction less, then further down if less will do.
const STEP: i64 = 8;

/// A graph in one order of its layers.
pub(super) struct Ordered {
    layers: Layers,
    ends: Vec<PeakEnd>,
    machine: Machine,
    /// The last groups of the ways that were found for other goals are looked at first.
    known: Vec<Option<Reached>>,
    /// Whether grids that keep their halo along two cuts are tried.
    has_borders: bool,
}

impl Ordered {
    pub fn new(
        graph: &SplitGraph,
        machine: Machine,
        (threads, likeness): (usize, &mut Likeness),
    ) -> Self {
        let layers = Layers::of(graph, machine);
        let ends = PeakEnd::of_all(graph, &layers, machine, (threads, likeness));
        Self { layers, ends, machine, known: Vec::new(), has_borders: false }
    }

    /// Bytes of the least peak with a few grids, with no more than `most`; none if nothing fits.
    pub fn coarse(&mut self, most: i64, found: (usize, &mut Notes)) -> Option<i64> {
        self.within(most, (Goal::CoarsePeak, 0), found).map(|path| path.score.0)
    }

    /// Bytes of the least peak, with no more than `most`; none if nothing fits.
    pub fn least(&mut self, most: i64, (threads, notes): (usize, &mut Notes)) -> Option<i64> {
        let (mut least, mut most) = (None, most);
        loop {
            // What is far below what another part of the graph may need is no use to any part.
            let enough = most - most / STEP;
            let path = self.within(most, (Goal::Peak, enough), (threads, &mut *notes));
            let Some(path) = path else { return least };
            let (score, peak) = path.score;
            if score > enough {
                return Some(peak);
            }
            (least, most) = (Some(peak), peak - 1);
        }
    }

    /// The same with grids that keep their halo along two cuts, which are tried from now on.
    pub fn least_with_borders(&mut self, most: i64, found: (usize, &mut Notes)) -> Option<i64> {
        self.has_borders = true;
        self.least(most, found)
    }

    /// The best groups for a goal.
    fn within(
        &mut self,
        capacity: i64,
        (goal, enough): (Goal, i64),
        (threads, notes): (usize, &mut Notes),
    ) -> Option<Path> {
        let machine = Machine { capacity, ..self.machine };
        let aim = Aim { goal, has_borders: self.has_borders, enough };
        let reached = ways(&self.layers, &self.ends, machine, aim, &self.known, (threads, notes));
        let path = path_of(&self.layers, &reached)?;
        self.known = reached;
        Some(path)
    }

    /// What finds less code.
    fn shorter(&self, capacity: i64, threads: usize) -> Shorter<Peak<'_>> {
        let Self { layers, ends, .. } = self;
        let machine = Machine { capacity, ..self.machine };
        Shorter::new(Peak { layers, ends, machine }, machine, threads)
    }
}

/// Groups of little work, and how long their code is.
pub(super) struct LeastWork {
    pub written: Written,
    pub operations: i64,
}

impl LeastWork {
    /// The less the better: room. Code that is too long is worse than any that is not, and of such code what has the fewest
    /// bytes times operations is the best.
    pub fn key(&self) -> (bool, i128) {
        let room = i128::from(self.written.needs);
        let is_too_long = !self.written.is_in_limit;
        (is_too_long, if is_too_long { room * i128::from(self.operations) } else { room })
    }
}

/// Of all groups that need no more than the least peak, `capacity`, those of least work, and if their code is too long, ones
/// with less, in more room, but no more than `most`.
pub(super) fn least_work(
    ordered: &mut Ordered,
    (capacity, most): (i64, i64),
    (threads, notes): (usize, &mut Notes),
) -> Option<LeastWork> {
    let machine = ordered.machine;
    let path = ordered.within(capacity, (Goal::Work, 0), (threads, &mut *notes))?;
    let length = ordered.shorter(capacity, threads).length(&path.groups);
    let written = |groups: Vec<Group>, room: i64, length: Length| {
        let written = Written { groups, needs: room, is_in_limit: machine.is_in_limit(length) };
        Some(LeastWork { written, operations: length.operations })
    };
    if machine.is_short(length) {
        return written(path.groups, capacity, length);
    }
    // Where no code is short enough, the least bytes times operations, if these are no more than there may be.
    let score = |room: i64, length: Length| {
        (!machine.is_in_limit(length), i128::from(room) * i128::from(length.operations))
    };
    let (mut least, mut best) = (score(capacity, length), (path.groups, capacity, length));
    for (number, share) in SHARES.into_iter().chain(SHARES_BEYOND).enumerate() {
        let (is_too_long, _) = least;
        let is_beyond = number >= SHARES.len();
        let room = capacity + capacity / 32 * share;
        if room > most || (is_beyond && !is_too_long) {
            break;
        }
        let path = ordered.within(room, (Goal::Code, 0), (threads, &mut *notes))?;
        let mut shorter = ordered.shorter(room, threads);
        let length = shorter.length(&path.groups);
        let mut found = Shortened { groups: path.groups, length };
        if !machine.is_short(found.length) {
            found = shorter.of(&found.groups, Wanted::Short);
        }
        if machine.is_short(found.length) {
            return written(found.groups, room, found.length);
        }
        let is_allowed = !is_beyond || machine.is_in_limit(found.length);
        if is_allowed && score(room, found.length) < least {
            least = score(room, found.length);
            best = (found.groups, room, found.length);
        }
    }
    let (groups, room, length) = best;
    written(groups, room, length)
}

/// Groups from the first layer to the last, and how good they are.
struct Path {
    score: Score,
    groups: Vec<Group>,
}

/// The best ways to all layers.
fn ways(
    layers: &Layers,
    ends: &[PeakEnd],
    machine: Machine,
    aim: Aim,
    known: &[Option<Reached>],
    (threads, notes): (usize, &mut Notes),
) -> Vec<Option<Reached>> {
    let mut reached: Vec<Option<Reached>> = vec![Some(Reached::default())];
    for end in ends {
        let way = way_to(layers, end, machine, aim, (&reached, known), (threads, notes));
        reached.push(way);
    }
    reached
}

fn path_of(layers: &Layers, reached: &[Option<Reached>]) -> Option<Path> {
    let all = reached.last()?.as_ref()?;
    let last_group = |count: usize, _| reached[count].as_ref()?.group.as_ref();
    let groups = groups_of(layers.count(), last_group)?;
    Some(Path { score: all.score, groups })
}
