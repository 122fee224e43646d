//! Groups of least peak: what is between groups stays on chip as a whole.
//!
//! Three programmes over the layers, each of which looks only at groups that may be part of a better path: the least peak
//! with a few grids, the least peak with all, and of all paths with that peak the one of least work, then of fewest tiles.
//! If its code is too long, a fourth one finds the least code instead of the fewest tiles, with more and more room.

use super::graph::SplitGraph;
use super::group::Group;
use super::layers::Layers;
use super::machine::{Length, Machine};
use super::path::groups_of;
use super::peak_end::PeakEnd;
use super::peak_ending::{Goal, Notes, Reached, Score, way_to};
use super::shorter::{Shortened, Shorter, Wanted};
use super::shorter_peak::Peak;

/// Short code may cost so many 32nds of the least peak: the first that is enough.
const SHARES: [i64; 6] = [0, 1, 2, 4, 6, 8];

/// And so many where all that was found has more operations than it may.
const SHARES_BEYOND: [i64; 6] = [10, 12, 14, 16, 24, 32];

/// The groups that need the least room at the most, or none if nothing fits.
pub(super) fn least_peak(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    threads: usize,
) -> Option<Vec<Group>> {
    let mut notes = Notes::default();
    let ends = PeakEnd::of_all(graph, layers, machine, threads);
    // The last groups of the ways that were found for other goals are looked at first.
    let mut known: Vec<Option<Reached>> = Vec::new();
    let mut within = |capacity: i64, goal: Goal| {
        let machine = Machine { capacity, ..machine };
        let reached = ways(layers, &ends, machine, goal, &known, (threads, &mut notes));
        let path = path_of(layers, &reached);
        if path.is_some() {
            known = reached;
        }
        path
    };
    let mut capacity = machine.capacity;
    for goal in [Goal::CoarsePeak, Goal::Peak] {
        capacity = within(capacity, goal).map_or(capacity, |path| path.score.0);
    }
    let path = within(capacity, Goal::Work)?;
    let shorter = |capacity: i64| {
        let machine = Machine { capacity, ..machine };
        Shorter::new(Peak { layers, ends: &ends, machine }, machine, threads)
    };
    let length = shorter(capacity).length(&path.groups);
    if machine.is_short(length) {
        return Some(path.groups);
    }
    // Where no code is short enough, the least bytes times operations, if these are no more than there may be.
    let score = |room: i64, length: Length| {
        (!machine.is_in_limit(length), i128::from(room) * i128::from(length.operations))
    };
    let (mut least, mut groups) = (score(capacity, length), path.groups);
    for (number, share) in SHARES.into_iter().chain(SHARES_BEYOND).enumerate() {
        let (is_too_long, _) = least;
        let is_beyond = number >= SHARES.len();
        let room = capacity + capacity / 32 * share;
        if room > machine.capacity || (is_beyond && !is_too_long) {
            break;
        }
        let path = within(room, Goal::Code)?;
        let mut shorter = shorter(room);
        let length = shorter.length(&path.groups);
        let mut found = Shortened { groups: path.groups, length };
        if !machine.is_short(found.length) {
            found = shorter.of(&found.groups, Wanted::Short);
        }
        if machine.is_short(found.length) {
            return Some(found.groups);
        }
        let is_allowed = !is_beyond || machine.is_in_limit(found.length);
        if is_allowed && score(room, found.length) < least {
            (least, groups) = (score(room, found.length), found.groups);
        }
    }
    Some(groups)
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
    goal: Goal,
    known: &[Option<Reached>],
    (threads, notes): (usize, &mut Notes),
) -> Vec<Option<Reached>> {
    let mut reached: Vec<Option<Reached>> = vec![Some(Reached::default())];
    for end in ends {
        let way = way_to(layers, end, machine, goal, (&reached, known), (threads, notes));
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
