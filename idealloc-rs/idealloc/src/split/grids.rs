//! Which grids are tried for a group.

use super::cut::{Cut, Halo};
use super::graph::{Access, SplitGraph};
use super::sweep::CutLoop;

/// Cuts of one group, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// What is cut.
    pub loops: Vec<CutLoop>,
    /// Into which tiles.
    pub cuts: Vec<Cut>,
}

/// Tiles that may run ahead before the first.
const LEAD: i64 = 8;

/// Sizes of tiles that are tried for `extent` iterations: divisors, and powers of two, not too many.
fn sizes(extent: i64, most: usize) -> Vec<i64> {
    let mut found: Vec<i64> = (1..extent).filter(|&s| extent % s == 0 || s.count_ones() == 1).collect();
    // Sizes that are near each other cost about the same.
    let mut kept: Vec<i64> = Vec::new();
    found.reverse();
    for size in found {
        if kept.last().is_none_or(|&last| size * 4 <= last * 3) {
            kept.push(size);
        }
    }
    kept.truncate(most);
    kept
}

/// Dimensions of the result on which no argument (weight) of the last contraction depends.
fn spatial_dims(graph: &SplitGraph, first: usize, last: usize, dims: &[usize]) -> Vec<usize> {
    let anchor = (first..=last).rev().find(|&op| graph.operators[op].work > 0);
    let Some(anchor) = anchor.filter(|&anchor| {
        graph.tensors[graph.operators[anchor].results[0]].shape
            == graph.tensors[graph.operators[last].results[0]].shape
    }) else {
        return dims.to_vec();
    };
    let op = &graph.operators[anchor];
    let depends = |l: usize| {
        op.operands.iter().any(|(tensor, access)| match access {
            Access::Affine(expressions) if graph.tensors[*tensor].is_argument => expressions
                .iter()
                .any(|e| e.terms.iter().any(|&(term, _)| term == l)),
            _ => false,
        })
    };
    let is_spatial = |&&d: &&usize| op.result_loops[0][d].is_none_or(|l| !depends(l));
    let found: Vec<usize> = dims.iter().filter(is_spatial).copied().collect();
    if found.len() > 3 { found[found.len() - 3..].to_vec() } else { found }
}

/// The grids of groups that end with operator `last`.
///
/// With `is_coarse` only a few.
pub fn grids_of(graph: &SplitGraph, first: usize, last: usize, is_coarse: bool) -> Vec<Grid> {
    let op = &graph.operators[last];
    let mut grids = vec![Grid { loops: Vec::new(), cuts: Vec::new() }];
    if !op.is_splittable {
        return grids;
    }
    let shape = &graph.tensors[op.results[0]].shape;
    let dims: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] > 1).collect();
    for &d in &dims {
        for size in sizes(shape[d], if is_coarse { 6 } else { 12 }) {
            let one = |cut| Grid { loops: vec![CutLoop::Result(d)], cuts: vec![cut] };
            grids.push(one(Cut::even(shape[d], size, Halo::Cache)));
            if is_coarse {
                continue;
            }
            grids.push(one(Cut::with_lead(shape[d], size, Halo::Cache, LEAD)));
        }
    }
    let parts = if is_coarse { 3 } else { 8 };
    // Strips: each computes its halo again; tiles along a strip keep it.
    let spatial = spatial_dims(graph, first, last, &dims);
    for &inner in spatial.iter().filter(|_| !is_coarse) {
        for &outer in spatial.iter().filter(|&&outer| outer > inner) {
            for wide in sizes(shape[outer], 5) {
                for size in sizes(shape[inner], 8) {
                    for lead in [0, LEAD] {
                        grids.push(Grid {
                            loops: vec![CutLoop::Result(outer), CutLoop::Result(inner)],
                            cuts: vec![
                                Cut::even(shape[outer], wide, Halo::Recompute),
                                Cut::with_lead(shape[inner], size, Halo::Cache, lead),
                            ],
                        });
                    }
                }
            }
        }
    }
    // The last contraction's sum in parts, with or without rows around it.
    let anchor = (first..=last).rev().find(|&op| graph.operators[op].work > 0);
    if let Some(anchor) = anchor {
        let data = &graph.operators[anchor];
        for l in data.cuttable.iter().copied().filter(|&l| data.loops[l] > 3) {
            for part in sizes(data.loops[l], parts) {
                let sum = Cut::even(data.loops[l], part, Halo::Recompute);
                grids.push(Grid { loops: vec![CutLoop::Accumulate(anchor, l)], cuts: vec![sum.clone()] });
                for &d in spatial.iter().filter(|_| !is_coarse) {
                    for size in sizes(shape[d], 4) {
                        grids.push(Grid {
                            loops: vec![CutLoop::Result(d), CutLoop::Accumulate(anchor, l)],
                            cuts: vec![Cut::even(shape[d], size, Halo::Recompute), sum.clone()],
                        });
                    }
                }
            }
        }
    }
    grids
}

/// The grids of one layer alone: all loops of its contraction, in every order that keeps sums on chip.
pub fn grids_of_layer(graph: &SplitGraph, first: usize, last: usize) -> Vec<Grid> {
    let op = &graph.operators[last];
    let mut grids = Vec::new();
    if !op.is_splittable {
        return grids;
    }
    let shape = &graph.tensors[op.results[0]].shape;
    let mut dims: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] > 1).collect();
    dims.sort_by_key(|&d| (std::cmp::Reverse(shape[d]), d));
    dims.truncate(3);
    let anchor = (first..=last).rev().find(|&op| graph.operators[op].work > 0);
    let sums: Vec<(CutLoop, i64)> = anchor.map_or(Vec::new(), |anchor| {
        let data = &graph.operators[anchor];
        data.cuttable
            .iter()
            .copied()
            .filter(|&l| data.loops[l] > 3)
            .map(|l| (CutLoop::Accumulate(anchor, l), data.loops[l]))
            .collect()
    });
    for &outer in &dims {
        for &inner in &dims {
            if outer == inner {
                continue;
            }
            for wide in sizes(shape[outer], 8) {
                for size in sizes(shape[inner], 8) {
                    let base = Grid {
                        loops: vec![CutLoop::Result(outer), CutLoop::Result(inner)],
                        cuts: vec![
                            Cut::even(shape[outer], wide, Halo::Recompute),
                            Cut::even(shape[inner], size, Halo::Recompute),
                        ],
                    };
                    for &(sum, extent) in &sums {
                        for part in sizes(extent, 6) {
                            let mut grid = base.clone();
                            grid.loops.push(sum);
                            grid.cuts.push(Cut::even(extent, part, Halo::Recompute));
                            grids.push(grid);
                        }
                    }
                    grids.push(base);
                }
            }
        }
    }
    grids
}
