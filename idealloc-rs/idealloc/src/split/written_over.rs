//! Results that tiles write over a tensor from outside, whose room they take: what a tile reads of that, it writes.

use super::boxes::level_of;
use super::external::External;
use super::graph::Access;
use super::layout::Layout;
use super::sweep::Span;

/// A result, and the tensor from outside whose room it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenOver {
    /// The result.
    pub result: usize,
    /// The tensor from outside.
    pub tensor: usize,
    /// Whether a tile of the result is put there when all of it is made, as its operator still reads the tensor.
    pub is_copied: bool,
}

impl Layout<'_, '_> {
    /// Results that take the room of a tensor from outside for which `may_be` holds, each of the first that none before took.
    pub fn written_over(&self, may_be: impl Fn(usize) -> bool) -> Vec<WrittenOver> {
        let mut found: Vec<WrittenOver> = Vec::new();
        for pair in self.ways_to_write_over() {
            let is_in_the_way =
                |other: &WrittenOver| other.result == pair.result || other.tensor == pair.tensor;
            if may_be(pair.tensor) && !found.iter().any(is_in_the_way) {
                found.push(pair);
            }
        }
        found
    }

    /// Results, and tensors from outside whose room they may take, if those lie on chip and nobody reads them after the group:
    /// each tile reads as much of them as it writes, and has read that before.
    pub fn ways_to_write_over(&self) -> Vec<WrittenOver> {
        let mut found: Vec<WrittenOver> = Vec::new();
        for (position, &number) in self.sequence.iter().enumerate() {
            let op = &self.graph.operators[number];
            let [result] = op.results[..] else { continue };
            let is_written_once = self.is_output[result]
                && self.is_computed_once(result)
                && !self.sweep.adds_up(number)
                && self.runs_in_slices(number).is_none();
            if !is_written_once {
                continue;
            }
            let is_free = |external: &&External| {
                self.has_same_tiles(external, result) && self.is_read_up_to(external, position)
            };
            for External { tensor, .. } in self.externals.iter().filter(is_free) {
                let mut reads =
                    op.operands.iter().enumerate().filter(|(_, (read, _))| read == tensor);
                let is_copied = reads.any(|(k, _)| !op.in_place.contains(&k));
                found.push(WrittenOver { result, tensor: *tensor, is_copied });
            }
        }
        found
    }

    /// Whether tiles read the same of a tensor from outside as they make of a result, and keep nothing.
    fn has_same_tiles(&self, external: &External, result: usize) -> bool {
        let (read, made) = (&self.graph.tensors[external.tensor], &self.graph.tensors[result]);
        let Some(spans) = self.sweep.tensor_spans(result) else { return false };
        let is_same = |(one, other): (&Span, &Span)| match (*one, *other) {
            (Span::Driven(cut, one), Span::Driven(other_cut, other)) if cut == other_cut => {
                let (one, other) =
                    (self.sweep.tracks[cut].get(one), self.sweep.tracks[cut].get(other));
                let mut tiles = one.known_tiles().chain(other.known_tiles());
                one.step() == other.step() && tiles.all(|tile| one.range(tile) == other.range(tile))
            }
            (one, other) => one == other,
        };
        level_of(spans) > 0
            && read.shape == made.shape
            && read.element_bytes == made.element_bytes
            && external.spans.iter().zip(spans).all(is_same)
            && !self.sweep.has_overlap(&external.spans)
    }

    /// Whether nothing behind a position reads a tensor from outside, and nothing reads a view of it.
    fn is_read_up_to(&self, external: &External, position: usize) -> bool {
        let tensor = external.tensor;
        let others = self.externals.iter().filter(|other| other.tensor != tensor);
        let is_shown = external.source != tensor || others.into_iter().any(|o| o.source == tensor);
        let is_fine = |(at, &number): (usize, &usize)| {
            let op = &self.graph.operators[number];
            let mut reads = op.operands.iter().filter(|(read, _)| *read == tensor);
            let is_elsewhere = op.is_view || self.runs_in_slices(number).is_some();
            reads.all(|(_, access)| *access != Access::Indirect && !is_elsewhere && at <= position)
        };
        !is_shown && self.sequence.iter().enumerate().all(is_fine)
    }
}
