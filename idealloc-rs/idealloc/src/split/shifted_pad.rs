//! Padding where tiles at the ends are shifted inwards: all tiles pad as much, and take what they need of that.

use super::graph::{Access, Operator, SplitGraph};
use super::layout::Layout;
use super::storages::Member;
use super::sweep::Span;

/// What all tiles of a cut have of one dimension of an operand that is padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ShiftedPad {
    /// Elements of the operand.
    width: i64,
    /// Padding before them.
    before: i64,
    /// Padding behind them.
    after: i64,
}

impl ShiftedPad {
    /// Of ranges of a result whose element 0 lies `low` elements before an operand of `size`; none if a range has nothing
    /// of the operand.
    fn of(ranges: &[(i64, i64)], low: i64, size: i64) -> Option<Self> {
        let inside = |&(start, end): &(i64, i64)| ((start - low).max(0), (end - low).min(size));
        if ranges.iter().map(inside).any(|(start, end)| start >= end) {
            return None;
        }
        let width = ranges.iter().map(inside).map(|(start, end)| end - start).max()?;
        let start = |range: &(i64, i64)| inside(range).0.min(size - width);
        let before = ranges.iter().map(|range| start(range) + low - range.0).max()?.max(0);
        let after = ranges.iter().map(|range| range.1 - low - start(range) - width).max()?.max(0);
        Some(Self { width, before, after })
    }
}

impl Layout<'_, '_> {
    /// Looks for what is padded by as much in all tiles.
    pub(super) fn find_shifted_pads(&mut self) {
        if !(0..self.sweep.loops.len()).any(|cut| self.is_shifted(cut)) {
            return;
        }
        for &number in &self.sequence {
            let op = &self.graph.operators[number];
            let spans = self.sweep.tensor_spans(op.results[0]).unwrap_or(&[]);
            if !is_padding(self.graph, op) {
                continue;
            }
            let more = |d: usize| self.more_to_pad(op, spans, d);
            let all: Vec<Option<i64>> = (0..spans.len()).map(more).collect();
            if all.iter().flatten().any(|&elements| elements != 0) {
                self.shifted_pads.insert(op.results[0], all);
            }
        }
    }

    /// Elements of a member of a storage; `window` counts those of a range.
    pub(super) fn elements_of(&self, member: &Member, window: impl Fn(&[Span]) -> i64) -> i64 {
        let spans = self.spans(member.tensor).unwrap_or(&[]);
        let more = self.shifted_pads.get(&member.tensor);
        match more.filter(|_| member.is_padded || !self.sweep.has_overlap(spans)) {
            Some(more) => {
                let padded = spans.iter().zip(more);
                // What is kept is not padded again.
                let of = |span: &Span| match *span {
                    Span::Driven(cut, track)
                        if member.is_padded && self.sweep.tracks[cut].is_cached() =>
                    {
                        self.sweep.tracks[cut].get(track).longest()
                    }
                    _ => window(std::slice::from_ref(span)),
                };
                padded.map(|(span, more)| of(span) + more.unwrap_or(0)).product()
            }
            None => window(spans),
        }
    }

    /// Whether a tensor is padded by as much in all tiles, and what is needed of that is put behind what was kept.
    pub(super) fn is_put_behind_kept(&self, tensor: usize) -> bool {
        self.shifted_pads.contains_key(&tensor)
            && self.spans(tensor).is_some_and(|spans| self.sweep.has_overlap(spans))
    }

    /// Whether all tiles pad a dimension of what makes a tensor by as much.
    pub(super) fn is_padded_alike(&self, tensor: usize, dimension: usize) -> bool {
        self.shifted_pads.get(&tensor).is_some_and(|more| more[dimension].is_some())
    }

    /// Dimensions that all tiles of a cut pad by as much.
    pub(super) fn shifted_pads_of(&self, cut: usize) -> i64 {
        let follows = |span: &Span| matches!(*span, Span::Driven(other, _) if other == cut);
        let of = |(&tensor, more): (&usize, &Vec<Option<i64>>)| {
            let spans = self.sweep.tensor_spans(tensor).unwrap_or(&[]);
            let dimensions = spans.iter().zip(more);
            dimensions.filter(|(span, more)| more.is_some() && follows(span)).count() as i64
        };
        self.shifted_pads.iter().map(of).sum()
    }

    /// How many elements; none where tiles are not shifted, or one has nothing but padding.
    fn more_to_pad(&self, op: &Operator, spans: &[Span], dimension: usize) -> Option<i64> {
        let &Span::Driven(cut, track) = spans.get(dimension)? else { return None };
        if !self.is_shifted(cut) {
            return None;
        }
        let (tensor, Access::Affine(indices)) = &op.operands[0] else { return None };
        let low = -indices.get(dimension)?.constant;
        let ranges: Vec<_> = self.sweep.tracks[cut].get(track).ranges().collect();
        let pad = ShiftedPad::of(&ranges, low, self.graph.tensors[*tensor].shape[dimension])?;
        let length = ranges.iter().map(|(start, end)| end - start).max()?;
        Some(pad.width + pad.before + pad.after - length)
    }
}

/// Whether an operator has one operand and surrounds it.
pub(super) fn is_padding(graph: &SplitGraph, op: &Operator) -> bool {
    let [(tensor, Access::Affine(indices))] = &op.operands[..] else { return false };
    let is_shift = |(dimension, index): (usize, &super::graph::Expression)| {
        index.terms[..] == [(dimension, 1)] && (index.divisor, index.reach) == (1, 0)
    };
    op.parts[..] == [0]
        && !op.is_view
        && graph.tensors[*tensor].shape.len() == op.loops.len()
        && indices.iter().enumerate().all(is_shift)
}

#[cfg(test)]
mod tests {
    use super::ShiftedPad;

    #[test]
    fn all_tiles_pad_as_much() {
        // 12 elements with two before and behind: of 5 needed at a time the first two are padding, or the last two.
        let ranges = [(0, 5), (4, 9), (8, 13), (11, 16)];
        assert_eq!(
            ShiftedPad::of(&ranges, 2, 12),
            Some(ShiftedPad { width: 5, before: 2, after: 2 })
        );
        // Nothing but padding.
        assert_eq!(ShiftedPad::of(&[(0, 2), (2, 4)], 2, 12), None);
        // No padding.
        let pad = ShiftedPad::of(&[(0, 4), (4, 8)], 0, 8);
        assert_eq!(pad, Some(ShiftedPad { width: 4, before: 0, after: 0 }));
    }
}
