//! Grids for a group of layers that keep their halo along two cuts: rows of tiles, and along each row tiles.

use super::cut::{Cut, Halo};
use super::graph::SplitGraph;
use super::grids::{Grid, LEAD, ascending};
use super::strips::has_halo;
use super::sweep::CutLoop;
use super::told::{Tells, spatial_dims};

/// Sizes of rows that are tried, and of tiles along a row, from one on.
const SIZES: usize = 2;

/// Rows before the first, in which earlier operators run ahead.
const ROWS_AHEAD: i64 = LEAD / 2;

/// The grids of groups that end with operator `last`, larger tiles first.
pub fn bordered_grids(graph: &SplitGraph, first: usize, last: usize) -> Vec<Grid> {
    let op = &graph.operators[last];
    if !op.is_splittable {
        return Vec::new();
    }
    let shape = &graph.tensors[op.results[0]].shape;
    let dims: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] > 1).collect();
    let mut with_halo = spatial_dims(graph, first, last, &dims, Tells::Shapes);
    with_halo.retain(|&d| has_halo(graph, first, last, d));
    let mut grids = Vec::new();
    for &rows in &with_halo {
        for &along in with_halo.iter().filter(|&&d| d != rows) {
            let sizes = |d: usize| ascending(shape[d], 8).into_iter().take(SIZES).rev();
            for (high, wide) in sizes(rows).flat_map(|h| sizes(along).map(move |w| (h, w))) {
                grids.push(Grid {
                    loops: vec![CutLoop::Result(rows), CutLoop::Result(along)],
                    cuts: vec![
                        Cut::with_lead(shape[rows], high, Halo::Cache, ROWS_AHEAD),
                        Cut::even(shape[along], wide, Halo::Cache),
                    ],
                });
            }
        }
    }
    grids
}
