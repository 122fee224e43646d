//! Which runs of layers look alike: networks repeat their blocks, and what is found out about a group of one block holds for
//! the same group of all others.
//!
//! Two groups are alike if their operators are, counted from the last one back, with the same tensors between them, and if
//! the rest of the graph reads the same of these. Runs that end with a layer are told apart layer by layer backwards, as in
//! a trie; the parts are compared in full.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Access, Operator, SplitGraph, Tensor};
use super::layer_grids::LayerGrids;
use super::layers::{Layers, Window};
use crate::parallel;

/// What distinguishes runs of layers, so far.
#[derive(Debug, Default)]
pub(super) struct Likeness {
    operators: Numbers<Vec<i64>>,
    tensors: Numbers<Vec<i64>>,
    runs: Numbers<(u32, Vec<u32>)>,
    grids: MadeOnce<LayerGrids>,
}

/// A number for each of some values.
#[derive(Debug)]
struct Numbers<T>(FxHashMap<T, u32>);

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<T: Eq + Hash> Numbers<T> {
    fn of(&mut self, value: T) -> u32 {
        let new = self.0.len() as u32;
        *self.0.entry(value).or_insert(new)
    }
}

/// Numbers of what the parts of a graph look like, wherever they are.
#[derive(Debug)]
struct Looks {
    operators: Vec<u32>,
    tensors: Vec<u32>,
}

/// What is made once for all layers that look alike, by their look.
type MadeOnce<T> = FxHashMap<u32, Arc<T>>;

/// For each layer what is made of the first one that looks like it; what is `made` already is taken.
fn made_once<T: Send + Sync>(
    made: &mut MadeOnce<T>,
    looks: &[u32],
    threads: usize,
    make: impl Fn(usize) -> T + Sync,
) -> Vec<Arc<T>> {
    let mut is_new = FxHashSet::default();
    let layers = 0..looks.len();
    let firsts: Vec<usize> = layers
        .filter(|&layer| !made.contains_key(&looks[layer]) && is_new.insert(looks[layer]))
        .collect();
    let new = parallel::map(threads, firsts.len(), |number| Arc::new(make(firsts[number])));
    made.extend(firsts.iter().map(|&layer| looks[layer]).zip(new));
    looks.iter().map(|look| Arc::clone(&made[look])).collect()
}

impl Likeness {
    /// The grids of layers that look so, one by one. `make` makes those of a layer; layers that look alike have the same, also
    /// in graphs that were looked at before.
    pub fn grids_of(
        &mut self,
        looks: &[u32],
        threads: usize,
        make: impl Fn(usize) -> LayerGrids + Sync,
    ) -> Vec<Arc<LayerGrids>> {
        made_once(&mut self.grids, looks, threads, make)
    }

    /// For each window and its last layer, by number of layers, less one: a number for each run of layers that ends there,
    /// the same for runs that are alike, also of graphs that were looked at before.
    pub fn of_windows<'w>(
        &mut self,
        graph: &SplitGraph,
        layers: &Layers,
        windows: impl Iterator<Item = (&'w Window, usize)>,
    ) -> Vec<Vec<u32>> {
        let looks = self.looks(graph);
        windows.map(|(window, last)| self.of_runs(graph, &looks, layers, window, last)).collect()
    }

    /// Numbers what all operators and tensors of a graph look like.
    fn looks(&mut self, graph: &SplitGraph) -> Looks {
        let operators = graph.operators.iter().map(|op| self.operators.of(words_of(op)));
        let operators = operators.collect();
        let tensors = graph.tensors.iter().map(|tensor| self.tensors.of(words_of_tensor(tensor)));
        Looks { operators, tensors: tensors.collect() }
    }

