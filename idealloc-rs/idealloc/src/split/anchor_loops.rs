//! Which loops of a contraction the dimensions of a layer's result follow, whatever is between them.
//!
//! Halves of features may gate each other, and features may become rows: then the result has another shape.

use super::graph::{Access, Operator, SplitGraph};

/// The dimensions of the result that those of a tensor follow; none where there is no such dimension.
type Follows = Vec<Option<usize>>;

/// By dimension of the last operator's result: the loop of the contraction `anchor` that it follows, as far as is known.
pub(super) fn anchor_loops(graph: &SplitGraph, anchor: usize, last: usize) -> Vec<Option<usize>> {
    let shape = |op: usize| &graph.tensors[graph.operators[op].results[0]].shape;
    let loops = &graph.operators[anchor].result_loops[0];
    if shape(anchor) == shape(last) {
        return loops.clone();
    }
    let mut follows: Vec<Option<Follows>> = vec![None; graph.tensors.len()];
    follows[graph.operators[last].results[0]] = Some((0..shape(last).len()).map(Some).collect());
    for op in graph.operators[anchor + 1..=last].iter().rev() {
        let Some(of_result) = follows[op.results[0]].clone() else { continue };
        for (tensor, access) in &op.operands {
            let shape = &graph.tensors[*tensor].shape;
            let of_operand = || dimensions_of(graph, op, &of_result, access, shape);
            follows[*tensor].get_or_insert_with(of_operand);
        }
    }
    let mut found = vec![None; shape(last).len()];
    let of_anchor = follows[graph.operators[anchor].results[0]].take().unwrap_or_default();
    for (dim, l) in of_anchor.into_iter().zip(loops) {
        if let Some(dim) = dim {
            found[dim] = found[dim].or(*l);
        }
    }
    found
}

/// What the dimensions of an operand follow. Of dimensions that are one in another shape the outermost tells.
fn dimensions_of(
    graph: &SplitGraph,
    op: &Operator,
    of_result: &Follows,
    access: &Access,
    shape: &[i64],
) -> Follows {
    let mut found = vec![None; shape.len()];
    match access {
        Access::Affine(indices) => {
            let of_loop = |l: usize| {
                let is_loop = |&(of, _): &(&Option<usize>, _)| *of == Some(l);
                op.result_loops[0].iter().zip(of_result).find(is_loop).and_then(|(_, dim)| *dim)
            };
            for (dim, index) in found.iter_mut().zip(indices.iter()) {
                *dim = index.terms.iter().find_map(|&(l, _)| of_loop(l));
            }
        }
        Access::Reshape(groups) => {
            let result = &graph.tensors[op.results[0]].shape;
            for (from, to) in groups.iter() {
                let outer =
                    |dims: &[usize], shape: &[i64]| dims.iter().copied().find(|&d| shape[d] > 1);
                if let (Some(of), Some(dim)) = (outer(from, result), outer(to, shape)) {
                    found[dim] = of_result[of];
                }
            }
        }
        Access::Whole | Access::Indirect => {}
    }
    found
}
