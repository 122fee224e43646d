//! Sums beside the last result that are added up tile by tile, such as the gradient of a weight beside that of the input.

use super::boxes::level_of;
use super::side_results::Followed;
use super::sweep::{Span, Sweep};

impl Sweep<'_> {
    /// Lets loops that an operator sums up follow the cuts that what it reads follows, if its results are there as a whole
    /// within these cuts and nothing within them needs the sum: each tile adds its part, in the order of the loop.
    ///
    /// `loops` has the ranges that follow from the results. The cuts around the results must all move them: else the sum
    /// would be made again for each tile of the others.
    pub(super) fn sum_by_tiles(&mut self, op: usize, loops: &mut [Span]) {
        let graph = self.graph;
        let operator = &graph.operators[op];
        let level = level_of(loops);
        if op == self.last || operator.cuttable.is_empty() || level == self.loops.len() {
            return;
        }
        // Its sum may be what the grid cuts.
        if loops.iter().zip(operator.is_reduction.iter()).any(is_cut_sum) {
            return;
        }
        let moves = |cut: usize| loops.iter().any(|l| matches!(l, Span::Driven(c, _) if *c == cut));
        let is_read_within = operator.results.iter().any(|&t| self.readers(t).deepest > level);
        if !(0..level).all(moves) || is_read_within {
            return;
        }
        let Some(ways) = self.ways_to_sum(op, level) else { return };
        for (l, span) in ways {
            loops[l] = span;
        }
    }

    /// Whether each tile of some cut adds a part to what an operator makes.
    pub(super) fn adds_up(&self, op: usize) -> bool {
        let spans = self.loop_spans(op).unwrap_or(&[]);
        spans.iter().zip(self.graph.operators[op].is_reduction.iter()).any(is_cut_sum)
    }

    /// The loops that are summed up by tiles of the cuts from `level` on, and their ranges.
    fn ways_to_sum(&mut self, op: usize, level: usize) -> Option<Vec<(usize, Span)>> {
        let graph = self.graph;
        let operator = &graph.operators[op];
        let mut found: Vec<(usize, Span)> = Vec::new();
        let mut needed = Vec::new();
        for cut in level..self.loops.len() {
            let summed = (0..operator.loops.len()).filter(|&l| operator.is_reduction[l]);
            let mut followed = summed.filter_map(|l| Some((l, self.followed(op, l)?)));
            let Some((l, followed)) = followed.find(|(_, followed)| followed.cut == cut) else {
                break;
            };
            let Some(track) = self.parts_of(op, l, followed) else { break };
            found.push((l, Span::Driven(cut, track)));
            needed.push(followed.needed);
        }
        let is_cuttable = |found: &[(usize, Span)]| {
            let mut lists = operator.cuttable.iter();
            let is_single = |&(_, span): &(usize, Span)| match span {
                Span::Driven(cut, track) => self.tracks[cut].get(track).longest() <= 1,
                Span::Fixed(..) => false,
            };
            lists.any(|list| list.iter().eq(found.iter().map(|(l, _)| l)))
                && found[..found.len() - 1].iter().all(is_single)
        };
        let cut = (1..=found.len()).rev().find(|&cut| is_cuttable(&found[..cut]))?;
        found.truncate(cut);
        let needed = needed[..cut].iter().copied().flatten();
        self.first_needed = needed.fold(self.first_needed, usize::min);
        Some(found)
    }

    /// The ranges of a loop over the tiles, if each tile has those iterations that come after the last one's: what is new of
    /// the operand that moves with it, or as much as of what is cut where that is as long.
    fn parts_of(&mut self, op: usize, l: usize, followed: Followed) -> Option<u32> {
        let Followed { cut, request: of_operand, .. } = followed;
        let extent = self.graph.operators[op].loops[l];
        let tracks = &mut self.tracks[cut];
        let of_cut = (tracks.cut.extent == extent).then(|| tracks.request_of_cut());
        of_operand.into_iter().chain(of_cut).find_map(|request| {
            let track = tracks.resolve(request, extent, true);
            let parts = tracks.get(track);
            let mut later = parts.known_tiles().skip(1);
            let is_next = later.all(|tile| parts.range(tile - 1).1 == parts.range(tile).0);
            let (start, end) = (parts.range(0).0, parts.range(parts.tiles() - 1).1);
            (is_next && (start, end) == (0, extent)).then_some(track)
        })
    }
}

/// Whether a loop is summed up, and follows a cut.
fn is_cut_sum((span, &is_reduction): (&Span, &bool)) -> bool {
    is_reduction && matches!(span, Span::Driven(..))
}
