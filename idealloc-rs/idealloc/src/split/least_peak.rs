//! Groups of least peak: what is between groups stays on chip as a whole.
//!
//! Three programmes over the layers, each of which looks only at groups that may be part of a better path: the least peak
//! with a few grids, the least peak with all, and of all paths with that peak the one of least work, then of fewest tiles.
//! If its code is too long, a fourth one finds the least code instead of the fewest tiles, with more and more room.

use super::end_layer::LONGEST;
use super::graph::SplitGraph;
use super::grids::{Grid, runs_of};
use super::group::Group;
use super::layers::{Layers, Window};
use super::layout::Layout;
use super::least_traffic::MISSES;
use super::machine::{Cost, Machine};
use super::sweep::{Span, Sweep};
use super::tally::Tally;
use super::track_pool::TrackPool;
use super::two_parts::both;

/// Short code may cost so many 32nds of the least peak: the first that is enough.
const SHARES: [i64; 6] = [0, 1, 2, 4, 6, 8];

/// What a path is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// The least peak, by a few grids.
    CoarsePeak,
    /// The least peak.
    Peak,
    /// The least work, then the fewest tiles, within the capacity.
    Work,
    /// The least work, then the least code, within the capacity.
    Code,
}

/// How good a way to a layer is, the less the better: its peak; or work, and tiles or code.
type Score = (i64, i64);

/// The best way to have computed all layers before one.
#[derive(Clone, Debug, Default)]
struct Reached {
    score: Score,
    /// Operators in the code.
    code: i64,
    group: Option<Group>,
}

/// Tracks for each of the two parts of the grids of a layer.
type Pools = [TrackPool; 2];

/// The groups that need the least room at the most, or none if nothing fits.
pub(super) fn least_peak(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    threads: usize,
) -> Option<Vec<Group>> {
    let mut pools = Pools::default();
    // The last groups of the ways that were found for other goals are looked at first.
    let mut known: Vec<Option<Reached>> = Vec::new();
    let mut within = |capacity: i64, goal: Goal| {
        let machine = Machine { capacity, ..machine };
        let reached = ways(graph, layers, machine, goal, &known, (threads, &mut pools));
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
    if machine.is_short(path.code) {
        return Some(path.groups);
    }
    let mut shortest = path;
    for share in SHARES {
        let room = capacity + capacity / 32 * share;
        if room > machine.capacity {
            break;
        }
        let path = within(room, Goal::Code)?;
        let is_short = machine.is_short(path.code);
        if is_short || share == 0 {
            shortest = path;
        }
        if is_short {
            break;
        }
    }
    Some(shortest.groups)
}

/// Groups from the first layer to the last, and how good they are.
struct Path {
    score: Score,
    code: i64,
    groups: Vec<Group>,
}

/// The best ways to all layers.
fn ways(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    goal: Goal,
    known: &[Option<Reached>],
    (threads, pools): (usize, &mut Pools),
) -> Vec<Option<Reached>> {
    let mut reached: Vec<Option<Reached>> = vec![Some(Reached::default())];
    for last_layer in 0..layers.count() {
        let ways = (&reached[..], known);
        let way = way_to(graph, layers, last_layer, machine, goal, ways, (threads, pools));
        reached.push(way);
    }
    reached
}

fn path_of(layers: &Layers, reached: &[Option<Reached>]) -> Option<Path> {
    let all = reached.last()?.as_ref()?;
    let mut groups = Vec::new();
    let mut position = layers.count();
    while position > 0 {
        let group = reached[position].as_ref()?.group.clone()?;
        position = group.first_layer;
        groups.push(group);
    }
    groups.reverse();
    Some(Path { score: all.score, code: all.code, groups })
}

fn way_to(
    graph: &SplitGraph,
    layers: &Layers,
    last_layer: usize,
    machine: Machine,
    goal: Goal,
    (reached, known): (&[Option<Reached>], &[Option<Reached>]),
    (threads, pools): (usize, &mut Pools),
) -> Option<Reached> {
    let first_layer = (last_layer + 1).saturating_sub(LONGEST);
    let window = Window::new(graph, layers, first_layer, last_layer);
    let last = layers.target[last_layer] - window.first_op;
    let first = layers.start[last_layer] - window.first_op;
    let mut ending = Ending {
        layers,
        window: &window,
        machine,
        goal,
        last_layer,
        last,
        reached,
        before: Vec::new(),
        around: Vec::new(),
        operators: Vec::new(),
        least_work: Vec::new(),
        best: None,
    };
    ending.count_around();
    ending.take_known(known);
    let mut grids = vec![Grid::default()];
    for run in runs_of(&window.graph, first, last, goal == Goal::CoarsePeak) {
        grids.extend(run.plain.into_iter().rev().chain(run.ahead.into_iter().rev()));
    }
    ending.try_grid(&grids[0], &mut pools[0]);
    let mut other = ending.clone();
    let (some, rest) = grids[1..].split_at((grids.len() - 1) / 2);
    let [pool, other_pool] = pools;
    both(
        threads,
        || some.iter().for_each(|grid| ending.try_grid(grid, pool)),
        || rest.iter().for_each(|grid| other.try_grid(grid, other_pool)),
    );
    let (ours, theirs) = (ending.best, other.best);
    match (&ours, &theirs) {
        (Some(one), Some(two)) if two.score < one.score => theirs,
        (None, _) => theirs,
        _ => ours,
    }
}

/// The layer that groups end with.
#[derive(Clone)]
struct Ending<'a> {
    layers: &'a Layers,
    window: &'a Window,
    machine: Machine,
    goal: Goal,
    last_layer: usize,
    /// The operator whose result is cut.
    last: usize,
    reached: &'a [Option<Reached>],
    /// By number of layers, less one: bytes of whole tensors that live across a group, and of those that it reads.
    before: Vec<i64>,
    /// The same, with the results that stay. Cut into tiles, a group writes them where they stay.
    around: Vec<i64>,
    /// The same: operators, each of which is written down once at the least.
    operators: Vec<i64>,
    /// The same: what a group that is not cut computes, as far as that was looked at.
    least_work: Vec<i64>,
    best: Option<Reached>,
}

