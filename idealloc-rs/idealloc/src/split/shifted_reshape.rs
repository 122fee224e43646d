//! Reshapes where tiles at the ends are shifted inwards: all tiles reshape what is at hand, and take what they need of that.

use super::graph::Access;
use super::layout::Layout;
use super::sweep::Span;
use super::unlike_tiles::box_around;

/// Dimensions of a result, and those of the operand with the same elements.
type Group = (Vec<usize>, Vec<usize>);

/// A dimension that an operator makes of several of its operand, of all that is at hand of these, in all tiles of a cut.
#[derive(Debug)]
pub(super) struct ShiftedReshape {
    /// The operator.
    number: usize,
    operand: usize,
    dimension: usize,
    cut: usize,
    /// Where what is at hand starts in the dimension, per tile.
    pub starts: Vec<i64>,
    /// Where what a tile needs starts.
    pub wanted: Vec<i64>,
}

impl Layout<'_, '_> {
    /// For each tile of a cut: elements of the box of an operand that holds what a tile needs of a group of dimensions, and
    /// of those before that; none if no dimension of the result follows the cut.
    pub(super) fn placed_in_box(
        &self,
        (number, operand): (usize, usize),
        (of_result, of_operand): &Group,
        cut: usize,
    ) -> Option<Vec<(i64, i64)>> {
        let op = &self.graph.operators[number];
        let spans = self.sweep.loop_spans(number)?;
        let shape = &self.graph.tensors[op.operands[operand].0].shape;
        let follows = |&d: &usize| match spans[d] {
            Span::Driven(other, track) if other == cut => Some(track),
            _ => None,
        };
        let at = of_result.iter().position(|d| follows(d).is_some())?;
        let track = follows(&of_result[at])?;
        let inner: i64 = of_result[at + 1..].iter().map(|&d| op.loops[d]).product();
        let sizes: Vec<i64> = of_operand.iter().map(|&d| shape[d]).collect();
        let of_tile = |(start, end): (i64, i64)| {
            let (first, last) = (start * inner, end * inner);
            let (from, to) = box_around((first, last), &sizes);
            let is_all = to - from == sizes.iter().product::<i64>();
            (to - from, if is_all { 0 } else { first - from })
        };
        Some(self.sweep.tracks[cut].get(track).ranges().map(of_tile).collect())
    }

    /// If tiles of a shifted cut would tell themselves apart by where what they need lies in the box of the operand, and what
    /// is at hand holds that: then all reshape what is at hand.
    ///
    /// So several dimensions become one. What is at hand is a run of elements: one index of the first dimensions, a range, and
    /// all of those behind. Only one of them follows the cut: a sum of two that stay at the ends does not stay there.
    fn runs_at_hand(
        &self,
        (number, operand): (usize, usize),
        group: &Group,
        cut: usize,
    ) -> Option<ShiftedReshape> {
        let (&[dimension], of_operand) = (&group.0[..], &group.1) else { return None };
        let of_tiles = self.placed_in_box((number, operand), group, cut)?;
        if of_tiles.iter().all(|tile| *tile == of_tiles[0]) {
            return None;
        }
        let Span::Driven(_, track) = *self.sweep.loop_spans(number)?.get(dimension)? else {
            return None;
        };
        let (tensor, _) = self.graph.operators[number].operands[operand];
        let at_hand: Vec<Span> = {
            let spans = self.spans(tensor)?;
            of_operand.iter().map(|&d| spans[d]).collect()
        };
        let follows = |span: &&Span| matches!(**span, Span::Driven(..));
        if at_hand.iter().filter(follows).count() > 1 {
            return None;
        }
        let shape = &self.graph.tensors[tensor].shape;
        let sizes: Vec<i64> = of_operand.iter().map(|&d| shape[d]).collect();
        let (mut starts, mut wanted) = (Vec::new(), Vec::new());
        for (tile, (start, end)) in self.sweep.tracks[cut].get(track).ranges().enumerate() {
            let range = |span: &Span| match *span {
                Span::Fixed(start, end) => Some((start, end)),
                Span::Driven(other, track) if other == cut => {
                    Some(self.sweep.tracks[cut].get(track).range(tile))
                }
                Span::Driven(..) => None,
            };
            let ranges: Vec<_> = at_hand.iter().map(range).collect::<Option<_>>()?;
            let run = run_of_elements(&ranges, &sizes);
            if start < end && !run.is_some_and(|(first, last)| first <= start && end <= last) {
                return None;
            }
            starts.push(run.map_or(0, |(first, _)| first));
            wanted.push(start);
        }
        Some(ShiftedReshape { number, operand, dimension, cut, starts, wanted })
    }

