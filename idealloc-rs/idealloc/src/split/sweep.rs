//! From a cut of the last operator backwards: which part of every tensor each tile needs.
//!
//! A group is a run of layers. Its last operator's result is cut by one or more loops; walking backwards, each operator
//! asks for boxes of its operands, and the boxes that all readers ask for are what the maker computes. The walk goes
//! layer by layer, so that all groups with the same end and cuts share it.

use super::cut::Cut;
use super::graph::{Access, Expression, Operator, SplitGraph};
use super::readers::Readers;
use super::rows::Rows;
use super::tracks::{Asked, Line, Strides, Table, Tracks};

/// The range of a dimension or loop over the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// The same in all tiles.
    Fixed(i64, i64),
    /// Follows a cut: its number, and the track.
    Driven(usize, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    Fixed(i64, i64),
    Driven(usize, u32),
}

/// What is cut: a loop of the last operator, or a loop that a contraction sums over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CutLoop {
    /// A dimension of the last operator's first result.
    Result(usize),
    /// A reduction loop of this operator.
    Accumulate(usize, usize),
}

impl CutLoop {
    /// Counts operators from `by` further ahead.
    pub fn shift(&mut self, by: usize) {
        if let Self::Accumulate(op, _) = self {
            *op += by;
        }
    }
}

/// The state of the walk.
#[derive(Debug)]
pub struct Sweep<'a> {
    pub(super) graph: &'a SplitGraph,
    /// Position of the operator whose result is cut.
    pub last: usize,
    /// What is cut, outermost first.
    pub loops: Vec<CutLoop>,
    /// Tracks per cut.
    pub tracks: Vec<Table>,
    /// Whether a tensor is read after the group, or returned.
    pub(super) is_output: &'a [bool],
    pub(super) demands: Rows<Demand>,
    loop_spans: Rows<Span>,
    tensor_spans: Rows<Span>,
    /// By tensor.
    pub(super) readers: Vec<Readers>,
    scratch: Scratch,
    /// First operator that was walked over.
    pub first: usize,
    /// The first one that a group must have, so that its results beside the last one follow the same cuts.
    pub(super) first_needed: usize,
}

/// Room for the lists of one operator.
#[derive(Debug, Default)]
struct Scratch {
    loops: Vec<Span>,
    result: Vec<Span>,
    demand: Vec<Demand>,
}

impl<'a> Sweep<'a> {
    /// Starts before the walk: nothing but the cuts of the result of operator `last`.
    pub fn new(
        graph: &'a SplitGraph,
        last: usize,
        loops: Vec<CutLoop>,
        cuts: Vec<Cut>,
        is_output: &'a [bool],
    ) -> Self {
        let tracks = cuts.into_iter().map(|cut| Box::new(Tracks::new(cut))).collect();
        Self::with_tracks(graph, last, loops, tracks, is_output)
    }

    /// The same with tables of the cuts that may hold tracks of other walks.
    pub fn with_tracks(
        graph: &'a SplitGraph,
        last: usize,
        loops: Vec<CutLoop>,
        tracks: Vec<Table>,
        is_output: &'a [bool],
    ) -> Self {
        let mut sweep = Self {
            graph,
            last,
            loops: Vec::new(),
            tracks: Vec::new(),
            is_output,
            demands: Rows::default(),
            loop_spans: Rows::default(),
            tensor_spans: Rows::default(),
            readers: Vec::new(),
            scratch: Scratch::default(),
            first: last + 1,
            first_needed: usize::MAX,
        };
        sweep.restart(loops, tracks);
        sweep
    }

    /// Starts over with other cuts.
    pub fn restart(&mut self, loops: Vec<CutLoop>, mut tracks: Vec<Table>) {
        let graph = self.graph;
        self.demands.restart();
        self.tensor_spans.restart();
        self.loop_spans.restart();
        self.readers.clear();
        self.first = self.last + 1;
        self.first_needed = usize::MAX;
        let target = graph.operators[self.last].results[0];
        let shape = &graph.tensors[target].shape;
        let mut demand: Vec<Demand> = shape.iter().map(|&n| Demand::Fixed(0, n)).collect();
        for (number, cut) in loops.iter().enumerate() {
            if let CutLoop::Result(dimension) = *cut {
                demand[dimension] = Demand::Driven(number, tracks[number].request_of_cut());
            }
        }
        self.demands.set(target, &demand);
        self.loops = loops;
        self.tracks = tracks;
    }

