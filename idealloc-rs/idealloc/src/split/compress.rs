//! The same graph with fewer operators: element-wise chains join the operator that they follow, and what is computed
//! from one argument alone is taken for that argument.

use std::sync::Arc;

use super::graph::{Access, Expression, Operator, SplitGraph, Tensor};
use super::layer_orders::operators_in_order;

/// A chain takes in a reader whose other operands are at most this fraction of its result.
const SMALL: i64 = 8;

/// A smaller graph and where its operators come from.
#[derive(Clone, Debug)]
pub struct Compressed {
    /// The graph.
    pub graph: SplitGraph,
    /// For each operator, the one of the original graph that computes (the first of a chain).
    pub origin: Vec<usize>,
    /// For each tensor, the one of the original graph: the argument that it stands for, or itself.
    pub argument: Vec<usize>,
    /// For each tensor of the original graph, the argument that it stands for; itself otherwise.
    pub stands_for: Vec<usize>,
}

impl Compressed {
    /// The same with the layers of the smaller graph in another order. Linear.
    pub fn in_order(&self, order: &[usize]) -> Self {
        let operators = operators_in_order(&self.graph, order);
        Self {
            graph: self.graph.in_order(order),
            origin: operators.map(|op| self.origin[op]).collect(),
            ..self.clone()
        }
    }
}

/// Makes the smaller graph. Linear.
///
/// With `keeps_views` an argument in another shape stays a view of it where it is read in several ways, so that a group may
/// fetch it once for all of them.
pub fn compress(graph: &SplitGraph, keeps_views: bool) -> Compressed {
    let mut tensors = graph.tensors.clone();
    let mut argument: Vec<usize> = (0..tensors.len()).collect();
    let mut uses = vec![0_u32; tensors.len()];
    let mut is_table = vec![false; tensors.len()];
    for op in &graph.operators {
        for (tensor, access) in &op.operands {
            uses[*tensor] += 1;
            is_table[*tensor] |= *access == Access::Indirect;
        }
    }
    let is_shown_in_part = shown_in_part(graph);
    let mut operators: Vec<Operator> = Vec::new();
    let mut origin: Vec<usize> = Vec::new();
    let mut maker: Vec<Option<usize>> = vec![None; tensors.len()];
    for (index, op) in graph.operators.iter().enumerate() {
        // A table that is an argument is looked up where it lies; one that is computed needs room. So does what is changed once
        // for several views.
        let is_kept = |&(source, _): &(usize, Access)| keeps_views && uses[source] > 1;
        let may_stand = if op.is_view {
            !op.operands.first().is_some_and(is_kept)
        } else {
            op.results.iter().all(|&result| !is_table[result] && !is_shown_in_part[result])
        };
        if let Some(source) = stands_for(op, &tensors, &uses).filter(|_| may_stand) {
            let result = op.results[0];
            let is_changed = tensors[source].is_changed || !op.is_view;
            let tensor = Arc::make_mut(&mut tensors[result]);
            (tensor.is_argument, tensor.is_changed) = (true, is_changed);
            argument[result] = argument[source];
            continue;
        }
        if let Some((number, joined)) = join(op, &operators, &maker, &tensors, &uses) {
            maker[op.results[0]] = Some(number);
            operators[number] = joined;
            continue;
        }
        for &tensor in &op.results {
            maker[tensor] = Some(operators.len());
        }
        operators.push(op.clone());
        origin.push(index);
    }
    renumber(tensors, operators, origin, &argument)
}

/// For each tensor whether some view shows less of it than there is. Linear.
fn shown_in_part(graph: &SplitGraph) -> Vec<bool> {
    let mut found = vec![false; graph.tensors.len()];
    for op in graph.operators.iter().rev().filter(|op| op.is_view) {
        let ([(source, _), ..], [result, ..]) = (&op.operands[..], &op.results[..]) else {
            continue;
        };
        let bytes = |tensor: usize| graph.tensors[tensor].bytes();
        found[*source] |= found[*result] || bytes(*source) != bytes(*result);
    }
    found
}

/// Leaves out the tensors that nobody uses any more, but results.
fn renumber(
    tensors: Vec<Arc<Tensor>>,
    mut operators: Vec<Operator>,
    origin: Vec<usize>,
    argument: &[usize],
) -> Compressed {
    let mut number = vec![usize::MAX; tensors.len()];
    let mut used: Vec<usize> = Vec::new();
    for op in &mut operators {
        let operands = op.operands.iter_mut().map(|(tensor, _)| tensor);
        for tensor in operands.chain(&mut op.results) {
            if number[*tensor] == usize::MAX {
                number[*tensor] = used.len();
                used.push(*tensor);
            }
            *tensor = number[*tensor];
        }
    }
    // They take room all the same.
    let is_filled = |&t: &usize| tensors[t].is_constant && tensors[t].is_returned;
    used.extend((0..tensors.len()).filter(|&t| number[t] == usize::MAX).filter(is_filled));
    let kept = used.iter().map(|&tensor| Arc::clone(&tensors[tensor])).collect();
    Compressed {
        graph: SplitGraph { tensors: kept, operators },
        origin,
        argument: used.iter().map(|&tensor| argument[tensor]).collect(),
        stands_for: argument.to_vec(),
    }
}