    /// Looks for what is a part of something reshaped in all tiles.
    pub(super) fn find_shifted_reshapes(&mut self) {
        let mut found = Vec::new();
        for cut in (0..self.sweep.loops.len()).filter(|&cut| self.is_shifted(cut)) {
            for &number in &self.sequence {
                let operands = self.graph.operators[number].operands.iter().enumerate();
                for (operand, (_, access)) in operands {
                    let Access::Reshape(groups) = access else { continue };
                    let read = (number, operand);
                    found.extend(groups.iter().filter_map(|g| self.runs_at_hand(read, g, cut)));
                }
            }
        }
        self.shifted_reshapes = found;
    }

    /// Whether a tensor is in all tiles a part of what is reshaped, at another place in each.
    pub(super) fn is_part_of_reshape(&self, tensor: usize) -> bool {
        let result = |reshape: &ShiftedReshape| self.graph.operators[reshape.number].results[0];
        self.shifted_reshapes.iter().any(|reshape| result(reshape) == tensor)
    }

    /// Dimensions that operators make of what is at hand in all tiles, but of those that run slice by slice.
    fn reshaped_alike(&self) -> impl Iterator<Item = &ShiftedReshape> {
        let is_whole = |reshape: &&ShiftedReshape| self.runs_in_slices(reshape.number).is_none();
        self.shifted_reshapes.iter().filter(is_whole)
    }

    /// The same of a cut.
    pub(super) fn shifted_reshapes_of(&self, cut: usize) -> impl Iterator<Item = &ShiftedReshape> {
        self.reshaped_alike().filter(move |reshape| reshape.cut == cut)
    }

    /// Whether an operator makes any.
    pub(super) fn reshapes_alike(&self, number: usize) -> bool {
        self.reshaped_alike().any(|reshape| reshape.number == number)
    }

    /// Whether an operator makes one dimension of a group of an operand's in all tiles of a cut.
    pub(super) fn is_reshaped_alike(
        &self,
        (number, operand): (usize, usize),
        (of_result, _): &Group,
        cut: usize,
    ) -> bool {
        self.shifted_reshapes_of(cut).any(|reshape| {
            (reshape.number, reshape.operand) == (number, operand)
                && of_result[..] == [reshape.dimension]
        })
    }
}

/// The elements of a box in row-major order; none if there are others between, or none in it.
fn run_of_elements(ranges: &[(i64, i64)], sizes: &[i64]) -> Option<(i64, i64)> {
    let (mut first, mut count) = (0, 1);
    for (&(start, end), &size) in ranges.iter().zip(sizes) {
        if start >= end || (count > 1 && (start, end) != (0, size)) {
            return None;
        }
        first = first * size + start;
        count *= end - start;
    }
    Some((first, first + count))
}

#[cfg(test)]
mod tests {
    use super::run_of_elements;

    #[test]
    fn a_run_is_one_index_and_a_range_and_all_behind() {
        assert_eq!(run_of_elements(&[(2, 5), (0, 4)], &[8, 4]), Some((8, 20)));
        assert_eq!(run_of_elements(&[(2, 3), (1, 3)], &[8, 4]), Some((9, 11)));
        assert_eq!(run_of_elements(&[(2, 4), (1, 3)], &[8, 4]), None);
        assert_eq!(run_of_elements(&[(2, 2), (0, 4)], &[8, 4]), None);
    }
}