    /// Gives back the tables of its cuts; it must start over to be used.
    pub fn end(&mut self) -> Vec<Table> {
        std::mem::take(&mut self.tracks)
    }

    /// Ranges of the loops of an operator that was walked over; none for one that nobody needs.
    pub fn loop_spans(&self, op: usize) -> Option<&[Span]> {
        // Numbered from the last operator back, so that short groups have short tables.
        self.loop_spans.get(self.last.checked_sub(op)?)
    }

    /// Ranges of the dimensions of a tensor that was walked over.
    pub fn tensor_spans(&self, tensor: usize) -> Option<&[Span]> {
        self.tensor_spans.get(tensor)
    }

    /// Walks back over all operators from `first` on.
    pub fn extend(&mut self, first: usize) {
        while self.first > first {
            self.first -= 1;
            let mut scratch = std::mem::take(&mut self.scratch);
            self.visit(self.first, &mut scratch);
            self.note_reads(self.first);
            self.scratch = scratch;
        }
    }

    fn visit(&mut self, op_index: usize, scratch: &mut Scratch) {
        let graph = self.graph;
        let op = &graph.operators[op_index];
        let Scratch { loops, result, demand } = scratch;
        // Results of one operator are made together: as much of each as of the others.
        let is_output = op.results.iter().any(|&tensor| self.is_output[tensor]);
        let is_read = |sweep: &Self| op.results.iter().any(|&t| sweep.demands.get(t).is_some());
        if is_output && !is_read(self) {
            self.follow_operands(op_index);
        }
        let is_any_read = is_read(self);
        let mut is_first = true;
        for (number, &tensor) in op.results.iter().enumerate() {
            if is_any_read && self.demands.get(tensor).is_none() {
                continue;
            }
            if !self.resolve(tensor, is_output, result) {
                continue;
            }
            if !op.is_splittable {
                // It is there as a whole, whatever of it is read.
                result.clear();
                result.extend(graph.tensors[tensor].shape.iter().map(|&n| Span::Fixed(0, n)));
            }
            if is_first {
                loops.clear();
                loops.extend(op.loops.iter().map(|&n| Span::Fixed(0, n)));
            }
            for (dimension, span) in result.iter_mut().enumerate() {
                match op.result_loops[number].get(dimension) {
                    Some(Some(l)) => {
                        loops[*l] = if is_first || loops[*l] == *span {
                            *span
                        } else {
                            Span::Fixed(0, op.loops[*l])
                        };
                    }
                    // What no loop makes is there whether or not a tile needs it.
                    Some(None) => *span = Span::Fixed(0, graph.tensors[tensor].shape[dimension]),
                    None => {}
                }
            }
            is_first = false;
            self.tensor_spans.set(tensor, result);
        }
        if is_first {
            return;
        }
        if op.results.len() > 1 {
            self.make_together(op, loops, result);
        }
        for number in 0..self.loops.len() {
            if let CutLoop::Accumulate(anchor, l) = self.loops[number]
                && anchor == op_index
            {
                loops[l] = Span::Driven(number, self.tracks[number].root());
            }
        }
        self.sum_by_tiles(op_index, loops);
        for (tensor, access) in &op.operands {
            if !graph.tensors[*tensor].is_constant
                && self.demand_of(op, loops, *tensor, access, demand)
            {
                self.add(*tensor, demand);
            }
        }
        self.loop_spans.set(self.last - op_index, loops);
    }

    /// Gives all results of an operator the ranges of its loops: one that nobody reads takes room as the others do.
    fn make_together(&mut self, op: &Operator, loops: &[Span], spans: &mut Vec<Span>) {
        for (number, &tensor) in op.results.iter().enumerate() {
            let shape = &self.graph.tensors[tensor].shape;
            let span_of =
                |(dimension, &n): (usize, &i64)| match op.result_loops[number].get(dimension) {
                    Some(Some(l)) => loops[*l],
                    _ => Span::Fixed(0, n),
                };
            spans.clear();
            spans.extend(shape.iter().enumerate().map(span_of));
            self.tensor_spans.set(tensor, spans);
        }
    }

