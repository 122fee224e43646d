//! The search for the best group that ends with one layer, by peak.
//!
//! What was found out about a group for one goal holds for the others, and for all groups that look alike.

use rustc_hash::FxHashMap;

use super::grids::Grid;
use super::group::{Form, Group};
use super::layers::Layers;
use super::layout::Layout;
use super::machine::{Cost, Machine};
use super::peak_end::PeakEnd;
use super::sweep::{Span, Sweep};
use super::tally::Tally;
use super::track_pool::TrackPool;
use super::two_parts::both;
use super::walk::MISSES;
use super::written_over::WrittenOver;

/// What a path is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The least peak, by a few grids.
    CoarsePeak,
    /// The least peak.
    Peak,
    /// The least work, then the fewest tiles, within the capacity.
    Work,
    /// The least work, then the least code, within the capacity.
    Code,
}

/// What a path is searched for, and with which grids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    pub goal: Goal,
    /// Whether with those that keep their halo along two cuts, too.
    pub has_borders: bool,
}

/// How good a way to a layer is, the less the better: its peak; or work, and tiles or code.
pub(super) type Score = (i64, i64);

/// The best way to have computed all layers before one.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    pub score: Score,
    /// Operators in the code.
    pub code: i64,
    pub group: Option<Group>,
}

/// A grid among those of a layer: 0 cuts nothing; then a few, then all, then those that keep their halo along two cuts.
type GridNumber = u32;

/// What is known of a group under one grid from a walk.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Bytes that are kept between tiles and made in one, at the least.
    room: i64,
    /// Multiply-adds of all tiles.
    work: i64,
    /// Those that are needed, each once.
    least_work: i64,
    /// Whether the first layer is computed whole.
    is_whole: bool,
    /// Whether its tiles alone do not tell what results beside the last one follow.
    follows_from_outside: bool,
}

impl Step {
    /// Whether more is computed again than the machine allows, even if layers with so much work are added that is done
    /// once.
    fn recomputes_too_much(&self, machine: Machine, more: i64) -> bool {
        let most = (self.least_work as f64) * machine.max_recompute;
        self.work as f64 > most + (machine.max_recompute - 1.0).max(0.0) * more.max(0) as f64
    }
}

/// What is known of a group that was laid out.
#[derive(Clone, Copy, Debug)]
struct Room {
    /// Whether tiles can keep what the next ones need; if not, nothing else is known.
    can_keep: bool,
    /// Bytes of whole tensors around the group whose room is free after their last reader.
    dying: i64,
    /// Bytes on chip at the most beside those around the group.
    own_peak: i64,
    /// Where there are more, counting stopped.
    counted_to: i64,
}

impl Room {
    /// Whether that is all there is to know where the memory has so many bytes.
    fn is_enough(&self, capacity: i64) -> bool {
        !self.can_keep || self.own_peak <= self.counted_to || capacity <= self.counted_to
    }
}

/// What one of the two parts of the grids of all layers has found out.
#[derive(Debug, Default)]
pub(super) struct Note {
    tracks: TrackPool,
    steps: FxHashMap<(u32, GridNumber), Step>,
    rooms: FxHashMap<(u32, GridNumber), Room>,
}

/// What was found out; it changes how long a search takes, never what it finds.
pub(super) type Notes = [Note; 2];

