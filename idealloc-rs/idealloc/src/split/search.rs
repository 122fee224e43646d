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
fn records_ending(graph: &SplitGraph, layers: &Layers, last_layer: usize, machine: Machine, objective: Objective) -> Vec<Group> {
    let is_output = layers.outputs(graph, last_layer);
    let last = layers.target(graph, last_layer, &is_output);
    let first_of_last = layers.start[last_layer];
    let mut found: Vec<Group> = Vec::new();
    let mut best = std::collections::BTreeMap::new();
    let mut grids: Vec<(Grid, usize)> =
        grids_of(graph, first_of_last, last).into_iter().map(|g| (g, LONGEST)).collect();
    if machine.is_staged {
        grids.extend(grids_of_layer(graph, first_of_last, last).into_iter().map(|g| (g, 1)));
    }
    for (grid, longest) in grids {
        let mut sweep =
            Sweep::new(graph, last, grid.loops.clone(), grid.cuts.clone(), &is_output);
        let mut misses = 0;
        for first_layer in (0..=last_layer).rev().take(longest) {
            sweep.extend(layers.start[first_layer]);
            if !grid.loops.is_empty() {
                let layout = Layout::new(graph, &mut sweep, &is_output, machine, |_| true);
                let next = layers.start[first_layer + 1];
                let is_useless = first_layer < last_layer && layout.is_uncut(next);
                if is_useless || layout.kept_bytes() > machine.capacity {
                    break;
                }
            }
            let newest = (first_layer > 0).then(|| {
                let before = layers.outputs(graph, first_layer - 1);
                graph.operators[layers.target(graph, first_layer - 1, &before)].results[0]
            });
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
                    let key = (first_layer, starts, ends);
                    let least = layout.least_traffic();
                    if best.get(&key).is_some_and(|&known| least > known) {
                        fits = true;
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
                if machine.is_staged && starts
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
        let _ = objective;
    }
    prune(found, machine)
}

/// Of groups of the same layers, those that no other beats.
fn prune(mut groups: Vec<Group>, machine: Machine) -> Vec<Group> {
    let price = |g: &Group| g.cost.traffic + g.cost.transfers * machine.transfer_bytes;
    groups.sort_by_key(|g| {
        (g.first_layer, g.starts_on_chip, g.ends_on_chip, price(g), g.cost.peak, g.cost.work, g.cost.tiles)
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
        } else if kept.iter().filter(same).all(|k| k.cost.peak > group.cost.peak || k.cost.tiles > group.cost.tiles) {
            kept.push(group);
        }
    }
    kept
}

/// The best sequence of groups, or none if nothing fits.
pub fn search(graph: &SplitGraph, machine: Machine, objective: Objective, threads: usize) -> Option<Vec<Group>> {
    let layers = Layers::of(graph);
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
                    let found = records_ending(graph, &layers, layer, machine, objective);
                    if let Ok(mut results) = results.lock() {
                        results[layer] = found;
                    }
                }
            });
        }
    });
    let records = results.into_inner().ok()?;
    match objective {
        Objective::Traffic => {
            // State: whether the newest tensor is on chip.
            let mut best: Vec<[Option<(i64, Vec<Group>)>; 2]> = vec![[None, None]; count + 1];
            best[0][0] = Some((0, Vec::new()));
            for last in 0..count {
                for group in &records[last] {
                    let Some((before, path)) =
                        &best[group.first_layer][usize::from(group.starts_on_chip)]
                    else {
                        continue;
                    };
                    let cost = before
                        + group.cost.traffic
                        + group.cost.transfers * machine.transfer_bytes;
                    let place = &best[last + 1][usize::from(group.ends_on_chip)];
                    if place.as_ref().is_none_or(|(old, _)| cost < *old) {
                        let mut path = path.clone();
                        path.push(group.clone());
                        best[last + 1][usize::from(group.ends_on_chip)] = Some((cost, path));
                    }
                }
            }
            best[count][0].take().map(|(_, path)| path)
        }
        Objective::Peak => {
            let mut best: Vec<Option<(i64, i64, Vec<Group>)>> = vec![None; count + 1];
            best[0] = Some((0, 0, Vec::new()));
            for last in 0..count {
                for group in &records[last] {
                    let Some((before, tiles, path)) = &best[group.first_layer] else { continue };
                    let key = (group.cost.peak.max(*before), tiles + group.cost.tiles);
                    if best[last + 1].as_ref().is_none_or(|(p, t, _)| key < (*p, *t)) {
                        let mut path = path.clone();
                        path.push(group.clone());
                        best[last + 1] = Some((key.0, key.1, path));
                    }
                }
            }
            best[count].take().map(|(_, _, path)| path)
        }
    }
}
