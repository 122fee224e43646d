//! Tiles of each cut that are written down, of each kind one.

use super::layout::Layout;
use super::sweep::{Span, Sweep};
use super::tile_rows::Row;

/// Tiles that are written down.
pub(super) struct WrittenTiles {
    /// Rows of tiles that look alike, per cut.
    pub rows: Vec<Vec<Row>>,
    /// Tiles of these that are written down, per cut.
    tiles: Vec<Vec<usize>>,
}

impl WrittenTiles {
    pub fn of(layout: &Layout<'_, '_>) -> Self {
        let cuts = 0..layout.sweep.loops.len();
        let rows: Vec<Vec<Row>> = cuts.map(|cut| layout.rows_of_tiles(cut)).collect();
        let written =
            |rows: &Vec<Row>| rows.iter().flat_map(|row| row.written.iter().copied()).collect();
        let tiles = rows.iter().map(written).collect();
        Self { rows, tiles }
    }

    /// Combinations of tiles of the outermost cuts, `level` of them, such that for each cut something holds of its tile.
    pub fn count(&self, level: usize, holds: impl Fn(usize, usize) -> bool) -> i64 {
        let of_cut = |(cut, tiles): (usize, &Vec<usize>)| {
            tiles.iter().filter(|&&tile| holds(cut, tile)).count() as i64
        };
        self.tiles[..level].iter().enumerate().map(of_cut).product()
    }

    /// Different sizes that tiles of a box have.
    pub fn sizes(&self, sweep: &Sweep<'_>, spans: &[Span]) -> i64 {
        let of_cut = |(cut, tiles): (usize, &Vec<usize>)| {
            let lengths =
                |&tile: &usize| -> Vec<i64> { lengths_in(sweep, spans, cut, tile).collect() };
            let mut sizes: Vec<Vec<i64>> = tiles.iter().map(lengths).collect();
            sizes.retain(|lengths| !lengths.contains(&0));
            sizes.sort_unstable();
            sizes.dedup();
            sizes.len() as i64
        };
        self.tiles.iter().enumerate().map(of_cut).product()
    }
}

/// Whether a tile has anything of what follows a cut.
pub(super) fn is_busy(sweep: &Sweep<'_>, spans: &[Span], cut: usize, tile: usize) -> bool {
    lengths_in(sweep, spans, cut, tile).all(|length| length > 0)
}

/// Elements that a tile of a cut has of each dimension that follows it.
fn lengths_in(
    sweep: &Sweep<'_>,
    spans: &[Span],
    cut: usize,
    tile: usize,
) -> impl Iterator<Item = i64> {
    spans.iter().filter_map(move |span| match *span {
        Span::Driven(other, track) if other == cut => {
            Some(sweep.tracks[cut].get(track).length(tile))
        }
        _ => None,
    })
}
