//! Groups of least peak: what is between groups stays on chip as a whole.

use super::graph::SplitGraph;
use super::grids::{Grid, Run, runs_of};
use super::group::Group;
use super::layers::{Layers, Window};
use super::layout::Layout;
use super::least_traffic::{LONGEST, MISSES};
use super::machine::Machine;
use super::sweep::{Span, Sweep};
use super::tally::Tally;
use super::track_pool::TrackPool;

/// The groups that need the least room at the most, or none if nothing fits.
pub(super) fn least_peak(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    threads: usize,
) -> Option<Vec<Group>> {
    // A few grids give a peak; what exceeds it need not be looked at when all grids are tried.
    let coarse = all_records(graph, layers, machine, threads, true);
    let first = best_path(layers, &coarse)?;
    let peak = first.iter().map(|g| g.cost.peak).max().unwrap_or(0);
    let machine = Machine { capacity: machine.capacity.min(peak), ..machine };
    let records = all_records(graph, layers, machine, threads, false);
    best_path(layers, &records).or(Some(first))
}

fn all_records(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    threads: usize,
    is_coarse: bool,
) -> Vec<Vec<Group>> {
    let count = layers.count();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(vec![Vec::new(); count]);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut pool = TrackPool::default();
                loop {
                    let layer = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if layer >= count {
                        break;
                    }
                    let layer = count - 1 - layer;
                    let found = records_ending(graph, layers, layer, machine, is_coarse, &mut pool);
                    if let Ok(mut results) = results.lock() {
                        results[layer] = found;
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_default()
}

/// All groups that end with one layer.
fn records_ending(
    graph: &SplitGraph,
    layers: &Layers,
    last_layer: usize,
    machine: Machine,
    is_coarse: bool,
    pool: &mut TrackPool,
) -> Vec<Group> {
    let first_layer = (last_layer + 1).saturating_sub(LONGEST);
    let window = Window::new(graph, layers, first_layer, last_layer);
    let last = layers.target[last_layer] - window.first_op;
    Ending { layers, window: &window, machine, last_layer, last }.groups(is_coarse, pool)
}

/// The layer that groups end with.
struct Ending<'a> {
    layers: &'a Layers,
    window: &'a Window,
    machine: Machine,
    last_layer: usize,
    /// The operator whose result is cut.
    last: usize,
}

impl<'a> Ending<'a> {
    fn first_op(&self, first_layer: usize) -> usize {
        self.layers.start[first_layer] - self.window.first_op
    }

    /// Groups whose surroundings stay on chip as a whole: all that no other beats in room and number of tiles.
    fn groups(&self, is_coarse: bool, pool: &mut TrackPool) -> Vec<Group> {
        let window = self.window;
        let first = self.first_op(self.last_layer);
        let mut found = Vec::new();
        let runs = runs_of(&window.graph, first, self.last, is_coarse);
        let largest_first =
            |run: Run| run.plain.into_iter().rev().chain(run.ahead.into_iter().rev());
        let cut = runs.into_iter().flat_map(largest_first);
        for grid in std::iter::once(Grid::default()).chain(cut) {
            let tracks = grid.cuts.iter().map(|cut| pool.take(cut)).collect();
            let loops = grid.loops.clone();
            let is_output = &window.is_output;
            let sweep = Sweep::with_tracks(&window.graph, self.last, loops, tracks, is_output);
            let mut tally = Tally::new(sweep, self.machine, true);
            let mut misses = 0;
            for depth in 0..=self.last_layer - window.first_layer {
                let first_layer = self.last_layer - depth;
                tally.extend(self.first_op(first_layer));
                if !grid.loops.is_empty() {
                    let is_useless = depth > 0 && tally.is_uncut(self.first_op(first_layer + 1));
                    if is_useless || tally.kept_bytes > self.machine.capacity || !tally.can_keep() {
                        break;
                    }
                }
                if tally.recomputes_too_much() {
                    continue;
                }
                let mut layout = Layout::new(&tally);
                self.surround(&mut layout, first_layer, !grid.loops.is_empty());
                let cost = layout.cost(false);
                if cost.peak <= self.machine.capacity {
                    let layers = (first_layer, self.last_layer);
                    found.push(Group::of(window, &layout, &grid, layers, (true, true), cost));
                }
                let fits = cost.peak - layout.resident_bytes <= self.machine.capacity;
                misses = if fits { 0 } else { misses + 1 };
                if misses == MISSES {
                    break;
                }
            }
            pool.give_back(tally.sweep.tracks);
        }
        prune(found)
    }

    /// Whole tensors that live across the group, and those that it reads or makes.
    fn surround(&self, layout: &mut Layout<'_, 'a>, first_layer: usize, is_split: bool) {
        let (layers, window) = (self.layers, self.window);
        layout.resident_bytes = layers.live_before[first_layer];
        if self.last_layer + 1 == layers.count() {
            layout.resident_bytes += layers.filled;
        }
        let made_here = |tensor: usize| layers.made[tensor].is_some_and(|made| made >= first_layer);
        for (number, &tensor) in window.tensors.iter().enumerate() {
            if is_split && window.is_output[number] && made_here(tensor) {
                let bytes = window.graph.tensors[number].bytes();
                layout.resident_bytes += self.machine.align(bytes);
            }
        }
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

/// Of groups of the same layers, those that no other beats in room and in tiles.
fn prune(mut groups: Vec<Group>) -> Vec<Group> {
    groups.sort_by_key(|g| (g.first_layer, g.cost.peak, g.cost.tiles, g.cost.work));
    let mut kept: Vec<Group> = Vec::new();
    for group in groups {
        let is_beaten = kept.last().is_some_and(|k| {
            k.first_layer == group.first_layer && k.cost.tiles <= group.cost.tiles
        });
        if !is_beaten {
            kept.push(group);
        }
    }
    kept
}

/// A step of a cheapest path: its cost and the group that led to it.
type Step = Option<(i64, i64, usize, usize)>;

fn best_path(layers: &Layers, records: &[Vec<Group>]) -> Option<Vec<Group>> {
    let count = layers.count();
    let mut peaks: Vec<Option<i64>> = vec![None; count + 1];
    peaks[0] = Some(0);
    for last in 0..count {
        for group in &records[last] {
            if let Some(before) = peaks[group.first_layer] {
                let peak = before.max(group.cost.peak);
                if peaks[last + 1].is_none_or(|old| peak < old) {
                    peaks[last + 1] = Some(peak);
                }
            }
        }
    }
    // Of all ways with that peak, the one of least work, then of fewest tiles.
    let limit = peaks[count]?;
    let mut best: Vec<Step> = vec![None; count + 1];
    best[0] = Some((0, 0, 0, 0));
    for last in 0..count {
        for (number, group) in records[last].iter().enumerate() {
            let Some((work, tiles, ..)) = best[group.first_layer] else { continue };
            let key = (work + group.cost.work, tiles + group.cost.tiles);
            if group.cost.peak <= limit
                && best[last + 1].is_none_or(|(work, tiles, ..)| key < (work, tiles))
            {
                best[last + 1] = Some((key.0, key.1, last, number));
            }
        }
    }
    let mut path = Vec::new();
    let mut position = count;
    while position > 0 {
        let (_, _, last, number) = best[position]?;
        path.push(records[last][number].clone());
        position = records[last][number].first_layer;
    }
    path.reverse();
    Some(path)
}
