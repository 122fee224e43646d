//! A group under one grid, laid out for counting.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::boxes::level_of;
use super::compress::is_small;
use super::external::{External, Residency};
use super::graph::{Access, SplitGraph};
use super::machine::Machine;
use super::shifted_reshape::ShiftedReshape;
use super::slices::Slice;
use super::storages::Storages;
use super::sweep::{Span, Sweep};
use super::tally::{Neighbours, Tally};
use super::written_over::WrittenOver;

/// A group under one grid, laid out for counting.
#[derive(Debug)]
pub struct Layout<'s, 'a> {
    pub(super) graph: &'a SplitGraph,
    pub(super) sweep: &'s Sweep<'a>,
    pub(super) tally: &'s Tally<'a>,
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
    /// One more than the largest number of a tensor that the group makes or reads.
    pub(super) tensors: usize,
    external_of: Vec<u32>,
    /// Bytes that stay on chip throughout: whole tensors before, across and after the group.
    pub resident_bytes: i64,
    /// Whether the result of the last operator stays on chip.
    pub keeps_result: bool,
    pub(super) storages: Storages,
    /// Bytes on chip at the most, over a sample of tiles, where that was counted already.
    pub(super) known_peak: Option<i64>,
    /// Tiles that stand for all, for each cut, once they were asked for.
    pub(super) samples: OnceCell<Vec<Vec<usize>>>,
    /// Whether some cut keeps what two tiles need.
    pub(super) is_cached: bool,
    /// For each position the one at which the operator runs: chains that run slice by slice run where they end.
    pub(super) turns: Vec<usize>,
    /// The numbers of these chains.
    pub sliced_chains: Vec<usize>,
    /// Results that take the room of a tensor from outside, which they are written over.
    pub(super) over: Vec<WrittenOver>,
    /// For each tensor of which only a slice exists at a time its maker's place in a chain, and the range that is sliced;
    /// empty where no chain runs so.
    pub(super) slices: Vec<Option<(Slice, Span)>>,
    /// Tensors that are padded by as much in all tiles, and by how many elements of each dimension they are larger than what
    /// is needed of them; none for a dimension of which tiles are not padded alike.
    pub(super) shifted_pads: FxHashMap<usize, Vec<Option<i64>>>,
    /// What is in all tiles a part of what is reshaped, at another place in each.
    pub(super) shifted_reshapes: Vec<ShiftedReshape>,
}

/// For each operator of a group whether it runs when sums that are added up by tiles are complete: what depends on one, and
/// what makes something for that alone and would only keep more room until then.
fn after_sums(tally: &Tally<'_>, running: &[(usize, usize)], anchors: &[usize]) -> Vec<bool> {
    let (graph, first, last) = (tally.graph, tally.sweep.first, tally.sweep.last);
    let mut is_after = vec![false; last + 1 - first];
    let mut late: Vec<usize> = Vec::new();
    for index in anchors[0]..=last {
        let op = &graph.operators[index];
        let depends = op.operands.iter().any(|(t, _)| late.contains(t));
        is_after[index - first] = depends;
        if depends || anchors.contains(&index) {
            late.extend(&op.results);
        }
    }
    // For each tensor the levels of its readers, or none where one of them runs before.
    let mut readers: FxHashMap<usize, Option<usize>> = FxHashMap::default();
    for &(index, level) in running.iter().rev() {
        let op = &graph.operators[index];
        let waits = || {
            let bytes = |t: &usize| graph.tensors[*t].bytes();
            let is_read_late = |t: &usize| readers.get(t) == Some(&Some(level));
            // What comes from outside of the group is there until the group ends, or is fetched when it is read.
            let made = op.operands.iter().map(|(t, _)| t).filter(|t| tally.is_made_inside(**t));
            op.results.iter().all(|t| is_read_late(t) && !tally.is_output[*t])
                && made.map(bytes).sum::<i64>() <= op.results.iter().map(bytes).sum()
        };
        let runs_late = is_after[index - first] || waits();
        is_after[index - first] = runs_late;
        for (tensor, _) in &op.operands {
            let mine = runs_late.then_some(level);
            let known = readers.entry(*tensor).or_insert(mine);
            if *known != mine {
                *known = None;
            }
        }
    }
    is_after
}

