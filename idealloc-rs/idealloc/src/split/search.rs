//! The programme over groups: which layers go together, and how each group is cut.

use super::evaluate::{Cost, Layout, Machine, Residency};
use super::graph::SplitGraph;
use super::grids::{Grid, grids_of, grids_of_layer};
use super::sweep::Sweep;

/// One group of a solution.
#[derive(Clone, Debug)]
pub struct Group {
    /// First layer.
    pub first_layer: usize,
    /// Last layer.
    pub last_layer: usize,
    /// First operator.
    pub first_op: usize,
    /// Last operator.
    pub last_op: usize,
    /// How it is cut.
    pub grid: Grid,
    /// Whether the result of the group before is read on chip.
    pub starts_on_chip: bool,
    /// Whether its own result stays on chip.
    pub ends_on_chip: bool,
    /// How tensors from outside come to the chip.
    pub residencies: Vec<(usize, Residency)>,
    /// What it costs.
    pub cost: Cost,
}

/// What to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Least bytes moved within the capacity.
    Traffic,
    /// Least bytes on chip, with all that is between groups on chip.
    Peak,
}

/// Where the layers of a graph begin, and who reads what.
pub(super) struct Layers {
    pub start: Vec<usize>,
    /// For each tensor the last layer that reads it; `usize::MAX` if it is returned.
    pub last_read: Vec<usize>,
    /// The layer that makes a tensor; none for arguments.
    pub made: Vec<Option<usize>>,
}

impl Layers {
    pub fn of(graph: &SplitGraph) -> Self {
        let mut start = Vec::new();
        let mut last_read = vec![0; graph.tensors.len()];
        let mut made = vec![None; graph.tensors.len()];
        let mut previous = usize::MAX;
        for (index, op) in graph.operators.iter().enumerate() {
            if op.layer != previous {
                start.push(index);
                previous = op.layer;
            }
            let layer = start.len() - 1;
            for (tensor, _) in &op.operands {
                last_read[*tensor] = layer;
            }
            for &tensor in &op.results {
                made[tensor] = Some(layer);
            }
        }
        start.push(graph.operators.len());
        for (tensor, data) in graph.tensors.iter().enumerate() {
            if data.is_returned {
                last_read[tensor] = usize::MAX;
            }
        }
        Self { start, last_read, made }
    }

    pub fn count(&self) -> usize {
        self.start.len() - 1
    }

    /// Tensors made in or before a layer that are read after it.
    pub fn outputs(&self, graph: &SplitGraph, layer: usize) -> Vec<bool> {
        (0..graph.tensors.len())
            .map(|t| self.made[t].is_some_and(|m| m <= layer) && self.last_read[t] > layer)
            .collect()
    }

    /// The operator whose result is cut: the last one of a layer that somebody reads.
    pub fn target(&self, graph: &SplitGraph, layer: usize, is_output: &[bool]) -> usize {
        let range = self.start[layer]..self.start[layer + 1];
        let read = |&op: &usize| graph.operators[op].results.iter().any(|&t| is_output[t]);
        range.clone().rev().find(read).unwrap_or(range.end - 1)
    }
}

const LONGEST: usize = 64;

