//! Which elements are surely read of tensors where windows leave gaps: in strides longer than they are.
//!
//! Tiles that hold one window skip what lies between windows, so a group may move less than the boxes that it reads.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::graph::{Access, Expression, Operator, SplitGraph};

/// Indices of one dimension or loop.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Indices {
    /// So many from the first on.
    First(i64),
    /// Some, ascending.
    Some(Arc<[i64]>),
}

impl Indices {
    fn count(&self) -> i64 {
        match self {
            Self::First(count) => *count,
            Self::Some(indices) => indices.len() as i64,
        }
    }

    fn of(indices: Vec<i64>, extent: i64) -> Self {
        if indices.len() as i64 == extent {
            Self::First(extent)
        } else {
            Self::Some(indices.into())
        }
    }

    /// Adds the multiples of all of them to sums.
    fn add_multiples(&self, coefficient: i64, sums: &[i64]) -> Vec<i64> {
        let add = |i: i64| sums.iter().map(move |sum| sum + coefficient * i);
        let mut new: Vec<i64> = match self {
            Self::First(count) => (0..*count).flat_map(add).collect(),
            Self::Some(indices) => indices.iter().copied().flat_map(add).collect(),
        };
        new.sort_unstable();
        new.dedup();
        new
    }
}

/// Whether an operator reads something in steps longer than what it reads at each.
pub(super) fn leaves_gaps(op: &Operator) -> bool {
    let mut indices = op.operands.iter().flat_map(|(_, access)| access.indices());
    indices.any(|index| index_leaves_gaps(index, &op.loops))
}

fn index_leaves_gaps(index: &Expression, extents: &[i64]) -> bool {
    let mut terms: Vec<(usize, i64)> = index.terms.iter().copied().collect();
    terms.sort_unstable_by_key(|&(_, coefficient)| coefficient);
    let mut span = 1 + index.reach;
    for (l, coefficient) in terms {
        if coefficient > span && extents[l] > 1 {
            return true;
        }
        span += coefficient * (extents[l] - 1);
    }
    false
}

/// What groups read at the least that end with one operator, however they are cut. Of each tensor one product of indices is
/// known, the largest that a reader needs.
#[derive(Debug)]
pub(super) struct SurelyRead<'a> {
    graph: &'a SplitGraph,
    /// Whether a tensor is read after the group, or returned.
    is_output: &'a [bool],
    read: FxHashMap<usize, Vec<Indices>>,
    first: usize,
}

impl<'a> SurelyRead<'a> {
    /// Before the walk back from operator `last`, whose first result is needed.
    pub fn new(graph: &'a SplitGraph, last: usize, is_output: &'a [bool]) -> Self {
        let target = graph.operators[last].results[0];
        let read = std::iter::once((target, all_of(graph, target))).collect();
        Self { graph, is_output, read, first: last + 1 }
    }

    /// Walks back over all operators from `first` on. Linear in their operands, and in the indices of what has gaps.
    pub fn extend(&mut self, first: usize) {
        while self.first > first {
            self.first -= 1;
            self.visit(self.first);
        }
    }

    /// Bytes that are read at the least of a tensor that was met; what is not followed counts for nothing.
    pub fn bytes(&self, tensor: usize) -> i64 {
        let elements = self.read.get(&tensor).map_or(0, |indices| elements(indices));
        elements * self.graph.tensors[tensor].element_bytes
    }

    fn visit(&mut self, index: usize) {
        let graph = self.graph;
        let op = &graph.operators[index];
        for &result in op.results.iter().filter(|&&result| self.is_output[result]) {
            self.read.insert(result, all_of(graph, result));
        }
        let made = op.results.iter().enumerate();
        let made = made.filter_map(|(number, result)| Some((number, self.read.get(result)?)));
        let Some((number, made)) = made.max_by_key(|(_, indices)| elements(indices)) else {
            return;
        };
        let mut loops: Vec<Indices> =
            op.loops.iter().map(|&extent| Indices::First(extent)).collect();
        if op.is_splittable {
            for (l, indices) in op.result_loops[number].iter().zip(made) {
                if let Some(l) = l {
                    loops[*l] = indices.clone();
                }
            }
        }
        for (position, (tensor, access)) in op.operands.iter().enumerate() {
            // What is no part may be written over.
            let is_read = op.parts.is_empty() || op.parts.contains(&position);
            if !is_read || graph.tensors[*tensor].is_constant {
                continue;
            }
            let Some(found) = self.indices(op, access, &loops, *tensor) else { continue };
            let is_more = |known: &Vec<Indices>| elements(&found) > elements(known);
            if self.read.get(tensor).is_none_or(is_more) {
                self.read.insert(*tensor, found);
            }
        }
    }

    /// What all of these iterations read together; none where that is no known product.
    fn indices(
        &self,
        op: &Operator,
        access: &Access,
        loops: &[Indices],
        tensor: usize,
    ) -> Option<Vec<Indices>> {
        let is_whole = |(indices, &extent): (&Indices, &i64)| indices.count() == extent;
        match access {
            Access::Whole => Some(all_of(self.graph, tensor)),
            Access::Reshape(_) => {
                let all = loops.iter().zip(op.loops.iter()).all(is_whole);
                all.then(|| all_of(self.graph, tensor))
            }
            Access::Indirect => None,
            Access::Affine(expressions) => {
                let terms = expressions.iter().flat_map(|e| e.terms.iter());
                let mut of: Vec<usize> =
                    terms.map(|&(l, _)| l).filter(|&l| loops[l].count() > 1).collect();
                let count = of.len();
                of.sort_unstable();
                of.dedup();
                if of.len() < count || expressions.iter().any(|e| e.reach > 0) {
                    return None;
                }
                let shape = &self.graph.tensors[tensor].shape;
                let pairs = expressions.iter().zip(shape);
                Some(pairs.map(|(e, &extent)| of_dimension(e, loops, &op.loops, extent)).collect())
            }
        }
    }
}

fn of_dimension(index: &Expression, loops: &[Indices], extents: &[i64], extent: i64) -> Indices {
    if let ([(l, 1)], 0, 1) = (&index.terms[..], index.constant, index.divisor)
        && loops[*l].count() <= extent
    {
        return loops[*l].clone();
    }
    let is_all = |&(l, _): &(usize, i64)| matches!(loops[l], Indices::First(n) if n == extents[l]);
    if index.divisor == 1 && index.terms.iter().all(is_all) && !index_leaves_gaps(index, extents) {
        let reach: i64 = index.terms.iter().map(|&(l, c)| c * (extents[l] - 1)).sum();
        let (start, end) = (index.constant.max(0), (index.constant + reach + 1).min(extent));
        let is_whole = start == 0 && end == extent;
        return if is_whole {
            Indices::First(extent)
        } else {
            Indices::of((start..end).collect(), extent)
        };
    }
    let mut sums = vec![index.constant];
    for &(l, coefficient) in index.terms.iter() {
        sums = loops[l].add_multiples(coefficient, &sums);
    }
    let whole = sums.into_iter().filter(|sum| sum % index.divisor == 0);
    let inside = whole.map(|sum| sum / index.divisor).filter(|i| (0..extent).contains(i));
    Indices::of(inside.collect(), extent)
}

fn all_of(graph: &SplitGraph, tensor: usize) -> Vec<Indices> {
    graph.tensors[tensor].shape.iter().map(|&extent| Indices::First(extent)).collect()
}

fn elements(indices: &[Indices]) -> i64 {
    indices.iter().map(Indices::count).product()
}