/// The best way to a layer, from those to the layers before. The last group of a way that was `known` for another goal is
/// looked at first.
pub(super) fn way_to(
    layers: &Layers,
    end: &PeakEnd,
    machine: Machine,
    Aim { goal, has_borders }: Aim,
    (reached, known): (&[Option<Reached>], &[Option<Reached>]),
    (threads, notes): (usize, &mut Notes),
) -> Option<Reached> {
    let least_work = Vec::new();
    let mut ending = Ending { layers, end, machine, goal, reached, least_work, best: None };
    ending.take_known(known);
    let (grids, first) = match goal {
        Goal::CoarsePeak => (&end.coarse, 1),
        Goal::Peak | Goal::Work | Goal::Code => (&end.fine, 1 + end.coarse.len()),
    };
    ending.try_grid(&Grid::default(), 0, &mut notes[0]);
    let bordered = if has_borders { &end.bordered[..] } else { &[] };
    let mut other = ending.clone();
    let (some, rest) = grids.split_at(grids.len() / 2);
    let (some_bordered, rest_bordered) = bordered.split_at(bordered.len() / 2);
    let first_bordered = 1 + end.coarse.len() + end.fine.len();
    let [note, other_note] = notes;
    both(
        threads,
        || {
            ending.try_grids(some, first, note);
            ending.try_grids(some_bordered, first_bordered, note);
        },
        || {
            other.try_grids(rest, first + some.len(), other_note);
            other.try_grids(rest_bordered, first_bordered + some_bordered.len(), other_note);
        },
    );
    let (ours, theirs) = (ending.best, other.best);
    match (&ours, &theirs) {
        (Some(one), Some(two)) if two.score < one.score => theirs,
        (None, _) => theirs,
        _ => ours,
    }
}

/// The layer that groups end with, and what is known of them.
#[derive(Clone)]
struct Ending<'a> {
    layers: &'a Layers,
    end: &'a PeakEnd,
    machine: Machine,
    goal: Goal,
    reached: &'a [Option<Reached>],
    /// By number of layers, less one: what a group that is not cut computes, as far as that was looked at.
    least_work: Vec<i64>,
    best: Option<Reached>,
}

impl<'a> Ending<'a> {
    /// The most bytes on chip that a group may have to be better than what is known, if it does at least `work` in so many
    /// tiles that take so many bytes at the least; none if it cannot be.
    fn most(&self, depth: usize, work: i64, tiles: i64, room: i64) -> Option<i64> {
        let capacity = self.machine.capacity;
        let before = self.reached[self.end.last_layer - depth].as_ref()?;
        let most = match &self.best {
            None => capacity,
            Some(best) if matches!(self.goal, Goal::Work | Goal::Code) => {
                let least = if self.goal == Goal::Work { tiles } else { self.end.operators[depth] };
                let score = (before.score.0 + work, before.score.1 + least);
                if score >= best.score {
                    return None;
                }
                capacity
            }
            Some(best) if before.score >= best.score => return None,
            Some(best) => capacity.min(best.score.0 - 1),
        };
        let around = self.end.around[depth] - self.end.over[depth];
        (tiles == 1 || around + room <= most).then_some(most)
    }

    /// The largest number of layers, less one, of which a group may be better than what is known.
    fn deepest(&self, tiles: i64, room: i64) -> Option<usize> {
        let depths = (0..self.end.before.len()).rev();
        let least_work = |depth: usize| self.least_work.get(depth).copied().unwrap_or(0);
        let is_open = |&depth: &usize| self.most(depth, least_work(depth), tiles, room).is_some();
        depths.into_iter().find(is_open)
    }

    fn try_grids(&mut self, grids: &[Grid], first: usize, note: &mut Note) {
        let mut score = None;
        for (index, grid) in grids.iter().enumerate() {
            let known = self.best.as_ref().map(|best| best.score);
            // One tile that takes nothing is the least that any grid needs.
            if known != score && self.deepest(1, 0).is_none() {
                return;
            }
            score = known;
            self.try_grid(grid, (first + index) as GridNumber, note);
        }
    }

    /// Groups under one grid.
    fn try_grid(&mut self, grid: &Grid, number: GridNumber, note: &mut Note) {
        let mut walk = Walk { layers: self.layers, end: self.end, grid, tally: None };
        self.walk_back(&mut walk, number, note);
        if let Some(tally) = walk.tally {
            note.tracks.give_back(tally.sweep.tracks);
        }
    }

