//! Which grids are tried for one layer alone: finer ones than for a group of layers (`grids.rs`).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cut::{Cut, Halo, finest, rounded_up};
use super::graph::SplitGraph;
use super::grids::{Grid, sizes};
use super::rounded_loops::RoundedLoops;
use super::sweep::CutLoop;
use super::told::{Told, summed_of, ways_to_tell};

/// Sizes that are tried for parts of the sum of one layer alone.
const SUM_SIZES: u32 = 4;

/// A sum of which single iterations have fewer terms is not cut further within them.
const SHORTEST_PART: i64 = 16;

/// Sides of blocks of a volume that are tried, or the largest ones below that all tiles share.
const BLOCKS: [i64; 3] = [4, 2, 1];

/// Grids that differ in the size of one cut only.
#[derive(Clone, Debug, Default)]
pub struct Family {
    grid: Grid,
    varied: usize,
    /// Iterations per tile of the cut that is varied, ascending.
    pub sizes: Arc<[i64]>,
    /// Families of one series differ in the sizes of the cuts around that one, and come with smaller and smaller tiles.
    pub series: usize,
    /// Whether what is read is rounded along the cut that is varied,
    pub(super) is_rounded: bool,
    /// or along any cut.
    pub(super) is_rounded_anywhere: bool,
}

impl Family {
    /// Tiles of these dimensions of a result of some size each, with those of another dimension within, and parts of a sum in
    /// these. `sizes` are those of tiles of each dimension.
    fn of(
        shape: &[i64],
        outer: &[(usize, i64, Halo)],
        inner: usize,
        (sum, sizes): (&Grid, &[Arc<[i64]>]),
    ) -> Self {
        let count = outer.len() + 1 + sum.loops.len();
        let mut grid = Grid { loops: Vec::with_capacity(count), cuts: Vec::with_capacity(count) };
        for &(dim, size, halo) in outer.iter().chain(&[(inner, shape[inner], Halo::Recompute)]) {
            grid.loops.push(CutLoop::Result(dim));
            grid.cuts.push(Cut::even(shape[dim], size, halo));
        }
        grid.loops.extend(&sum.loops);
        grid.cuts.extend(&sum.cuts);
        let sizes = Arc::clone(&sizes[inner]);
        Self { grid, varied: outer.len(), sizes, ..Self::default() }
    }

    /// The grid with tiles of `size` iterations.
    pub fn grid(&self, size: i64) -> Grid {
        let mut grid = self.grid.clone();
        let cut = &mut grid.cuts[self.varied];
        *cut = cut.sized(size);
        grid
    }

    /// The same with cuts of some dimensions shifted, so that all tiles look alike; none if there is no such cut.
    pub(super) fn shifted(&self, dims: &[usize]) -> Option<Self> {
        let mut family = self.clone();
        let Grid { loops, cuts } = &mut family.grid;
        let mut is_any = false;
        for (of, cut) in loops.iter().zip(cuts) {
            if let CutLoop::Result(d) = *of
                && cut.halo == Halo::Recompute
                && dims.contains(&d)
            {
                cut.halo = Halo::Shift;
                is_any = true;
            }
        }
        is_any.then_some(family)
    }
}

/// The grids of one layer alone: two loops of its contraction in every order, and parts of its sum within. Where there
/// are matrix products side by side (heads, groups), also each of them for itself: they share nothing.
pub fn families_of_layer(graph: &SplitGraph, first: usize, last: usize) -> Vec<Family> {
    let mut families = all_families(graph, first, last);
    note_rounded(&mut families, graph, last);
    families
}

/// Notes what of the families is rounded.
fn note_rounded(families: &mut [Family], graph: &SplitGraph, last: usize) {
    let mut rounded = RoundedLoops::of(graph, last);
    for family in families {
        let loops = &family.grid.loops;
        family.is_rounded = rounded.contain(loops[family.varied]);
        family.is_rounded_anywhere = loops.iter().any(|&cut| rounded.contain(cut));
    }
}

/// The same, without what is rounded of them.
fn all_families(graph: &SplitGraph, first: usize, last: usize) -> Vec<Family> {
    let Some((shape, all)) = dims_of(graph, last) else { return Vec::new() };
    let mut families = Vec::new();
    if all.is_empty() {
        return families_of_sums(graph, first, last);
    }
    let sums = sums_of(graph, first, last);
    for Told { spatial, apart, batch } in ways_to_tell(graph, first, last, &all) {
        let mut around = vec![Vec::new(), apart.clone()];
        if let Some(d) = batch {
            // Weights of one group stay while its part of one image after another comes.
            around.extend([vec![d], [&apart[..], &[d]].concat()]);
        }
        around.dedup();
        for apart in around {
            let rest = |of: &[usize]| -> Vec<usize> {
                of.iter().copied().filter(|d| !apart.contains(d)).collect()
            };
            add_families(&mut families, shape, &apart, (&rest(&all), &rest(&spatial)), &sums);
        }
        if let Some(d) = batch {
            add_images_within_features(&mut families, shape, d, (&all, &spatial));
        }
    }
    // One loop alone is cut with other groups; of several the last is cut within single iterations of the others.
    let of_several = |family: &Family| family.grid.loops.len() > 1;
    families.extend(families_of_sums(graph, first, last).into_iter().filter(of_several));
    number_series(&mut families, 0);
    families
}

