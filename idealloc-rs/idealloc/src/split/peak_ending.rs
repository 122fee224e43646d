//! The search for the best group that ends with one layer, by peak.
//!
//! What was found out about a group for one goal holds for the others, and for all groups that look alike.

use rustc_hash::FxHashMap;

use super::broken_off::{BrokenOff, Why};
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
    /// By peak: no lower peak is searched for than this.
    pub enough: i64,
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
    /// Operators in the code of groups.
    codes: FxHashMap<(u32, GridNumber), i64>,
    /// For probes whether the first layer of a group is computed whole.
    wholes: FxHashMap<(u32, usize), bool>,
}

/// What was found out; it changes how long a search takes, never what it finds.
pub(super) type Notes = [Note; 2];

/// The best way to a layer, from those to the layers before. The last group of a way that was `known` for another goal is
/// looked at first.
pub(super) fn way_to(
    layers: &Layers,
    end: &PeakEnd,
    machine: Machine,
    Aim { goal, has_borders, enough }: Aim,
    (reached, known): (&[Option<Reached>], &[Option<Reached>]),
    (threads, notes): (usize, &mut Notes),
) -> Option<Reached> {
    let mut ending = Ending {
        layers,
        end,
        machine,
        goal,
        enough,
        reached,
        least_work: Vec::new(),
        best: None,
        broken_off: BrokenOff::default(),
        probed: vec![Probed::default(); end.probes.grids.len()],
    };
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
    enough: i64,
    reached: &'a [Option<Reached>],
    /// By number of layers, less one: what a group that is not cut computes, as far as that was looked at.
    least_work: Vec<i64>,
    best: Option<Reached>,
    broken_off: BrokenOff,
    /// For each probe.
    probed: Vec<Probed>,
}

