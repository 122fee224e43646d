//! A group under one grid, laid out for counting.

use super::cut::LARGEST;
use super::graph::{Access, Operator, SplitGraph};
use super::machine::Machine;
use super::storages::Storages;
use super::sweep::{CutLoop, Span, Sweep};

/// How a tensor that a group reads comes to the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residency {
    /// Where it changes with the tiles it is fetched, and stays until it changes.
    Fetched,
    /// Fetched once, all that the group needs.
    Kept,
    /// Fetched by its only reader, in so many slices along a loop of that operator.
    Streamed {
        /// The operator.
        reader: usize,
        /// The loop whose slices are computed one after another.
        along: usize,
        /// Number of slices.
        slices: i64,
    },
    /// On chip before the group starts.
    Resident,
}

/// A tensor from outside of a group.
#[derive(Clone, Debug)]
pub struct External {
    /// The tensor, which may be a view of another.
    pub tensor: usize,
    /// The tensor whose elements these are.
    pub source: usize,
    /// How it comes to the chip.
    pub residency: Residency,
    /// Ranges of its dimensions.
    pub spans: Vec<Span>,
    /// Cuts that it follows, up to the innermost.
    pub level: usize,
    /// The operator that reads it, if it is one alone.
    pub reader: Option<usize>,
    /// Where in the sequence it is read first.
    pub(super) position: usize,
    /// Bytes of the elements that it has in all tiles of the cuts that it follows, summed up.
    pub(super) bytes_summed: i64,
    /// Bytes of the elements that its only reader reads, summed up as above: nothing is kept of what comes in slices.
    pub(super) bytes_streamed: i64,
    /// Bytes of the elements that it has in any tile.
    pub(super) bytes_in_all: i64,
    /// Bytes of the elements that it has in the largest tile.
    pub(super) bytes_in_largest: i64,
    /// Bytes and moves if it is fetched.
    pub(super) cost_if_fetched: (i64, i64),
    /// The slices in which it may be fetched by its reader, and bytes and moves then.
    pub(super) in_slices: Option<(Residency, (i64, i64))>,
    /// Whether its room on chip is free after its last reader, in a group that is not cut.
    pub dies: bool,
}

/// A group under one grid, laid out for counting.
#[derive(Debug)]
pub struct Layout<'s, 'a> {
    pub(super) graph: &'a SplitGraph,
    pub(super) sweep: &'s Sweep<'a>,
    pub(super) is_output: &'a [bool],
    pub(super) machine: Machine,
    /// Operators that run, in the order of the loop nest.
    pub sequence: Vec<usize>,
    /// Cuts around each operator of the sequence.
    pub levels: Vec<usize>,
    pub(super) body_start: Vec<usize>,
    pub(super) body_end: Vec<usize>,
    /// Tensors from outside.
    pub externals: Vec<External>,
    pub(super) external_of: Vec<u32>,
    /// Views of tensors from outside, which take no time: they stay outside, and the view is fetched.
    pub(super) is_outer_view: Vec<bool>,
    /// Bytes that stay on chip throughout: whole tensors before, across and after the group.
    pub resident_bytes: i64,
    /// Whether the result of the last operator stays on chip.
    pub keeps_result: bool,
    pub(super) storages: Storages,
    /// Bytes on chip at the most, over a sample of tiles, where that was counted when it was settled what is kept.
    pub(super) settled_peak: Option<i64>,
    /// Whether some cut keeps what two tiles need.
    pub(super) is_cached: bool,
}

pub(super) fn level_of(spans: &[Span]) -> usize {
    let driver = |span: &Span| match span {
        Span::Fixed(..) => 0,
        Span::Driven(cut, _) => cut + 1,
    };
    spans.iter().map(driver).max().unwrap_or(0)
}