/// Grids of one layer alone that cut all three dimensions of a volume, with features and parts of the sum within: so small
/// that shifted ones fit where those of two dimensions do not. There are so many `others`.
pub(super) fn blocks_of_layer(
    graph: &SplitGraph,
    (first, last): (usize, usize),
    others: usize,
) -> Vec<Family> {
    let Some((shape, all)) = dims_of(graph, last) else { return Vec::new() };
    let mut families = Vec::new();
    let sums = sums_of(graph, first, last);
    let sizes = sizes_of(shape);
    for Told { spatial, .. } in ways_to_tell(graph, first, last, &all) {
        let features = all.iter().copied().filter(|d| !spatial.contains(d));
        let Some(inner) = features.max_by_key(|&d| shape[d]).filter(|_| spatial.len() == 3) else {
            continue;
        };
        for most in BLOCKS {
            let side = |&d: &usize| {
                let size = (1..=most).rev().find(|size| shape[d] % size == 0).unwrap_or(1);
                (d, size, Halo::Recompute)
            };
            let block: Vec<_> = spatial.iter().map(side).collect();
            families.extend(sums.iter().map(|sum| Family::of(shape, &block, inner, (sum, &sizes))));
        }
    }
    number_series(&mut families, others);
    note_rounded(&mut families, graph, last);
    families
}

/// The grids of a layer whose result is not cut, as one number is not: parts of its sum.
fn families_of_sums(graph: &SplitGraph, first: usize, last: usize) -> Vec<Family> {
    let family = |(series, grid): (usize, Grid)| {
        let varied = grid.loops.len() - 1;
        let sizes = all_sizes(grid.cuts[varied].extent).into();
        Family { grid, varied, sizes, series, ..Family::default() }
    };
    whole_sums_of(graph, first, last).into_iter().enumerate().map(family).collect()
}

/// The shape of a result, and its dimensions that can be cut; none if it is not computed in parts.
fn dims_of(graph: &SplitGraph, last: usize) -> Option<(&[i64], Vec<usize>)> {
    let op = &graph.operators[last];
    let shape = &graph.tensors[op.results[0]].shape;
    op.is_splittable.then(|| (&shape[..], (0..shape.len()).filter(|&d| shape[d] > 1).collect()))
}

/// What families of one series have in common: loops, halos, and parts of sums.
type Series = (Vec<CutLoop>, Vec<(Halo, i64)>);

/// Numbers the series of families from a number on; the outer tiles of results become smaller in each.
fn number_series(families: &mut [Family], from: usize) {
    let mut numbers: FxHashMap<Series, usize> = FxHashMap::default();
    for family in families {
        let Grid { loops, cuts } = &family.grid;
        let of_cut = |(of, cut): (&CutLoop, &Cut)| match of {
            CutLoop::Result(_) => (cut.halo, 0),
            CutLoop::Accumulate(..) => (cut.halo, cut.size),
        };
        let alike = loops.iter().zip(cuts).map(of_cut).collect();
        let new = from + numbers.len();
        family.series = *numbers.entry((loops.clone(), alike)).or_insert(new);
    }
}

/// Parts of the sum, and all of it.
fn sums_of(graph: &SplitGraph, first: usize, last: usize) -> Vec<Grid> {
    let mut sums = vec![Grid::default()];
    for whole in whole_sums_of(graph, first, last) {
        let varied = whole.loops.len() - 1;
        let Cut { extent, halo, .. } = whole.cuts[varied];
        for part in sizes(extent, SUM_SIZES) {
            let mut sum = whole.clone();
            sum.cuts[varied] = Cut::even(extent, part, halo);
            sums.push(sum);
        }
    }
    sums
}

/// The loops of the sum that may be cut: the last of each grid, within single iterations of the others. The last is whole.
fn whole_sums_of(graph: &SplitGraph, first: usize, last: usize) -> Vec<Grid> {
    let Some(anchor) = summed_of(graph, first, last) else { return Vec::new() };
    let data = &graph.operators[anchor];
    let summed = data.loops.iter().zip(data.is_reduction.iter()).filter(|&(_, &is)| is);
    let in_all = summed.map(|(n, _)| n).product::<i64>();
    let grid = |loops: &Vec<usize>| {
        let (&l, singles) = loops.split_last().filter(|&(&l, _)| data.loops[l] > 1)?;
        let parts = singles.iter().map(|&l| data.loops[l]).product::<i64>();
        if !singles.is_empty() && in_all < parts * SHORTEST_PART {
            return None;
        }
        let cut = |l: usize, part: i64| Cut::even(data.loops[l], part, Halo::Recompute);
        let singles = singles.iter().map(|&l| (l, 1));
        let (loops, cuts) = singles
            .chain([(l, data.loops[l])])
            .map(|(l, part)| (CutLoop::Accumulate(anchor, l), cut(l, part)))
            .unzip();
        Some(Grid { loops, cuts })
    };
    data.cuttable.iter().filter_map(grid).collect()
}