impl<'a> Ending<'a> {
    fn first_op(&self, first_layer: usize) -> usize {
        self.layers.start[first_layer] - self.window.first_op
    }

    /// Counts what is around groups.
    fn count_around(&mut self) {
        let (layers, window) = (self.layers, self.window);
        let filled = if self.last_layer + 1 == layers.count() { layers.filled } else { 0 };
        let results: Vec<(usize, i64)> = window
            .tensors
            .iter()
            .enumerate()
            .filter(|&(number, _)| window.is_output[number])
            .filter_map(|(number, &tensor)| {
                let bytes = self.machine.align(window.graph.tensors[number].bytes());
                Some((layers.made[tensor]?, bytes))
            })
            .collect();
        for first_layer in (window.first_layer..=self.last_layer).rev() {
            let before = layers.live_before[first_layer] + filled;
            let made = results.iter().filter(|(made, _)| *made >= first_layer);
            let operators = &window.graph.operators[self.first_op(first_layer)..=self.last];
            let written = operators.iter().filter(|op| !op.is_view).count();
            self.operators.push(written as i64);
            self.before.push(before);
            self.around.push(before + made.map(|(_, bytes)| bytes).sum::<i64>());
        }
    }

    /// Bytes of whole tensors around a group.
    fn bytes_around(&self, depth: usize, is_split: bool) -> i64 {
        if is_split { self.around[depth] } else { self.before[depth] }
    }

    /// The most bytes on chip that a group may have to be better than what is known, if it does at least `work` in so many
    /// tiles and keeps so many bytes between them; none if it cannot be.
    fn most(&self, depth: usize, work: i64, tiles: i64, kept: i64) -> Option<i64> {
        let capacity = self.machine.capacity;
        let before = self.reached[self.last_layer - depth].as_ref()?;
        let most = match &self.best {
            None => capacity,
            Some(best) if matches!(self.goal, Goal::Work | Goal::Code) => {
                let least = if self.goal == Goal::Work { tiles } else { self.operators[depth] };
                let score = (before.score.0 + work, before.score.1 + least);
                if score >= best.score {
                    return None;
                }
                capacity
            }
            Some(best) if before.score >= best.score => return None,
            Some(best) => capacity.min(best.score.0 - 1),
        };
        (tiles == 1 || self.around[depth] + kept <= most).then_some(most)
    }