    /// Writes the ranges of a tensor over the tiles, from what its readers so far ask for. With `all`, every element is
    /// needed. Returns whether anything is.
    pub(super) fn resolve(&mut self, tensor: usize, all: bool, spans: &mut Vec<Span>) -> bool {
        let shape = &self.graph.tensors[tensor].shape;
        spans.clear();
        let Some(demand) = self.demands.get(tensor) else {
            spans.extend(shape.iter().map(|&n| Span::Fixed(0, n)).filter(|_| all));
            return all;
        };
        let mut drives = [false; 8];
        for (demand, &size) in demand.iter().zip(shape) {
            spans.push(match *demand {
                Demand::Fixed(..) if all => Span::Fixed(0, size),
                Demand::Fixed(start, end) => Span::Fixed(start, end),
                // A front moves along one dimension, and tiles that step along two would not meet all elements.
                Demand::Driven(cut, _)
                    if (all || self.tracks[cut].is_cached())
                        && std::mem::replace(&mut drives[cut], true) =>
                {
                    Span::Fixed(0, size)
                }
                Demand::Driven(cut, request) => {
                    Span::Driven(cut, self.tracks[cut].resolve(request, size, all))
                }
            });
        }
        true
    }

    fn add(&mut self, tensor: usize, demand: &[Demand]) {
        let shape = &self.graph.tensors[tensor].shape;
        let Some(known) = self.demands.get_mut(tensor) else {
            self.demands.set(tensor, demand);
            return;
        };
        for ((old, &new), &size) in known.iter_mut().zip(demand).zip(shape) {
            *old = match (*old, new) {
                (Demand::Fixed(a, b), Demand::Fixed(c, d)) => Demand::Fixed(a.min(c), b.max(d)),
                (Demand::Driven(cut, a), Demand::Driven(other, b)) if cut == other => {
                    Demand::Driven(cut, self.tracks[cut].union(a, b))
                }
                _ => Demand::Fixed(0, size),
            };
        }
    }

    /// Writes what an operator asks of an operand; returns whether it reads anything of it.
    fn demand_of(
        &mut self,
        op: &Operator,
        spans: &[Span],
        tensor: usize,
        access: &Access,
        demand: &mut Vec<Demand>,
    ) -> bool {
        let shape = &self.graph.tensors[tensor].shape;
        demand.clear();
        match access {
            Access::Affine(expressions) => {
                for (expression, &size) in expressions.iter().zip(shape) {
                    let found = self.line(op, expression, spans, size);
                    if matches!(found, Demand::Fixed(start, end) if start >= end) {
                        return false;
                    }
                    demand.push(found);
                }
            }
            Access::Reshape(groups) => {
                demand.extend(shape.iter().map(|&n| Demand::Fixed(0, n)));
                self.reshape(op, spans, shape, groups, demand);
            }
            // Arguments are looked up where they are; what the group makes itself must be there as a whole.
            Access::Indirect if self.graph.tensors[tensor].is_argument => return false,
            Access::Whole | Access::Indirect => {
                demand.extend(shape.iter().map(|&n| Demand::Fixed(0, n)));
            }
        }
        true
    }

    fn line(
        &mut self,
        op: &Operator,
        expression: &Expression,
        spans: &[Span],
        size: i64,
    ) -> Demand {
        let Some((line, driver)) = line_of(expression, spans, op, &self.loops) else {
            return Demand::Fixed(0, size);
        };
        match driver {
            None => Demand::Fixed(line.first(0).max(0), line.end(1).min(size)),
            Some((cut, track)) => Demand::Driven(cut, self.tracks[cut].request(track, line, size)),
        }
    }