impl<'s, 'a> Layout<'s, 'a> {
    /// Lays out the group of all operators that the sweep walked over.
    ///
    /// With `views_stay_outside` a view of a tensor from outside is not part of the group, but what is returned:
    /// the view is fetched.
    pub fn new(
        graph: &'a SplitGraph,
        sweep: &'s mut Sweep<'a>,
        is_output: &'a [bool],
        machine: Machine,
        views_stay_outside: bool,
    ) -> Self {
        let (first, last) = (sweep.first, sweep.last);
        let cuts = sweep.loops.len();
        let mut is_outer_view = vec![false; graph.tensors.len()];
        let mut source: Vec<usize> = (0..graph.tensors.len()).collect();
        if views_stay_outside && (machine.is_staged || cuts > 0) {
            for index in first..last {
                let op = &graph.operators[index];
                if let ([(of, _), ..], true) = (&op.operands[..], op.is_view)
                    && (sweep.tensor_spans[*of].is_none() || is_outer_view[*of])
                    && !graph.tensors[*of].is_constant
                    && !graph.tensors[op.results[0]].is_returned
                {
                    is_outer_view[op.results[0]] = true;
                    source[op.results[0]] = source[*of];
                }
            }
        }
        let is_hoisted = |index: usize| is_outer_view[graph.operators[index].results[0]];
        let anchor = sweep.loops.iter().find_map(|l| match l {
            CutLoop::Accumulate(op, _) => Some(*op),
            CutLoop::Result(_) => None,
        });
        // What depends on a sum runs when the sum is complete.
        let mut is_after = vec![false; last + 1 - first];
        let mut late: Vec<usize> = Vec::new();
        if let Some(anchor) = anchor {
            late.extend(&graph.operators[anchor].results);
            for index in anchor + 1..=last {
                let op = &graph.operators[index];
                if op.operands.iter().any(|(t, _)| late.contains(t)) {
                    is_after[index - first] = true;
                    late.extend(&op.results);
                }
            }
        }
        let mut by_level: Vec<(Vec<usize>, Vec<usize>)> = vec![Default::default(); cuts + 1];
        for index in first..=last {
            if let Some(spans) = &sweep.loop_spans[index]
                && !is_hoisted(index)
            {
                let level = level_of(spans);
                let list = &mut by_level[level];
                if is_after[index - first] { list.1.push(index) } else { list.0.push(index) }
            }
        }
        let mut sequence: Vec<usize> = Vec::new();
        let mut levels: Vec<usize> = Vec::new();
        let (mut body_start, mut body_end) = (vec![0; cuts + 2], vec![0; cuts + 2]);
        for (level, (before, _)) in by_level.iter().enumerate() {
            body_start[level] = sequence.len();
            sequence.extend(before);
            levels.resize(sequence.len(), level);
        }
        body_start[cuts + 1] = sequence.len();
        body_end[cuts + 1] = sequence.len();
        for (level, (_, after)) in by_level.iter().enumerate().rev() {
            sequence.extend(after);
            levels.resize(sequence.len(), level);
            body_end[level] = sequence.len();
        }
        let sequence: Vec<usize> = sequence;
        let mut externals: Vec<External> = Vec::new();
        let mut external_of = vec![u32::MAX; graph.tensors.len()];
        for (position, &op) in sequence.iter().enumerate() {
            for (tensor, access) in &graph.operators[op].operands {
                let is_inside = sweep.tensor_spans[*tensor].is_some() && !is_outer_view[*tensor];
                if is_inside || graph.tensors[*tensor].is_constant || *access == Access::Indirect {
                    continue;
                }
                if let Some(known) = externals.get_mut(external_of[*tensor] as usize) {
                    known.reader = None;
                    continue;
                }
                let Some(spans) = sweep.resolve(*tensor, false) else { continue };
                external_of[*tensor] = externals.len() as u32;
                externals.push(External {
                    tensor: *tensor,
                    source: source[*tensor],
                    residency: Residency::Fetched,
                    level: level_of(&spans),
                    reader: Some(op),
                    position,
                    bytes_summed: 0,
                    bytes_streamed: 0,
                    bytes_in_all: 0,
                    bytes_in_largest: 0,
                    cost_if_fetched: (0, 0),
                    in_slices: None,
                    spans,
                    dies: false,
                });
            }
        }
        let mut layout = Self {
            external_of,
            is_outer_view,
            graph,
            sweep,
            is_output,
            machine,
            sequence,
            levels,
            body_start,
            body_end,
            externals,
            resident_bytes: 0,
            keeps_result: false,
            storages: Storages::default(),
            settled_peak: None,
            is_cached: sweep.tracks.iter().any(|tracks| tracks.is_cached()),
        };
        for index in 0..layout.externals.len() {
            let external = &layout.externals[index];
            let element = graph.tensors[external.tensor].element_bytes;
            let summed = layout.sum(&external.spans) * element;
            let streamed =
                external.reader.map_or(summed, |op| layout.sum_read(&external.spans, op) * element);
            let in_all = layout.union_elements(&external.spans) * element;
            let in_largest = layout.largest_window(&external.spans) * element;
            let external = &mut layout.externals[index];
            external.bytes_summed = summed;
            external.bytes_streamed = streamed;
            external.bytes_in_all = in_all;
            external.bytes_in_largest = in_largest;
            let external = &layout.externals[index];
            let fetched = layout.cost_of_fetching(external, Residency::Fetched);
            let in_slices = layout
                .slices_of(external)
                .map(|slices| (slices, layout.cost_of_fetching(external, slices)));
            let external = &mut layout.externals[index];
            external.cost_if_fetched = fetched;
            external.in_slices = in_slices;
        }
        layout.start_over(None, false);
        layout
    }

