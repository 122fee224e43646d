//! Which tiles of a cut must be written down, as they look like no other: what they have of loops and tensors, of padding,
//! of dimensions that are several in an operand, and of results that others have written.

use super::boxes::level_of;
use super::cut::rounded_up;
use super::graph::Access;
use super::layout::Layout;
use super::shown_tiles::Shown;
use super::sweep::{Span, line_of};
use super::tile_rows::{Row, Tiles, rows_of_tiles};
use super::track::Track;
use super::tracks::Line;

impl Layout<'_, '_> {
    /// Rows of tiles of a cut that look alike.
    pub(super) fn rows_of_tiles(&self, cut: usize) -> Vec<Row> {
        let parts = self.outside_parts();
        let numbers = self.track_numbers_but(cut, &parts);
        let tracks: Vec<&Track> =
            numbers.into_iter().map(|track| self.sweep.tracks[cut].get(track)).collect();
        let is_shifted = self.is_shifted(cut);
        let few = Shown::of(self.sweep.tracks[cut].fold());
        let of_few = self.clipped(cut, &parts, few).map(|clipped| (few, clipped));
        let (shown, clipped) = of_few.unwrap_or_else(|| {
            let all = Shown::all(self.sweep.tracks[cut].cut.tiles());
            (all, self.clipped(cut, &parts, all).unwrap_or_default())
        });
        rows_of_tiles(&Tiles { tracks: &tracks, shown, clipped: &clipped, is_shifted })
    }

    /// For each index of an operand that follows a cut, in each tile that is shown: how much lies before the operand, and how
    /// much behind it, which is padding; but of `parts`. None if tiles that are not shown may be others.
    fn clipped(&self, cut: usize, parts: &[usize], shown: Shown) -> Option<Vec<Vec<(i64, i64)>>> {
        let mut seen: Vec<(u32, Line, i64)> = Vec::new();
        for &op in &self.sequence {
            let Some(spans) = self.sweep.loop_spans(op) else { continue };
            let op = &self.graph.operators[op];
            for (tensor, access) in &op.operands {
                let Access::Affine(expressions) = access else { continue };
                if parts.contains(tensor) {
                    continue;
                }
                let shape = &self.graph.tensors[*tensor].shape;
                for (dimension, (expression, &size)) in expressions.iter().zip(shape).enumerate() {
                    if self.is_padded_alike(op.results[0], dimension) {
                        continue;
                    }
                    if let Some((line, Some((other, track)))) =
                        line_of(expression, spans, op, &self.sweep.loops)
                        && other == cut
                        && !seen.contains(&(track, line, size))
                    {
                        seen.push((track, line, size));
                    }
                }
            }
        }
        let tracks = &self.sweep.tracks[cut];
        let of_line = |&(track, line, size): &(u32, Line, i64)| {
            let track = tracks.get(track);
            let padding: Vec<(_, _)> =
                shown.tiles().map(|tile| padding_of(track.range(tile), line, size)).collect();
            let is_even = shown.is_even(&padding);
            is_even.then(|| padding.into_iter().map(|(elements, _)| elements).collect())
        };
        // Between what is inserted with a stride, or read again and again: how far into the gap a tile begins and ends.
        let in_gap = |&(track, line, _): &(u32, Line, i64)| {
            let track = tracks.get(track);
            let at = |index: i64| (line.coefficient * index + line.low).rem_euclid(line.divisor);
            let is_even = (line.coefficient * track.step()).rem_euclid(line.divisor) == 0;
            let of_tile = |(start, end): (i64, i64)| (at(start), at(end));
            (is_even || !shown.leaves_out())
                .then(|| shown.tiles().map(|tile| of_tile(track.range(tile))).collect())
        };
        let gaps = seen.iter().filter(|(_, line, _)| line.divisor > 1).map(in_gap);
        let clipped = seen.iter().map(of_line).chain(gaps);
        let mut clipped: Vec<Vec<(i64, i64)>> = clipped.collect::<Option<_>>()?;
        let misaligned = self.misaligned(cut);
        if !misaligned.is_empty() && shown.leaves_out() {
            return None;
        }
        clipped.extend(misaligned);
        clipped.extend(self.written(cut, shown)?);
        clipped.retain(|tiles| tiles.iter().any(|&tile| tile != (0, 0)));
        Some(clipped)
    }

    /// For each operand that is reshaped to what follows a cut: elements of the box of it that holds a tile, and of those
    /// before the tile; but where tiles are shifted and reshape what is at hand.
    fn misaligned(&self, cut: usize) -> Vec<Vec<(i64, i64)>> {
        let mut found = Vec::new();
        for &number in &self.sequence {
            for (operand, (_, access)) in self.graph.operators[number].operands.iter().enumerate() {
                let Access::Reshape(groups) = access else { continue };
                let read = (number, operand);
                for group in groups.iter().filter(|group| !self.is_reshaped_alike(read, group, cut))
                {
                    let tiles = self.placed_in_box(read, group, cut);
                    found.extend(tiles.filter(|tiles| !found.contains(tiles)));
                }
            }
        }
        found
    }