    fn reshape(
        &mut self,
        op: &Operator,
        spans: &[Span],
        shape: &[i64],
        groups: &[(Vec<usize>, Vec<usize>)],
        demand: &mut [Demand],
    ) {
        for (from, to) in groups {
            let extents: Vec<i64> = from.iter().map(|&d| op.loops[d]).collect();
            let driven: Vec<usize> =
                (0..from.len()).filter(|&k| matches!(spans[from[k]], Span::Driven(..))).collect();
            // Dimensions before the first range have one index, or the box is rounded out to all of them.
            let ranges: Vec<Option<(i64, i64)>> = from
                .iter()
                .map(|&d| match spans[d] {
                    Span::Fixed(start, end) => Some((start, end)),
                    Span::Driven(..) => None,
                })
                .collect();
            let [k] = driven[..] else {
                if driven.is_empty() {
                    // After the first dimension with more than one index all are read in full.
                    let fixed = |d: usize| ranges[d].unwrap_or((0, extents[d]));
                    let wide = (0..from.len()).find(|&d| fixed(d).1 - fixed(d).0 > 1);
                    let read = |d: usize| {
                        if wide.is_some_and(|w| d > w) { (0, extents[d]) } else { fixed(d) }
                    };
                    let first = position(&extents, |d| read(d).0);
                    let last = position(&extents, |d| read(d).1 - 1);
                    self.spread(demand, to, shape, first, last);
                }
                continue;
            };
            let Span::Driven(cut, track) = spans[from[k]] else { continue };
            let leads = ranges[..k].iter().flatten().all(|r| r.1 - r.0 == 1);
            if !leads {
                continue;
            }
            let inner: i64 = extents[k + 1..].iter().product();
            let outer = position(&extents[..k], |d| ranges[d].map_or(0, |r| r.0))
                * extents[k..].iter().product::<i64>();
            // One dimension is a range; those before it have one index per tile, those after it are full.
            let to_extents: Vec<i64> = to.iter().map(|&d| shape[d]).collect();
            let mut stride: i64 = to_extents.iter().product();
            for (&dimension, &extent) in to.iter().zip(&to_extents) {
                stride /= extent.max(1);
                if extent == 1 {
                    continue;
                }
                let strides = Strides { outer, inner, stride, extent };
                let (asked, is_single) = self.tracks[cut].request_through(track, strides);
                demand[dimension] = match asked {
                    Asked::Same(start, end) => Demand::Fixed(start, end),
                    Asked::Request(request) => Demand::Driven(cut, request),
                };
                if !is_single {
                    break;
                }
            }
        }
    }

    fn spread(&self, demand: &mut [Demand], to: &[usize], shape: &[i64], first: i64, last: i64) {
        let mut stride: i64 = to.iter().map(|&d| shape[d]).product();
        for &dimension in to {
            let extent = shape[dimension].max(1);
            stride /= extent;
            let (a, b) = ((first / stride) % extent, (last / stride) % extent);
            demand[dimension] = Demand::Fixed(a, b + 1);
            if a != b {
                break;
            }
        }
    }
}

/// What an index of an operand is over the iterations of a tile, and the cut and track that it follows, if any; none if it
/// follows two.
///
/// Of a window that is cut too, as its sum is, and moves with another cut, all is there: so that the next part of the sum
/// finds it.
#[inline]
pub(super) fn line_of(
    expression: &Expression,
    spans: &[Span],
    op: &Operator,
    cuts: &[CutLoop],
) -> Option<(Line, Option<(usize, u32)>)> {
    let (mut low, mut high) = (expression.constant, expression.constant + expression.reach);
    let mut driver = None;
    let is_of_sum = |l: usize| matches!(spans[l], Span::Driven(cut, _) if is_sum(&cuts[cut]));
    let moves = expression
        .terms
        .iter()
        .any(|&(l, _)| matches!(spans[l], Span::Driven(..)) && !is_of_sum(l));
    for &(l, coefficient) in &expression.terms {
        let span = if moves && is_of_sum(l) { Span::Fixed(0, op.loops[l]) } else { spans[l] };
        match span {
            Span::Fixed(start, end) => {
                low += coefficient * start;
                high += coefficient * (end - 1);
            }
            Span::Driven(..) if driver.is_some() => return None,
            Span::Driven(cut, track) => driver = Some((cut, track, coefficient)),
        }
    }
    let coefficient = driver.map_or(0, |(.., coefficient)| coefficient);
    let line = Line { coefficient, low, high, divisor: expression.divisor };
    Some((line, driver.map(|(cut, track, _)| (cut, track))))
}

fn is_sum(cut: &CutLoop) -> bool {
    matches!(cut, CutLoop::Accumulate(..))
}

fn position(extents: &[i64], index: impl Fn(usize) -> i64) -> i64 {
    extents.iter().enumerate().fold(0, |sum, (d, &extent)| sum * extent + index(d))
}
