//! Which grids are tried for a group of layers; those of a layer alone are in `families.rs`.

use super::cut::{Cut, Halo, finest, rounded_up};
use super::graph::SplitGraph;
use super::strips::{beams, has_halo, has_windows, side_by_side, strips};
use super::sweep::CutLoop;
use super::told::{Told, summed_of, ways_to_tell};

/// Cuts of one group, outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Grid {
    /// What is cut.
    pub loops: Vec<CutLoop>,
    /// Into which tiles.
    pub cuts: Vec<Cut>,
}

impl Grid {
    /// The same, with operators counted from operator `last` back instead of from the first on, or the other way round.
    pub(super) fn counted_from(&self, last: usize) -> Self {
        let turned = |cut: &CutLoop| match *cut {
            CutLoop::Accumulate(op, l) => CutLoop::Accumulate(last - op, l),
            result @ CutLoop::Result(_) => result,
        };
        Self { loops: self.loops.iter().map(turned).collect(), cuts: self.cuts.clone() }
    }

    /// The same, with operators counted from `by` further ahead.
    pub(super) fn moved_by(mut self, by: usize) -> Self {
        for cut in &mut self.loops {
            cut.shift(by);
        }
        self
    }

    /// Whether a cut may have another size. Of the loops of a sum only the last is cut into others: those around it are cut
    /// into single iterations, so that the order of additions stays.
    pub(super) fn is_resizable(&self, number: usize) -> bool {
        let is_sum = |cut: &CutLoop| matches!(cut, CutLoop::Accumulate(..));
        !is_sum(&self.loops[number]) || !self.loops[number + 1..].iter().any(is_sum)
    }

    /// Whether another grid has the same cuts but for the size of one.
    pub(super) fn is_of_run(&self, other: &Self) -> bool {
        let mut sizes = 0;
        let is_alike = |(one, other): (&Cut, &Cut)| {
            sizes += usize::from(one.size != other.size);
            (one.halo, one.lead) == (other.halo, other.lead)
        };
        self.loops == other.loops && self.cuts.iter().zip(&other.cuts).all(is_alike) && sizes == 1
    }

    /// How much the numbers of tiles differ from those of another grid; none if not the same is cut.
    pub fn unlikeness(&self, other: &Self) -> Option<i64> {
        if self.loops.len() != other.loops.len() {
            return None;
        }
        let mut sum = 0;
        let loops = self.loops.iter().zip(&other.loops);
        for ((mine, theirs), (cut, like)) in loops.zip(self.cuts.iter().zip(&other.cuts)) {
            let is_same = match (mine, theirs) {
                (CutLoop::Result(d), CutLoop::Result(e)) => d == e,
                (CutLoop::Accumulate(..), CutLoop::Accumulate(..)) => true,
                _ => false,
            };
            if !is_same || cut.halo != like.halo || cut.lead != like.lead {
                return None;
            }
            sum += (cut.tiles() as i64 - like.tiles() as i64).abs();
        }
        Some(sum)
    }
}

/// Numbers of parts that are tried one by one where weights come once for each.
const FEW_PARTS: i64 = 6;

/// Groups of more layers are not looked at where features are cut within rows that keep their halo,
const MOST_LAYERS_OF_FEATURES_WITHIN: usize = 8;

/// or a sum within other tiles.
const MOST_LAYERS_OF_SUMS_WITHIN: usize = 12;

/// Tiles that may run ahead before the first.
pub(super) const LEAD: i64 = 8;

/// Sizes of tiles that are tried for `extent` iterations: about `most`, spread evenly by their ratios, from the half
/// down to one. Divisors are preferred, as all tiles are then alike; else tiles are as equal as can be.
pub(super) fn sizes(extent: i64, most: u32) -> Vec<i64> {
    let step = (extent as f64).powf(1.0 / f64::from(most)).max(1.25);
    let mut kept: Vec<i64> = Vec::new();
    let mut last = extent as f64;
    let finest = finest(extent);
    while last > finest as f64 {
        let wanted = if kept.is_empty() { (last / 2.0).max(last / step) } else { last / step };
        let (low, high) = ((wanted / 1.25).ceil() as i64, (wanted * 1.12).floor() as i64);
        let high = high.min(last as i64 - 1).max(1);
        let divisor = (low.max(1)..=high).rev().find(|&s| extent % s == 0);
        let size = divisor.unwrap_or_else(|| {
            let tiles = (extent as f64 / wanted).round().max(2.0) as i64;
            rounded_up(extent, tiles).clamp(1, last as i64 - 1)
        });
        let size = size.max(finest);
        kept.push(size);
        last = size as f64;
    }
    kept
}

