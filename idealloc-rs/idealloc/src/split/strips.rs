//! Grids of strips for a group of layers: each strip computes its halo again, tiles along a strip keep theirs.

use rustc_hash::FxHashMap;

use super::cut::{Cut, Halo};
use super::graph::{Expression, SplitGraph};
use super::grids::{Grid, LEAD, Run, ascending, sizes, sizes_and_few_parts};
use super::sweep::CutLoop;

/// Strips of two of the dimensions `spatial`: the later one outside, and where `has_halo` says that the earlier one has
/// none (the batch, the heads) also that one outside.
pub(super) fn strips(
    shape: &[i64],
    spatial: &[usize],
    has_halo: impl Fn(usize) -> bool,
) -> Vec<Run> {
    let mut runs = Vec::new();
    for (i, &earlier) in spatial.iter().enumerate() {
        let orders = if has_halo(earlier) { 1 } else { 2 };
        for &later in &spatial[i + 1..] {
            for (outer, inner) in [(later, earlier), (earlier, later)].into_iter().take(orders) {
                let widths = sizes_and_few_parts(shape[outer], 5);
                runs.extend(widths.into_iter().map(|wide| along(shape, &[(outer, wide)], inner)));
            }
        }
    }
    runs
}

/// Grids of products side by side (heads, groups) along the dimensions `apart`, which share nothing, as images of a batch do
/// not: each of those, or some of them, with rows within, or the other way round; where there are several such dimensions,
/// also those grids for single ones of the first.
pub(super) fn side_by_side(
    shape: &[i64],
    apart: &[usize],
    spatial: &[usize],
    has_halo: impl Fn(usize) -> bool,
) -> Vec<Run> {
    let mut runs = Vec::new();
    for &d in apart.iter().rev().take(2).rev() {
        for &row in spatial {
            runs.extend(strips(shape, &[d.min(row), d.max(row)], &has_halo));
        }
    }
    if let [.., outer, _] = *apart {
        let within: Vec<Run> =
            runs.iter().filter_map(|run| run.within(outer, shape[outer])).collect();
        runs.extend(within);
    }
    runs
}

/// Beams through a volume of three dimensions: along the first, or along the second.
pub(super) fn beams(shape: &[i64], [a, b, c]: [usize; 3]) -> Vec<Run> {
    let mut runs = Vec::new();
    for (outer, middle, inner) in [(b, c, a), (a, c, b)] {
        for high in sizes(shape[outer], 4) {
            let widths = sizes(shape[middle], 4).into_iter();
            runs.extend(widths.map(|wide| Run {
                ahead: Vec::new(),
                ..along(shape, &[(outer, high), (middle, wide)], inner)
            }));
        }
    }
    runs
}

/// Strips whose other dimensions have these sizes, with tiles along them of more and more iterations.
fn along(shape: &[i64], outer: &[(usize, i64)], inner: usize) -> Run {
    let sizes = ascending(shape[inner], if outer.len() > 1 { 5 } else { 8 });
    let others = outer.iter().map(|&(d, _)| d).chain([inner]);
    let loops: Vec<CutLoop> = others.map(CutLoop::Result).collect();
    let grid = |size: i64, lead: i64, halo: Halo| {
        let parts = outer.iter().map(|&(d, size)| Cut::even(shape[d], size, halo));
        let tiles = Cut::with_lead(shape[inner], size, Halo::Cache, lead);
        Grid { loops: loops.clone(), cuts: parts.chain([tiles]).collect() }
    };
    Run {
        plain: sizes.iter().map(|&size| grid(size, 0, Halo::Recompute)).collect(),
        ahead: sizes.iter().map(|&size| grid(size, LEAD, Halo::Recompute)).collect(),
        shifted: sizes.iter().map(|&size| grid(size, 0, Halo::Shift)).collect(),
        is_cached: true,
    }
}

/// Whether windows move over a dimension of the result of operators `first` to `last`, as far as those with results of
/// as many dimensions tell.
pub(super) fn has_windows(graph: &SplitGraph, first: usize, last: usize, dim: usize) -> bool {
    let mut indices = indices_along(graph, first, last, dim);
    indices.any(|(_, _, index)| index.terms.len() > 1)
}

/// Whether neighbours along a dimension of the result need the same elements: windows move over it, or slices of one tensor
/// are read that are not far apart, as a stencil does.
pub(super) fn has_halo(graph: &SplitGraph, first: usize, last: usize, dim: usize) -> bool {
    let extent = graph.tensors[graph.operators[last].results[0]].shape[dim];
    let mut places: FxHashMap<(usize, usize), i64> = FxHashMap::default();
    indices_along(graph, first, last, dim).any(|(tensor, position, index)| {
        let place = *places.entry((tensor, position)).or_insert(index.constant);
        index.terms.len() > 1
            || place != index.constant && (place - index.constant).abs() < extent / 2
    })
}

/// The indices that move with a dimension of the result, of operators with results of as many dimensions: the tensor, which of
/// its dimensions, and the index.
fn indices_along(
    graph: &SplitGraph,
    first: usize,
    last: usize,
    dim: usize,
) -> impl Iterator<Item = (usize, usize, &Expression)> {
    let rank = graph.operators[last].result_loops[0].len();
    graph.operators[first..=last].iter().flat_map(move |op| {
        let loops = &op.result_loops[0];
        let l = loops.get(dim).copied().flatten().filter(|_| loops.len() == rank);
        let operands = op.operands.iter().filter(move |_| l.is_some());
        operands.flat_map(move |(tensor, access)| {
            let indices = access.indices().iter().enumerate();
            indices
                .filter(move |(_, index)| l.is_some_and(|l| index.follows(l)))
                .map(move |(position, index)| (*tensor, position, index))
        })
    })
}
