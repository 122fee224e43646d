//! Layers of a graph: where they begin, what they hand on, and the part of the graph around some of them.

use std::sync::Arc;

use super::graph::{Operator, SplitGraph, Tensor};
use super::machine::Machine;

/// Layers of a group that are always tried, and layers of groups that are looked at altogether.
pub(super) const LONG: usize = 64;
const LOOKS: usize = 10_000;

/// Layers of a group at the most that is looked for roughly.
const LONG_ROUGH: usize = 16;

/// Where the layers of a graph begin, and who reads what.
#[derive(Debug)]
pub(super) struct Layers {
    /// First operator of each layer, and one past the last operator.
    pub start: Vec<usize>,
    /// For each tensor the last layer that reads it; `usize::MAX` if it is returned.
    pub last_read: Vec<usize>,
    /// The layer that makes a tensor; none for arguments.
    pub made: Vec<Option<usize>>,
    /// For each layer the operator whose result is cut: the last one that a later layer reads.
    pub target: Vec<usize>,
    /// For each layer the bytes on chip of tensors that earlier layers make and it or later ones read.
    pub live_before: Vec<i64>,
    /// Bytes of results with one value everywhere, which are filled at the end.
    pub filled: i64,
    /// Whether groups are looked for roughly only: of few layers, and with few grids.
    pub is_rough: bool,
}

impl Layers {
    /// Layers of a group at the most, by traffic: in graphs of few layers there is time for all of them.
    pub fn longest_group(&self) -> usize {
        if self.is_rough { LONG_ROUGH } else { LONG.max(LOOKS / self.count().max(1)) }
    }

    pub fn of(graph: &SplitGraph, machine: Machine) -> Self {
        let start = starts_of_layers(graph);
        let count = start.len() - 1;
        let mut last_read = vec![0; graph.tensors.len()];
        let mut made = vec![None; graph.tensors.len()];
        for layer in 0..count {
            for op in &graph.operators[start[layer]..start[layer + 1]] {
                for (tensor, _) in &op.operands {
                    last_read[*tensor] = layer;
                }
                for &tensor in &op.results {
                    made[tensor] = Some(layer);
                }
            }
        }
        for (tensor, data) in graph.tensors.iter().enumerate() {
            if data.is_returned {
                last_read[tensor] = usize::MAX;
            }
        }
        let target = |layer: usize| {
            let range = start[layer]..start[layer + 1];
            let is_read =
                |&op: &usize| graph.operators[op].results.iter().any(|&t| last_read[t] > layer);
            range.clone().rev().find(is_read).unwrap_or(range.end - 1)
        };
        let mut live_before = vec![0; count + 1];
        for (tensor, data) in graph.tensors.iter().enumerate() {
            if let Some(first) = made[tensor] {
                live_before[first + 1..=last_read[tensor].max(first).min(count)]
                    .iter_mut()
                    .for_each(|bytes| *bytes += machine.align(data.bytes()));
            }
        }
        let target = (0..count).map(target).collect();
        let is_filled = |data: &&Arc<Tensor>| data.is_constant && data.is_returned;
        let filled = graph.tensors.iter().filter(is_filled);
        let filled = filled.map(|data| machine.align(data.bytes())).sum();
        Self { start, last_read, made, target, live_before, filled, is_rough: false }
    }

    pub fn count(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether a tensor is made in or before a layer and read after it.
    pub fn outlives(&self, tensor: usize, layer: usize) -> bool {
        self.made[tensor].is_some_and(|m| m <= layer) && self.last_read[tensor] > layer
    }
}

/// The first operator of each layer, and one past the last operator.
pub(super) fn starts_of_layers(graph: &SplitGraph) -> Vec<usize> {
    let is_first =
        |&op: &usize| op == 0 || graph.operators[op].layer != graph.operators[op - 1].layer;
    let count = graph.operators.len();
    (0..count).filter(is_first).chain([count]).collect()
}

/// A run of layers as a graph of its own, so that work on it does not grow with the network.
#[derive(Debug)]
pub(super) struct Window {
    pub graph: SplitGraph,
    /// First layer in the whole graph.
    pub first_layer: usize,
    /// First operator in the whole graph.
    pub first_op: usize,
    /// For each tensor its number in the whole graph.
    pub tensors: Vec<usize>,
    /// For each tensor whether it is read after the last layer.
    pub is_output: Vec<bool>,
}

impl Window {
    pub fn new(graph: &SplitGraph, layers: &Layers, first_layer: usize, last_layer: usize) -> Self {
        let first_op = layers.start[first_layer];
        let mut operators = graph.operators[first_op..layers.start[last_layer + 1]].to_vec();
        let mut number = rustc_hash::FxHashMap::default();
        let mut tensors = Vec::new();
        // Those of the last layers first, so that groups which end there have small numbers.
        for op in operators.iter_mut().rev() {
            for tensor in op.operands.iter_mut().map(|(t, _)| t).chain(&mut op.results) {
                *tensor = *number.entry(*tensor).or_insert_with(|| {
                    tensors.push(*tensor);
                    tensors.len() - 1
                });
            }
        }
        let is_output = tensors.iter().map(|&t| layers.outlives(t, last_layer)).collect();
        let data = tensors.iter().map(|&t| Arc::clone(&graph.tensors[t])).collect();
        let graph = SplitGraph { tensors: data, operators };
        Self { graph, first_layer, first_op, tensors, is_output }
    }

    /// How many layers, counted back from the last one, have no operator of some kind; `usize::MAX` if none has. Operators
    /// after `last`, which is of the last layer, are not looked at.
    pub fn layers_without(
        &self,
        layers: &Layers,
        last: usize,
        is_of_kind: impl Fn(&Operator) -> bool,
    ) -> usize {
        let found = self.graph.operators[..=last].iter().rposition(is_of_kind);
        let Some(found) = found.map(|op| op + self.first_op) else { return usize::MAX };
        let of_last = layers.start.partition_point(|&start| start <= last + self.first_op);
        let with = layers.start.partition_point(|&start| start <= found);
        of_last - with
    }
}
