//! What the dimensions of a layer's result are: places, features, products side by side, images of a batch.

use super::anchor_loops::anchor_loops;
use super::graph::{Access, Expression, Operator, SplitGraph};
use super::strips::has_halo;

/// Dimensions on which no weight depends that are cut: the last ones.
const MOST_SPATIAL: usize = 3;

/// How what a contraction multiplies is told from its result, and weights from inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    /// By the shape of the layer's result, if it is that of the contraction; weights are arguments.
    Shapes,
    /// Through all that is between the two; weights may be computed: masked, flipped.
    Accesses,
}

impl Tells {
    /// For each dimension of the result of a layer whether it is the position in a loop of its contraction, and of which;
    /// nothing where that cannot be told.
    fn loops(self, graph: &SplitGraph, anchor: usize, last: usize) -> Option<Vec<Option<usize>>> {
        let shape = |op: usize| &graph.tensors[graph.operators[op].results[0]].shape;
        match self {
            Self::Shapes => (shape(anchor) == shape(last))
                .then(|| graph.operators[anchor].result_loops[0].clone()),
            Self::Accesses => Some(anchor_loops(graph, anchor, last)),
        }
    }
}

/// The indices of the arguments that a contraction reads. Where nothing else is read one of them is no weight but the
/// input: the one that windows move over, else the first. Where no argument is read weights may be computed: what windows
/// move over is the input, and what does not follow its places is a weight.
fn weights_of<'g>(graph: &'g SplitGraph, op: &'g Operator, tells: Tells) -> Vec<&'g [Expression]> {
    let factors = op.operands.iter().filter_map(|(tensor, access)| match access {
        Access::Affine(expressions) => Some((*tensor, &expressions[..])),
        _ => None,
    });
    let is_argument = |tensor: usize| graph.tensors[tensor].is_argument;
    let has_window = |indices: &[Expression]| indices.iter().any(|e| e.terms.len() > 1);
    let (mut weights, mut others): (Vec<_>, Vec<_>) = factors.partition(|&(t, _)| is_argument(t));
    if weights.is_empty() && tells == Tells::Accesses {
        let windows = others.iter().flat_map(|(_, indices)| indices.iter());
        let places: Vec<usize> = windows
            .filter(|index| index.terms.len() > 1)
            .flat_map(|index| index.terms.iter().map(|&(l, _)| l))
            .filter(|&l| !op.is_reduction[l])
            .collect();
        let is_weight = |indices: &[Expression]| {
            !places.is_empty() && !indices.iter().any(|e| places.iter().any(|&l| e.follows(l)))
        };
        (weights, others) = others.into_iter().partition(|(_, indices)| is_weight(indices));
    }
    if !others.iter().any(|(_, indices)| indices.iter().any(|e| is_summed(op, e))) {
        let input = weights.iter().position(|(_, indices)| has_window(indices)).unwrap_or(0);
        if weights.len() > 1 {
            weights.remove(input);
        }
    }
    weights.into_iter().map(|(_, indices)| indices).collect()
}

/// Dimensions of the result on which no weight of the last contraction depends.
pub(super) fn spatial_dims(
    graph: &SplitGraph,
    first: usize,
    last: usize,
    dims: &[usize],
    tells: Tells,
) -> Vec<usize> {
    let anchor = anchor_of(graph, first, last);
    let known = anchor.and_then(|anchor| Some((anchor, tells.loops(graph, anchor, last)?)));
    let Some((anchor, loops)) = known else { return dims.to_vec() };
    let weights = weights_of(graph, &graph.operators[anchor], tells);
    let depends = |l: usize| weights.iter().any(|e| e.iter().any(|index| index.follows(l)));
    let is_spatial = |&&d: &&usize| loops[d].is_none_or(|l| !depends(l));
    dims.iter().filter(is_spatial).copied().collect()
}

