//! The order in which what shrinks runs first, with all that it needs.

use super::layer_orders::LayerGraph;

/// In graphs of no more layers this order is looked for: that takes up to the third power of their number.
pub(super) const MOST_TOGETHER: usize = 200;

/// So many layers run together at the most.
const MOST_NEEDED: usize = 64;

/// Layers that have run, in their order, and how many still read each tensor.
#[derive(Clone)]
struct Running {
    left: Vec<usize>,
    is_done: Vec<bool>,
    order: Vec<usize>,
}

impl LayerGraph {
    /// Of all layers that are left one after which the least is on chip, with all that it needs before; and so on.
    ///
    /// What shrinks runs first so, though much is made on the way to it and several layers read that: the sums over all keys
    /// before the queries that are multiplied by them.
    pub(super) fn least_together(&self) -> Vec<usize> {
        let count = self.made.len();
        let left = self.tensors.iter().map(|held| held.readers).collect();
        let mut state = Running { left, is_done: vec![false; count], order: Vec::new() };
        while state.order.len() < count {
            let mut best: Option<(i64, Running)> = None;
            for layer in (0..count).filter(|&layer| !state.is_done[layer]) {
                let Some(needed) = self.needed_for(layer, &state.is_done) else { continue };
                let mut then = state.clone();
                let change = needed.into_iter().map(|layer| self.run(layer, &mut then)).sum();
                let is_better = best.as_ref().is_none_or(|(least, shortest)| {
                    (change, then.order.len()) < (*least, shortest.order.len())
                });
                if is_better {
                    best = Some((change, then));
                }
            }
            // One that needs nothing is always among them.
            let Some((_, then)) = best else { break };
            state = then;
        }
        state.order
    }

    /// A layer and those before it that have not run, in their order; none if there are too many.
    fn needed_for(&self, layer: usize, is_done: &[bool]) -> Option<Vec<usize>> {
        let mut needed = vec![layer];
        let mut next = 0;
        while next < needed.len() {
            for &before in &self.before[needed[next]] {
                if !is_done[before] && !needed.contains(&before) {
                    needed.push(before);
                }
            }
            if needed.len() > MOST_NEEDED {
                return None;
            }
            next += 1;
        }
        needed.sort_unstable();
        Some(needed)
    }

    /// Runs a layer that has not run, and then those that are the last to read a tensor and make less than it has; returns how
    /// many bytes more are on chip.
    fn run(&self, layer: usize, state: &mut Running) -> i64 {
        let mut change = 0;
        let mut ready = vec![layer];
        while let Some(layer) = ready.pop() {
            if std::mem::replace(&mut state.is_done[layer], true) {
                continue;
            }
            change += self.bytes_made(layer) - self.bytes_freed(layer, &state.left);
            state.order.push(layer);
            for &tensor in &self.read[layer] {
                state.left[tensor] -= 1;
            }
            let makers = self.read[layer].iter().map(|&tensor| self.tensors[tensor].maker);
            let readers = makers.chain([layer]).flat_map(|maker| &self.behind[maker]).copied();
            ready.extend(readers.filter(|&reader| {
                let is_open = self.before[reader].iter().all(|&l| state.is_done[l]);
                let frees = self.bytes_freed(reader, &state.left) > self.bytes_made(reader);
                !state.is_done[reader] && is_open && frees
            }));
        }
        change
    }

    fn bytes_made(&self, layer: usize) -> i64 {
        self.made[layer].iter().map(|&tensor| self.tensors[tensor].bytes).sum()
    }

    /// Bytes of what nobody reads any more once a layer has run.
    fn bytes_freed(&self, layer: usize, left: &[usize]) -> i64 {
        let read = self.read[layer].iter();
        let freed = read.filter(|&&t| left[t] == 1 && !self.tensors[t].is_returned);
        freed.map(|&tensor| self.tensors[tensor].bytes).sum()
    }
}
