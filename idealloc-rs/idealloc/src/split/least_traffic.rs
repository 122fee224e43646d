//! Groups of least traffic: a programme over the layers that looks only at groups which may be part of a cheapest path.

use super::end_layer::{Bound, EndLayer, LONGEST, VARIANTS};
use super::graph::SplitGraph;
use super::grids::{Family, Grid, Run};
use super::group::Group;
use super::layers::Layers;
use super::layout::Layout;
use super::least::Least;
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

/// The cheapest way found to have computed all layers before one.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
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

    /// The way that goes on with a group of so much code.
    fn and_then(&self, group: Option<Group>, cost: &Cost, code: i64) -> Self {
        Self {
            traffic: self.traffic + cost.traffic,
            transfers: self.transfers + cost.transfers,
            work: self.work + cost.work,
            code: self.code + code,
            group,
        }
    }
}

/// A bound with the price of the code.
fn with_code(bound: Bound, machine: Machine) -> Least {
    Least { price: bound.least.price + bound.code * machine.code_bytes, ..bound.least }
}

/// The cheapest ways to a layer: with its newest tensor off chip, and on chip.
pub(super) type Ways = [Option<Reached>; 2];

/// Tracks for each of the two parts of the grids of a layer.
pub(super) type Pools = [TrackPool; 2];

/// Groups from the first layer to the last, and what they cost together.
pub(super) struct Path {
    pub groups: Vec<Group>,
    /// Bytes moved.
    pub traffic: i64,
    /// Operators in the code; the least that they can be where they have no price.
    pub code: i64,
    /// The ways to all layers that were found.
    pub reached: Vec<Ways>,
}

/// The groups that move the fewest bytes, or none if a layer does not fit.
///
/// For each layer in turn, groups that end there are looked at; one that cannot be cheaper than what was found is left
/// out as soon as a bound tells. `ends` are all layers of the graph, for this machine with any price of code; `known` are
/// ways found with other prices, whose groups are looked at first.
pub(super) fn least_traffic(
    graph: &SplitGraph,
    layers: &Layers,
    ends: &[EndLayer],
    known: &[Vec<Ways>],
    machine: Machine,
    (threads, pools): (usize, &mut Pools),
) -> Result<Path, Misfit> {
    let mut reached: Vec<Ways> = vec![[Some(Reached::default()), None]];
    for end in ends {
        let ways = ways_to(layers, end, known, machine, &reached, (threads, pools));
        reached.push(ways);
        if reached.iter().rev().take(LONGEST).flatten().flatten().next().is_none() {
            break;
        }
    }
    if let Some((groups, all)) = path_of(layers, &reached) {
        let (traffic, code) = (all.traffic, all.code);
        return Ok(Path { groups, traffic, code, reached });
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

fn path_of<'r>(layers: &Layers, reached: &'r [Ways]) -> Option<(Vec<Group>, &'r Reached)> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut position, mut state) = (layers.count(), 0);
    let all = reached.get(position)?[state].as_ref()?;
    while position > 0 {
        let group = reached[position][state].as_ref()?.group.clone()?;
        (position, state) = (group.first_layer, usize::from(group.starts_on_chip));
        groups.push(group);
    }
    groups.reverse();
    Some((groups, all))
}

/// The ways to compute one layer alone.
fn ways_alone(graph: &SplitGraph, layers: &Layers, layer: usize, machine: Machine) -> Ways {
    let mut reached: Vec<Ways> = vec![[None, None]; layer];
    reached.push([Some(Reached::default()), None]);
    let end = EndLayer::of(graph, layers, layer, machine);
    ways_to(layers, &end, &[], machine, &reached, (1, &mut Pools::default()))
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
    layers: &Layers,
    end: &EndLayer,
    known: &[Vec<Ways>],
    machine: Machine,
    reached: &[Ways],
    (threads, pools): (usize, &mut Pools),
) -> Ways {
    let mut ending = Ending {
        layers,
        end,
        machine,
        reached,
        bounds: end
            .bounds
            .iter()
            .map(|bounds| bounds.map(|bound| bound.map(|bound| with_code(bound, machine))))
            .collect(),
        best: [None, None],
        pool: std::mem::take(&mut pools[0]),
        spare: None,
    };
    for ways in known {
        ending.take_known(ways);
    }
    let EndLayer { runs, families, .. } = end;
    ending.walk(&Grid::default(), 0, usize::MAX);
    let mut other = ending.with_pool(std::mem::take(&mut pools[1]));
    both(
        threads,
        || ending.try_families(families.iter().step_by(2)),
        || other.try_families(families.iter().skip(1).step_by(2)),
    );
    ending.take_better(&other);
    ending.try_what_was_best(runs);
    other.take_better(&ending);
    both(
        threads,
        || ending.try_runs(runs.iter().step_by(2)),
        || other.try_runs(runs.iter().skip(1).step_by(2)),
    );
    ending.take_better(&other);
    *pools = [ending.pool, other.pool];
    ending.best
}

/// The layer that groups end with, and what is known of them.
struct Ending<'a> {
    layers: &'a Layers,
    end: &'a EndLayer,
    machine: Machine,
    reached: &'a [Ways],
    /// By number of layers, less one, and variant: the least that a group moves; none where there is none.
    bounds: Vec<[Option<Least>; 4]>,
    best: Ways,
    pool: TrackPool,
    spare: Option<Tally<'a>>,
}

