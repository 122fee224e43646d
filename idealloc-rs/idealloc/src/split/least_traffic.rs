//! Groups of least traffic: a programme over the layers that looks only at groups which may be part of a cheapest path.

use super::graph::SplitGraph;
use super::grids::{Family, Grid, Run, families_of_layer, runs_of};
use super::group::Group;
use super::layers::{Layers, Window};
use super::layout::Layout;
use super::machine::{Cost, Machine};
use super::settle::Settled;
use super::sweep::Sweep;
use super::tally::{Neighbours, Tally};
use super::track_pool::TrackPool;
use super::two_parts::both;

/// Why nothing fits: a layer that takes more room than there is, however it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The operator whose result the layer hands on.
    pub operator: usize,
    /// About the least capacity that would do for the layer; none if no cut helps.
    pub smallest_capacity: Option<i64>,
}

/// Layers of a group at the most.
pub(super) const LONGEST: usize = 64;

/// Groups of more layers than these end at a first layer that is not cut.
const UNCUT: usize = 8;

/// So many numbers of layers that do not fit, one after another, end a walk.
pub(super) const MISSES: usize = 4;

/// So many numbers of layers that move too much, one after another, end a walk.
const USELESS: usize = 4;

/// The cheapest groups that end with one of so many layers before say what is tried first.
const RECENT: usize = 4;

/// Fewer moves are not worth a search where they save less than this fraction of what a group costs.
const NEGLIGIBLE: i64 = 32;

/// What is on chip before and after a group: the newest tensor, its own result.
const VARIANTS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// The cheapest way found to have computed all layers before one.
#[derive(Clone, Debug, Default)]
struct Reached {
    traffic: i64,
    transfers: i64,
    work: i64,
    /// Operators in the code.
    code: i64,
    group: Option<Group>,
}

impl Reached {
    fn price(&self, machine: Machine) -> i64 {
        self.traffic + self.transfers * machine.transfer_bytes + self.code * machine.code_bytes
    }

    fn and_then(&self, group: Group, code: i64) -> Self {
        Self {
            code: self.code + code,
            traffic: self.traffic + group.cost.traffic,
            transfers: self.transfers + group.cost.transfers,
            work: self.work + group.cost.work,
            group: Some(group),
        }
    }
}

/// The cheapest ways to a layer: with its newest tensor off chip, and on chip.
type Ways = [Option<Reached>; 2];

/// Tracks for each of the two parts of the grids of a layer.
pub(super) type Pools = [TrackPool; 2];

/// Groups from the first layer to the last, and what they cost together.
pub(super) struct Path {
    pub groups: Vec<Group>,
    /// Bytes moved.
    pub traffic: i64,
    /// Operators in the code; 0 where they have no price.
    pub code: i64,
}

/// The groups that move the fewest bytes, or none if a layer does not fit.
///
/// For each layer in turn, groups that end there are looked at; one that cannot be cheaper than what was found is left
/// out as soon as a bound tells.
pub(super) fn least_traffic(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    (threads, pools): (usize, &mut Pools),
) -> Result<Path, Misfit> {
    let mut reached: Vec<Ways> = vec![[Some(Reached::default()), None]];
    for last_layer in 0..layers.count() {
        let ways = ways_to(graph, layers, last_layer, machine, &reached, (threads, pools));
        reached.push(ways);
        if reached.iter().rev().take(LONGEST).flatten().flatten().next().is_none() {
            break;
        }
    }
    if let Some(path) = path_of(layers, &reached) {
        return Ok(path);
    }
    let stuck = (0..layers.count()).filter(|&layer| {
        let alone = ways_alone(graph, layers, layer, machine);
        alone.iter().flatten().next().is_none()
    });
    let layer = stuck.min().unwrap_or(0);
    Err(Misfit {
        operator: layers.target[layer],
        smallest_capacity: smallest_capacity(graph, layers, layer, machine),
    })
}

