//! How many operations a group is written down in: those of its operators for every kind of tile, and what moves their
//! operands and results. Numbers are not counted: a function writes each of them down once.

use super::boxes::level_of;
use super::cut::{Cut, rounded_up};
use super::external::{External, Residency};
use super::layout::Layout;
use super::loop_indices::index_operations;
use super::slices::Slice;
use super::sweep::Span;
use super::tile_rows::Row;
use super::written_tiles::{WrittenTiles, is_busy};

/// Operations that say which part of what is padded a shifted tile takes.
const TO_SHIFT: i64 = 2;

/// Operations of a loop: itself, and its end.
pub(super) const TO_LOOP: i64 = 2;

/// Operations that read an operand slice by slice: a loop, where the slice is, a load, and two slices.
const TO_STREAM: i64 = TO_LOOP + 4;

/// Operations that make a result slice by slice: a loop, where the slice is, and what puts the slice into the result.
const TO_SLICE: i64 = TO_LOOP + 2;

impl Layout<'_, '_> {
    /// Operations that are written down: those of operators, in bodies too, and what moves their operands and results.
    pub fn operations(&self) -> i64 {
        let tiles = WrittenTiles::of(self);
        let operators = self.sequence.iter().zip(&self.levels);
        let in_tiles: i64 =
            operators.map(|(&number, &level)| self.of_operator(&tiles, number, level)).sum();
        let externals = self.externals.iter();
        let to_fetch: i64 = externals.map(|external| self.to_fetch(&tiles, external)).sum();
        let cuts = 0..self.sweep.loops.len();
        in_tiles + to_fetch + cuts.map(|cut| self.of_loops(&tiles, cut)).sum::<i64>()
    }

    /// Operations of all kinds of tiles of an operator, and what keeps its results and writes them back.
    fn of_operator(&self, tiles: &WrittenTiles, number: usize, level: usize) -> i64 {
        let loops = self.sweep.loop_spans(number).unwrap_or(&[]);
        let op = &self.graph.operators[number];
        let kinds = self.kinds(tiles, loops, level);
        let padded = kinds - self.kinds_without_padding(tiles, op, loops, level);
        let is_shifted =
            self.reshapes_alike(number) || self.shifted_pads.contains_key(&op.results[0]);
        let to_shift = i64::from(is_shifted);
        let in_piece = op.operations + self.to_slice(number) + to_shift;
        let mut operations = padded * self.pieces(number, loops) * in_piece;
        operations += self.slices(tiles, op, loops, (level, kinds));
        let result = self.sweep.tensor_spans(op.results[0]).unwrap_or(&[]);
        operations += op.rooms * tiles.sizes(self.sweep, result);
        for &tensor in &op.results {
            let Some(spans) = self.sweep.tensor_spans(tensor) else { continue };
            let level = level_of(spans);
            operations += self.to_keep(tiles, spans, level);
            if self.is_output[tensor] {
                operations += self.kinds(tiles, spans, level);
            }
        }
        operations
    }

    /// Operations that fetch a tensor from outside, and keep parts of it.
    fn to_fetch(&self, tiles: &WrittenTiles, external: &External) -> i64 {
        let (spans, level) = (&external.spans, external.level);
        match external.residency {
            Residency::Fetched => {
                self.kinds(tiles, spans, level) + self.to_keep(tiles, spans, level)
            }
            Residency::Kept => 1,
            Residency::Streamed { reader, .. } => {
                let loops = self.sweep.loop_spans(reader).unwrap_or(&[]);
                let kinds = self.kinds(tiles, loops, level_of(loops));
                kinds * self.pieces(reader, loops) * TO_STREAM
            }
            Residency::Resident => 0,
        }
    }

    /// Operations of the loops of a cut, for each kind of tile of those around it.
    fn of_loops(&self, tiles: &WrittenTiles, cut: usize) -> i64 {
        let starts = self.starts_off_chip(cut);
        let loops = tiles.rows[cut].iter().filter(|row| row.count > row.written.len());
        let reshapes: Vec<_> = self.shifted_reshapes_of(cut).collect();
        let of_loop = |row: &Row| TO_LOOP + index_operations(row, &starts, &reshapes);
        let to_shift = if self.is_shifted(cut) { TO_SHIFT * self.shifted_pads_of(cut) } else { 0 };
        tiles.count(cut, |_, _| true) * (loops.map(of_loop).sum::<i64>() + to_shift)
    }

    /// Operations that keep parts of a tensor for the next tile or row of tiles, and put them before the next part. A part of
    /// what a row has kept is a slice, and so is what it keeps.
    fn to_keep(&self, tiles: &WrittenTiles, spans: &[Span], level: usize) -> i64 {
        let of = |span: &Span| {
            let Span::Driven(kept, track) = *span else { return 0 };
            let track = self.sweep.tracks[kept].get(track);
            if !track.has_overlap() {
                return 0;
            }
            let with = |next: usize| {
                tiles.count(level, |cut, tile| cut != kept || track.overlap(tile + next) > 0)
            };
            let slices = if kept + 1 < level { 2 } else { 1 };
            slices * (with(0) + with(1))
        };
        spans.iter().map(of).sum()
    }

    /// Kinds of tiles that have anything of a box.
    fn kinds(&self, tiles: &WrittenTiles, spans: &[Span], level: usize) -> i64 {
        tiles.count(level, |cut, tile| is_busy(self.sweep, spans, cut, tile))
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
        let size = slices.map_or(size, |slices| rounded_up(length, slices)).max(1);
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
    pub(super) fn runs_in_slices(&self, number: usize) -> Option<Slice> {
        let slice = self.graph.operators[number].slice;
        slice.filter(|slice| self.sliced_chains.contains(&slice.chain))
    }
}
