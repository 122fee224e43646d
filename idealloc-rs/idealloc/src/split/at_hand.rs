//! What tiles of an operator take of what is at hand: all of it, or a slice; and whether they pad it.

use super::external::Residency;
use super::graph::{Access, Expression, Operator};
use super::layout::Layout;
use super::shifted_pad::is_padding;
use super::sweep::{Span, Sweep, line_of};
use super::tracks::Line;
use super::written_tiles::{WrittenTiles, is_busy};

impl Layout<'_, '_> {
    /// Kinds of tiles of an operator that pads in which there is nothing to pad.
    pub(super) fn kinds_without_padding(
        &self,
        tiles: &WrittenTiles,
        op: &Operator,
        loops: &[Span],
        level: usize,
    ) -> i64 {
        if !is_padding(self.graph, op) {
            return 0;
        }
        let [(tensor, Access::Affine(indices))] = &op.operands[..] else { return 0 };
        let shape = &self.graph.tensors[*tensor].shape;
        let is_inside = |dimension: usize, (start, end): (i64, i64)| {
            let low = indices[dimension].constant;
            start + low >= 0 && end + low <= shape[dimension]
        };
        let is_ever_inside = |(dimension, span): (usize, &Span)| match *span {
            Span::Fixed(start, end) => is_inside(dimension, (start, end)),
            Span::Driven(..) => !self.is_padded_alike(op.results[0], dimension),
        };
        if !loops.iter().enumerate().all(is_ever_inside) {
            return 0;
        }
        tiles.count(level, |cut, tile| {
            let is_inside = |(dimension, span): (usize, &Span)| match *span {
                Span::Driven(other, track) if other == cut => {
                    is_inside(dimension, self.sweep.tracks[cut].get(track).range(tile))
                }
                _ => true,
            };
            is_busy(self.sweep, loops, cut, tile) && loops.iter().enumerate().all(is_inside)
        })
    }

    /// Slices of operands in all `kinds` of tiles of an operator within `level` cuts. What is streamed or stays on chip is sliced as it is
    /// fetched.
    pub(super) fn slices(
        &self,
        tiles: &WrittenTiles,
        op: &Operator,
        loops: &[Span],
        (level, kinds): (usize, i64),
    ) -> i64 {
        // Tiles that all pad as much take what they need of the result. What is a slice itself takes one of what is at hand.
        let is_slice = op.is_view && !is_padding(self.graph, op);
        if !op.is_splittable || is_slice || self.shifted_pads.contains_key(&op.results[0]) {
            return 0;
        }
        let of = |(tensor, access): &(usize, Access)| {
            let Access::Affine(indices) = access else { return 0 };
            let external = self.external(*tensor).map(|external| external.residency);
            let is_at_hand = external.is_none_or(|kind| matches!(kind, Residency::Fetched));
            let Some(spans) = self.spans(*tensor).filter(|_| is_at_hand) else { return 0 };
            let shape = &self.graph.tensors[*tensor].shape;
            let read = Read { sweep: self.sweep, op, loops, indices, spans, shape };
            if read.is_always_part() {
                return kinds;
            }
            let whole = tiles.count(level, |cut, tile| {
                is_busy(self.sweep, loops, cut, tile) && !read.is_part(cut, tile)
            });
            kinds - whole
        };
        op.operands.iter().map(of).sum()
    }
}

/// An operand whose indices are sums of loops, and the box of it that is at hand.
struct Read<'r> {
    sweep: &'r Sweep<'r>,
    op: &'r Operator,
    loops: &'r [Span],
    indices: &'r [Expression],
    spans: &'r [Span],
    shape: &'r [i64],
}

impl Read<'_> {
    /// Whether all tiles take less than all of a dimension that follows no cut.
    fn is_always_part(&self) -> bool {
        self.dimensions().any(|(line, driver, span, size)| match (span, driver) {
            (Span::Fixed(start, end), None) => elements(line, (0, 1), size) < end - start,
            _ => false,
        })
    }

    /// Whether a tile takes less than all that is at hand of a dimension that follows a cut.
    fn is_part(&self, cut: usize, tile: usize) -> bool {
        let tracks = &self.sweep.tracks[cut];
        self.dimensions().any(|(line, driver, span, size)| match (span, driver) {
            (Span::Driven(other, at_hand), Some((of_loop, track))) => {
                other == cut
                    && of_loop == cut
                    && elements(line, tracks.get(track).range(tile), size)
                        < tracks.get(at_hand).size(tile)
            }
            _ => false,
        })
    }

    /// Of each dimension what is read, what drives that, what is at hand, and its size.
    fn dimensions(&self) -> impl Iterator<Item = (Line, Option<(usize, u32)>, Span, i64)> {
        let all = self.indices.iter().zip(self.spans).zip(self.shape);
        all.filter_map(|((index, &span), &size)| {
            let (line, driver) = line_of(index, self.loops, self.op, &self.sweep.loops)?;
            Some((line, driver, span, size))
        })
    }
}

/// Elements between the first and the last that is read of a dimension where the loop goes through a range.
fn elements(line: Line, (start, end): (i64, i64), size: i64) -> i64 {
    if start >= end {
        return 0;
    }
    line.end(end).min(size) - line.first(start).max(0)
}