fn path_of(layers: &Layers, reached: &[Ways]) -> Option<Path> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut position, mut state) = (layers.count(), 0);
    let all = reached.get(position)?[state].as_ref()?;
    while position > 0 {
        let group = reached[position][state].as_ref()?.group.clone()?;
        (position, state) = (group.first_layer, usize::from(group.starts_on_chip));
        groups.push(group);
    }
    groups.reverse();
    Some(Path { groups, traffic: all.traffic, code: all.code })
}

/// The ways to compute one layer alone.
fn ways_alone(graph: &SplitGraph, layers: &Layers, layer: usize, machine: Machine) -> Ways {
    let mut reached: Vec<Ways> = vec![[None, None]; layer];
    reached.push([Some(Reached::default()), None]);
    ways_to(graph, layers, layer, machine, &reached, (1, &mut Pools::default()))
}

/// The least capacity for which a layer fits alone; none if it does not fit into its own tensors' bytes.
fn smallest_capacity(
    graph: &SplitGraph,
    layers: &Layers,
    layer: usize,
    machine: Machine,
) -> Option<i64> {
    let ops = &graph.operators[layers.start[layer]..layers.start[layer + 1]];
    let bytes = |tensor: usize| graph.tensors[tensor].bytes() + machine.alignment;
    let all = |op: &super::graph::Operator| -> i64 {
        let read: i64 = op.operands.iter().map(|(tensor, _)| bytes(*tensor)).sum();
        read + op.results.iter().map(|&tensor| bytes(tensor)).sum::<i64>()
    };
    let fits = |capacity: i64| {
        let machine = Machine { capacity, ..machine };
        ways_alone(graph, layers, layer, machine).iter().flatten().next().is_some()
    };
    let (mut low, mut high) = (machine.capacity, ops.iter().map(all).sum::<i64>());
    if !fits(high) {
        return None;
    }
    while high - low > machine.alignment {
        let middle = low + (high - low) / 2;
        if fits(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

fn ways_to(
    graph: &SplitGraph,
    layers: &Layers,
    last_layer: usize,
    machine: Machine,
    reached: &[Ways],
    (threads, pools): (usize, &mut Pools),
) -> Ways {
    let first_layer = (last_layer + 1).saturating_sub(LONGEST);
    let window = Window::new(graph, layers, first_layer, last_layer);
    let mut ending = Ending {
        layers,
        window: &window,
        machine,
        last_layer,
        last: layers.target[last_layer] - window.first_op,
        reached,
        bounds: Vec::new(),
        best: [None, None],
        pool: std::mem::take(&mut pools[0]),
        spare: None,
    };
    ending.bound();
    let first = ending.first_op(last_layer);
    let runs = runs_of(&window.graph, first, ending.last, false);
    let families = families_of_layer(&window.graph, first, ending.last);
    ending.walk(&Grid::default(), 0, usize::MAX);
    let mut other = ending.with_pool(std::mem::take(&mut pools[1]));
    let (some, rest) = families.split_at(families.len() / 2);
    both(threads, || ending.try_families(some), || other.try_families(rest));
    ending.take_better(&other);
    ending.try_what_was_best(&runs);
    other.take_better(&ending);
    let (some, rest) = runs.split_at(runs.len() / 3);
    both(threads, || ending.try_runs(some), || other.try_runs(rest));
    ending.take_better(&other);
    *pools = [ending.pool, other.pool];
    ending.best
}

/// The layer that groups end with, and what is known of them.
struct Ending<'a> {
    layers: &'a Layers,
    window: &'a Window,
    machine: Machine,
    last_layer: usize,
    /// The operator whose result is cut.
    last: usize,
    reached: &'a [Ways],
    /// By number of layers, less one, and variant: the least that a group moves; none where there is none.
    bounds: Vec<[Option<i64>; 4]>,
    best: Ways,
    pool: TrackPool,
    spare: Option<Tally<'a>>,
}

impl<'a> Ending<'a> {
    /// The same, to go on with other tracks.
    fn with_pool(&self, pool: TrackPool) -> Self {
        Self { bounds: self.bounds.clone(), best: self.best.clone(), pool, spare: None, ..*self }
    }

    /// Takes the ways that another part of the work has found, where they are better.
    fn take_better(&mut self, other: &Self) {
        let key = |way: &Reached| (way.price(self.machine), way.work);
        for (ours, theirs) in self.best.iter_mut().zip(&other.best) {
            if let Some(way) = theirs
                && ours.as_ref().is_none_or(|known| key(way) < key(known))
            {
                *ours = Some(way.clone());
            }
        }
    }

    fn first_op(&self, first_layer: usize) -> usize {
        self.layers.start[first_layer] - self.window.first_op
    }

    /// The result of the layer before.
    fn newest(&self, first_layer: usize) -> Option<usize> {
        let target = self.layers.target[first_layer.checked_sub(1)?];
        let op = self.window.graph.operators.get(target.checked_sub(self.window.first_op)?)?;
        op.results.first().copied()
    }

    /// The group of no operator so far, under a grid.
    fn start(&mut self, grid: &Grid) -> Tally<'a> {
        let window = self.window;
        let tracks = grid.cuts.iter().map(|cut| self.pool.take(cut)).collect();
        let loops = grid.loops.clone();
        match self.spare.take() {
            Some(mut tally) => {
                tally.restart(loops, tracks);
                tally
            }
            None => {
                let output = &window.is_output;
                let sweep = Sweep::with_tracks(&window.graph, self.last, loops, tracks, output);
                Tally::new(sweep, self.machine, true)
            }
        }
    }

    /// Keeps the tables of a group, and its room for the next.
    fn end(&mut self, mut tally: Tally<'a>) {
        self.pool.give_back(tally.sweep.end());
        self.spare = Some(tally);
    }

    /// Bounds of all groups: each element from outside fetched once, and each result stored.
    fn bound(&mut self) {
        let window = self.window;
        let target = window.graph.operators[self.last].results[0];
        let is_last = self.last_layer + 1 == self.layers.count();
        let mut bare = self.start(&Grid::default());
        for first_layer in (window.first_layer..=self.last_layer).rev() {
            bare.extend(self.first_op(first_layer));
            let newest = self.newest(first_layer);
            let least = bare.least_traffic(Neighbours::default());
            let of = |(starts, ends): (bool, bool)| {
                let mut bound = least;
                let mut resident = 0;
                if starts {
                    let newest = newest.filter(|&t| bare.reads(t))?;
                    bound += self.saving_cost(newest).0 - bare.least_fetch(newest);
                    resident += window.graph.tensors[newest].bytes();
                }
                if ends {
                    bound -= window.graph.tensors[target].bytes();
                    resident += window.graph.tensors[target].bytes();
                }
                (resident <= self.machine.capacity && !(ends && is_last)).then_some(bound)
            };
            let bounds = VARIANTS.map(of);
            self.bounds.push(bounds);
        }
        self.end(bare);
    }

    /// Bytes and moves that keep for later readers what the group reads on chip.
    fn saving_cost(&self, newest: usize) -> (i64, i64) {
        let is_read_later = self.layers.last_read[self.window.tensors[newest]] > self.last_layer;
        if is_read_later { (self.window.graph.tensors[newest].bytes(), 1) } else { (0, 0) }
    }

    /// The way to a group's first layer, if a group that moves at least `least` bytes from there may be better than
    /// what is known.
    fn way_before(&self, depth: usize, variant: usize, least: i64) -> Option<&'a Reached> {
        let (starts, ends) = VARIANTS[variant];
        let way = self.reached[self.last_layer - depth][usize::from(starts)].as_ref()?;
        let Some(best) = &self.best[usize::from(ends)] else { return Some(way) };
        let before = way.price(self.machine);
        let gain = best.price(self.machine) - before - least;
        let is_small = gain.saturating_mul(NEGLIGIBLE) < best.price(self.machine) - before;
        let moves_less = way.traffic + least < best.traffic;
        (gain > 0 && (moves_less || !is_small)).then_some(way)
    }

    fn is_open(&self, depth: usize) -> bool {
        let bounds = self.bounds[depth].iter().enumerate();
        bounds.filter_map(|(variant, bound)| self.way_before(depth, variant, (*bound)?)).count() > 0
    }

    /// Tries the grids most like those of the cheapest groups that end shortly before, with the same first layers. With a
    /// good way soon less is looked at.
    fn try_what_was_best(&mut self, runs: &[Run]) {
        let before = self.reached[..=self.last_layer].iter().rev().take(RECENT).flatten();
        let groups: Vec<&Group> = before.flatten().filter_map(|way| way.group.as_ref()).collect();
        let mut tried: Vec<(usize, &Grid)> = Vec::new();
        for group in groups {
            let grids = runs.iter().flat_map(|run| run.plain.iter().chain(&run.ahead));
            let alike = grids.filter_map(|grid| Some((grid.unlikeness(&group.grid)?, grid)));
            let Some((_, grid)) = alike.min_by_key(|(unlikeness, _)| *unlikeness) else { continue };
            let depth = self.last_layer - group.first_layer;
            if depth < self.bounds.len() && !tried.contains(&(depth, grid)) {
                tried.push((depth, grid));
                self.walk(grid, depth, depth + 1);
            }
        }
    }

    fn try_runs(&mut self, runs: &[Run]) {
        for run in runs {
            self.try_run(run);
        }
    }

    /// Tries grids of larger and larger tiles, each with no more layers than the one before could take.
    fn try_run(&mut self, run: &Run) {
        let (mut most, mut most_ahead) = (usize::MAX, usize::MAX);
        for (number, grid) in run.plain.iter().enumerate() {
            let layers = self.walk(grid, 0, most);
            // Tiles that run ahead need less room, and move as much.
            if let Some(ahead) = run.ahead.get(number) {
                most_ahead = self.walk(ahead, 0, most_ahead);
            }
            if run.is_cached {
                most = layers;
                if most == 0 && most_ahead == 0 {
                    return;
                }
            }
        }
    }

    /// Tries one grid with more than `from` and up to `most` layers; returns with how many it fits.
    fn walk(&mut self, grid: &Grid, from: usize, most: usize) -> usize {
        let open = (from..self.bounds.len().min(most)).rev().find(|&depth| self.is_open(depth));
        let Some(deepest) = open else { return self.bounds.len().min(most) };
        let mut tally = self.start(grid);
        let fitting = self.walk_back(grid, &mut tally, from, deepest);
        self.end(tally);
        fitting.unwrap_or(self.bounds.len().min(most))
    }

    /// The number of layers that fit; none if nothing is in the way of more.
    fn walk_back(
        &mut self,
        grid: &Grid,
        tally: &mut Tally<'a>,
        from: usize,
        deepest: usize,
    ) -> Option<usize> {
        let (mut fitting, mut misses, mut useless) = (from, 0, 0);
        for depth in 0..=deepest {
            let first_layer = self.last_layer - depth;
            tally.extend(self.first_op(first_layer));
            if depth < from {
                continue;
            }
            if !self.is_open(depth) {
                misses = 0;
                continue;
            }
            if tally.kept_bytes > self.machine.capacity || !tally.can_keep() {
                return Some(fitting);
            }
            // What no cut reaches could as well be a group before this one, but for tensors that both read.
            if depth >= UNCUT && tally.is_uncut(self.first_op(first_layer + 1)) {
                return Some(fitting);
            }
            let mut layout = None;
            let offers =
                [0, 1, 2, 3].map(|variant| self.offer(tally, &mut layout, grid, depth, variant));
            if offers.contains(&Settled::Fits) {
                (fitting, misses, useless) = (depth + 1, 0, 0);
            } else if offers.contains(&Settled::NotWorth) {
                useless += 1;
                if useless == USELESS {
                    return None;
                }
            } else {
                misses += 1;
                if misses == MISSES {
                    return Some(fitting);
                }
            }
        }
        None
    }

    /// Keeps a group if it leads to its last layer best. `Fits` where that was not looked at, too.
    fn offer<'s>(
        &mut self,
        tally: &'s Tally<'a>,
        layout: &mut Option<Layout<'s, 'a>>,
        grid: &Grid,
        depth: usize,
        variant: usize,
    ) -> Settled {
        let Some(bound) = self.bounds[depth][variant] else { return Settled::TooLarge };
        let first_layer = self.last_layer - depth;
        let (starts, ends) = VARIANTS[variant];
        let newest = self.newest(first_layer).filter(|_| starts);
        let saving = newest.map_or((0, 0), |newest| self.saving_cost(newest));
        if self.way_before(depth, variant, bound).is_none() {
            return Settled::Fits;
        }
        let neighbours = Neighbours { newest, keeps_result: ends };
        let least = tally.least_traffic(neighbours) + saving.0;
        let Some(way) = self.way_before(depth, variant, least.max(bound)) else {
            return Settled::Fits;
        };
        if tally.recomputes_too_much() {
            return Settled::TooLarge;
        }
        let is_worth =
            |moved: i64| self.way_before(depth, variant, (moved + saving.0).max(bound)).is_some();
        if !is_worth(tally.least_before_storages(neighbours)) {
            return Settled::NotWorth;
        }
        let layout = layout.get_or_insert_with(|| Layout::new(tally));
        layout.start_over(neighbours);
        let settled = layout.settle(is_worth);
        if settled != Settled::Fits {
            return settled;
        }
        let mut cost: Cost = layout.cost(false);
        cost.traffic += saving.0;
        cost.transfers += saving.1;
        let layers = (first_layer, self.last_layer);
        let group = Group::of(
            self.window,
            layout,
            grid,
            layers,
            (starts, ends),
            cost,
            self.machine.capacity,
        );
        let key = |way: &Reached| (way.price(self.machine), way.work);
        let best = &mut self.best[usize::from(ends)];
        let is_better = |new: &Reached| best.as_ref().is_none_or(|known| key(new) < key(known));
        let mut new = way.and_then(group, 0);
        // It takes time to count the code.
        if self.machine.code_bytes > 0 && is_better(&new) {
            new.code += layout.code();
        }
        if is_better(&new) {
            *best = Some(new);
        }
        Settled::Fits
    }

    fn try_families(&mut self, families: &[Family]) {
        for family in families {
            self.try_family(family);
        }
    }

    /// Tries the largest tiles of a family that fit: among grids of a single layer that differ in nothing but the size of
    /// one cut, the larger one moves less and needs more room. Only where weights are kept is that not so; then a few
    /// smaller tiles are tried.
    fn try_family(&mut self, family: &Family) {
        let sizes = &family.sizes;
        let Some(&largest) = sizes.last() else { return };
        let least = self.least_of(&family.grid(largest));
        for variant in 0..VARIANTS.len() {
            let bound = self.bounds[0][variant];
            if bound.and_then(|bound| self.way_before(0, variant, bound.max(least))).is_none() {
                continue;
            }
            if !self.try_member(&family.grid(sizes[0]), variant) {
                if variant == 0 {
                    return;
                }
                continue;
            }
            let (mut low, mut high) = (1, sizes.len());
            while low < high {
                let middle = (low + high) / 2;
                if self.try_member(&family.grid(sizes[middle]), variant) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            for smaller in [low * 3 / 4, low / 2, low / 4] {
                self.try_member(&family.grid(sizes[smaller]), variant);
            }
        }
    }

    /// The least that a grid of the last layer moves, with the newest tensor and the result on chip.
    fn least_of(&mut self, grid: &Grid) -> i64 {
        let mut tally = self.start(grid);
        tally.extend(self.first_op(self.last_layer));
        let newest = self.newest(self.last_layer);
        let least = tally.least_traffic(Neighbours { newest, keeps_result: true });
        self.end(tally);
        least
    }

    fn try_member(&mut self, grid: &Grid, variant: usize) -> bool {
        let mut tally = self.start(grid);
        tally.extend(self.first_op(self.last_layer));
        let fits = tally.can_keep()
            && self.offer(&tally, &mut None, grid, 0, variant) != Settled::TooLarge;
        self.end(tally);
        fits
    }
}