/// The same, and all numbers of parts up to a few: weights come once for each part, so with few of them one less counts.
pub(super) fn sizes_and_few_parts(extent: i64, most: u32) -> Vec<i64> {
    let mut all = sizes(extent, most);
    all.extend((2..=FEW_PARTS.min(extent)).map(|parts| rounded_up(extent, parts)));
    all.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
    all.dedup();
    all
}

/// The sizes from the smallest on.
pub(super) fn ascending(extent: i64, most: u32) -> Vec<i64> {
    let mut sizes = sizes(extent, most);
    sizes.reverse();
    sizes
}

/// Grids that differ in the size of one cut, ascending. Larger tiles need more room, so what does not fit with small ones
/// does not fit with larger ones, unless smaller tiles do too much work.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Without tiles that run ahead.
    pub plain: Vec<Grid>,
    /// With such tiles, of the same sizes; or none.
    pub ahead: Vec<Grid>,
    /// With strips that are shifted at the ends so that all look alike, of the same sizes; or none.
    pub shifted: Vec<Grid>,
    /// Whether no tile does work again.
    pub is_cached: bool,
}

impl Run {
    /// The most layers of groups that are looked at under these grids.
    ///
    /// Where features are cut within rows that keep their halo, or a sum within other tiles, few layers before the last are
    /// cut in both. Of 205 groups of the first kind that were best in 71 networks three had seven or eight layers, the most
    /// that are looked at. Of 2,249 of the second, looked at with any number of layers, none had more than nine.
    pub(super) fn most_layers(&self) -> usize {
        let Some(Grid { loops, cuts }) = self.plain.first().filter(|_| !self.is_cached) else {
            return usize::MAX;
        };
        match loops[1..] {
            [.., CutLoop::Accumulate(..)] => MOST_LAYERS_OF_SUMS_WITHIN,
            _ if cuts[0].halo == Halo::Cache => MOST_LAYERS_OF_FEATURES_WITHIN,
            _ => usize::MAX,
        }
    }

    /// The same grids within single iterations of one more dimension; none if they do not cut two others.
    pub(super) fn within(&self, dim: usize, extent: i64) -> Option<Self> {
        let cuts_two = self.plain.first()?.loops.len() == 2;
        cuts_two.then(|| self.for_each_of(dim, extent)).flatten()
    }

    /// The same grids within single iterations of one more dimension; none if they cut it already.
    pub(super) fn for_each_of(&self, dim: usize, extent: i64) -> Option<Self> {
        if self.plain.first()?.loops.contains(&CutLoop::Result(dim)) {
            return None;
        }
        let nested = |grid: &Grid| {
            let mut grid = grid.clone();
            grid.loops.insert(0, CutLoop::Result(dim));
            grid.cuts.insert(0, Cut::even(extent, 1, Halo::Recompute));
            grid
        };
        Some(Self {
            plain: self.plain.iter().map(nested).collect(),
            ahead: self.ahead.iter().map(nested).collect(),
            shifted: self.shifted.iter().map(nested).collect(),
            is_cached: self.is_cached,
        })
    }
}

/// The grids of groups that end with operator `last`, but for the group that is not cut.
///
/// With `is_coarse` only a few.
pub fn runs_of(graph: &SplitGraph, first: usize, last: usize, is_coarse: bool) -> Vec<Run> {
    let op = &graph.operators[last];
    let mut runs: Vec<Run> = Vec::new();
    if !op.is_splittable {
        return runs;
    }
    let shape = &graph.tensors[op.results[0]].shape;
    let dims: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] > 1).collect();
    for told in ways_to_tell(graph, first, last, &dims) {
        for run in runs_told(graph, (first, last), is_coarse, &dims, &told) {
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    }
    runs
}