    /// For each tensor that is read outside and of which tiles of a cut make elements again: how many of those of a tile were
    /// written by an earlier one; of one that does not follow the cut all, but in the first tile. None if that may be other in
    /// tiles that are not shown.
    fn written(&self, cut: usize, shown: Shown) -> Option<Vec<Vec<(i64, i64)>>> {
        let tracks = &self.sweep.tracks[cut];
        let of_track = |track: u32| {
            let track = tracks.get(track);
            let mut done = 0;
            let mut next = 0;
            let again = shown.tiles().map(|tile| {
                // Of those that are left out the last ones end last, as all go on from one period to the next.
                for before in next.max(tile.saturating_sub(tracks.fold().period()))..tile {
                    done = done.max(track.range(before).1);
                }
                next = tile;
                let (start, end) = track.range(tile);
                ((done.min(end) - start).max(0), 0)
            });
            let again: Vec<(i64, i64)> = again.collect();
            let goes_on = !shown.leaves_out() || track.step() >= 0;
            (goes_on && shown.is_even(&again)).then_some(again)
        };
        // Shifted tiles write all again, so that they look alike.
        let writes_rest = !tracks.is_shifted() && !tracks.is_cached();
        let mut found: Vec<Vec<(i64, i64)>> = Vec::new();
        for &op in &self.sequence {
            let results = self.graph.operators[op].results.iter();
            for &tensor in results.filter(|&&tensor| self.is_output[tensor]) {
                let spans = self.sweep.tensor_spans(tensor).unwrap_or(&[]);
                let follows = |span: &Span| matches!(*span, Span::Driven(other, _) if other == cut);
                let tiles = match spans.iter().find(|span| follows(span)) {
                    Some(&Span::Driven(_, track)) if writes_rest => of_track(track)?,
                    None if level_of(spans) > cut => {
                        shown.tiles().map(|tile| (i64::from(tile > 0), 0)).collect()
                    }
                    _ => continue,
                };
                if !found.contains(&tiles) {
                    found.push(tiles);
                }
            }
        }
        Some(found)
    }

    /// Tensors from off chip that are nothing but parts of others: they lie side by side there, so that a tile of two of
    /// them looks like all others.
    fn outside_parts(&self) -> Vec<usize> {
        let mut found = Vec::new();
        if !self.machine.is_staged {
            return found;
        }
        for &number in &self.sequence {
            let op = &self.graph.operators[number];
            let parts: Vec<usize> = op.parts.iter().map(|&part| op.operands[part].0).collect();
            let may_lie = |&tensor: &usize| self.may_lie_beside_others(tensor);
            // What stands alone between others has nothing beside it.
            let runs = parts.chunk_by(|one, next| may_lie(one) && may_lie(next));
            found.extend(runs.filter(|run| run.len() > 1).flatten());
        }
        found
    }

    /// Whether a tensor was stored by a group, by itself, and is read by one operator only, once. Arguments, what is returned,
    /// and views lie where they are.
    fn may_lie_beside_others(&self, tensor: usize) -> bool {
        let known = &self.graph.tensors[tensor];
        let is_stored = self.external(tensor).is_some_and(|external| external.source == tensor)
            && !known.is_argument
            && !known.is_returned;
        let reads = |&number: &usize| {
            let operands = self.graph.operators[number].operands.iter();
            operands.filter(|&&(read, _)| read == tensor).count()
        };
        is_stored && self.sequence.iter().map(reads).sum::<usize>() == 1
    }
}

/// How many of the elements of a dimension that a tile reads lie before it, and how many behind it; and whether the tile begins
/// before it, ends before it, ends behind it, and begins behind it.
fn padding_of((start, end): (i64, i64), line: Line, size: i64) -> ((i64, i64), [bool; 4]) {
    if start >= end {
        return ((0, 0), [false; 4]);
    }
    let first = line.coefficient * start + line.low;
    let last = line.coefficient * (end - 1) + line.high;
    let behind = last - (size - 1) * line.divisor;
    let sides = [first < 0, last < 0, behind > 0, behind > last - first];
    // Where a tile reads nothing of an operand, it does not matter how far off that is.
    let is_off = sides[1] || sides[3];
    (if is_off { (i64::MAX, 0) } else { ((-first).max(0), behind.max(0)) }, sides)
}

/// The least box of a tensor of these sizes that holds a range of its elements, as a range.
pub(super) fn box_around((first, end): (i64, i64), sizes: &[i64]) -> (i64, i64) {
    let Some((_, inner)) = sizes.split_first() else { return (first, end) };
    let stride = inner.iter().product::<i64>();
    if first >= end || stride == 1 {
        return (first, end);
    }
    let before = first / stride * stride;
    if (end - 1) / stride * stride > before {
        return (before, rounded_up(end, stride) * stride);
    }
    let (from, to) = box_around((first - before, end - before), inner);
    (from + before, to + before)
}

#[cfg(test)]
mod tests {
    use super::box_around;

    #[test]
    fn a_box_holds_whole_rows_or_a_part_of_one() {
        assert_eq!(box_around((5, 7), &[3, 4]), (5, 7));
        assert_eq!(box_around((3, 6), &[3, 4]), (0, 8));
        assert_eq!(box_around((13, 15), &[2, 3, 4]), (13, 15));
        assert_eq!(box_around((13, 18), &[2, 3, 4]), (12, 20));
        assert_eq!(box_around((4, 4), &[3, 4]), (4, 4));
    }
}