/// All groups that end with one layer.
fn records_ending(
    graph: &SplitGraph,
    layers: &Layers,
    last_layer: usize,
    machine: Machine,
    is_coarse: bool,
) -> Vec<Group> {
    let is_output = layers.outputs(graph, last_layer);
    let last = layers.target(graph, last_layer, &is_output);
    let first_of_last = layers.start[last_layer];
    let mut found: Vec<Group> = Vec::new();
    let mut best = std::collections::BTreeMap::new();
    let mut grids: Vec<(Grid, usize)> =
        grids_of(graph, first_of_last, last, is_coarse).into_iter().map(|g| (g, LONGEST)).collect();
    if machine.is_staged {
        grids.extend(grids_of_layer(graph, first_of_last, last).into_iter().map(|g| (g, 1)));
    }
    for (grid, longest) in grids {
        let mut sweep = Sweep::new(graph, last, grid.loops.clone(), grid.cuts.clone(), &is_output);
        let mut misses = 0;
        for first_layer in (0..=last_layer).rev().take(longest) {
            sweep.extend(layers.start[first_layer]);
            let newest = (first_layer > 0).then(|| {
                let before = layers.outputs(graph, first_layer - 1);
                graph.operators[layers.target(graph, first_layer - 1, &before)].results[0]
            });
            let bare = Layout::new(graph, &mut sweep, &is_output, machine, |_| false);
            if !grid.loops.is_empty() {
                let next = layers.start[first_layer + 1];
                let is_useless = first_layer < last_layer && bare.is_uncut(next);
                if is_useless || bare.kept_bytes() > machine.capacity || !bare.can_keep() {
                    break;
                }
                if !machine.is_staged
                    && bare.work() as f64 > bare.least_work() as f64 * machine.max_recompute
                {
                    continue;
                }
            }
            // What cannot beat the groups of the same layers that were found already.
            let least = if machine.is_staged { bare.least_traffic() } else { 0 };
            let saved_before = newest.map_or(0, |t| bare.least_fetch(t));
            let saved_after = graph.tensors[graph.operators[last].results[0]].bytes();
            let is_beaten =
                |starts: bool, ends: bool, best: &std::collections::BTreeMap<_, i64>| {
                    let bound = least
                        - if starts { saved_before } else { 0 }
                        - if ends { saved_after } else { 0 };
                    best.get(&(first_layer, starts, ends)).is_some_and(|&known| bound > known)
                };
            let variants: &[(bool, bool)] = if machine.is_staged {
                &[(false, false), (false, true), (true, false), (true, true)]
            } else {
                &[(true, true)]
            };
            let mut fits = false;
            for &(starts, ends) in variants {
                if starts && newest.is_none() && machine.is_staged {
                    continue;
                }
                if machine.is_staged && is_beaten(starts, ends, &best) {
                    fits = true;
                    continue;
                }
                let on_chip = |t: usize| {
                    if machine.is_staged { starts && Some(t) == newest } else { true }
                };
                let mut layout = Layout::new(graph, &mut sweep, &is_output, machine, on_chip);
                let target = graph.operators[last].results[0];
                if machine.is_staged {
                    if starts {
                        let Some(newest) = newest else { continue };
                        if !layout.externals.iter().any(|e| e.tensor == newest) {
                            continue;
                        }
                        layout.resident_bytes += graph.tensors[newest].bytes();
                    }
                    if ends {
                        if last_layer + 1 == layers.count() {
                            continue;
                        }
                        layout.keeps_result = true;
                        layout.resident_bytes += graph.tensors[target].bytes();
                    }
                    if layout.resident_bytes > machine.capacity {
                        continue;
                    }
                    if !layout.settle() {
                        continue;
                    }
                } else {
                    // Whole tensors that live across the group, and those that it reads or makes.
                    let is_split = !grid.loops.is_empty();
                    layout.resident_bytes = (0..graph.tensors.len())
                        .filter(|&t| {
                            let Some(made) = layers.made[t] else { return false };
                            let before = made < first_layer && layers.last_read[t] >= first_layer;
                            let inside = made >= first_layer && made <= last_layer;
                            (before && (is_split || layers.last_read[t] > last_layer))
                                || (inside && is_split && is_output[t])
                        })
                        .map(|t| graph.tensors[t].bytes())
                        .sum();
                    for external in &mut layout.externals {
                        external.dies = !is_split
                            && layers.made[external.tensor].is_some()
                            && layers.last_read[external.tensor] <= last_layer;
                    }
                    layout.assign();
                }
                let cost = layout.cost(false);
                if !machine.is_staged && cost.peak - layout.resident_bytes <= machine.capacity {
                    fits = true;
                }
                if cost.peak > machine.capacity {
                    continue;
                }
                if cost.work as f64 > layout.least_work() as f64 * machine.max_recompute {
                    continue;
                }
                fits = true;
                let mut cost = cost;
                if machine.is_staged
                    && starts
                    && let Some(newest) = newest
                    && layers.last_read[newest] > last_layer
                {
                    cost.traffic += graph.tensors[newest].bytes();
                    cost.transfers += 1;
                }
                let known = best.entry((first_layer, starts, ends)).or_insert(i64::MAX);
                *known = (*known).min(cost.traffic + cost.transfers * machine.transfer_bytes);
                found.push(Group {
                    first_layer,
                    last_layer,
                    first_op: layers.start[first_layer],
                    last_op: last,
                    grid: grid.clone(),
                    starts_on_chip: starts,
                    ends_on_chip: ends,
                    residencies: layout.externals.iter().map(|e| (e.tensor, e.residency)).collect(),
                    cost,
                });
            }
            misses = if fits { 0 } else { misses + 1 };
            if misses > 3 {
                break;
            }
        }
    }
    prune(found, machine)
}

