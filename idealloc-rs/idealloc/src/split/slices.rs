//! Chains of operators that run slice by slice, so that the wide tensors between them exist for a slice only.
//!
//! A convolution of bytes adds up 32-bit sums, which the next operator turns into bytes again.

use super::layout::Layout;
use super::sweep::CutLoop;

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
        self.sliced_chains.clear();
        self.slices.clear();
        if !self.sequence.iter().any(|&op| self.graph.operators[op].slice.is_some()) {
            return;
        }
        if is_sliced {
            for chain in self.chains() {
                self.slice(&chain);
            }
        }
        let mut first_turns = vec![usize::MAX; self.tensors];
        for (position, &op) in self.sequence.iter().enumerate() {
            for &(tensor, _) in &self.graph.operators[op].operands {
                first_turns[tensor] = first_turns[tensor].min(self.turns[position]);
            }
        }
        for external in &mut self.externals {
            external.position = first_turns[external.tensor];
        }
    }

    /// Bytes on chip at the most if chains run whole; none if they are more than `most`.
    pub(super) fn peak_without_slices(&mut self, most: i64) -> Option<i64> {
        if !self.has_slices() {
            return None;
        }
        let peak = self.without_slices(|layout| layout.peak_of(false));
        (peak <= most).then_some(peak)
    }

    /// What is true of the layout if chains run whole.
    pub(super) fn without_slices<T>(&mut self, of: impl Fn(&Self) -> T) -> T {
        self.set_slices(false);
        self.assign();
        let found = of(self);
        self.set_slices(true);
        self.assign();
        found
    }

    /// Lets the operators at these positions run slice by slice.
    fn slice(&mut self, chain: &[usize]) {
        self.slices.resize(self.tensors, None);
        for &position in chain {
            self.turns[position] = chain[chain.len() - 1];
            let number = self.sequence[position];
            let op = &self.graph.operators[number];
            let Some(slice) = op.slice else { continue };
            if slice.is_last {
                self.sliced_chains.push(slice.chain);
            } else if let Some(spans) = self.sweep.loop_spans(number) {
                self.slices[op.results[0]] = Some((slice, spans[slice.along]));
            }
        }
    }

    /// Whether any chain runs slice by slice.
    pub fn has_slices(&self) -> bool {
        !self.slices.is_empty()
    }

    /// The positions of each chain that can run slice by slice: all of it in every tile, no sum of it is cut, and the next
    /// tile needs nothing of what it only hands on.
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
            let Some((last, before)) = positions.split_last() else { return false };
            let keeps = |&p: &usize| {
                let result = self.graph.operators[self.sequence[p]].results[0];
                self.spans(result).is_some_and(|spans| self.sweep.has_overlap(spans))
            };
            !before.is_empty()
                && ends(last)
                && !before.iter().any(keeps)
                && positions.iter().all(|&p| {
                    self.levels[p] == self.levels[positions[0]] && !is_cut(self.sequence[p])
                })
        };
        chains.into_iter().map(|(_, positions)| positions).filter(can_run).collect()
    }

    /// Whether only a slice of a tensor exists at a time.
    pub(super) fn is_sliced(&self, tensor: usize) -> bool {
        self.slices.get(tensor).is_some_and(Option::is_some)
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

    /// Elements of a tensor on chip in a tile, or in the largest one, of which the box has so many.
    pub(super) fn at_a_time(&self, elements: i64, tensor: usize, tile: Option<&[usize]>) -> i64 {
        let Some(Some((slice, span))) = self.slices.get(tensor) else { return elements };
        let spans = std::slice::from_ref(span);
        let largest = || self.sweep.largest_window(spans);
        slice.of(elements, tile.map_or_else(largest, |tile| self.sweep.window(spans, tile)))
    }
}