    fn walk_back(&mut self, walk: &mut Walk<'_, 'a>, number: GridNumber, note: &mut Note) {
        let is_split = !walk.grid.loops.is_empty();
        let tiles = walk.grid.cuts.iter().map(|cut| cut.tiles() as i64).product();
        let mut misses = 0;
        let mut deepest = self.deepest(tiles, 0);
        let mut least_room = 0;
        for depth in 0..self.end.before.len() {
            if deepest.is_none_or(|deepest| depth > deepest) {
                break;
            }
            let key = (self.end.looks[depth], number);
            let step = match note.steps.get(&key) {
                Some(&step) => step,
                None => {
                    let step = walk.step(depth, self.machine, &mut note.tracks);
                    note.steps.insert(key, step);
                    step
                }
            };
            if !is_split {
                self.least_work.push(step.work);
            }
            if is_split && (step.is_whole || step.room > self.machine.capacity) {
                break;
            }
            if least_room != step.room {
                least_room = step.room;
                deepest = self.deepest(tiles, least_room);
            }
            if step.recomputes_too_much(self.machine, 0) {
                let longest = deepest.map_or(0, |deepest| self.end.work[deepest]);
                if step.recomputes_too_much(self.machine, longest - self.end.work[depth]) {
                    break;
                }
                continue;
            }
            if step.follows_from_outside {
                continue;
            }
            let Some(most) = self.most(depth, step.work, tiles, least_room) else { continue };
            let capacity = self.machine.capacity;
            let known = note.rooms.get(&key).filter(|room| room.is_enough(capacity));
            let room = match known {
                Some(&room) => room,
                None => {
                    let room = walk.room(depth, self.machine, &mut note.tracks);
                    note.rooms.insert(key, room);
                    room
                }
            };
            if is_split && !room.can_keep {
                break;
            }
            let around = if is_split { self.end.around[depth] } else { self.end.before[depth] };
            let peak = room.own_peak + around - room.dying;
            if peak <= most {
                let cost = Cost { peak, work: step.work, tiles, ..Cost::default() };
                if let Some(way) = self.better_way(walk, depth, (cost, around, most), note) {
                    self.best = Some(way);
                    deepest = self.deepest(tiles, least_room);
                }
            }
            misses = if room.own_peak <= capacity { 0 } else { misses + 1 };
            if misses == MISSES {
                break;
            }
        }
    }

    /// Starts with the last group of a way that was found for another goal, if it fits.
    fn take_known(&mut self, known: &[Option<Reached>]) {
        let way = known.get(self.end.last_layer + 1).and_then(Option::as_ref);
        let Some(way) = way else { return };
        let Some(group) = way.group.clone().filter(|g| g.cost.peak <= self.machine.capacity) else {
            return;
        };
        let first = group.first_layer;
        if let (Some(then), Some(now)) = (&known[first], &self.reached[first]) {
            let own_code = way.code - then.code;
            let score = self.score_after(now, group.cost, own_code);
            self.best = Some(Reached { score, code: now.code + own_code, group: Some(group) });
        }
    }

    /// The score of a way that goes on with a group of so much code.
    fn score_after(&self, before: &Reached, cost: Cost, own_code: i64) -> Score {
        let (first, second) = before.score;
        match self.goal {
            Goal::CoarsePeak | Goal::Peak => (first.max(cost.peak), 0),
            Goal::Work => (first + cost.work, second + cost.tiles),
            Goal::Code => (first + cost.work, second + own_code),
        }
    }

    /// The way with a group, if it is better than the best. Chains of the group run slice by slice if it needs more than
    /// `most` bytes otherwise.
    fn better_way(
        &self,
        walk: &mut Walk<'_, 'a>,
        depth: usize,
        (cost, around, most): (Cost, i64, i64),
        note: &mut Note,
    ) -> Option<Reached> {
        let first_layer = self.end.last_layer - depth;
        let before = self.reached[first_layer].as_ref()?;
        let is_better = |own_code: i64| {
            let score = self.score_after(before, cost, own_code);
            self.best.as_ref().is_none_or(|best| score < best.score).then_some(score)
        };
        // It takes time to count the code.
        is_better(0)?;
        let grid = walk.grid;
        let tally = walk.counted(depth, self.machine, &mut note.tracks);
        let (mut layout, _) = laid_out(self.end, tally, around);
        let own_code = layout.code();
        let score = is_better(own_code)?;
        let form = Form::of(&mut layout, cost, most);
        let layers = (first_layer, self.end.last_layer);
        let group = Group::of(&self.end.window, &form, grid, self.end.last, layers, (true, true));
        Some(Reached { score, code: before.code + own_code, group: Some(group) })
    }
}

