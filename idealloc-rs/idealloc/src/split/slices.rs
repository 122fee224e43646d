//! Chains of operators that run slice by slice, so that the wide tensors between them exist for a slice only.
//!
//! A convolution of bytes adds up 32-bit sums, which the next operator turns into bytes again.

use super::boxes::level_of;
use super::layout::Layout;
use super::sweep::{CutLoop, Span, Sweep};

/// An operator's place in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Number of the chain.
    pub chain: usize,
    /// The operator's loop that is sliced.
    pub along: usize,
    /// Iterations of a slice.
    pub size: i64,
    /// Whether it is the last of the chain, whose result is whole again.
    pub is_last: bool,
}

impl Slice {
    /// Elements of the largest slice of a box with `elements`; `extent` of the loop are in it.
    fn of(self, elements: i64, extent: i64) -> i64 {
        if extent > self.size { elements / extent * self.size } else { elements }
    }
}

impl Layout<'_, '_> {
    /// Lets chains run slice by slice, or whole. Storages must be assigned anew.
    pub fn set_slices(&mut self, is_sliced: bool) {
        self.turns = (0..self.sequence.len()).collect();
        self.slices.clear();
        if !self.sequence.iter().any(|&op| self.graph.operators[op].slice.is_some()) {
            return;
        }
        if is_sliced {
            for chain in self.chains() {
                let last = chain[chain.len() - 1];
                for &position in &chain {
                    self.turns[position] = last;
                    let op = self.sequence[position];
                    self.slices.extend(self.graph.operators[op].slice.map(|slice| (op, slice)));
                }
            }
        }
        for external in &mut self.externals {
            let reads = |&position: &usize| {
                let op = &self.graph.operators[self.sequence[position]];
                op.operands.iter().any(|(tensor, _)| *tensor == external.tensor)
            };
            let turns = (0..self.sequence.len()).filter(reads).map(|position| self.turns[position]);
            external.position = turns.min().unwrap_or(external.position);
        }
    }

    /// Bytes on chip at the most if chains run whole; none if they are more than `most`.
    pub(super) fn peak_without_slices(&mut self, most: i64) -> Option<i64> {
        if !self.has_slices() {
            return None;
        }
        self.set_slices(false);
        self.assign();
        let peak = self.peak_of(false);
        self.set_slices(true);
        self.assign();
        (peak <= most).then_some(peak)
    }

    /// Whether any chain runs slice by slice.
    pub fn has_slices(&self) -> bool {
        !self.slices.is_empty()
    }

    /// The numbers of the chains that run slice by slice, ascending.
    pub fn sliced_chains(&self) -> Vec<usize> {
        let last = self.slices.iter().filter(|(_, slice)| slice.is_last);
        let mut chains: Vec<usize> = last.map(|(_, slice)| slice.chain).collect();
        chains.sort_unstable();
        chains
    }

    /// The positions of each chain that can run slice by slice: all of it in every tile, and no sum of it is cut.
    fn chains(&self) -> Vec<Vec<usize>> {
        let mut chains: Vec<(usize, Vec<usize>)> = Vec::new();
        for (position, &op) in self.sequence.iter().enumerate() {
            let Some(slice) = self.graph.operators[op].slice else { continue };
            match chains.iter_mut().find(|(chain, _)| *chain == slice.chain) {
                Some((_, positions)) => positions.push(position),
                None => chains.push((slice.chain, vec![position])),
            }
        }
        let is_cut = |op: usize| {
            let of = |cut: &CutLoop| matches!(cut, CutLoop::Accumulate(anchor, _) if *anchor == op);
            self.sweep.loops.iter().any(of)
        };
        let can_run = |positions: &Vec<usize>| {
            let ends = |&position: &usize| {
                let slice = self.graph.operators[self.sequence[position]].slice;
                slice.is_some_and(|slice| slice.is_last)
            };
            positions.len() > 1
                && positions.last().is_some_and(ends)
                && positions.iter().all(|&p| {
                    self.levels[p] == self.levels[positions[0]] && !is_cut(self.sequence[p])
                })
        };
        chains.into_iter().map(|(_, positions)| positions).filter(can_run).collect()
    }

    /// The slices in which a tensor is made, if only a slice of it exists at a time.
    fn slice_of(&self, tensor: usize) -> Option<(Slice, Option<&Span>)> {
        let makes = |&&(op, slice): &&(usize, Slice)| {
            !slice.is_last && self.graph.operators[op].results[0] == tensor
        };
        let &(op, slice) = self.slices.iter().find(makes)?;
        Some((slice, self.sweep.loop_spans(op).and_then(|spans| spans.get(slice.along))))
    }

    /// Whether only a slice of a tensor exists at a time.
    pub(super) fn is_sliced(&self, tensor: usize) -> bool {
        self.has_slices() && self.slice_of(tensor).is_some()
    }

    /// Whether an operator before the last of a chain reads a tensor, which each slice may need all of.
    pub(super) fn is_read_in_slices(&self, tensor: usize, last: usize) -> bool {
        let reads = |position: usize| {
            let op = &self.graph.operators[self.sequence[position]];
            op.operands.iter().any(|(read, _)| *read == tensor)
        };
        self.has_slices()
            && !self.is_sliced(tensor)
            && (0..last).any(|position| self.turns[position] == last && reads(position))
    }

    /// Elements of a tensor on chip in a tile, of which the box has so many.
    pub(super) fn at_a_time(&self, elements: i64, tensor: usize, tile: &[usize]) -> i64 {
        if !self.has_slices() {
            return elements;
        }
        match self.slice_of(tensor) {
            Some((slice, Some(span))) => slice.of(elements, extent_in(self.sweep, span, tile)),
            _ => elements,
        }
    }
}

/// Iterations of a loop in a tile.
fn extent_in(sweep: &Sweep<'_>, span: &Span, tile: &[usize]) -> i64 {
    let spans = std::slice::from_ref(span);
    if level_of(spans) == 0 || !tile.is_empty() {
        sweep.window(spans, tile)
    } else {
        sweep.largest_window(spans)
    }
}
