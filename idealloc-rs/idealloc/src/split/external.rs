//! A tensor that a group reads and does not make: how it comes to the chip, and what that moves.

use super::boxes::level_of;
use super::cut::rounded_up;
use super::graph::Access;
use super::least::Least;
use super::machine::Machine;
use super::sweep::{Span, Sweep};

/// A slice of a streamed tensor takes about this fraction of the memory at the most.
const SLICES_IN_MEMORY: i64 = 32;

/// How a tensor that a group reads comes to the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residency {
    /// Where it changes with the tiles it is fetched, and stays until it changes.
    Fetched,
    /// Fetched once, all that the group needs.
    Kept,
    /// Fetched by its only reader, in so many slices along a loop of that operator.
    Streamed {
        /// The operator.
        reader: usize,
        /// The loop whose slices are computed one after another.
        along: usize,
        /// Number of slices.
        slices: i64,
    },
    /// On chip before the group starts.
    Resident,
}

/// A tensor from outside of a group.
#[derive(Clone, Debug)]
pub struct External {
    /// The tensor, which may be a view of another.
    pub tensor: usize,
    /// The tensor whose elements these are.
    pub source: usize,
    /// How it comes to the chip.
    pub residency: Residency,
    /// Ranges of its dimensions.
    pub spans: Vec<Span>,
    /// Cuts that it follows, up to the innermost.
    pub level: usize,
    /// The operator that reads it, if it is one alone.
    pub reader: Option<usize>,
    /// Where in the sequence it is read first.
    pub(super) position: usize,
    /// Bytes of the elements that it has in all tiles of the cuts that it follows, summed up.
    bytes_summed: i64,
    /// Bytes of the elements that its only reader reads, summed up as above: nothing is kept of what comes in slices.
    bytes_streamed: i64,
    /// Bytes of the elements that it has in any tile.
    pub(super) bytes_in_all: i64,
    /// Bytes of the elements that it has in the largest tile.
    pub(super) bytes_in_largest: i64,
    /// Bytes and moves if it is fetched.
    cost_if_fetched: (i64, i64),
    /// The slices in which it may be fetched by its reader, and bytes and moves then.
    pub(super) in_slices: Option<(Residency, (i64, i64))>,
    /// The least that fetching it takes, as it was counted last.
    pub(super) least: Least,
    /// Whether it is the same in all tiles, and stays on chip for all of them if it is fetched, in room of its own.
    pub(super) stays_in_tiles: bool,
    /// Whether its room on chip is free after its last reader, in a group that is not cut.
    pub dies: bool,
}

impl External {
    /// A tensor of which nothing is counted yet.
    pub(super) fn new(tensor: usize) -> Self {
        Self {
            tensor,
            source: tensor,
            residency: Residency::Fetched,
            spans: Vec::new(),
            level: 0,
            reader: None,
            position: 0,
            bytes_summed: 0,
            bytes_streamed: 0,
            bytes_in_all: 0,
            bytes_in_largest: 0,
            cost_if_fetched: (0, 0),
            in_slices: None,
            least: Least::default(),
            stays_in_tiles: false,
            dies: false,
        }
    }

    /// Counts its bytes anew, after its ranges or its readers changed.
    pub(super) fn count(&mut self, sweep: &Sweep<'_>, machine: Machine) {
        let element = sweep.graph.tensors[self.tensor].element_bytes;
        self.level = level_of(&self.spans);
        self.bytes_summed = sweep.sum(&self.spans) * element;
        self.bytes_in_all = sweep.union_elements(&self.spans) * element;
        self.bytes_in_largest = sweep.largest_window(&self.spans) * element;
        self.cost_if_fetched = self.cost_of_fetching(sweep, Residency::Fetched);
        self.in_slices = self.slices(sweep, machine).map(|slices| {
            let read = |op| sweep.sum_read(&self.spans, op) * element;
            self.bytes_streamed = self.reader.map_or(self.bytes_summed, read);
            (slices, self.cost_of_fetching(sweep, slices))
        });
        self.stays_in_tiles = self.is_fetched_once(sweep);
    }

    /// Bytes and moves.
    pub(super) fn cost(&self, sweep: &Sweep<'_>, residency: Residency) -> (i64, i64) {
        match (residency, self.in_slices) {
            (Residency::Fetched, _) => self.cost_if_fetched,
            (Residency::Streamed { .. }, Some((slices, cost))) if slices == residency => cost,
            _ => self.cost_of_fetching(sweep, residency),
        }
    }

    fn cost_of_fetching(&self, sweep: &Sweep<'_>, residency: Residency) -> (i64, i64) {
        let cuts = |level: usize| (0..level).map(|cut| sweep.tiles(cut)).product::<i64>();
        match residency {
            Residency::Fetched => {
                (self.bytes_summed * sweep.repeats(&self.spans, self.level), cuts(self.level))
            }
            Residency::Kept => (self.bytes_in_all, 1),
            Residency::Streamed { reader, slices, .. } => {
                let level = level_of(sweep.loop_spans(reader).unwrap_or(&[]));
                let read = self.bytes_streamed;
                (read * sweep.repeats(&self.spans, level), cuts(level) * slices)
            }
            Residency::Resident => (0, 0),
        }
    }

