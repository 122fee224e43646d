//! Depth-first search over canonical placements.

use super::parameters::Parameters;
use crate::exact::Limits;
use crate::exact::model::Model;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything is placed.
    Solved,
    /// Every possibility failed.
    Failed,
    /// The nodes were used up.
    OutOfNodes,
    /// The caller asked to stop, or the deadline passed.
    Stopped,
}

/// Offsets so far, and what follows from them.
#[derive(Clone, Debug)]
struct Node {
    /// Lowest offset of each unplaced buffer, above all that is placed and overlaps it; the offset of a placed one.
    lowest: Vec<u64>,
    placed: Vec<bool>,
    /// Highest end of what is placed in each section, or what else is known to lie below all that is not.
    floor: Vec<u64>,
    /// Heights not placed in each section.
    total: Vec<u64>,
    /// (offset, preorder) placed last.
    last: (u64, u32),
}

/// One run with one preorder.
pub struct Search<'a> {
    model: &'a Model,
    parameters: &'a Parameters,
    preorder: &'a [u32],
    limits: &'a Limits<'a>,
    node: Node,
    /// Nodes used.
    pub nodes: u64,
    budget: u64,
}

impl<'a> Search<'a> {
    /// A run from the empty placement.
    pub fn new(
        model: &'a Model,
        parameters: &'a Parameters,
        preorder: &'a [u32],
        budget: u64,
        limits: &'a Limits<'a>,
    ) -> Self {
        let lowest = model.domains.iter().map(|d| d.fixed.unwrap_or_else(|| d.align(0))).collect();
        let mut total = vec![0; model.sections];
        for (height, runs) in model.heights.iter().zip(&model.runs) {
            for s in runs.iter().flat_map(|run| run.first as usize..=run.last as usize) {
                total[s] += height;
            }
        }
        let floor = vec![0; model.sections];
        let node = Node { lowest, placed: vec![false; model.n], floor, total, last: (0, 0) };
        Self { model, parameters, preorder, limits, node, nodes: 0, budget }
    }

    /// Runs until it is solved, failed or stopped.
    pub fn run(&mut self) -> End {
        let all: Vec<usize> = (0..self.model.n).collect();
        if all.iter().any(|&b| self.node.lowest[b] > self.model.last[b]) {
            return End::Failed;
        }
        self.parts(all)
    }

    /// Offsets, once solved.
    pub fn into_positions(self) -> Vec<u64> {
        self.node.lowest
    }

    /// Solves each independent part of the unplaced buffers; without decomposition all at once.
    fn parts(&mut self, mut open: Vec<usize>) -> End {
        if open.is_empty() {
            return End::Solved;
        }
        if !self.parameters.dynamic_decomposition {
            return self.branch(&open);
        }
        open.sort_by_key(|&b| (self.model.hull[b].first, b));
        let last = self.node.last;
        let mut from = 0;
        let mut reach = 0;
        for k in 0..=open.len() {
            if k == open.len() || (k > from && self.model.hull[open[k]].first > reach) {
                self.node.last = last;
                match self.branch(&open[from..k]) {
                    End::Solved => from = k,
                    end => return end,
                }
            }
            if let Some(&b) = open.get(k) {
                let end = self.model.hull[b].last;
                reach = if k == from { end } else { reach.max(end) };
            }
        }
        End::Solved
    }

    /// Tries each buffer of a part as the next one.
    fn branch(&mut self, part: &[usize]) -> End {
        let (model, parameters) = (self.model, self.parameters);
        let key = |node: &Node, b: usize| (node.lowest[b], self.preorder[b]);
        let mut order = part.to_vec();
        if parameters.dynamic_ordering {
            order.sort_by_key(|&b| key(&self.node, b));
        } else {
            order.sort_by_key(|&b| self.preorder[b]);
        }
        let least_end = part.iter().map(|&b| self.node.lowest[b] + model.heights[b]).min();
        for &b in &order {
            let at = self.node.lowest[b];
            if parameters.canonical_only && key(&self.node, b) < self.node.last {
                continue;
            }
            if parameters.check_dominance && least_end.is_some_and(|end| at >= end) {
                continue;
            }
            if self.nodes >= self.budget {
                return End::OutOfNodes;
            }
            self.nodes += 1;
            if self.nodes.is_multiple_of(256) {
                self.limits.control.add_work(256);
                if self.limits.stopped() {
                    return End::Stopped;
                }
            }
            let saved = self.node.clone();
            let open: Vec<usize> = part.iter().copied().filter(|&c| c != b).collect();
            let end = if self.place(b, &open) { self.parts(open.clone()) } else { End::Failed };
            if end != End::Failed {
                return end;
            }
            self.node = saved;
            let sound = !parameters.canonical_only || parameters.dynamic_ordering;
            let hatless = || !open.iter().any(|&c| self.overlap(b, c));
            if parameters.hatless_pruning && sound && hatless() {
                return End::Failed;
            }
        }
        End::Failed
    }

    fn overlap(&self, b: usize, c: usize) -> bool {
        self.model.neighbours(b)[c / 64] >> (c % 64) & 1 == 1
    }

    /// Places `b` at its lowest offset; false if something that is left cannot fit any more.
    fn place(&mut self, b: usize, open: &[usize]) -> bool {
        let model = self.model;
        let (at, height) = (self.node.lowest[b], model.heights[b]);
        self.node.placed[b] = true;
        self.node.last = (at, self.preorder[b]);
        for s in model.runs[b].iter().flat_map(|run| run.first as usize..=run.last as usize) {
            self.node.total[s] -= height;
            self.node.floor[s] = self.node.floor[s].max(at + height);
        }
        for &c in open {
            if self.overlap(b, c) && self.node.lowest[c] < at + height {
                self.node.lowest[c] = model.domains[c].align(at + height);
                if self.node.lowest[c] > model.last[c] {
                    return false;
                }
            }
        }
        !self.parameters.section_inference || self.sections_fit(open, at)
    }

    fn sections_fit(&self, open: &[usize], at: u64) -> bool {
        let (model, node) = (self.model, &self.node);
        let mut lowest = vec![u64::MAX; model.sections];
        for &c in open {
            for s in model.runs[c].iter().flat_map(|run| run.first as usize..=run.last as usize) {
                lowest[s] = lowest[s].min(node.lowest[c]);
            }
        }
        (0..model.sections).filter(|&s| lowest[s] != u64::MAX).all(|s| {
            let mut floor = node.floor[s];
            if self.parameters.monotonic_floor && self.parameters.canonical_only {
                floor = floor.max(at);
            }
            if self.parameters.unallocated_floor {
                floor = floor.max(lowest[s]);
            }
            floor + node.total[s] <= model.room[s]
        })
    }
}
