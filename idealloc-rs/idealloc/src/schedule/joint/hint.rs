//! A way to the end that capacity allows, followed first: where the search below a state begins.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::graph::{Graph, OpIdx, TensorIdx};
use super::super::path::Eviction;

/// What runs next, and what leaves the chip right after it, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HintedStep {
    pub op: OpIdx,
    pub evicted: Vec<TensorIdx>,
}

/// The rest of a schedule without addresses.
#[derive(Clone, Debug)]
pub(super) struct Hint {
    steps: Rc<[HintedStep]>,
    at: usize,
}

impl Hint {
    /// The operators in order, and evictions by their positions in it; each tensor leaves right after its last use
    /// instead.
    ///
    /// `None` if that was before the first operator: the state to start from would be another one. O(uses · evictions).
    pub fn new(graph: &Graph, order: &[OpIdx], evictions: &[Eviction]) -> Option<Self> {
        let mut last_use: BTreeMap<TensorIdx, usize> = BTreeMap::new();
        let mut steps: Vec<HintedStep> = Vec::with_capacity(order.len());
        for (position, &op) in order.iter().enumerate() {
            let used = graph.ops[op.get()].inputs.iter().chain(&graph.ops[op.get()].outputs);
            steps.push(HintedStep { op, evicted: Vec::new() });
            for &tensor in used.filter(|t| graph.tensors[t.get()].bytes > 0) {
                let last = last_use.insert(tensor, position);
                let is_between = |e: &&Eviction| {
                    e.tensor == tensor && e.before <= position && last.is_none_or(|l| l < e.before)
                };
                if evictions.iter().any(|e| is_between(&e)) {
                    steps[last?].evicted.push(tensor);
                }
            }
        }
        steps.iter_mut().for_each(|step| step.evicted.sort_unstable());
        Some(Self { steps: steps.into(), at: 0 })
    }

    /// The step to take.
    pub fn step(&self) -> Option<&HintedStep> {
        self.steps.get(self.at)
    }

    /// The hint after that step.
    pub fn rest(&self) -> Self {
        Self { steps: Rc::clone(&self.steps), at: self.at + 1 }
    }
}
