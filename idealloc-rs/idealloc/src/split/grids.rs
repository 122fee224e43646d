//! Which grids are tried for a group of layers; those of a layer alone are in `families.rs`.

use super::anchor_loops::anchor_loops;
use super::cut::{Cut, Halo, finest, rounded_up};
use super::graph::{Access, Expression, Operator, SplitGraph};
use super::strips::{beams, has_halo, has_windows, side_by_side, strips};
use super::sweep::CutLoop;

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
fn batch_of(graph: &SplitGraph, (first, last): (usize, usize), spatial: &[usize]) -> Option<usize> {
    let is_window = |(op, index): (&Operator, &Expression)| {
        is_summed(op, index) && index.terms.iter().any(|&(l, _)| !op.is_reduction[l])
    };
    let has_halo = |d: usize| has_halo(graph, first, last, d);
    let (&batch, others) = spatial.split_first()?;
    let is_told = spatial.len() > MOST_SPATIAL || anchor_of(graph, first, last).is_some();
    let mut indices = graph.operators[first..=last].iter().flat_map(|op| {
        op.operands.iter().flat_map(move |(_, read)| read.indices().iter().map(move |e| (op, e)))
    });
    (is_told && indices.any(is_window) && !has_halo(batch) && others.iter().any(|&d| has_halo(d)))
        .then_some(batch)
}

/// Dimensions on which no weight depends that are cut: the last ones.
const MOST_SPATIAL: usize = 3;

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
        let batch = batch_of(graph, (first, last), &spatial);
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
    /// Whether groups of many layers are looked at under these grids. Where features are cut within rows that keep their halo
    /// few layers before the last are cut in both: of 229 such groups that were best in 27 networks none had more than five.
    pub(super) fn reaches_far(&self) -> bool {
        let keeps_rows = |grid: &Grid| grid.cuts[0].halo == Halo::Cache;
        self.is_cached || !self.plain.first().is_some_and(keeps_rows)
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
    if !is_coarse {
        runs.extend(strips(shape, spatial, |d| has_windows(graph, first, last, d)));
    }
    // Rows that keep their halo (or the batch), and the features of the last contraction within.
    let features = dims.iter().copied().filter(|d| !spatial.contains(d));
    if let Some(inner) = features.max_by_key(|&d| shape[d]).filter(|_| !is_coarse) {
        for &outer in spatial.iter().take(if without_halo.is_some() { 2 } else { 1 }) {
            for wide in sizes_and_few_parts(shape[outer], 5) {
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
    let windows = |d| has_windows(graph, first, last, d);
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