    /// Forgets what is kept where: of tensors from outside only `newest` lies on chip, and the result stays there if
    /// `keeps_result`.
    pub fn start_over(&mut self, newest: Option<usize>, keeps_result: bool) {
        let (graph, machine) = (self.graph, self.machine);
        for external in &mut self.externals {
            let is_read_in_place = !machine.is_staged
                || Some(external.source) == newest
                || (!machine.stages_arguments && graph.tensors[external.source].is_argument);
            external.residency =
                if is_read_in_place { Residency::Resident } else { Residency::Fetched };
        }
        let target = graph.operators[self.sweep.last].results[0];
        self.keeps_result = keeps_result;
        let kept = keeps_result.then_some(target);
        let room = |tensor: usize| machine.align(graph.tensors[tensor].bytes());
        self.resident_bytes = newest.into_iter().chain(kept).map(room).sum();
        self.settled_peak = None;
    }

    /// The first operator of the group.
    pub fn first(&self) -> usize {
        self.sweep.first
    }

    /// The operator whose result is cut.
    pub fn last(&self) -> usize {
        self.sweep.last
    }

    /// Whether a tensor, or a view of it, is read from outside.
    pub fn reads(&self, source: usize) -> bool {
        self.externals.iter().any(|e| e.source == source)
    }
    pub(super) fn tiles(&self, cut: usize) -> i64 {
        self.sweep.tracks[cut].cut.tiles() as i64
    }

    /// Whether the group makes a tensor itself.
    pub(super) fn is_made_inside(&self, tensor: usize) -> bool {
        self.sweep.tensor_spans[tensor].is_some() && !self.is_outer_view[tensor]
    }

    pub(super) fn spans(&self, tensor: usize) -> Option<&[Span]> {
        if let Some(spans) = &self.sweep.tensor_spans[tensor] {
            return Some(spans);
        }
        self.external(tensor).map(|external| external.spans.as_slice())
    }

    /// What is known of a tensor from outside that is not looked up alone.
    pub(super) fn external(&self, tensor: usize) -> Option<&External> {
        self.externals.get(self.external_of[tensor] as usize)
    }

    /// Elements of a box summed up over all tiles of the cuts that drive it.
    pub(super) fn sum(&self, spans: &[Span]) -> i64 {
        let mut product = 1;
        for span in spans {
            if let Span::Fixed(start, end) = span {
                product *= (end - start).max(0);
            }
        }
        for (cut, tracks) in self.sweep.tracks.iter().enumerate() {
            let mut driven = spans.iter().filter_map(|s| match s {
                Span::Driven(c, track) if *c == cut => Some(tracks.get(*track)),
                _ => None,
            });
            let Some(first) = driven.next() else { continue };
            let others: Vec<_> = driven.collect();
            product *= if others.is_empty() {
                first.total()
            } else {
                let over = |t: usize| {
                    others.iter().map(|d| d.length(t)).product::<i64>() * first.length(t)
                };
                (0..tracks.cut.tiles()).map(over).sum::<i64>()
            };
        }
        product
    }

    /// Elements of a box that one operator reads, what was kept among them, summed up over all tiles in which it runs.
    fn sum_read(&self, spans: &[Span], reader: usize) -> i64 {
        let loops = self.sweep.loop_spans[reader].as_deref().unwrap_or(&[]);
        // At most one dimension follows a cached cut.
        let is_kept = |span: &Span| self.has_overlap(std::slice::from_ref(span));
        let others: Vec<Span> = spans.iter().filter(|span| !is_kept(span)).copied().collect();
        let kept = spans.iter().filter(|span| is_kept(span)).map(|span| match *span {
            Span::Fixed(start, end) => (end - start).max(0),
            Span::Driven(cut, track) => {
                let tracks = &self.sweep.tracks[cut];
                let runs = |tile: usize| {
                    loops.iter().all(|span| match *span {
                        Span::Driven(c, track) if c == cut => tracks.get(track).length(tile) > 0,
                        _ => true,
                    })
                };
                let tiles = (0..tracks.cut.tiles()).filter(|&tile| runs(tile));
                tiles.map(|tile| tracks.get(track).size(tile)).sum()
            }
        });
        self.sum(&others) * kept.product::<i64>()
    }

    /// Times that a box of these ranges changes, or is needed, with `level` cuts around it.
    pub(super) fn repeats(&self, spans: &[Span], level: usize) -> i64 {
        let is_driver =
            |cut: usize| spans.iter().any(|s| matches!(s, Span::Driven(c, _) if *c == cut));
        (0..level).filter(|&cut| !is_driver(cut)).map(|cut| self.tiles(cut)).product()
    }

