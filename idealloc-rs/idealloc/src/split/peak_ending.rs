//! The search for the best group that ends with one layer, by peak.
//!
//! Walks go back from the layer, each under one grid (`peak_walk.rs`). Many break off before they come to a group that may be
//! of use, which others tell (`broken_off.rs`).

use super::broken_off::{BrokenOff, Why};
use super::grids::Grid;
use super::group::{Form, Group};
use super::layers::Layers;
use super::machine::{Cost, Machine};
use super::peak_end::PeakEnd;
use super::peak_walk::{GridNumber, Note, Notes, Walk, laid_out};
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

/// How good a way to a layer is, the less the better: its peak, or what is enough if that is more, and its peak; or work, and
/// tiles or code.
pub(super) type Score = (i64, i64);

/// The best way to have computed all layers before one.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    pub score: Score,
    /// Operators in the code.
    pub code: i64,
    pub group: Option<Group>,
}

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

    /// Groups under one grid. Returns whether there was no room for any that is of use, nor is under grids of larger tiles.
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
        let mut walk = Walk::new(self.layers, self.end, grid);
        let end = self.walk_back(&mut walk, number, note);
        walk.end(&mut note.tracks);
        let is_told = |&(why, depth): &(Why, usize)| {
            let longest = match why {
                Why::Repeats => self.end.without_gaps,
                Why::Room => self.end.exact,
            };
            depth < longest && !grid.loops.is_empty()
        };
        let Some((why, depth)) = end.filter(is_told) else { return false };
        self.broken_off.note(grid, self.end.probes.of_grid(number as usize), why, depth);
        why == Why::Room && depth <= shallowest
    }

    /// Whether no grid that cuts the same loops as a probe comes to groups of so many layers, less one: with fewer the first
    /// layer is computed whole, even for the smallest tiles.
    fn is_whole_within(&mut self, probe: usize, depth: usize, note: &mut Note) -> bool {
        let mut walk = Walk::new(self.layers, self.end, &self.end.probes.grids[probe]);
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
                    return repeats_too_much(self.deepest(tiles, 0))
                        .then_some((Why::Repeats, depth));
                }
                continue;
            }
            if step.follows_from_outside {
                continue;
            }
            let Some(most) = self.most(depth, step.work, tiles, least_room) else { continue };
            if self.goal == Goal::Code && !self.is_short_enough(walk, (depth, key), step.work, note)
            {
                continue;
            }
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
            // A longer group takes no less, but for what lies over tensors that it has in tiles only.
            let own_room = room.own_peak - room.dying;
            if is_split && own_room > least_room {
                least_room = own_room;
                deepest = self.deepest(tiles, least_room);
            }
            misses = if room.own_peak <= capacity { 0 } else { misses + 1 };
            if misses == MISSES {
                return Some((Why::Room, depth));
            }
        }
        None
    }

    /// Whether a group may have short enough code to be better than what is known.
    fn is_short_enough(
        &self,
        walk: &mut Walk<'_, 'a>,
        (depth, key): (usize, (u32, GridNumber)),
        work: i64,
        note: &mut Note,
    ) -> bool {
        let before = self.reached[self.end.last_layer - depth].as_ref();
        let (Some(before), Some(best)) = (before, &self.best) else { return true };
        let code = match note.codes.get(&key).or_else(|| note.least_codes.get(&key)) {
            Some(&code) => code,
            None => {
                let code = walk.counted(depth, self.machine, &mut note.tracks).least_code();
                note.least_codes.insert(key, code);
                code
            }
        };
        (before.score.0 + work, before.score.1 + code) < best.score
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
            Goal::CoarsePeak | Goal::Peak => {
                (first.max(cost.peak).max(self.enough), second.max(cost.peak))
            }
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
        let grid = walk.grid;
        let tally = walk.counted(depth, self.machine, &mut note.tracks);
        let (mut layout, _) = laid_out(self.end, tally, around);
        let own_code = *note.codes.entry(key).or_insert_with(|| layout.code());
        let score = self.score_after(before, cost, own_code);
        if self.best.as_ref().is_some_and(|best| score >= best.score) {
            return None;
        }
        let form = Form::of(&mut layout, cost, most);
        let layers = (first_layer, self.end.last_layer);
        let group = Group::of(&self.end.window, &form, grid, self.end.last, layers, (true, true));
        Some(Reached { score, code: before.code + own_code, group: Some(group) })
    }
}
