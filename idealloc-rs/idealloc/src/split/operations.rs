//! How many operations a group is written down in: those of its operators for every kind of tile, and what moves their
//! operands and results.

use super::boxes::level_of;
use super::cut::Cut;
use super::external::Residency;
use super::graph::Access;
use super::layout::Layout;
use super::slices::Slice;
use super::sweep::{Span, line_of};
use super::tile_rows::{Row, Tiles, rows_of_tiles};
use super::track::Track;
use super::tracks::Line;

/// Operations that keep a part of a tensor for the next tile: a copy, what puts it before the next part, a slice.
const TO_KEEP: i64 = 3;

/// Operations that take what a shifted tile needs of what is padded: a slice, and where it is.
const TO_SHIFT: i64 = 3;

/// Operations that say where a shifted tile of a tensor is: no less than the first, and no more than the last.
const TO_PLACE: i64 = 3;

/// Operations of a loop: itself, its end, and where its tiles are. Numbers that loops share are written down once.
const TO_LOOP: i64 = 4;

/// Operations that read an operand slice by slice: a loop, a load, and two slices.
const TO_STREAM: i64 = TO_LOOP + 3;

/// Operations that make a result slice by slice: a loop, and what puts the slice into the result.
const TO_SLICE: i64 = TO_LOOP + 1;

impl Layout<'_, '_> {
    /// Operations that are written down: those of operators, in bodies too, and what moves their operands and results.
    pub fn operations(&self) -> i64 {
        let cuts = self.sweep.loops.len();
        let rows: Vec<Vec<Row>> = (0..cuts).map(|cut| self.rows_of_tiles(cut)).collect();
        let kinds = |spans: &[Span], level: usize| -> i64 {
            let of_cut = |(cut, rows): (usize, &Vec<Row>)| {
                let is_busy = |tile: usize| {
                    spans.iter().all(|span| match *span {
                        Span::Driven(other, track) if other == cut => {
                            self.sweep.tracks[cut].get(track).length(tile) > 0
                        }
                        _ => true,
                    })
                };
                let written = rows.iter().flat_map(|row| row.written.iter());
                written.filter(|&&tile| is_busy(tile)).count() as i64
            };
            rows[..level].iter().enumerate().map(of_cut).product()
        };
        let mut written = 0;
        for (&number, &level) in self.sequence.iter().zip(&self.levels) {
            let loops = self.sweep.loop_spans(number).unwrap_or(&[]);
            let op = &self.graph.operators[number];
            let is_shifted_pad = self.shifted_pads.contains_key(&op.results[0]);
            let to_shift = if is_shifted_pad { TO_SHIFT } else { 0 };
            let in_piece = op.operations + self.to_slice(number) + to_shift;
            written += kinds(loops, level) * self.pieces(number, loops) * in_piece;
            for &tensor in &op.results {
                let Some(spans) = self.sweep.tensor_spans(tensor) else { continue };
                if self.sweep.has_overlap(spans) {
                    written += kinds(spans, level_of(spans)) * TO_KEEP;
                }
                if self.is_output[tensor] {
                    written += kinds(spans, level_of(spans));
                }
            }
        }
        for external in &self.externals {
            let spans = &external.spans;
            written += match external.residency {
                Residency::Fetched if self.sweep.has_overlap(spans) => {
                    kinds(spans, external.level) * (1 + TO_KEEP)
                }
                Residency::Fetched => kinds(spans, external.level),
                Residency::Kept => 1,
                Residency::Streamed { reader, .. } => {
                    let loops = self.sweep.loop_spans(reader).unwrap_or(&[]);
                    kinds(loops, level_of(loops)) * self.pieces(reader, loops) * TO_STREAM
                }
                Residency::Resident => 0,
            };
        }
        for (cut, of_cut) in rows.iter().enumerate() {
            let loops = of_cut.iter().filter(|row| row.count > row.written.len()).count() as i64;
            let outer: usize = rows[..cut]
                .iter()
                .map(|rows| rows.iter().map(|row| row.written.len()).sum::<usize>())
                .product();
            written += outer as i64 * loops * TO_LOOP;
            if self.is_shifted(cut) {
                written += outer as i64 * self.track_numbers(cut).len() as i64 * TO_PLACE;
            }
        }
        written
    }

    /// The same grid with all tiles before the longest row of tiles that look alike as one, and all behind it.
    pub(super) fn cuts_with_merged_ends(&self) -> Vec<Cut> {
        let merged = |cut: usize| {
            let all = self.sweep.tracks[cut].cut;
            if self.is_shifted(cut) {
                return all;
            }
            let rows = self.rows_of_tiles(cut).into_iter();
            let longest = rows
                .filter(|row| row.count > row.written.len())
                .max_by_key(|row| (row.count, std::cmp::Reverse(row.written[0])));
            longest.map_or(all, |row| {
                let (head, tail) = all.merged;
                let (first, behind) = (row.written[0], all.tiles() - row.written[0] - row.count);
                all.with_merged((first + head).saturating_sub(1), (behind + tail).saturating_sub(1))
            })
        };
        (0..self.sweep.loops.len()).map(merged).collect()
    }