    pub(super) fn union_elements(&self, spans: &[Span]) -> i64 {
        spans
            .iter()
            .map(|span| match *span {
                Span::Fixed(start, end) => (end - start).max(0),
                Span::Driven(cut, track) => self.sweep.tracks[cut].get(track).reach(),
            })
            .product()
    }

    /// Elements of a box on chip in one tile: what was kept and what is new.
    pub(super) fn window(&self, spans: &[Span], tile: &[usize]) -> i64 {
        spans
            .iter()
            .map(|span| match *span {
                Span::Fixed(start, end) => (end - start).max(0),
                Span::Driven(cut, track) => self.sweep.tracks[cut].get(track).size(tile[cut]),
            })
            .product()
    }

    pub(super) fn largest_window(&self, spans: &[Span]) -> i64 {
        spans
            .iter()
            .map(|span| match *span {
                Span::Fixed(start, end) => (end - start).max(0),
                Span::Driven(cut, track) => self.sweep.tracks[cut].get(track).size(LARGEST),
            })
            .product()
    }

    pub(super) fn has_overlap(&self, spans: &[Span]) -> bool {
        spans.iter().any(|span| match *span {
            Span::Fixed(..) => false,
            Span::Driven(cut, _) if !self.sweep.tracks[cut].is_cached() => false,
            Span::Driven(cut, track) => self.sweep.tracks[cut].get(track).has_overlap(),
        })
    }

    /// Elements of the largest of the slices of a tensor, whole iterations of the loop that its reader goes along.
    pub(super) fn largest_slice(
        &self,
        elements: i64,
        reader: usize,
        along: usize,
        slices: i64,
    ) -> i64 {
        let spans = self.sweep.loop_spans[reader].as_deref().unwrap_or(&[]);
        match spans.get(along) {
            Some(&Span::Fixed(start, end)) if end > start => {
                let extent = end - start;
                elements / extent * ((extent + slices - 1) / slices)
            }
            _ => (elements + slices - 1) / slices,
        }
    }

    /// Whether the result of an operator is the bytes of its operand. Not so for a view of which tiles keep a part: that
    /// and what is new are put together. Nor for a part of a tensor that is returned on chip, which is copied.
    pub(super) fn is_alias(&self, op: usize) -> bool {
        let op = &self.graph.operators[op];
        let result = op.results[0];
        op.is_view
            && (self.is_outer_view[result]
                || !(self.spans(result).is_some_and(|spans| self.has_overlap(spans))
                    || (!self.machine.is_staged
                        && self.graph.tensors[result].is_returned
                        && self.shows_part(op))))
    }

    /// Whether a view, or what it is a view of, shows a part of a tensor only.
    fn shows_part(&self, view: &Operator) -> bool {
        let Some((source, access)) = view.operands.first() else { return false };
        let makes = |op: &&Operator| op.is_view && op.results.contains(source);
        matches!(access, Access::Affine(_))
            || self.graph.operators.iter().find(makes).is_some_and(|op| self.shows_part(op))
    }

    /// Tensors that the group makes or fetches.
    pub(super) fn tensors(&self) -> impl Iterator<Item = usize> {
        let made =
            self.sequence.iter().flat_map(|&op| self.graph.operators[op].results.iter().copied());
        made.chain(self.externals.iter().map(|e| e.tensor))
    }

    /// Whether what a tile keeps is still there in the next one: nothing that is kept follows a cut further inside.
    pub fn can_keep(&self) -> bool {
        self.tensors().all(|tensor| {
            let spans = self.spans(tensor).unwrap_or(&[]);
            let cached = spans.iter().find_map(|span| match *span {
                Span::Driven(cut, track) if self.sweep.tracks[cut].is_cached() => {
                    self.sweep.tracks[cut].get(track).has_overlap().then_some(cut)
                }
                _ => None,
            });
            cached.is_none_or(|cut| level_of(spans) == cut + 1)
        })
    }

    /// Whether no cut changes what the operators from `first` on and before `end` compute.
    pub fn is_uncut(&self, end: usize) -> bool {
        let mut works = self
            .sequence
            .iter()
            .zip(&self.levels)
            .filter(|&(&op, _)| op < end && self.graph.operators[op].work > 0)
            .peekable();
        works.peek().is_some() && works.all(|(_, &level)| level == 0)
    }

    pub(super) fn aligned(&self, elements: i64, tensor: usize) -> i64 {
        self.align(elements * self.graph.tensors[tensor].element_bytes)
    }

    pub(super) fn align(&self, bytes: i64) -> i64 {
        self.machine.align(bytes)
    }
}
