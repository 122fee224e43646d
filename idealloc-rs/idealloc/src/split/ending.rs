//! The search for the best groups that end with one layer.
//!
//! A walk (`walk.rs`) goes back from the layer under one grid. What a group costs is worked out only where no bound tells that
//! a way with it is no better than what was found, and is looked up where that was done for a group that looks alike.

use super::end_layer::{EndLayer, VARIANTS};
use super::families::Family;
use super::grids::{Grid, Run};
use super::group::Group;
use super::layer_grids::LayerGrids;
use super::layers::Layers;
use super::least::Least;
use super::machine::Machine;
use super::offers::Candidate;
use super::records::{GridNumber, Records};
use super::sweep::Sweep;
use super::tally::{Neighbours, Tally};
use super::track_pool::TrackPool;
use super::two_parts::both;
use super::walk::Limits;
use super::ways::{Reached, Ways};

/// The cheapest groups that end with one of so many layers before say what is tried first.
const RECENT: usize = 4;

/// Fewer moves and less code are not worth a search where all of them cost less than this fraction of what a group costs,
const NEGLIGIBLE: i64 = 32;

/// nor where what can be saved of them is less than this fraction.
const NEGLIGIBLE_SAVING: i64 = 256;

/// What one of the two parts of the grids of all layers has found out.
#[derive(Debug, Default)]
pub(super) struct Note {
    pub tracks: TrackPool,
    pub records: Records,
    /// Groups that walks came by.
    pub steps: usize,
}

impl Note {
    /// A record takes the time of so many steps.
    const STEPS_OF_RECORD: usize = 10;

    /// How much work it was, in steps of walks.
    fn work(&self) -> usize {
        self.steps + Self::STEPS_OF_RECORD * self.records.len()
    }
}

/// What was found out. It changes how long a search takes; what it finds only if a group fits with more on chip before and
/// after, and not with less. Of 26,000 none did.
pub(super) type Notes = [Note; 2];

/// How much work it was to find out, in steps of walks.
pub(super) fn work_of(notes: &Notes) -> usize {
    notes.iter().map(Note::work).sum()
}

/// The cheapest ways to a layer; with `known` ways that were found with another price of code. Of `others`, ways in which
/// the same layers run in another order, those stay that are as cheap.
pub(super) fn ways_to(
    layers: &Layers,
    end: &EndLayer,
    known: &[Vec<Ways>],
    machine: Machine,
    (reached, others): (&[Ways], Ways),
    (threads, notes): (usize, &mut Notes),
) -> Ways {
    let bounds = end.bounds.iter();
    let mut ending = Ending {
        layers,
        end,
        machine,
        reached,
        bounds: bounds.map(|of| of.map(|bound| Some(bound?.with_code(machine)))).collect(),
        best: others,
        closed: vec![false; end.bounds.len()],
        note: std::mem::take(&mut notes[0]),
        spare: None,
    };
    for ways in known {
        ending.take_known(ways);
    }
    ending.walk(&Grid::default(), WHOLE, 0, &mut { Limits::NONE });
    ending.try_what_was_best(&end.grids.runs);
    let shifted = if machine.shifts { end.grids.shifted_families() } else { Vec::new() };
    let mut other = ending.with_note(std::mem::take(&mut notes[1]));
    both(threads, || ending.try_half(&shifted, 0), || other.try_half(&shifted, 1));
    ending.take_better(&other);
    *notes = [ending.note, other.note];
    for note in notes {
        note.tracks.next_layer();
    }
    ending.best
}

/// The grid that cuts nothing.
const WHOLE: GridNumber = GridNumber { set: 0, index: 0 };

/// Sets of grids of a run, and of a family.
fn set_of_run(run: usize, kind: TilesOfRun) -> u32 {
    4 * run as u32 + 1 + kind as u32
}

/// The grids of a run.
#[derive(Clone, Copy, PartialEq)]
enum TilesOfRun {
    Plain,
    Ahead,
    Shifted,
}

pub(super) fn set_of_family(family: usize) -> u32 {
    4 * family as u32 + 4
}

/// The layer that groups end with, and what is known of them.
pub(super) struct Ending<'a> {
    pub layers: &'a Layers,
    pub end: &'a EndLayer,
    pub machine: Machine,
    reached: &'a [Ways],
    /// By number of layers, less one, and variant: the least that a group moves; none where there is none.
    pub bounds: Vec<[Option<Least>; 4]>,
    pub best: Ways,
    /// By number of layers, less one: whether every group costs more than what is known.
    pub closed: Vec<bool>,
    pub note: Note,
    spare: Option<Tally<'a>>,
}