impl<'a> Ending<'a> {
    /// The same, to go on with other tracks.
    fn with_pool(&self, pool: TrackPool) -> Self {
        Self { bounds: self.bounds.clone(), best: self.best.clone(), pool, spare: None, ..*self }
    }

    /// Takes the last groups of ways that were found with another price of code.
    fn take_known(&mut self, known: &[Ways]) {
        for way in known.get(self.end.layer + 1).into_iter().flatten().flatten() {
            let Some(group) = &way.group else { continue };
            let (first, starts) = (group.first_layer, usize::from(group.starts_on_chip));
            if let (Some(then), Some(now)) = (&known[first][starts], &self.reached[first][starts]) {
                let new = now.and_then(Some(group.clone()), &group.cost, way.code - then.code);
                self.take(usize::from(group.ends_on_chip), &new);
            }
        }
    }

    /// Takes a way, with its own result off chip or on chip, if it is better.
    fn take(&mut self, ends: usize, way: &Reached) {
        let key = |way: &Reached| (way.price(self.machine), way.work);
        if self.best[ends].as_ref().is_none_or(|known| key(way) < key(known)) {
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

    fn first_op(&self, first_layer: usize) -> usize {
        self.end.first_op(self.layers, first_layer)
    }

    fn newest(&self, first_layer: usize) -> Option<usize> {
        self.end.newest(self.layers, first_layer)
    }

    /// The group of no operator so far, under a grid.
    fn start(&mut self, grid: &Grid) -> Tally<'a> {
        let window = &self.end.window;
        let tracks = grid.cuts.iter().map(|cut| self.pool.take(cut)).collect();
        let loops = grid.loops.clone();
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
    fn end(&mut self, mut tally: Tally<'a>) {
        self.pool.give_back(tally.sweep.end());
        self.spare = Some(tally);
    }

    fn least(&self, tally: &Tally<'a>, neighbours: Neighbours) -> Least {
        with_code(self.end.bound(tally, neighbours, self.machine), self.machine)
    }

    /// The way to a group's first layer, if a group that costs at least `least` may lead from there better than what is
    /// known.
    fn way_before(&self, depth: usize, variant: usize, least: Least) -> Option<&'a Reached> {
        let (starts, ends) = VARIANTS[variant];
        let way = self.reached[self.end.layer - depth][usize::from(starts)].as_ref()?;
        let Some(best) = &self.best[usize::from(ends)] else { return Some(way) };
        let most = best.price(self.machine) - way.price(self.machine);
        let gain = most - least.bytes;
        let is_small = gain.saturating_mul(NEGLIGIBLE) < most;
        let moves_less = way.traffic + least.bytes < best.traffic;
        (gain > 0 && least.price <= most && (moves_less || !is_small)).then_some(way)
    }

    /// Whether a group of so many layers, less one, that moves `excess` bytes more than its bound may be better than what is
    /// known.
    fn is_open(&self, depth: usize, excess: i64) -> bool {
        let is_open = |(variant, bound): (usize, &Option<Least>)| {
            let bound = bound.map(|bound| bound.with_bytes(excess));
            bound.is_some_and(|bound| self.way_before(depth, variant, bound).is_some())
        };
        self.bounds[depth].iter().enumerate().any(is_open)
    }

    /// Tries the grids most like those of the cheapest groups that end shortly before, with the same first layers. With a
    /// good way soon less is looked at.
    fn try_what_was_best(&mut self, runs: &[Run]) {
        let before = self.reached[..=self.end.layer].iter().rev().take(RECENT).flatten();
        let groups: Vec<&Group> = before.flatten().filter_map(|way| way.group.as_ref()).collect();
        let mut tried: Vec<(usize, &Grid)> = Vec::new();
        for group in groups {
            let grids = runs.iter().flat_map(|run| run.plain.iter().chain(&run.ahead));
            let alike = grids.filter_map(|grid| Some((grid.unlikeness(&group.grid)?, grid)));
            let Some((_, grid)) = alike.min_by_key(|(unlikeness, _)| *unlikeness) else { continue };
            let depth = self.end.layer - group.first_layer;
            if depth < self.bounds.len() && !tried.contains(&(depth, grid)) {
                tried.push((depth, grid));
                self.walk(grid, depth, depth + 1);
            }
        }
    }

    fn try_runs<'r>(&mut self, runs: impl Iterator<Item = &'r Run>) {
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
        let open = (from..self.bounds.len().min(most)).rev().find(|&depth| self.is_open(depth, 0));
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
        mut deepest: usize,
    ) -> Option<usize> {
        let (mut fitting, mut misses, mut useless) = (from, 0, 0);
        let mut excess = 0;
        for depth in 0..self.bounds.len() {
            if depth > deepest {
                break;
            }
            let first_layer = self.end.layer - depth;
            tally.extend_uncounted(self.first_op(first_layer));
            if depth < from {
                continue;
            }
            if !self.is_open(depth, 0) {
                misses = 0;
                continue;
            }
            if !self.is_open(depth, excess) {
                useless += 1;
                if useless == USELESS {
                    return None;
                }
                continue;
            }
            tally.count_anew();
            if tally.kept_bytes > self.machine.capacity || !tally.can_keep() {
                return Some(fitting);
            }
            // What no cut reaches could as well be a group before this one, but for tensors that both read.
            if depth >= UNCUT && tally.is_uncut(self.first_op(first_layer + 1)) {
                return Some(fitting);
            }
            let Some(more) = tally.excess() else { return Some(fitting) };
            if more > excess {
                excess = more;
                deepest = (depth..=deepest).rev().find(|&depth| self.is_open(depth, excess))?;
                if !self.is_open(depth, excess) {
                    useless += 1;
                    if useless == USELESS {
                        return None;
                    }
                    continue;
                }
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
        let first_layer = self.end.layer - depth;
        let (starts, ends) = VARIANTS[variant];
        if self.way_before(depth, variant, bound).is_none() {
            return Settled::Fits;
        }
        let newest = self.newest(first_layer).filter(|_| starts);
        let neighbours = Neighbours { newest, keeps_result: ends };
        let least = self.least(tally, neighbours).max(bound);
        let Some(way) = self.way_before(depth, variant, least) else {
            return Settled::Fits;
        };
        if tally.recomputes_too_much() {
            return Settled::TooLarge;
        }
        let saving = self.end.saving_cost(newest);
        let is_worth = |moved: i64| {
            let least = least.with_bytes((moved + saving.0 - least.bytes).max(0));
            self.way_before(depth, variant, least).is_some()
        };
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
        let best = &mut self.best[usize::from(ends)];
        let key = |way: &Reached| (way.price(self.machine), way.work);
        let is_better = |new: &Reached| best.as_ref().is_none_or(|known| key(new) < key(known));
        let mut new = way.and_then(None, &cost, tally.least_code());
        // It takes time to count the code.
        if self.machine.code_bytes > 0 && is_better(&new) {
            new.code = way.code + layout.code();
        }
        if is_better(&new) {
            let layers = (first_layer, self.end.layer);
            let around = (starts, ends);
            let most = self.machine.capacity;
            let group = Group::of(&self.end.window, layout, grid, layers, around, cost, most);
            new.group = Some(group);
            *best = Some(new);
        }
        Settled::Fits
    }

    fn try_families<'f>(&mut self, families: impl Iterator<Item = &'f Family>) {
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
    fn least_of(&mut self, grid: &Grid) -> Least {
        let mut tally = self.start(grid);
        tally.extend(self.first_op(self.end.layer));
        let newest = self.newest(self.end.layer);
        let neighbours = Neighbours { newest, keeps_result: true };
        // Smaller tiles take more moves, but not always more code.
        let bytes = tally.least(neighbours).bytes;
        let least = Least { bytes, price: bytes };
        self.end(tally);
        least
    }

    fn try_member(&mut self, grid: &Grid, variant: usize) -> bool {
        let mut tally = self.start(grid);
        tally.extend(self.first_op(self.end.layer));
        let fits = tally.can_keep()
            && self.offer(&tally, &mut None, grid, 0, variant) != Settled::TooLarge;
        self.end(tally);
        fits
    }
}