/// Brings operators that run at one level when sums are complete into order: those come first that change a sum element by
/// element, so that it is done and its room may be free before anything else is made. Of these those come first that read
/// nothing else that is large, as an operator that a chain was joined with does that as part of its loop.
fn sums_first(tally: &Tally<'_>, mut waiting: Vec<usize>, anchors: &[usize]) -> Vec<usize> {
    let graph = tally.graph;
    // For each sum, and what it was changed to, its layer and when that is made.
    let mut sums: FxHashMap<usize, (usize, Turn)> = FxHashMap::default();
    let sum =
        |&op: &usize| (graph.operators[op].results[0], (graph.operators[op].layer, Turn::WithSums));
    sums.extend(anchors.iter().map(sum));
    for &op in &waiting {
        let op = &graph.operators[op];
        if op.is_view || op.is_reduction.iter().any(|&r| r) {
            continue;
        }
        let changed = op.in_place.iter().find_map(|&k| {
            let (layer, turn) = *sums.get(&op.operands[k].0)?;
            let others = op.operands.iter().enumerate().filter(|&(other, _)| other != k);
            let mut others = others.map(|(_, (tensor, _))| &graph.tensors[*tensor]);
            let is_alone = others.all(|other| is_small(other, &graph.tensors[op.results[0]]));
            let turn = if is_alone { turn } else { Turn::Later };
            (layer == op.layer).then_some(turn)
        });
        if let Some(turn) = changed {
            sums.insert(op.results[0], (op.layer, turn));
        }
    }
    // What they read that is made here as well is made before them.
    let mut wanted: FxHashMap<usize, Turn> = FxHashMap::default();
    wanted.extend(sums.into_iter().map(|(tensor, (_, turn))| (tensor, turn)));
    let mut turns: FxHashMap<usize, Turn> = FxHashMap::default();
    for &number in waiting.iter().rev() {
        let op = &graph.operators[number];
        if let Some(turn) = op.results.iter().filter_map(|t| wanted.get(t).copied()).min() {
            turns.insert(number, turn);
            for (tensor, _) in &op.operands {
                let known = wanted.entry(*tensor).or_insert(turn);
                *known = turn.min(*known);
            }
        }
    }
    waiting.sort_by_key(|op| turns.get(op).copied().unwrap_or(Turn::Last));
    waiting
}

/// When what waits for sums is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    WithSums,
    Later,
    Last,
}

impl<'s, 'a> Layout<'s, 'a> {
    /// Lays out the group of all operators that were walked over.
    pub fn new(tally: &'s Tally<'a>) -> Self {
        let (graph, sweep) = (tally.graph, &tally.sweep);
        let (first, last) = (sweep.first, sweep.last);
        let cuts = sweep.loops.len();
        let mut running: Vec<(usize, usize)> = Vec::with_capacity(last + 1 - first);
        for index in first..=last {
            if let Some(spans) = sweep.loop_spans(index)
                && !tally.is_outer_view(graph.operators[index].results[0])
            {
                running.push((index, level_of(spans)));
            }
        }
        let anchors: Vec<usize> =
            running.iter().map(|&(op, _)| op).filter(|&op| sweep.adds_up(op)).collect();
        let is_after =
            if anchors.is_empty() { Vec::new() } else { after_sums(tally, &running, &anchors) };
        let runs_after = |op: usize| is_after.get(op - first).is_some_and(|&after| after);
        let mut sequence: Vec<usize> = Vec::with_capacity(running.len());
        let mut levels: Vec<usize> = Vec::with_capacity(running.len());
        let (mut body_start, mut body_end) = (vec![0; cuts + 2], vec![0; cuts + 2]);
        for (inner, start) in body_start.iter_mut().enumerate().take(cuts + 1) {
            *start = sequence.len();
            let before = running.iter().filter(|&&(op, level)| level == inner && !runs_after(op));
            sequence.extend(before.map(|&(op, _)| op));
            levels.resize(sequence.len(), inner);
        }
        body_start[cuts + 1] = sequence.len();
        body_end[cuts + 1] = sequence.len();
        for inner in (0..=cuts).rev() {
            let after = running.iter().filter(|&&(op, level)| level == inner && runs_after(op));
            let waiting = after.map(|&(op, _)| op).collect();
            sequence.extend(sums_first(tally, waiting, &anchors));
            levels.resize(sequence.len(), inner);
            body_end[inner] = sequence.len();
        }
        let mut externals: Vec<External> = Vec::new();
        let of = |&op: &usize| {
            let op = &graph.operators[op];
            op.operands.iter().map(|(tensor, _)| *tensor).chain(op.results.iter().copied())
        };
        let tensors = sequence.iter().flat_map(of).max().map_or(0, |largest| largest + 1);
        let mut external_of = vec![u32::MAX; tensors];
        for (position, &op) in sequence.iter().enumerate() {
            for (tensor, access) in &graph.operators[op].operands {
                if *access == Access::Indirect || external_of[*tensor] != u32::MAX {
                    continue;
                }
                let Some(external) = tally.external(*tensor) else { continue };
                external_of[*tensor] = externals.len() as u32;
                let mut external = external.clone();
                external.position = position;
                externals.push(external);
            }
        }
        let mut layout = Self {
            tensors,
            external_of,
            graph,
            sweep,
            tally,
            is_output: tally.is_output,
            machine: tally.machine,
            sequence,
            levels,
            body_start,
            body_end,
            externals,
            resident_bytes: 0,
            keeps_result: false,
            storages: Storages::default(),
            known_peak: None,
            samples: OnceCell::new(),
            is_cached: sweep.tracks.iter().any(|tracks| tracks.is_cached()),
            turns: Vec::new(),
            over: Vec::new(),
            sliced_chains: Vec::new(),
            slices: Vec::new(),
            shifted_pads: FxHashMap::default(),
            shifted_reshapes: Vec::new(),
        };
        layout.find_shifted_pads();
        layout.find_shifted_reshapes();
        layout.set_slices(true);
        layout.start_over(Neighbours::default());
        layout
    }

