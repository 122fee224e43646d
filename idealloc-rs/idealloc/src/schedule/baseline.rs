//! Replacement as it is usually done: a fixed order, an arena filled online, a rule that picks who leaves.
//!
//! What the optimum is compared with, and the schedule that every search starts from: it has addresses from the
//! first moment. The arena is best fit, as in TensorFlow Lite's planner for one step after the other. If the operands
//! of an operator cannot be placed around each other, all of them are evicted and loaded side by side.

use super::graph::{Graph, OpIdx, TensorIdx};
use super::residency::Residency;

/// Which tensors leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The one whose next use is farthest away (Belady 1966), until there is room.
    Belady,
    /// Those between two addresses whose eviction moves the fewest bytes: the optimum of one step, as an ILP solved
    /// per step finds it.
    Greedy,
}

/// A tensor in the arena.
#[derive(Clone, Copy, Debug)]
struct Block {
    offset: u64,
    bytes: u64,
    tensor: TensorIdx,
    /// Index of its stay.
    stay: usize,
    is_dirty: bool,
    is_pinned: bool,
}

struct Arena<'a> {
    graph: &'a Graph,
    capacity: u64,
    rule: Replacement,
    /// The operator that runs.
    op: OpIdx,
    /// By ascending offset.
    blocks: Vec<Block>,
    stays: Vec<Residency>,
    /// Positions of the uses still to come of each tensor, last first.
    uses: Vec<Vec<usize>>,
    is_off_chip: Vec<bool>,
}

/// Runs a rule over an order of the graph. Every operator must fit the capacity. O(operators · blocks²).
#[must_use]
pub fn replace_online(
    graph: &Graph,
    order: &[OpIdx],
    capacity: u64,
    rule: Replacement,
) -> Vec<Residency> {
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); graph.tensors().len()];
    for (position, op) in order.iter().enumerate().rev() {
        for t in &graph.ops()[op.get()].inputs {
            uses[t.get()].push(position);
        }
    }
    let mut arena = Arena {
        graph,
        capacity,
        rule,
        op: OpIdx::new(0),
        blocks: Vec::new(),
        stays: Vec::new(),
        uses,
        is_off_chip: graph.tensors().iter().map(|t| t.producer.is_none() || t.is_output).collect(),
    };
    for (position, op) in order.iter().enumerate() {
        arena.run(position, *op);
    }
    let mut stays = arena.stays;
    // A stay without use came and went while operands were placed.
    stays.retain(|stay| stay.start < stay.end);
    mark_spills(graph, &mut stays);
    stays.sort_unstable_by_key(|r| (r.start, r.tensor));
    stays
}