    /// By number of layers, less one: a number for each run of layers that ends where a window does, the same for runs that
    /// are alike.
    fn of_runs(
        &mut self,
        graph: &SplitGraph,
        looks: &Looks,
        layers: &Layers,
        window: &Window,
        last_layer: usize,
    ) -> Vec<u32> {
        let mut uses = vec![0_u32; window.tensors.len()];
        for (tensor, _) in window.graph.operators.iter().flat_map(|op| &op.operands) {
            uses[*tensor] += 1;
        }
        let mut met = 0;
        let mut run = u32::MAX;
        let mut runs = Vec::with_capacity(last_layer + 1 - window.first_layer);
        for layer in (window.first_layer..=last_layer).rev() {
            let (start, end) = (layers.start[layer], layers.start[layer + 1]);
            let mut words = vec![(end - layers.target[layer]) as u32];
            let first_chain = graph.operators[start..end].iter().filter_map(|op| op.slice).next();
            for number in (start..end).rev() {
                let op = &window.graph.operators[number - window.first_op];
                words.push(looks.operators[number]);
                let chain = op
                    .slice
                    .zip(first_chain)
                    .map_or(0, |(slice, first)| (slice.chain as i64 - first.chain as i64) as u32);
                words.push(chain);
                // What is returned may be copied, depending on what lies before the group.
                let is_returned = window.graph.tensors[op.results[0]].is_returned;
                let is_part = op.is_view && is_returned && window.graph.shows_part(op);
                words.push(u32::from(is_part));
                let operands = op.operands.iter().map(|(tensor, _)| tensor);
                for &tensor in operands.chain(&op.results) {
                    words.push(tensor as u32);
                    words.push(looks.tensors[window.tensors[tensor]]);
                    let is_read_once = uses[tensor] == 1;
                    words.push(u32::from(window.is_output[tensor]) * 2 + u32::from(is_read_once));
                    met = met.max(tensor + 1);
                }
            }
            // The result of the layer before, if the group reads it.
            let newest = layer.checked_sub(1).map(|before| layers.target[before]);
            let newest = newest.and_then(|op| op.checked_sub(window.first_op));
            let newest = newest.and_then(|op| window.graph.operators[op].results.first());
            words.push(newest.filter(|&&tensor| tensor < met).map_or(u32::MAX, |&t| t as u32));
            run = self.runs.of((run, words));
            runs.push(run);
        }
        runs
    }
}

/// All that an operator is but for its tensors, its layer and the number of its chain.
fn words_of(op: &Operator) -> Vec<i64> {
    let flags = i64::from(op.is_view) + 2 * i64::from(op.is_splittable);
    let mut words = vec![
        op.work,
        op.operations,
        op.rooms,
        flags,
        op.results.len() as i64,
        op.operands.len() as i64,
    ];
    let mut add = |list: &mut dyn Iterator<Item = i64>| {
        let at = words.len();
        words.push(0);
        words.extend(list);
        words[at] = (words.len() - at) as i64;
    };
    add(&mut op.loops.iter().copied());
    add(&mut op.is_reduction.iter().map(|&is| i64::from(is)));
    for loops in op.cuttable.iter() {
        add(&mut loops.iter().map(|&l| l as i64));
    }
    for loops in op.result_loops.iter() {
        add(&mut loops.iter().map(|l| l.map_or(-1, |l| l as i64)));
    }
    add(&mut op.in_place.iter().map(|&k| k as i64));
    add(&mut op.parts.iter().map(|&k| k as i64));
    add(&mut op.copied_parts.iter().map(|&k| k as i64));
    let slice = op.slice.map(|s| [s.along as i64, s.size, i64::from(s.is_last)]);
    add(&mut slice.into_iter().flatten());
    for (_, access) in &op.operands {
        match access {
            Access::Whole => add(&mut [1].into_iter()),
            Access::Indirect => add(&mut [2].into_iter()),
            Access::Affine(expressions) => {
                add(&mut [3, expressions.len() as i64].into_iter());
                for e in expressions.iter() {
                    let terms =
                        e.terms.iter().flat_map(|&(l, coefficient)| [l as i64, coefficient]);
                    add(&mut [e.constant, e.divisor, e.reach].into_iter().chain(terms));
                }
            }
            Access::Reshape(groups) => {
                add(&mut [4, groups.len() as i64].into_iter());
                for (from, to) in groups.iter() {
                    add(&mut from.iter().map(|&d| d as i64));
                    add(&mut to.iter().map(|&d| d as i64));
                }
            }
        }
    }
    words
}

/// All that a tensor is.
fn words_of_tensor(tensor: &Tensor) -> Vec<i64> {
    let flags = [tensor.is_argument, tensor.is_constant, tensor.is_changed, tensor.is_returned];
    let flags = flags.iter().fold(0, |sum, &is| 2 * sum + i64::from(is));
    [tensor.element_bytes, flags].into_iter().chain(tensor.shape.iter().copied()).collect()
}