impl<'a> Ending<'a> {
    /// The same, to go on with what another part has found out.
    fn with_note(&self, note: Note) -> Self {
        let (bounds, closed) = (self.bounds.clone(), self.closed.clone());
        Self { bounds, best: self.best.clone(), closed, note, spare: None, ..*self }
    }

    /// Takes the last groups of ways that were found with another price of code.
    fn take_known(&mut self, known: &[Ways]) {
        for way in known.get(self.end.layer + 1).into_iter().flatten().flatten() {
            let Some(group) = &way.group else { continue };
            let (first, starts) = (group.first_layer, usize::from(group.starts_on_chip));
            if let Some(now) = &self.reached[first][starts] {
                let new =
                    now.and_then(Some(group.clone()), (&group.cost, way.length), self.machine);
                self.take(usize::from(group.ends_on_chip), &new);
            }
        }
    }

    /// Takes a way, with its own result off chip or on chip, if it is better.
    fn take(&mut self, ends: usize, way: &Reached) {
        if way.is_better(self.best[ends].as_ref()) {
            self.best[ends] = Some(way.clone());
        }
    }

    /// Takes the ways that another part of the work has found, where they are better.
    fn take_better(&mut self, other: &Self) {
        for (ends, theirs) in other.best.iter().enumerate() {
            if let Some(way) = theirs {
                self.take(ends, way);
            }
        }
    }

    /// A grid of the layer with the numbers of the window.
    pub(super) fn in_window(&self, candidate: Candidate<'_>) -> Grid {
        candidate.grid().moved_by(self.end.first_op(self.layers, self.end.layer))
    }

    /// The group of no operator so far, under a grid.
    pub(super) fn start(&mut self, candidate: Candidate<'_>) -> Tally<'a> {
        let Grid { loops, cuts } = self.in_window(candidate);
        let window = &self.end.window;
        let tracks = cuts.iter().map(|cut| self.note.tracks.take(cut)).collect();
        match self.spare.take() {
            Some(mut tally) => {
                tally.restart(loops, tracks);
                tally
            }
            None => {
                let output = &window.is_output;
                let last = self.end.last;
                let sweep = Sweep::with_tracks(&window.graph, last, loops, tracks, output);
                let mut tally = Tally::new(sweep, self.machine, true);
                tally.count_uses();
                tally
            }
        }
    }

    /// Keeps the tables of a group, and its room for the next.
    pub(super) fn end(&mut self, tally: Option<Tally<'a>>) {
        if let Some(mut tally) = tally {
            self.note.tracks.give_back(tally.sweep.end());
            self.spare = Some(tally);
        }
    }

    /// The group of so many layers, less one, under a grid; `tally` may be one of fewer layers.
    pub(super) fn counted<'t>(
        &mut self,
        tally: &'t mut Option<Tally<'a>>,
        candidate: Candidate<'_>,
        depth: usize,
    ) -> &'t Tally<'a> {
        let tally = tally.get_or_insert_with(|| self.start(candidate));
        tally.extend(self.end.first_op(self.layers, self.end.layer - depth));
        tally
    }

    /// What is on chip before and after a group.
    pub(super) fn neighbours(&self, depth: usize, variant: usize) -> Neighbours {
        let (starts, ends) = VARIANTS[variant];
        let newest = self.end.newest(self.layers, self.end.layer - depth).filter(|_| starts);
        Neighbours { newest, keeps_result: ends }
    }

