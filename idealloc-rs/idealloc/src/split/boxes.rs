//! Boxes of tensors and loops over the tiles: how many elements they have, in one tile, in all, and kept between.

use std::cmp::Ordering;

use super::cut::rounded_up;
use super::sweep::{Span, Sweep};
use super::track::{LARGEST, Track};

/// The cuts that a box follows, up to the innermost.
pub(super) fn level_of(spans: &[Span]) -> usize {
    let driver = |span: &Span| match span {
        Span::Fixed(..) => 0,
        Span::Driven(cut, _) => cut + 1,
    };
    spans.iter().map(driver).max().unwrap_or(0)
}

/// The tracks of a cut that boxes follow, each once, in their order.
pub(super) fn tracks_in<'b>(cut: usize, boxes: impl Iterator<Item = &'b [Span]>) -> Vec<u32> {
    let mut tracks: Vec<u32> = Vec::new();
    for span in boxes.flatten() {
        if let Span::Driven(other, track) = *span
            && other == cut
            && !tracks.contains(&track)
        {
            tracks.push(track);
        }
    }
    tracks
}

impl Sweep<'_> {
    /// Tiles of a cut.
    pub(super) fn tiles(&self, cut: usize) -> i64 {
        self.tracks[cut].cut.tiles() as i64
    }

    /// Elements of a box summed up over all tiles of the cuts that drive it.
    pub(super) fn sum(&self, spans: &[Span]) -> i64 {
        let mut product = 1;
        for span in spans {
            if let Span::Fixed(start, end) = span {
                product *= (end - start).max(0);
            }
        }
        for (cut, tracks) in self.tracks.iter().enumerate() {
            let mut driven = spans.iter().filter_map(|s| match s {
                Span::Driven(c, track) if *c == cut => Some(tracks.get(*track)),
                _ => None,
            });
            let Some(first) = driven.next() else { continue };
            let others: Vec<_> = driven.collect();
            product *= if others.is_empty() {
                first.total()
            } else {
                let over = |t: usize| {
                    others.iter().map(|d| d.length(t)).product::<i64>() * first.length(t)
                };
                tracks.fold().weighted().map(|(tile, times)| times * over(tile)).sum::<i64>()
            };
        }
        product
    }

    /// Elements of a tensor that are stored: each once, but those that two shifted tiles compute twice.
    pub(super) fn stored(&self, tensor: usize) -> i64 {
        let shape = &self.graph.tensors[tensor].shape;
        let spans = self.tensor_spans(tensor).unwrap_or(&[]);
        let of = |(dimension, &size): (usize, &i64)| match spans.get(dimension) {
            Some(&Span::Driven(cut, track)) if self.tracks[cut].is_shifted() => {
                self.tracks[cut].get(track).total()
            }
            _ => size,
        };
        shape.iter().enumerate().map(of).product()
    }

    /// Elements of a box that one operator reads, what was kept among them, summed up over all tiles in which it runs.
    pub(super) fn sum_read(&self, spans: &[Span], reader: usize) -> i64 {
        let loops = self.loop_spans(reader).unwrap_or(&[]);
        let is_kept = |span: &Span| self.has_overlap(std::slice::from_ref(span));
        let others: Vec<Span> = spans.iter().filter(|span| !is_kept(span)).copied().collect();
        let kept = spans.iter().filter(|span| is_kept(span)).map(|span| match *span {
            Span::Fixed(start, end) => (end - start).max(0),
            Span::Driven(cut, track) => {
                let tracks = &self.tracks[cut];
                let runs = |tile: usize| {
                    loops.iter().all(|span| match *span {
                        Span::Driven(c, track) if c == cut => tracks.get(track).length(tile) > 0,
                        _ => true,
                    })
                };
                let tiles = tracks.fold().weighted().filter(|&(tile, _)| runs(tile));
                tiles.map(|(tile, times)| times * tracks.get(track).size(tile)).sum()
            }
        });
        self.sum(&others) * kept.product::<i64>()
    }

    /// Times that a box of these ranges changes, or is needed, with `level` cuts around it.
    pub(super) fn repeats(&self, spans: &[Span], level: usize) -> i64 {
        let is_driver =
            |cut: usize| spans.iter().any(|s| matches!(s, Span::Driven(c, _) if *c == cut));
        (0..level).filter(|&cut| !is_driver(cut)).map(|cut| self.tiles(cut)).product()
    }

    /// Elements of a box of which `of` says how many indices a dimension has that follows a cut.
    fn elements(&self, spans: &[Span], of: impl Fn(usize, &Track) -> i64) -> i64 {
        let length = |span: &Span| match *span {
            Span::Fixed(start, end) => (end - start).max(0),
            Span::Driven(cut, track) => of(cut, self.tracks[cut].get(track)),
        };
        spans.iter().map(length).product()
    }

    /// Elements of a box from its first to its last in any tile.
    pub(super) fn union_elements(&self, spans: &[Span]) -> i64 {
        self.elements(spans, |_, track| track.reach())
    }

    /// Elements of a box on chip in one tile: what was kept and what is new.
    pub(super) fn window(&self, spans: &[Span], tile: &[usize]) -> i64 {
        self.elements(spans, |cut, track| track.size(tile[cut]))
    }

    /// The same in the largest tile.
    pub(super) fn largest_window(&self, spans: &[Span]) -> i64 {
        self.elements(spans, |_, track| track.size(LARGEST))
    }

    /// Whether two tiles need some element of a box, and it is kept.
    pub(super) fn has_overlap(&self, spans: &[Span]) -> bool {
        spans.iter().any(|span| match *span {
            Span::Fixed(..) => false,
            Span::Driven(cut, _) if !self.tracks[cut].is_cached() => false,
            Span::Driven(cut, track) => self.tracks[cut].get(track).has_overlap(),
        })
    }

    /// Elements of the largest of the slices of a tensor in a tile where it has so many: whole iterations of the loop that its
    /// reader goes along.
    pub(super) fn largest_slice(
        &self,
        elements: i64,
        (reader, along, slices): (usize, usize, i64),
        tile: &[usize],
    ) -> i64 {
        let spans = self.loop_spans(reader).unwrap_or(&[]);
        let extent = match spans.get(along) {
            Some(&Span::Fixed(start, end)) => end - start,
            Some(&Span::Driven(cut, track)) => self.tracks[cut].get(track).length(tile[cut]),
            None => 0,
        };
        if extent > 0 {
            elements / extent * rounded_up(extent, slices)
        } else {
            rounded_up(elements, slices)
        }
    }

    /// The cut along which a tile keeps a part of a box for the next tile: the innermost that the box follows, if it keeps
    /// anything.
    fn carried_along(&self, spans: &[Span]) -> Option<usize> {
        let innermost = level_of(spans).checked_sub(1)?;
        self.tracks[innermost].is_cached().then_some(innermost)
    }

    /// Whether a tile finds elements of a box that the tile before kept.
    pub(super) fn keeps_from_before(&self, spans: &[Span], tile: &[usize]) -> bool {
        let carried = self.carried_along(spans);
        spans.iter().any(|span| match *span {
            Span::Driven(cut, track) if carried == Some(cut) => {
                self.tracks[cut].get(track).overlap(tile[cut]) > 0
            }
            _ => false,
        })
    }

    /// Elements of a box that a tile keeps for the next, or has from the one before, at the most.
    pub(super) fn overlap(&self, spans: &[Span], tile: &[usize]) -> i64 {
        let Some(carried) = self.carried_along(spans) else { return 0 };
        self.elements(spans, |cut, track| {
            if cut != carried {
                return track.size(tile[cut]);
            }
            let next = tile[cut] + 1;
            let later = if next < track.tiles() { track.overlap(next) } else { 0 };
            track.overlap(tile[cut]).max(later)
        })
    }

    /// The cuts along which a row of tiles keeps a part of a box for the next row.
    fn borders(&self, spans: &[Span]) -> impl Iterator<Item = usize> {
        let innermost = level_of(spans).saturating_sub(1);
        spans.iter().filter_map(move |span| match *span {
            Span::Driven(cut, track) if cut < innermost && self.tracks[cut].is_cached() => {
                self.tracks[cut].get(track).has_overlap().then_some(cut)
            }
            _ => None,
        })
    }

    /// Elements of the border of a box: what a row of tiles keeps for the next row, in one tensor for all tiles of a row.
    pub(super) fn border(&self, spans: &[Span], tile: &[usize]) -> i64 {
        let Some(row) = self.borders(spans).next() else { return 0 };
        self.elements(spans, |cut, track| match cut.cmp(&row) {
            Ordering::Less => track.size(tile[cut]),
            Ordering::Equal => track.widest_overlap(),
            Ordering::Greater => track.reach(),
        })
    }

    /// Whether what a tile, or a row of tiles, keeps of a tensor is still there where it is needed. A row keeps what each of
    /// its tiles has made once; that of one row is all there is room for.
    pub(super) fn is_keepable(&self, spans: &[Span]) -> bool {
        let mut borders = self.borders(spans);
        let Some(row) = borders.next() else { return true };
        let is_front = |span: &Span| match *span {
            Span::Driven(cut, _) => cut <= row || self.tracks[cut].is_cached(),
            Span::Fixed(..) => true,
        };
        borders.next().is_none() && spans.iter().all(is_front)
    }
}