/// Of groups of the same layers, those that no other beats.
fn prune(mut groups: Vec<Group>, machine: Machine) -> Vec<Group> {
    let price = |g: &Group| g.cost.traffic + g.cost.transfers * machine.transfer_bytes;
    groups.sort_by_key(|g| {
        (
            g.first_layer,
            g.starts_on_chip,
            g.ends_on_chip,
            price(g),
            g.cost.peak,
            g.cost.work,
            g.cost.tiles,
        )
    });
    let mut kept: Vec<Group> = Vec::new();
    for group in groups {
        let same = |k: &&Group| {
            (k.first_layer, k.starts_on_chip, k.ends_on_chip)
                == (group.first_layer, group.starts_on_chip, group.ends_on_chip)
        };
        if machine.is_staged {
            if kept.last().filter(same).is_none() {
                kept.push(group);
            }
        } else if kept
            .iter()
            .filter(same)
            .all(|k| k.cost.peak > group.cost.peak || k.cost.tiles > group.cost.tiles)
        {
            kept.push(group);
        }
    }
    kept
}

/// The best sequence of groups, or none if nothing fits.
pub fn search(
    graph: &SplitGraph,
    machine: Machine,
    objective: Objective,
    threads: usize,
) -> Option<Vec<Group>> {
    let layers = Layers::of(graph);
    match objective {
        Objective::Traffic => {
            least_traffic(&layers, &all_records(graph, &layers, machine, threads, false), machine)
        }
        Objective::Peak => {
            // A few grids give a peak; what exceeds it need not be looked at when all grids are tried.
            let coarse = all_records(graph, &layers, machine, threads, true);
            let first = least_peak(&layers, &coarse)?;
            let peak = first.iter().map(|g| g.cost.peak).max().unwrap_or(0);
            let machine = Machine { capacity: machine.capacity.min(peak), ..machine };
            let records = all_records(graph, &layers, machine, threads, false);
            least_peak(&layers, &records).or(Some(first))
        }
    }
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
                loop {
                    let layer = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if layer >= count {
                        break;
                    }
                    let layer = count - 1 - layer;
                    let found = records_ending(graph, layers, layer, machine, is_coarse);
                    if let Ok(mut results) = results.lock() {
                        results[layer] = found;
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_default()
}

/// A step of a cheapest path: its cost and the group that led to it.
type Step = Option<(i64, i64, usize, usize)>;

fn least_traffic(layers: &Layers, records: &[Vec<Group>], machine: Machine) -> Option<Vec<Group>> {
    // State: whether the newest tensor is on chip.
    let count = layers.count();
    let mut best: Vec<[Step; 2]> = vec![[None; 2]; count + 1];
    best[0][0] = Some((0, 0, 0, 0));
    for last in 0..count {
        for (number, group) in records[last].iter().enumerate() {
            let Some((before, work, ..)) =
                best[group.first_layer][usize::from(group.starts_on_chip)]
            else {
                continue;
            };
            let cost = before + group.cost.traffic + group.cost.transfers * machine.transfer_bytes;
            let key = (cost, work + group.cost.work);
            let place = &mut best[last + 1][usize::from(group.ends_on_chip)];
            if place.is_none_or(|(old, work, ..)| key < (old, work)) {
                *place = Some((key.0, key.1, last, number));
            }
        }
    }
    best[count][0]?;
    let mut path = Vec::new();
    let (mut position, mut state) = (count, 0);
    while position > 0 {
        let (_, _, last, number) = best[position][state]?;
        let group = &records[last][number];
        path.push(group.clone());
        (position, state) = (group.first_layer, usize::from(group.starts_on_chip));
    }
    path.reverse();
    Some(path)
}

fn least_peak(layers: &Layers, records: &[Vec<Group>]) -> Option<Vec<Group>> {
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