    /// The largest number of layers, less one, of which a group may be better than what is known.
    fn deepest(&self, tiles: i64, kept: i64) -> Option<usize> {
        let depths = (0..self.before.len()).rev();
        let least_work = |depth: usize| self.least_work.get(depth).copied().unwrap_or(0);
        let is_open = |&depth: &usize| self.most(depth, least_work(depth), tiles, kept).is_some();
        depths.into_iter().find(is_open)
    }

    /// Groups under one grid.
    fn try_grid(&mut self, grid: &Grid, pool: &mut TrackPool) {
        let window = self.window;
        let is_split = !grid.loops.is_empty();
        let tracks = grid.cuts.iter().map(|cut| pool.take(cut)).collect();
        let loops = grid.loops.clone();
        let sweep = Sweep::with_tracks(&window.graph, self.last, loops, tracks, &window.is_output);
        let tiles = grid.cuts.iter().map(|cut| cut.tiles() as i64).product();
        let mut tally = Tally::new(sweep, self.machine, true);
        let mut misses = 0;
        let mut deepest = self.deepest(tiles, 0);
        let mut kept = 0;
        for depth in 0..self.before.len() {
            if kept != tally.kept_bytes {
                kept = tally.kept_bytes;
                deepest = self.deepest(tiles, kept);
            }
            if deepest.is_none_or(|deepest| depth > deepest) {
                break;
            }
            let first_layer = self.last_layer - depth;
            tally.extend_uncounted(self.first_op(first_layer));
            if !is_split {
                self.least_work.push(tally.least_work);
            }
            if is_split {
                let is_useless = depth > 0 && tally.is_uncut(self.first_op(first_layer + 1));
                if is_useless || tally.kept_bytes > self.machine.capacity {
                    break;
                }
            }
            if tally.recomputes_too_much() {
                continue;
            }
            let Some(most) = self.most(depth, tally.work, tiles, tally.kept_bytes) else {
                continue;
            };
            tally.count_anew();
            if is_split && !tally.can_keep() {
                break;
            }
            let Some(before) = &self.reached[first_layer] else { continue };
            let around = self.bytes_around(depth, is_split);
            let mut layout = Layout::new(&tally);
            self.surround(&mut layout, around, is_split);
            let room = self.machine.capacity.saturating_add(layout.resident_bytes);
            layout.count_peak(room);
            let cost = layout.cost(false);
            if cost.peak <= most
                && let Some((score, code)) = self.better_score(before, &layout, cost)
            {
                let layers = (first_layer, self.last_layer);
                let group = Group::of(window, &mut layout, grid, layers, (true, true), cost, most);
                self.best = Some(Reached { score, code, group: Some(group) });
                deepest = self.deepest(tiles, kept);
            }
            misses = if cost.peak <= room { 0 } else { misses + 1 };
            if misses == MISSES {
                break;
            }
        }
        pool.give_back(tally.sweep.tracks);
    }

    /// Starts with the last group of a way that was found for another goal, if it fits.
    fn take_known(&mut self, known: &[Option<Reached>]) {
        let Some(way) = known.get(self.last_layer + 1).and_then(Option::as_ref) else { return };
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

    /// The score and the code of a way with a group, if it is better than the best.
    fn better_score(
        &self,
        before: &Reached,
        layout: &Layout<'_, '_>,
        cost: Cost,
    ) -> Option<(Score, i64)> {
        let is_better = |own_code: i64| {
            let score = self.score_after(before, cost, own_code);
            self.best.as_ref().is_none_or(|best| score < best.score).then_some(score)
        };
        // It takes time to count the code.
        is_better(0)?;
        let own_code = layout.code();
        Some((is_better(own_code)?, before.code + own_code))
    }

    /// Counts what is around a group, and which tensors from outside it is the last to read.
    fn surround(&self, layout: &mut Layout<'_, 'a>, around: i64, is_split: bool) {
        let (layers, window) = (self.layers, self.window);
        layout.resident_bytes = around;
        for external in &mut layout.externals {
            let tensor = window.tensors[external.tensor];
            external.dies = !is_split
                && layers.made[tensor].is_some()
                && layers.last_read[tensor] <= self.last_layer;
            if external.dies {
                // Its room is free after the last reader, not before, whatever is read of it.
                let data = &window.graph.tensors[external.tensor];
                external.spans = data.shape.iter().map(|&n| Span::Fixed(0, n)).collect();
                layout.resident_bytes -= self.machine.align(data.bytes());
            }
        }
        layout.assign();
    }
}