/// Of dimensions on which no weight depends the first, if windows move over others but not over that one, and there is a
/// contraction or are more of them than of a volume.
fn batch_of(
    graph: &SplitGraph,
    (first, last): (usize, usize),
    spatial: &[usize],
    tells: Tells,
) -> Option<usize> {
    let is_window = |(op, index): (&Operator, &Expression)| {
        is_summed(op, index) && index.terms.iter().any(|&(l, _)| !op.is_reduction[l])
    };
    let (&batch, others) = spatial.split_first()?;
    let anchor = anchor_of(graph, first, last);
    let loops = anchor.and_then(|anchor| tells.loops(graph, anchor, last)).unwrap_or_default();
    let loop_of = |d: usize| loops.get(d).copied().flatten();
    // Where other dimensions are merged, such as groups with their features, only the contraction tells its windows.
    let is_in_window = |d: usize| {
        let (Some(anchor), Some(_), Some(l)) = (anchor, loop_of(batch), loop_of(d)) else {
            return false;
        };
        let op = &graph.operators[anchor];
        let mut indices = op.operands.iter().flat_map(|(_, read)| read.indices());
        indices.any(|index| is_summed(op, index) && index.follows(l))
    };
    let has_halo = |d: usize| has_halo(graph, first, last, d) || is_in_window(d);
    let is_told = spatial.len() > MOST_SPATIAL || anchor.is_some();
    let mut indices = graph.operators[first..=last].iter().flat_map(|op| {
        op.operands.iter().flat_map(move |(_, read)| read.indices().iter().map(move |e| (op, e)))
    });
    (is_told && indices.any(is_window) && !has_halo(batch) && others.iter().any(|&d| has_halo(d)))
        .then_some(batch)
}

/// What the dimensions of a layer's result are.
#[derive(PartialEq)]
pub(super) struct Told {
    /// Those on which no weight depends.
    pub spatial: Vec<usize>,
    /// Those that all that is multiplied has, too.
    pub apart: Vec<usize>,
    /// The first over which no windows move, where they do over others: images of a batch.
    pub batch: Option<usize>,
}

/// What each way to tell says, once.
pub(super) fn ways_to_tell(
    graph: &SplitGraph,
    first: usize,
    last: usize,
    dims: &[usize],
) -> Vec<Told> {
    let mut told: Vec<Told> = Vec::new();
    for tells in [Tells::Shapes, Tells::Accesses] {
        let is_apart = |&d: &usize| is_apart(graph, (first, last), d, tells);
        let mut spatial = spatial_dims(graph, first, last, dims, tells);
        let batch = batch_of(graph, (first, last), &spatial, tells);
        spatial.drain(..spatial.len().saturating_sub(MOST_SPATIAL));
        let new = Told { spatial, apart: dims.iter().copied().filter(is_apart).collect(), batch };
        if !told.contains(&new) {
            told.push(new);
        }
    }
    told
}

/// Whether all that the last contraction multiplies has a dimension of its own for one of the result, as products side by
/// side have: heads, groups.
fn is_apart(graph: &SplitGraph, (first, last): (usize, usize), dim: usize, tells: Tells) -> bool {
    let Some(anchor) = anchor_of(graph, first, last) else { return false };
    let op = &graph.operators[anchor];
    let Some(l) = tells.loops(graph, anchor, last).and_then(|loops| loops[dim]) else {
        return false;
    };
    let mut factors = op.operands.iter().filter_map(|(_, access)| match access {
        Access::Affine(indices) if indices.iter().any(|e| is_summed(op, e)) => Some(indices),
        _ => None,
    });
    let is_own = |e: &Expression| e.terms.iter().eq([&(l, 1)]);
    factors.clone().count() > 1 && factors.all(|indices| indices.iter().any(is_own))
}

/// The last contraction.
fn anchor_of(graph: &SplitGraph, first: usize, last: usize) -> Option<usize> {
    (first..=last).rev().find(|&op| graph.operators[op].work > 0)
}

/// The operator whose sum is cut: the last contraction, or where there is none the last that reduces.
pub(super) fn summed_of(graph: &SplitGraph, first: usize, last: usize) -> Option<usize> {
    let reduces = |&op: &usize| {
        let op = &graph.operators[op];
        !op.cuttable.is_empty()
    };
    anchor_of(graph, first, last).or_else(|| (first..=last).rev().find(reduces))
}

/// Whether an index depends on a loop that is summed up.
pub(super) fn is_summed(op: &Operator, index: &Expression) -> bool {
    index.terms.iter().any(|&(l, _)| op.is_reduction[l])
}