/// The same as far as one way to tell features from places goes.
fn runs_told(
    graph: &SplitGraph,
    (first, last): (usize, usize),
    is_coarse: bool,
    dims: &[usize],
    Told { spatial, apart, batch }: &Told,
) -> Vec<Run> {
    let shape = &graph.tensors[graph.operators[last].results[0]].shape;
    let mut runs: Vec<Run> = Vec::new();
    // The second of two alike spatial dimensions gives the same tiles, turned.
    let is_turned = |d: usize| {
        let is_same = |&other: &usize| other < d && shape[other] == shape[d];
        spatial.contains(&d) && spatial.iter().any(is_same)
    };
    for &d in dims.iter().filter(|&&d| !is_turned(d)) {
        let sizes = ascending(shape[d], if is_coarse { 6 } else { 12 });
        let one = |size: i64, lead: i64| Grid {
            loops: vec![CutLoop::Result(d)],
            cuts: vec![Cut::with_lead(shape[d], size, Halo::Cache, lead)],
        };
        runs.push(Run {
            plain: sizes.iter().map(|&size| one(size, 0)).collect(),
            ahead: sizes.iter().filter(|_| !is_coarse).map(|&size| one(size, LEAD)).collect(),
            shifted: Vec::new(),
            is_cached: true,
        });
    }
    let parts = if is_coarse { 4 } else { 8 };
    let volume = <[usize; 3]>::try_from(&spatial[..]).ok().filter(|_| !is_coarse);
    let without_halo = volume.map(|[d, _, _]| d).filter(|&d| !has_halo(graph, first, last, d));
    let windows = |d| has_windows(graph, first, last, d);
    if !is_coarse {
        runs.extend(strips(shape, spatial, windows));
    }
    // Rows that keep their halo (or the batch), and the features of the last contraction within.
    let features = dims.iter().copied().filter(|d| !spatial.contains(d));
    if let Some(inner) = features.max_by_key(|&d| shape[d]).filter(|_| !is_coarse) {
        for &outer in spatial.iter().take(if without_halo.is_some() { 2 } else { 1 }) {
            for wide in sizes_and_few_parts(shape[outer], 8) {
                let one = |size: i64| Grid {
                    loops: vec![CutLoop::Result(outer), CutLoop::Result(inner)],
                    cuts: vec![
                        Cut::even(shape[outer], wide, Halo::Cache),
                        Cut::even(shape[inner], size, Halo::Recompute),
                    ],
                };
                let plain = ascending(shape[inner], 4).into_iter().map(one).collect();
                runs.push(Run { plain, ahead: Vec::new(), shifted: Vec::new(), is_cached: false });
            }
        }
    }
    if let Some(d) = without_halo {
        let one_by_one: Vec<Run> = runs.iter().filter_map(|run| run.within(d, shape[d])).collect();
        runs.extend(one_by_one);
    } else if let Some(dims) = volume {
        runs.extend(beams(shape, dims));
    }
    let apart: Vec<usize> =
        apart.iter().copied().filter(|d| !is_coarse && !spatial.contains(d)).collect();
    runs.extend(side_by_side(shape, &apart, spatial, windows));
    let batch = batch.filter(|_| !is_coarse);
    if let (Some(_), Some(&d)) = (batch, apart.last()) {
        let patches = strips(shape, spatial, windows);
        runs.extend(patches.iter().filter_map(|run| run.within(d, shape[d])));
    }
    // The sum in parts, with or without rows or products side by side around it.
    if let Some(anchor) = summed_of(graph, first, last) {
        let data = &graph.operators[anchor];
        let alone =
            data.cuttable.iter().filter_map(|loops| <[usize; 1]>::try_from(&loops[..]).ok());
        for [l] in alone.filter(|&[l]| data.loops[l] > 3) {
            let sums = ascending(data.loops[l], parts);
            let sum = |part: i64| Cut::even(data.loops[l], part, Halo::Recompute);
            let alone = |&part: &i64| Grid {
                loops: vec![CutLoop::Accumulate(anchor, l)],
                cuts: vec![sum(part)],
            };
            let plain = sums.iter().map(alone).collect();
            runs.push(Run { plain, ahead: Vec::new(), shifted: Vec::new(), is_cached: false });
            for &d in spatial.iter().chain(&apart).filter(|_| !is_coarse) {
                for size in sizes_and_few_parts(shape[d], 4) {
                    let within = |&part: &i64| Grid {
                        loops: vec![CutLoop::Result(d), CutLoop::Accumulate(anchor, l)],
                        cuts: vec![Cut::even(shape[d], size, Halo::Recompute), sum(part)],
                    };
                    let plain = sums.iter().map(within).collect();
                    let run =
                        Run { plain, ahead: Vec::new(), shifted: Vec::new(), is_cached: false };
                    // One product at a time, where they are side by side along two dimensions.
                    if let [.., outer, inner] = apart[..]
                        && (inner, 1) == (d, size)
                    {
                        runs.extend(run.within(outer, shape[outer]));
                    }
                    runs.push(run);
                }
            }
        }
    }
    // Image by image.
    if let Some(d) = batch {
        let one_by_one: Vec<Run> =
            runs.iter().filter_map(|run| run.for_each_of(d, shape[d])).collect();
        for run in one_by_one {
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    }
    runs
}