    /// Forgets what is kept where: of tensors from outside only the newest lies on chip.
    pub fn start_over(&mut self, neighbours: Neighbours) {
        for external in &mut self.externals {
            external.residency = if self.tally.is_resident(external, neighbours) {
                Residency::Resident
            } else {
                Residency::Fetched
            };
        }
        self.keeps_result = neighbours.keeps_result;
        self.resident_bytes = self.tally.resident_bytes(neighbours);
        self.known_peak = None;
    }

    /// Views of tensors from outside that are part of the group.
    pub(super) fn joined_views(&self) -> impl Iterator<Item = usize> {
        self.tally.joined_views.iter().map(|&view| self.graph.operators[view].results[0])
    }

    /// The first operator of the group.
    pub fn first(&self) -> usize {
        self.sweep.first
    }

    /// The operator whose result is cut.
    pub fn last(&self) -> usize {
        self.sweep.last
    }

    /// Whether the group makes a tensor itself.
    pub(super) fn is_made_inside(&self, tensor: usize) -> bool {
        self.tally.is_made_inside(tensor)
    }

    pub(super) fn spans(&self, tensor: usize) -> Option<&[Span]> {
        let made = self.sweep.tensor_spans(tensor);
        made.or_else(|| self.external(tensor).map(|external| external.spans.as_slice()))
    }

    /// What is known of a tensor from outside that is not looked up alone.
    pub(super) fn external(&self, tensor: usize) -> Option<&External> {
        self.externals.get(*self.external_of.get(tensor)? as usize)
    }

    /// Whether the result of an operator is the bytes of its operand. Not so for a view of which tiles keep a part: that
    /// and what is new are put together. Nor for a part of a tensor that is returned on chip, which is copied.
    pub(super) fn is_alias(&self, op: usize) -> bool {
        let op = &self.graph.operators[op];
        let result = op.results[0];
        op.is_view
            && (self.tally.is_outer_view(result)
                || !(self.spans(result).is_some_and(|spans| self.sweep.has_overlap(spans))
                    || (!self.machine.is_staged
                        && self.graph.tensors[result].is_returned
                        && self.graph.shows_part(op))))
    }

    pub(super) fn aligned(&self, elements: i64, tensor: usize) -> i64 {
        self.align(elements * self.graph.tensors[tensor].element_bytes)
    }

    pub(super) fn align(&self, bytes: i64) -> i64 {
        self.machine.align(bytes)
    }
}