    /// How often an operator is written down in a tile: once, but for one that runs slice by slice, in a loop, and whose last
    /// slice is smaller.
    fn pieces(&self, number: usize, loops: &[Span]) -> i64 {
        let in_chain = self.runs_in_slices(number).map(|slice| (slice.along, None, slice.size));
        let streamed = self.externals.iter().find_map(|external| match external.residency {
            Residency::Streamed { reader, along, slices } if reader == number => {
                Some((along, Some(slices), 0))
            }
            _ => None,
        });
        let Some((along, slices, size)) = in_chain.or(streamed) else { return 1 };
        let length = match loops.get(along) {
            Some(&Span::Fixed(start, end)) => end - start,
            Some(&Span::Driven(cut, track)) => {
                let tracks = &self.sweep.tracks[cut];
                tracks.get(track).length(tracks.cut.tiles() / 2)
            }
            None => return 1,
        };
        let size = slices.map_or(size, |slices| (length + slices - 1) / slices).max(1);
        1 + i64::from(length % size > 0 && length > size)
    }

    /// Operations that an operator of a chain that runs slice by slice has besides: a slice of each operand that comes from
    /// outside of the chain, and the loop.
    fn to_slice(&self, number: usize) -> i64 {
        let Some(slice) = self.runs_in_slices(number) else { return 0 };
        let operands = self.graph.operators[number].operands.iter();
        let slices = operands.filter(|(tensor, access)| {
            !self.is_sliced(*tensor)
                && access.indices().iter().any(|index| index.follows(slice.along))
        });
        slices.count() as i64 + if slice.is_last { TO_SLICE } else { 0 }
    }

    /// An operator's place in a chain, if that runs slice by slice.
    fn runs_in_slices(&self, number: usize) -> Option<Slice> {
        let slice = self.graph.operators[number].slice;
        slice.filter(|slice| self.sliced_chains.contains(&slice.chain))
    }

    pub(super) fn rows_of_tiles(&self, cut: usize) -> Vec<Row> {
        let parts = self.outside_parts();
        let numbers = self.track_numbers_but(cut, &parts);
        let tracks: Vec<&Track> =
            numbers.into_iter().map(|track| self.sweep.tracks[cut].get(track)).collect();
        let is_shifted = self.is_shifted(cut);
        rows_of_tiles(&Tiles { tracks: &tracks, clipped: &self.clipped(cut, &parts), is_shifted })
    }

    /// For each index of an operand that follows a cut, in each tile: how much lies before the operand, and how much behind
    /// it, which is padding; but of `parts`.
    fn clipped(&self, cut: usize, parts: &[usize]) -> Vec<Vec<(i64, i64)>> {
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
            let of_tile = |&(start, end): &(i64, i64)| {
                if start >= end {
                    return (0, 0);
                }
                let first = line.coefficient * start + line.low;
                let last = line.coefficient * (end - 1) + line.high;
                let behind = last - (size - 1) * line.divisor;
                // Where a tile reads nothing of an operand, it does not matter how far off that is.
                let is_off = last < 0 || behind > last - first;
                if is_off { (i64::MAX, 0) } else { ((-first).max(0), behind.max(0)) }
            };
            tracks.get(track).new.iter().map(of_tile).collect::<Vec<_>>()
        };
        let clipped = seen.iter().map(of_line).chain(self.written(cut));
        clipped.filter(|tiles| tiles.iter().any(|&tile| tile != (0, 0))).collect()
    }

    /// For each tensor that is read outside and of which tiles of a cut make elements again: how many of those of a tile were
    /// written by an earlier one; of one that does not follow the cut all, but in the first tile.
    fn written(&self, cut: usize) -> Vec<Vec<(i64, i64)>> {
        let tracks = &self.sweep.tracks[cut];
        let of_track = |track: u32| {
            let mut done = 0;
            let again = tracks.get(track).new.iter().map(|&(start, end)| {
                let again = (done.min(end) - start).max(0);
                done = done.max(end);
                (again, 0)
            });
            again.collect::<Vec<_>>()
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
                    Some(&Span::Driven(_, track)) if writes_rest => of_track(track),
                    None if level_of(spans) > cut => {
                        (0..tracks.cut.tiles()).map(|tile| (i64::from(tile > 0), 0)).collect()
                    }
                    _ => continue,
                };
                if !found.contains(&tiles) {
                    found.push(tiles);
                }
            }
        }
        found
    }

    /// Tensors from off chip that are parts of others: they lie side by side there, so that a tile of two of them looks like
    /// all others.
    fn outside_parts(&self) -> Vec<usize> {
        if !self.machine.is_staged {
            return Vec::new();
        }
        // An insertion has one part, and tiles of it differ.
        let of = |&op: &usize| {
            let op = &self.graph.operators[op];
            let parts = if op.parts.len() > 1 { &op.parts[..] } else { &[] };
            parts.iter().map(|&part| op.operands[part].0)
        };
        self.sequence.iter().flat_map(of).filter(|&t| self.external(t).is_some()).collect()
    }
}