/// Adds families that cut two dimensions of the result, with `apart` cut into single ones around them.
fn add_families(
    families: &mut Vec<Family>,
    shape: &[i64],
    apart: &[usize],
    (all, spatial): (&[usize], &[usize]),
    sums: &[Grid],
) {
    let rows = largest(shape, spatial.iter().copied());
    let features = largest(shape, all.iter().copied().filter(|d| !spatial.contains(d)));
    let columns = largest(shape, spatial.iter().copied().filter(|&d| Some(d) != rows));
    // Where columns are as many as rows, cutting them instead gives the same tiles, turned.
    let other = columns.filter(|&d| rows.is_none_or(|r| shape[r] != shape[d]));
    let sizes = sizes_of(shape);
    let mut add = |outer: &[(usize, i64, Halo)], inner: usize| {
        let around = apart.iter().map(|&d| (d, 1, Halo::Recompute));
        let outer: Vec<_> = around.chain(outer.iter().copied()).collect();
        families.extend(sums.iter().map(|sum| Family::of(shape, &outer, inner, (sum, &sizes))));
    };
    for dim in [rows, features, other].into_iter().flatten() {
        add(&[], dim);
    }
    let pairs =
        [(rows, features), (features, rows), (rows, columns), (other, features), (features, other)];
    for (outer, inner) in pairs {
        let (Some(outer), Some(inner)) = (outer, inner) else { continue };
        for wide in some_sizes(shape[outer]) {
            if Some(outer) == rows {
                add(&[(outer, wide, Halo::Cache)], inner);
            }
            add(&[(outer, wide, Halo::Recompute)], inner);
        }
    }
    if let (Some(rows), Some(columns), Some(features)) = (rows, columns, features) {
        for wide in some_sizes(shape[columns]) {
            let high = some_sizes(shape[rows]).into_iter().min_by_key(|high| (high - wide).abs());
            if let Some(high) = high {
                let patch = [(rows, high, Halo::Recompute), (columns, wide, Halo::Recompute)];
                add(&patch, features);
            }
        }
    }
}

/// Adds families that cut rows of single images of a batch within features: weights of these stay on chip while all images
/// come.
fn add_images_within_features(
    families: &mut Vec<Family>,
    shape: &[i64],
    batch: usize,
    (all, spatial): (&[usize], &[usize]),
) {
    let is_in_image = |&d: &usize| d != batch;
    let rows = largest(shape, spatial.iter().copied().filter(is_in_image));
    let features = all.iter().copied().filter(is_in_image).filter(|d| !spatial.contains(d));
    let (Some(rows), Some(features)) = (rows, largest(shape, features)) else { return };
    let sizes = sizes_of(shape);
    let whole = Grid::default();
    families.extend(some_sizes(shape[features]).into_iter().map(|wide| {
        let outer = [(features, wide, Halo::Recompute), (batch, 1, Halo::Recompute)];
        Family::of(shape, &outer, rows, (&whole, &sizes))
    }));
}

/// The longest of some dimensions, the first of those.
fn largest(shape: &[i64], dims: impl Iterator<Item = usize>) -> Option<usize> {
    dims.min_by_key(|&d| (std::cmp::Reverse(shape[d]), d))
}

/// All sizes of tiles of each dimension.
fn sizes_of(shape: &[i64]) -> Vec<Arc<[i64]>> {
    shape.iter().map(|&extent| all_sizes(extent).into()).collect()
}

/// All sizes of tiles of which there are different numbers, ascending, but for a single tile.
fn all_sizes(extent: i64) -> Vec<i64> {
    let mut sizes = vec![extent];
    while let Some(&size) = sizes.last().filter(|&&size| size > finest(extent)) {
        let one_tile_more = rounded_up(extent, size) + 1;
        sizes.push(rounded_up(extent, one_tile_more).min(size - 1).max(finest(extent)));
    }
    sizes.reverse();
    sizes.pop();
    sizes
}

/// Sizes of tiles for all small numbers of tiles, and for larger ones a third apart, descending.
fn some_sizes(extent: i64) -> Vec<i64> {
    let numbers = std::iter::successors(Some(2), |&tiles| Some((tiles + 1).max(tiles * 4 / 3)));
    let mut sizes: Vec<i64> = numbers
        .take_while(|&tiles| tiles < extent)
        .map(|tiles| rounded_up(extent, tiles))
        .take_while(|&size| size > finest(extent))
        .collect();
    sizes.extend((extent > 1).then_some(finest(extent)));
    sizes.dedup();
    sizes
}