/// How far a probe was looked at.
#[derive(Clone, Copy, Default)]
struct Probed {
    /// Groups of fewer layers, less one, are known.
    depths: usize,
    /// Whether the last of these, and no other, computes its first layer whole: that ends walks.
    is_whole: bool,
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
            Some(best) if before.score.0.max(self.enough) >= best.score.0 => return None,
            Some(best) => capacity.min(best.score.0 - 1),
        };
        let around = self.end.around[depth] - self.end.over[depth];
        (tiles == 1 || around + room <= most).then_some(most)
    }

    /// The largest number of layers, less one, of which a group may be better than what is known.
    fn deepest(&self, tiles: i64, room: i64) -> Option<usize> {
        (0..self.end.before.len()).rev().find(|&depth| self.is_open(depth, tiles, room))
    }

    /// The smallest.
    fn shallowest(&self, tiles: i64) -> Option<usize> {
        (0..self.end.before.len()).find(|&depth| self.is_open(depth, tiles, 0))
    }

    /// Whether a group of so many layers, less one, may be better than what is known.
    fn is_open(&self, depth: usize, tiles: i64, room: i64) -> bool {
        let least_work = self.least_work.get(depth).copied().unwrap_or(0);
        self.most(depth, least_work, tiles, room).is_some()
    }

    fn try_grids(&mut self, grids: &[Grid], first: usize, note: &mut Note) {
        let mut score = None;
        // Those before this one have the same smallest tiles as others that were looked at.
        let mut run_end = 0;
        for (index, grid) in grids.iter().enumerate() {
            let known = self.best.as_ref().map(|best| best.score);
            // One tile that takes nothing is the least that any grid needs.
            if known != score && self.deepest(1, 0).is_none() {
                return;
            }
            score = known;
            let has_no_room = self.try_grid(grid, (first + index) as GridNumber, note);
            if has_no_room && index >= run_end {
                // Where the smallest tiles have no room, either, those between need not be looked at.
                let others = grids[index + 1..].iter().take_while(|other| grid.is_of_run(other));
                run_end = index + others.count();
                self.try_grid(&grids[run_end], (first + run_end) as GridNumber, note);
            }
        }
    }

    /// Groups under one grid. Returns whether there was no room for any that is of use.
    fn try_grid(&mut self, grid: &Grid, number: GridNumber, note: &mut Note) -> bool {
        let tiles = grid.cuts.iter().map(|cut| cut.tiles() as i64).product();
        let Some(shallowest) = self.shallowest(tiles) else { return false };
        if shallowest > 0 && !grid.loops.is_empty() {
            let probe = self.end.probes.of_grid(number as usize);
            if self.broken_off.tells(grid, probe, shallowest)
                || self.is_whole_within(probe, shallowest, note)
            {
                return false;
            }
        }
        let mut walk = Walk { layers: self.layers, end: self.end, grid, tally: None };
        let end = self.walk_back(&mut walk, number, note);
        walk.end(&mut note.tracks);
        if let Some((why, depth)) = end.filter(|_| !grid.loops.is_empty()) {
            self.broken_off.note(grid, self.end.probes.of_grid(number as usize), why, depth);
        }
        end.is_some_and(|(why, depth)| why == Why::Room && depth <= shallowest)
    }

    /// Whether no grid that cuts the same loops as a probe comes to groups of so many layers, less one: with fewer the first
    /// layer is computed whole, even for the smallest tiles.
    fn is_whole_within(&mut self, probe: usize, depth: usize, note: &mut Note) -> bool {
        let mut walk = Walk {
            layers: self.layers,
            end: self.end,
            grid: &self.end.probes.grids[probe],
            tally: None,
        };
        let mut probed = self.probed[probe];
        while !probed.is_whole && probed.depths <= depth {
            let key = (self.end.looks[probed.depths], probe);
            probed.is_whole = match note.wholes.get(&key) {
                Some(&is_whole) => is_whole,
                None => {
                    let is_whole = walk.is_whole(probed.depths, self.machine, &mut note.tracks);
                    note.wholes.insert(key, is_whole);
                    is_whole
                }
            };
            probed.depths += 1;
        }
        walk.end(&mut note.tracks);
        self.probed[probe] = probed;
        probed.is_whole && probed.depths <= depth + 1
    }

    /// Looks at groups of more and more layers. Returns why, and with how many layers, less one, it came to an end that
    /// tells where others end.
    fn walk_back(
        &mut self,
        walk: &mut Walk<'_, 'a>,
        number: GridNumber,
        note: &mut Note,
    ) -> Option<(Why, usize)> {
        let is_split = !walk.grid.loops.is_empty();
        let tiles = walk.grid.cuts.iter().map(|cut| cut.tiles() as i64).product();
        let mut misses = 0;
        let mut deepest = self.deepest(tiles, 0);
        let mut least_room = 0;
        for depth in 0..self.end.before.len() {
            if deepest.is_none_or(|deepest| depth > deepest) {
                // With larger tiles there are fewer, which may be better.
                let is_by_peak = matches!(self.goal, Goal::CoarsePeak | Goal::Peak);
                return is_by_peak.then_some((Why::Room, depth));
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
            if is_split && step.is_whole {
                return None;
            }
            if is_split && step.room > self.machine.capacity {
                return Some((Why::Room, depth));
            }
            if step.room > least_room {
                least_room = step.room;
                deepest = self.deepest(tiles, least_room);
            }
            if step.recomputes_too_much(self.machine, 0) {
                let repeats_too_much = |deepest: Option<usize>| {
                    let longest = deepest.map_or(0, |deepest| self.end.work[deepest]);
                    step.recomputes_too_much(self.machine, longest - self.end.work[depth])
                };
                if repeats_too_much(deepest) {
                    // Smaller tiles may go on where these have no room.
                    return repeats_too_much(self.deepest(tiles, 0)).then_some((Why::Repeats, depth));
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
                return None;
            }
            let around = if is_split { self.end.around[depth] } else { self.end.before[depth] };
            let peak = room.own_peak + around - room.dying;
            if peak <= most {
                let cost = Cost { peak, work: step.work, tiles, ..Cost::default() };
                if let Some(way) = self.better_way(walk, (depth, key), (cost, around, most), note) {
                    self.best = Some(way);
                    deepest = self.deepest(tiles, least_room);
                }
            }
            if is_split && room.own_peak > least_room {
                // A longer group takes no less.
                least_room = room.own_peak;
                deepest = self.deepest(tiles, least_room);
            }
            misses = if room.own_peak <= capacity { 0 } else { misses + 1 };
            if misses == MISSES {
                return Some((Why::Room, depth));
            }
        }
        None
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
            Goal::CoarsePeak | Goal::Peak => (first.max(cost.peak).max(self.enough), 0),
            Goal::Work => (first + cost.work, second + cost.tiles),
            Goal::Code => (first + cost.work, second + own_code),
        }
    }

    /// The way with a group, if it is better than the best. Chains of the group run slice by slice if it needs more than
    /// `most` bytes otherwise.
    fn better_way(
        &self,
        walk: &mut Walk<'_, 'a>,
        (depth, key): (usize, (u32, GridNumber)),
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
        let known = note.codes.get(&key).copied();
        is_better(known.unwrap_or(self.end.operators[depth]))?;
        let grid = walk.grid;
        let tally = walk.counted(depth, self.machine, &mut note.tracks);
        let (mut layout, _) = laid_out(self.end, tally, around);
        let own_code = known.unwrap_or_else(|| layout.code());
        note.codes.insert(key, own_code);
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

    /// Keeps the tables for others.
    fn end(self, tracks: &mut TrackPool) {
        if let Some(tally) = self.tally {
            tracks.give_back(tally.sweep.tracks);
        }
    }

    /// Whether the first layer of a group is computed whole, and is not the only one.
    fn is_whole(&mut self, depth: usize, machine: Machine, tracks: &mut TrackPool) -> bool {
        let next = self.end.last_layer - depth + 1;
        let second = self.end.first_op(self.layers, next);
        depth > 0 && self.uncounted(depth, machine, tracks).is_whole(second)
    }

    fn step(&mut self, depth: usize, machine: Machine, tracks: &mut TrackPool) -> Step {
        let is_whole = self.is_whole(depth, machine, tracks);
        let tally = self.uncounted(depth, machine, tracks);
        Step {
            room: tally.least_room(true),
            work: tally.work,
            least_work: tally.least_work,
            is_whole,
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
    for pair in over {
        let data = &window.graph.tensors[pair.tensor];
        if !data.is_argument && !data.is_constant && !window.is_output[pair.tensor] {
            dying += tally.machine.align(data.bytes());
            layout.over.push(pair);
        }
    }
    layout.resident_bytes = around - dying;
    layout.assign();
    (layout, dying)
}