    /// The way to a group's first layer, if a group that costs at least `least` may lead from there better than what is
    /// known.
    pub(super) fn way_before(
        &self,
        depth: usize,
        variant: usize,
        least: Least,
    ) -> Option<&'a Reached> {
        let (way, best) = self.way_and_best(depth, variant)?;
        let Some(best) = best else { return Some(way) };
        let most = best.price - way.price;
        let is_small = (most - least.bytes).saturating_mul(NEGLIGIBLE) < most
            || (most - least.price).saturating_mul(NEGLIGIBLE_SAVING) < most;
        let moves_less = way.traffic + least.bytes < best.traffic;
        (least.price < most && (moves_less || !is_small)).then_some(way)
    }

    /// Whether there is a way to a group's first layer, and a group that costs at least `least` leads on from there for less
    /// than what is known.
    pub(super) fn is_affordable(&self, depth: usize, variant: usize, least: Least) -> bool {
        self.way_and_best(depth, variant)
            .is_some_and(|(way, best)| best.is_none_or(|best| way.price + least.price < best.price))
    }

    /// The way to a group's first layer, and the best to its last that is known.
    fn way_and_best(
        &self,
        depth: usize,
        variant: usize,
    ) -> Option<(&'a Reached, Option<&Reached>)> {
        let (starts, ends) = VARIANTS[variant];
        let way = self.reached[self.end.layer - depth][usize::from(starts)].as_ref()?;
        Some((way, self.best[usize::from(ends)].as_ref()))
    }

    /// Tries the grids most like those of the cheapest groups that end shortly before, with the same first layers. With a
    /// good way soon less is looked at.
    fn try_what_was_best(&mut self, runs: &[Run]) {
        let before = self.reached[..=self.end.layer].iter().rev().take(RECENT).flatten();
        let groups: Vec<&Group> = before.flatten().filter_map(|way| way.group.as_ref()).collect();
        let mut tried: Vec<(usize, GridNumber)> = Vec::new();
        for group in groups {
            let grids = runs.iter().enumerate().flat_map(|(run, grids)| {
                let plain = numbered(&grids.plain, set_of_run(run, TilesOfRun::Plain));
                plain.chain(numbered(&grids.ahead, set_of_run(run, TilesOfRun::Ahead)))
            });
            let alike =
                grids.filter_map(|(grid, n)| Some((grid.unlikeness(&group.grid)?, grid, n)));
            let Some((_, grid, number)) = alike.min_by_key(|&(unlikeness, ..)| unlikeness) else {
                continue;
            };
            let depth = self.end.layer - group.first_layer;
            if depth < self.bounds.len() && !tried.contains(&(depth, number)) {
                tried.push((depth, number));
                let only = Limits { most: depth + 1, ..Limits::NONE };
                self.walk(grid, number, depth, &mut { only });
            }
        }
    }

    /// Tries every other family, also with `shifted` tiles, and every other run.
    fn try_half(&mut self, shifted: &[Family], half: usize) {
        let LayerGrids { runs, families, is_rough, .. } = &*self.end.grids;
        if *is_rough {
            self.try_runs(runs, half);
            if self.best[0].is_some() {
                return;
            }
        }
        self.try_families(families, 0, half);
        self.try_families(shifted, families.len(), half);
        if !is_rough {
            self.try_runs(runs, half);
        }
    }

    /// Tries every other run.
    fn try_runs(&mut self, runs: &[Run], first: usize) {
        for (number, run) in runs.iter().enumerate().skip(first).step_by(2) {
            self.try_run(run, number);
        }
    }

    /// Tries grids of larger and larger tiles, each with no more layers than the one before could take.
    fn try_run(&mut self, run: &Run, number: usize) {
        let shifted = if self.machine.shifts { &run.shifted[..] } else { &[] };
        // Tiles that run ahead need less room than plain ones, and move as much: they are tried from the number of layers on
        // at which those lack room. Strips that are shifted need more room and move more, in less code.
        let limits = Limits { most: run.most_layers(), ..Limits::NONE };
        let mut kinds = [
            (&run.plain[..], TilesOfRun::Plain, limits),
            (&run.ahead[..], TilesOfRun::Ahead, limits),
            (shifted, TilesOfRun::Shifted, limits),
        ];
        for size in 0..run.plain.len() {
            let mut lacks_room_from = 0;
            for (grids, kind, limits) in &mut kinds {
                let Some(grid) = grids.get(size).filter(|_| limits.most > 0) else { continue };
                let number = GridNumber { set: set_of_run(number, *kind), index: size as u32 };
                let from = if *kind == TilesOfRun::Ahead { lacks_room_from } else { 0 };
                let walked = self.walk(grid, number, from, limits);
                if *kind == TilesOfRun::Plain {
                    lacks_room_from = walked.lacks_room_from;
                }
                if run.is_cached {
                    limits.most = limits.most.min(walked.fitting);
                }
            }
        }
    }
}

/// The grids of a set, each with its number.
fn numbered(grids: &[Grid], set: u32) -> impl Iterator<Item = (&Grid, GridNumber)> {
    let number = move |index: usize| GridNumber { set, index: index as u32 };
    grids.iter().enumerate().map(move |(index, grid)| (grid, number(index)))
}