    /// The least bytes that fetching it can take, and the least that bytes and moves count for, whatever is kept.
    pub(super) fn least_fetched(&self, machine: Machine) -> Least {
        let least = |(bytes, moves): (i64, i64)| Least {
            bytes,
            price: bytes + moves * machine.transfer_bytes,
        };
        let fetched = least(self.cost_if_fetched);
        let fetched = match self.in_slices {
            Some((_, cost)) => Least { price: fetched.price.min(least(cost).price), ..fetched },
            None => fetched,
        };
        if self.bytes_in_all > machine.capacity {
            return fetched;
        }
        fetched.min(least((self.bytes_in_all, 1)))
    }

    /// The slices in which it may be fetched by its reader.
    fn slices(&self, sweep: &Sweep<'_>, machine: Machine) -> Option<Residency> {
        let room = (machine.capacity / SLICES_IN_MEMORY).max(1);
        if self.bytes_in_largest <= room {
            return None;
        }
        let (reader, along, extent) = self.slicing(sweep)?;
        let slices = rounded_up(self.bytes_in_largest, room).clamp(1, extent);
        let per_slice = rounded_up(extent, slices);
        // With a chain that runs slice by slice it comes in slices that are no larger.
        let in_chain = sweep.graph.operators[reader].slice;
        let per_slice = in_chain.map_or(per_slice, |slice| per_slice.min(slice.size));
        let slices = rounded_up(extent, per_slice);
        (slices > 1).then_some(Residency::Streamed { reader, along, slices })
    }

    /// The only reader, a loop of it whose slices read slices of the tensor, and the iterations of that loop.
    pub fn slicing(&self, sweep: &Sweep<'_>) -> Option<(usize, usize, i64)> {
        let reader = self.reader?;
        // An argument that is changed on chip comes to the operator which does that: it makes all that the reader needs.
        if sweep.graph.tensors[self.tensor].is_changed {
            return None;
        }
        let op = &sweep.graph.operators[reader];
        let mut reads = op.operands.iter().filter(|(t, _)| *t == self.tensor);
        let ((_, Access::Affine(expressions)), None) = (reads.next()?, reads.next()) else {
            return None;
        };
        let spans = sweep.loop_spans(reader)?;
        if op.is_view || !op.is_splittable || !op.parts.is_empty() || op.results.len() != 1 {
            return None;
        }
        let may_be = |l: usize| {
            op.result_loops[0].contains(&Some(l)) && op.slice.is_none_or(|slice| slice.along == l)
        };
        let loops = expressions.iter().filter_map(|e| match e.terms[..] {
            [(l, 1)] if (e.divisor, e.reach) == (1, 0) && !op.is_reduction[l] => Some(l),
            _ => None,
        });
        let loops = loops.filter(|&l| may_be(l));
        let uncut = loops.clone().filter_map(|l| match spans[l] {
            Span::Fixed(start, end) if end - start > 1 => Some((end - start, l)),
            _ => None,
        });
        // Each tile of what is computed element by element can be cut once more.
        let is_elementwise = !op.is_reduction.contains(&true);
        let cut = loops.filter(|_| is_elementwise).filter_map(|l| match spans[l] {
            Span::Driven(cut, track) => Some((sweep.tracks[cut].get(track).longest(), l)),
            Span::Fixed(..) => None,
        });
        let (extent, along) = uncut.max().or_else(|| cut.max())?;
        Some((reader, along, extent))
    }

    /// Whether it stays on chip for all tiles if it is fetched, in room of its own.
    fn is_fetched_once(&self, sweep: &Sweep<'_>) -> bool {
        let Some(reader) = self.reader.filter(|_| self.level == 0) else { return false };
        let op = &sweep.graph.operators[reader];
        let is_it = |&k: &usize| op.operands[k].0 == self.tensor;
        let is_cut = sweep.loop_spans(reader).is_some_and(|spans| level_of(spans) > 0);
        is_cut && !op.is_view && !op.in_place.iter().chain(op.parts.iter()).any(is_it)
    }
}

/// For each of the tensors that are fetched the slices in which it may be, if it is the largest such operand of its
/// reader: the others are needed as a whole in each slice.
pub(super) fn largest_streamed<'e>(
    externals: impl Iterator<Item = (bool, &'e External)>,
) -> Vec<Option<Residency>> {
    let mut found: Vec<Option<Residency>> = Vec::with_capacity(externals.size_hint().0);
    let mut largest: Vec<(usize, usize, i64)> = Vec::new();
    for (index, (is_fetched, external)) in externals.enumerate() {
        found.push(None);
        let (Some((streamed, _)), Some(reader)) = (external.in_slices, external.reader) else {
            continue;
        };
        if !is_fetched {
            continue;
        }
        let bytes = external.bytes_in_largest;
        match largest.iter_mut().find(|(other, ..)| *other == reader) {
            None => largest.push((reader, index, bytes)),
            Some((_, known, most)) => {
                if *most >= bytes {
                    continue;
                }
                found[*known] = None;
                (*known, *most) = (index, bytes);
            }
        }
        found[index] = Some(streamed);
    }
    found
}