/// A walk back under one grid, as far as something had to be found out.
struct Walk<'g, 'a> {
    layers: &'a Layers,
    end: &'a PeakEnd,
    grid: &'g Grid,
    tally: Option<Tally<'a>>,
}

impl<'a> Walk<'_, 'a> {
    /// The group of so many layers, less one; tensors from outside are not counted.
    fn uncounted(
        &mut self,
        depth: usize,
        machine: Machine,
        tracks: &mut TrackPool,
    ) -> &mut Tally<'a> {
        let Self { layers, end, grid, ref mut tally } = *self;
        let tally = tally.get_or_insert_with(|| {
            let window = &end.window;
            let tracks = grid.cuts.iter().map(|cut| tracks.take(cut)).collect();
            let (loops, is_output) = (grid.loops.clone(), &window.is_output);
            let sweep = Sweep::with_tracks(&window.graph, end.last, loops, tracks, is_output);
            Tally::new(sweep, machine, true)
        });
        tally.extend_uncounted(end.first_op(layers, end.last_layer - depth));
        tally
    }

    /// The group of so many layers, less one.
    fn counted(&mut self, depth: usize, machine: Machine, tracks: &mut TrackPool) -> &Tally<'a> {
        let tally = self.uncounted(depth, machine, tracks);
        tally.count_anew();
        tally
    }

    fn step(&mut self, depth: usize, machine: Machine, tracks: &mut TrackPool) -> Step {
        let next = self.end.last_layer - depth + 1;
        let second = self.end.first_op(self.layers, next);
        let tally = self.uncounted(depth, machine, tracks);
        Step {
            room: tally.least_room(true),
            work: tally.work,
            least_work: tally.least_work,
            is_whole: depth > 0 && tally.is_whole(second),
            follows_from_outside: tally.sweep.follows_from_outside(),
        }
    }

    fn room(&mut self, depth: usize, machine: Machine, tracks: &mut TrackPool) -> Room {
        let end = self.end;
        let tally = self.counted(depth, machine, tracks);
        let mut room = Room {
            can_keep: tally.can_keep(),
            dying: 0,
            own_peak: 0,
            counted_to: machine.capacity,
        };
        if room.can_keep || tally.sweep.loops.is_empty() {
            room.can_keep = true;
            let (mut layout, dying) = laid_out(end, tally, 0);
            layout.count_peak(machine.capacity.saturating_add(layout.resident_bytes));
            room.dying = dying;
            room.own_peak = layout.cost(false).peak - layout.resident_bytes;
        }
        room
    }
}

/// Lays out a group with so many bytes of whole tensors around it; returns those of them whose room is free after their
/// last reader, or is that of a result that is written over them, too.
pub(super) fn laid_out<'s, 'a>(
    end: &PeakEnd,
    tally: &'s Tally<'a>,
    around: i64,
) -> (Layout<'s, 'a>, i64) {
    let mut layout = Layout::new(tally);
    let is_split = !tally.sweep.loops.is_empty();
    let window = &end.window;
    let mut dying = 0;
    for external in &mut layout.externals {
        let data = &window.graph.tensors[external.tensor];
        let is_from_outside = data.is_argument || data.is_constant;
        external.dies = !is_split && !is_from_outside && !window.is_output[external.tensor];
        if external.dies {
            // Its room is free after the last reader, not before, whatever is read of it.
            external.spans = data.shape.iter().map(|&n| Span::Fixed(0, n)).collect();
            dying += tally.machine.align(data.bytes());
        }
    }
    let over = if is_split { layout.written_over() } else { Vec::new() };
    layout.over = WrittenOver::chosen(over, |pair| {
        let data = &window.graph.tensors[pair.tensor];
        !data.is_argument && !data.is_constant && !window.is_output[pair.tensor]
    });
    let bytes = |pair: &WrittenOver| tally.machine.align(window.graph.tensors[pair.tensor].bytes());
    dying += layout.over.iter().map(bytes).sum::<i64>();
    layout.resident_bytes = around - dying;
    layout.assign();
    (layout, dying)
}
