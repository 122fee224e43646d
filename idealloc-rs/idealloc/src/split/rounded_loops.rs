//! Along which loops what tiles read is rounded: to whole rows of another shape, or to elements between which others are
//! inserted. Larger tiles along such a loop may read more than smaller ones, and need less room.

use super::graph::{Access, Operator, SplitGraph};
use super::sweep::CutLoop;

/// Whether of some operand more may be read than what is needed of it.
pub(super) fn is_rounded(op: &Operator) -> bool {
    op.operands.iter().any(|(_, access)| match access {
        Access::Affine(indices) => indices.iter().any(|index| index.divisor != 1),
        Access::Reshape(_) => true,
        Access::Whole | Access::Indirect => false,
    })
}

/// The loops of a part of a graph along which something is rounded.
pub(super) struct RoundedLoops<'g> {
    graph: &'g SplitGraph,
    last: usize,
    /// For each operator and loop of it, as far as asked for.
    known: Vec<Vec<Option<bool>>>,
}

impl<'g> RoundedLoops<'g> {
    /// Of the operators up to `last`, which makes the result.
    pub fn of(graph: &'g SplitGraph, last: usize) -> Self {
        let known = graph.operators[..=last].iter().map(|op| vec![None; op.loops.len()]);
        Self { graph, last, known: known.collect() }
    }

    /// Whether what is read is rounded where this loop is cut.
    pub fn contain(&mut self, cut: CutLoop) -> bool {
        match cut {
            CutLoop::Accumulate(op, l) => self.is_rounded_along(op, l),
            CutLoop::Result(dim) => {
                let l = self.graph.operators[self.last].result_loops[0][dim];
                l.is_some_and(|l| self.is_rounded_along(self.last, l))
            }
        }
    }

    /// The same for a loop of an operator, and all that it reads.
    fn is_rounded_along(&mut self, op: usize, l: usize) -> bool {
        if let Some(known) = self.known[op][l] {
            return known;
        }
        let graph = self.graph;
        let is_rounded = graph.operators[op].operands.iter().any(|(tensor, access)| {
            let Some(dims) = self.dims_along((op, l), *tensor, access) else { return true };
            let makes = |op: &Operator| op.results.iter().position(|made| made == tensor);
            let makers = graph.operators[..op].iter().enumerate();
            let maker = makers.rev().find_map(|(maker, op)| Some((maker, makes(op)?)));
            maker.is_some_and(|(maker, result)| {
                let loops = &graph.operators[maker].result_loops[result];
                dims.iter().filter_map(|&d| loops[d]).any(|l| self.is_rounded_along(maker, l))
            })
        });
        self.known[op][l] = Some(is_rounded);
        is_rounded
    }

    /// Dimensions of an operand that move with a loop of an operator; none if what is read of them is rounded.
    fn dims_along(
        &self,
        (op, l): (usize, usize),
        tensor: usize,
        access: &Access,
    ) -> Option<Vec<usize>> {
        match access {
            Access::Whole | Access::Indirect => Some(Vec::new()),
            Access::Affine(indices) => {
                let along = indices.iter().enumerate().filter(|(_, index)| index.follows(l));
                along.map(|(dim, index)| (index.divisor == 1).then_some(dim)).collect()
            }
            Access::Reshape(groups) => {
                let op = &self.graph.operators[op];
                let made = &self.graph.tensors[op.results[0]].shape;
                let read = &self.graph.tensors[tensor].shape;
                let moves = |d: &usize| op.result_loops[0][*d] == Some(l);
                let (from, to) = groups.iter().find(|(from, _)| from.iter().any(moves))?;
                // Dimensions of one element change nothing.
                let count =
                    |dims: &[usize], shape: &[i64]| dims.iter().filter(|&&d| shape[d] > 1).count();
                let is_one_to_one = count(from, made) <= 1 && count(to, read) <= 1;
                is_one_to_one.then(|| to.clone())
            }
        }
    }
}
