//! From a path of macros to a schedule of operators: order, and when each tensor is on chip.

use super::graph::{Graph, OpIdx, TensorIdx};
use super::reduce::Reduced;
use super::residency::Residency;

/// One macro of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub step: u32,
    /// Items evicted before it.
    pub evicted_before: Vec<u32>,
    /// Items that its first operator reads, evicted after that operator.
    pub evicted_inside: Vec<u32>,
}

/// What a search found, over macros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub steps: Vec<Step>,
    /// Bytes moved.
    pub cost: u64,
}

/// A tensor leaves the chip before the operator at a position of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Eviction {
    pub tensor: TensorIdx,
    pub before: usize,
}

/// Spells a path out.
pub(super) fn spell_out(reduced: &Reduced, path: &Path) -> (Vec<OpIdx>, Vec<Eviction>) {
    let mut order = Vec::new();
    let mut evictions = Vec::new();
    for step in &path.steps {
        let before = order.len();
        let tensor = |item: &u32| reduced.items[*item as usize].tensor;
        evictions.extend(
            step.evicted_before.iter().map(|item| Eviction { tensor: tensor(item), before }),
        );
        evictions.extend(
            step.evicted_inside
                .iter()
                .map(|item| Eviction { tensor: tensor(item), before: before + 1 }),
        );
        order.extend_from_slice(&reduced.macros[step.step as usize].ops);
    }
    evictions.sort_unstable();
    (order, evictions)
}

/// When each tensor is on chip: from where it is made or loaded, right before it is needed, to its last use before
/// it is evicted. Offsets are 0. Sorted by start, then tensor. O(uses · log uses).
pub(super) fn residencies(
    graph: &Graph,
    order: &[OpIdx],
    evictions: &[Eviction],
) -> Vec<Residency> {
    let used = |op: &OpIdx| {
        let op = &graph.ops[op.get()];
        op.inputs.iter().chain(&op.outputs).map(|t| t.get())
    };
    // Positions of the uses of all tensors, one tensor after another.
    let mut ends = vec![0; graph.tensors.len() + 1];
    order.iter().flat_map(used).for_each(|t| ends[t + 1] += 1);
    for t in 0..graph.tensors.len() {
        ends[t + 1] += ends[t];
    }
    let mut positions = vec![0; ends[graph.tensors.len()]];
    for (position, op) in order.iter().enumerate() {
        for t in used(op) {
            positions[ends[t]] = position;
            ends[t] += 1;
        }
    }
    let mut all = Vec::with_capacity(graph.tensors.len());
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut begin = 0;
    for index in 0..graph.tensors.len() {
        let at = &positions[begin..ends[index]];
        begin = ends[index];
        let tensor = TensorIdx::from(index);
        let from = evictions.partition_point(|e| e.tensor < tensor);
        let mut evicted = evictions[from..].iter().take_while(|e| e.tensor == tensor).peekable();
        runs.clear();
        for &position in at {
            let mut is_new = runs.is_empty();
            while evicted.next_if(|e| e.before <= position).is_some() {
                is_new = true;
            }
            match runs.last_mut() {
                Some(run) if !is_new => run.1 = position + 1,
                _ => runs.push((position, position + 1)),
            }
        }
        let is_made = graph.tensors[index].producer.is_some();
        let is_output = graph.tensors[index].is_output;
        let last = runs.len().saturating_sub(1);
        for (i, &(start, end)) in runs.iter().enumerate() {
            let is_loaded = i > 0 || !is_made;
            let is_spilled = i == 0 && is_made && (i < last || is_output);
            all.push(Residency { tensor, start, end, offset: 0, is_loaded, is_spilled });
        }
    }
    all.sort_unstable_by_key(|r| (r.start, r.tensor));
    all
}