impl Arena<'_> {
    fn run(&mut self, position: usize, op: OpIdx) {
        let graph = self.graph;
        self.op = op;
        let op = &graph.ops()[op.get()];
        for block in &mut self.blocks {
            block.is_pinned = op.inputs.binary_search(&block.tensor).is_ok();
        }
        let mut missing: Vec<TensorIdx> = op
            .inputs
            .iter()
            .copied()
            .filter(|t| !self.blocks.iter().any(|b| b.tensor == *t))
            .chain(op.outputs.iter().copied())
            .collect();
        let is_over = |t: &TensorIdx| op.overwriting.binary_search(t).is_ok();
        missing
            .sort_by_key(|t| (is_over(t), std::cmp::Reverse(graph.tensors()[t.get()].bytes), *t));
        let (over, before): (Vec<_>, Vec<_>) = missing.into_iter().partition(is_over);
        let is_gone = |t: &TensorIdx| op.overwritten.binary_search(t).is_ok();
        let mut ending = Vec::new();
        let is_placed = before.iter().all(|&t| self.place(position, t)) && {
            // What is read here for the last time makes room for what may be written over it.
            let ends = |b: &Block| {
                let is_loaded = self.stays[b.stay].start == position;
                is_gone(&b.tensor)
                    && self.uses[b.tensor.get()].len() == 1
                    && (is_loaded || !op.reloads)
            };
            (ending, self.blocks) = std::mem::take(&mut self.blocks).into_iter().partition(ends);
            over.iter().all(|&t| self.place(position, t))
        };
        if !is_placed {
            self.blocks.append(&mut ending);
            // What was placed for this operator in vain has not happened.
            for block in std::mem::take(&mut self.blocks) {
                if self.stays[block.stay].start == position {
                    self.stays[block.stay].end = position;
                } else {
                    self.is_off_chip[block.tensor.get()] = true;
                }
            }
            let mut offset = 0;
            let apart = |t: &&TensorIdx| !is_gone(t) && !is_over(t);
            for &t in op.inputs.iter().chain(&op.outputs).filter(apart) {
                self.enter(position, t, offset);
                offset += graph.tensors()[t.get()].bytes;
            }
            for shared in [&op.overwritten, &op.overwriting] {
                let mut offset = offset;
                for &t in shared {
                    self.enter(position, t, offset);
                    offset += graph.tensors()[t.get()].bytes;
                }
            }
            // Some of it is written over; all of that leaves.
            for i in 0..self.blocks.len() {
                let Block { tensor, stay, .. } = self.blocks[i];
                if is_gone(&tensor) {
                    self.stays[stay].end = position + 1;
                    self.is_off_chip[tensor.get()] = true;
                    self.uses[tensor.get()].pop();
                }
            }
            self.blocks.retain(|b| !is_gone(&b.tensor));
        }
        for block in ending {
            self.uses[block.tensor.get()].pop();
            self.stays[block.stay].end = position + 1;
        }
        for i in 0..self.blocks.len() {
            let block = self.blocks[i];
            if op.inputs.binary_search(&block.tensor).is_ok() {
                self.uses[block.tensor.get()].pop();
            }
            if block.is_pinned {
                self.stays[block.stay].end = position + 1;
            }
        }
        let uses = &self.uses;
        self.blocks.retain(|b| !uses[b.tensor.get()].is_empty());
    }

    /// Finds room, evicting where there is none; false if what is pinned leaves no room.
    fn place(&mut self, position: usize, tensor: TensorIdx) -> bool {
        let bytes = self.graph.tensors()[tensor.get()].bytes;
        loop {
            if let Some(offset) = self.best_fit(bytes) {
                self.enter(position, tensor, offset);
                return true;
            }
            let leaving = match self.rule {
                Replacement::Belady => self.farthest(),
                Replacement::Greedy => self.cheapest_window(bytes),
            };
            if leaving.is_empty() {
                return false;
            }
            for i in leaving.into_iter().rev() {
                let block = self.blocks.remove(i);
                self.is_off_chip[block.tensor.get()] = true;
            }
        }
    }

    fn enter(&mut self, position: usize, tensor: TensorIdx, offset: u64) {
        let bytes = self.graph.tensors()[tensor.get()].bytes;
        let is_made = self.graph.tensors()[tensor.get()].producer == Some(self.op);
        let stay = self.stays.len();
        self.stays.push(Residency {
            tensor,
            start: position,
            end: position + 1,
            offset,
            is_loaded: !is_made,
            is_spilled: false,
        });
        let is_dirty = is_made && !self.is_off_chip[tensor.get()];
        let block = Block { offset, bytes, tensor, stay, is_dirty, is_pinned: true };
        let at = self.blocks.partition_point(|b| (b.offset, b.bytes) < (offset, bytes));
        self.blocks.insert(at, block);
    }

    /// The smallest gap that is large enough; ties by address.
    fn best_fit(&self, bytes: u64) -> Option<u64> {
        let mut best: Option<(u64, u64)> = None;
        let mut at = 0;
        let ends = self.blocks.iter().map(|b| (b.offset, b.offset + b.bytes));
        for (start, end) in ends.chain(std::iter::once((self.capacity, self.capacity))) {
            let gap = start.saturating_sub(at);
            if gap >= bytes && best.is_none_or(|(least, _)| gap < least) {
                best = Some((gap, at));
            }
            at = at.max(end);
        }
        best.map(|(_, offset)| offset)
    }

    fn farthest(&self) -> Vec<usize> {
        let free = (0..self.blocks.len()).filter(|&i| !self.blocks[i].is_pinned);
        free.max_by_key(|&i| {
            let b = &self.blocks[i];
            (self.uses[b.tensor.get()].last().copied(), b.bytes, std::cmp::Reverse(b.tensor))
        })
        .into_iter()
        .collect()
    }

    /// The blocks in the way of the cheapest place; a place starts at 0 or where a block ends.
    fn cheapest_window(&self, bytes: u64) -> Vec<usize> {
        let ends = self.blocks.iter().map(|b| b.offset + b.bytes);
        let starts = std::iter::once(0).chain(ends);
        let windows = starts.filter(|start| start + bytes <= self.capacity).filter_map(|start| {
            let inside: Vec<usize> = (0..self.blocks.len())
                .filter(|&i| {
                    let b = &self.blocks[i];
                    b.offset < start + bytes && start < b.offset + b.bytes
                })
                .collect();
            if inside.iter().any(|&i| self.blocks[i].is_pinned) {
                return None;
            }
            let price =
                |i: &usize| self.blocks[*i].bytes * if self.blocks[*i].is_dirty { 2 } else { 1 };
            Some((inside.iter().map(price).sum::<u64>(), start, inside))
        });
        windows.min().map(|(_, _, inside)| inside).unwrap_or_default()
    }
}

/// A tensor that comes back was written when it left first; outputs are written in any case.
fn mark_spills(graph: &Graph, stays: &mut [Residency]) {
    let mut last = vec![None; graph.tensors().len()];
    let mut count = vec![0; graph.tensors().len()];
    for (i, stay) in stays.iter().enumerate() {
        count[stay.tensor.get()] += 1;
        if !stay.is_loaded {
            last[stay.tensor.get()] = Some(i);
        }
    }
    for (t, tensor) in graph.tensors().iter().enumerate() {
        if let Some(i) = last[t].filter(|_| tensor.is_output || count[t] > 1) {
            stays[i].is_spilled = true;
        }
    }
}