/// The argument whose elements an operator only changes one by one, or gives another shape, and that nobody else reads:
/// it is fetched and changed in place.
fn stands_for(op: &Operator, tensors: &[Arc<Tensor>], uses: &[u32]) -> Option<usize> {
    let is_read = |&(_, (t, _)): &(usize, &(usize, Access))| !tensors[*t].is_constant;
    let mut sources = op.operands.iter().enumerate().filter(is_read);
    let ((k, (source, access)), None) = (sources.next()?, sources.next()) else { return None };
    let [result] = op.results[..] else { return None };
    let is_same = tensors[*source].is_argument
        && (uses[*source] == 1 || op.is_view)
        && (op.in_place.contains(&k) || op.is_view)
        && op.is_splittable
        && op.parts.is_empty()
        && !op.is_reduction.iter().any(|&r| r)
        && matches!(access, Access::Affine(_) | Access::Reshape(_))
        && tensors[*source].bytes() == tensors[result].bytes()
        && !tensors[result].is_returned;
    is_same.then_some(*source)
}

/// The operator that makes the tensor which `op` changes element by element, with `op` taken in.
fn join(
    op: &Operator,
    operators: &[Operator],
    maker: &[Option<usize>],
    tensors: &[Arc<Tensor>],
    uses: &[u32],
) -> Option<(usize, Operator)> {
    let [result] = op.results[..] else { return None };
    if op.is_view || !op.is_splittable || op.is_reduction.iter().any(|&r| r) || op.work > 0 {
        return None;
    }
    let candidate = op.in_place.iter().find_map(|&k| {
        let (source, access) = &op.operands[k];
        let number = maker[*source]?;
        let before = &operators[number];
        let fits = uses[*source] == 1
            && !tensors[*source].is_returned
            && before.results.len() == 1
            && before.is_splittable
            && !before.is_view
            && before.parts.is_empty()
            && before.layer == op.layer
            && tensors[*source].shape == tensors[result].shape
            && tensors[*source].element_bytes == tensors[result].element_bytes
            && is_identity(access, &op.result_loops[0]);
        fits.then_some((k, number))
    });
    let (k, number) = candidate?;
    let before = &operators[number];
    let mut to_before: Vec<Option<usize>> = vec![None; op.loops.len()];
    for (dimension, l) in op.result_loops[0].iter().enumerate() {
        if let Some(l) = l {
            to_before[*l] = before.result_loops[0][dimension];
        }
    }
    if op.result_loops[0].iter().flatten().count() != op.loops.len() {
        return None;
    }
    let mut joined = before.clone();
    for (other, (tensor, access)) in op.operands.iter().enumerate() {
        if other == k {
            continue;
        }
        let Access::Affine(expressions) = access else { return None };
        if !is_small(&tensors[*tensor], &tensors[result]) {
            return None;
        }
        let translated = expressions.iter().map(|e| translate(e, &to_before)).collect();
        joined.operands.push((*tensor, Access::Affine(translated)));
    }
    joined.results = vec![result];
    let nest = Arc::make_mut(&mut joined.nest);
    nest.operations += op.operations;
    nest.rooms += op.rooms;
    Some((number, joined))
}

/// Whether a tensor may come as well to what makes a result: it takes little room beside that.
pub(super) fn is_small(tensor: &Tensor, result: &Tensor) -> bool {
    tensor.is_constant || (tensor.is_argument && tensor.bytes() * SMALL <= result.bytes())
}

fn is_identity(access: &Access, result_loops: &[Option<usize>]) -> bool {
    let Access::Affine(expressions) = access else { return false };
    expressions.len() == result_loops.len()
        && expressions.iter().zip(result_loops).all(|(e, l)| match (l, &e.terms[..]) {
            (Some(l), [(term, 1)]) => l == term && (e.constant, e.divisor, e.reach) == (0, 1, 0),
            (None, []) => (e.constant, e.reach) == (0, 0),
            _ => false,
        })
}

fn translate(expression: &Expression, to_before: &[Option<usize>]) -> Expression {
    let terms = expression.terms.iter().filter_map(|&(l, c)| to_before[l].map(|l| (l, c)));
    Expression { terms: terms.collect(), ..expression.clone() }
}
