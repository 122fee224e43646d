//! What a group costs: bytes moved, room on chip, work and transfers.

use super::cut::LARGEST;
use super::graph::{Access, SplitGraph};
use super::sweep::{CutLoop, Span, Sweep};

/// What the memory and the engine are like.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Bytes on chip.
    pub capacity: i64,
    /// Of each buffer, in bytes.
    pub alignment: i64,
    /// Whether tensors between groups live off chip, so that they are fetched and stored. Otherwise they stay on chip.
    pub is_staged: bool,
    /// Whether arguments are fetched too. Otherwise they are read where they are.
    pub stages_arguments: bool,
    /// A group may do this many times the work that its operators need.
    pub max_recompute: f64,
    /// Bytes that one transfer counts for besides its own.
    pub transfer_bytes: i64,
}

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
    /// The tensor.
    pub tensor: usize,
    /// How it comes to the chip.
    pub residency: Residency,
    /// Ranges of its dimensions.
    pub spans: Vec<Span>,
    /// Cuts that it follows, up to the innermost.
    pub level: usize,
    /// Whether its room on chip is free after its last reader, in a group that is not cut.
    pub dies: bool,
}

/// Costs of a group, all integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes moved to and from the chip.
    pub traffic: i64,
    /// Bytes on chip at the most.
    pub peak: i64,
    /// Multiplications and additions.
    pub work: i64,
    /// Number of moves.
    pub transfers: i64,
    /// Tiles.
    pub tiles: i64,
}

/// A group under one grid, laid out for counting.
#[derive(Debug)]
pub struct Layout<'s, 'a> {
    graph: &'a SplitGraph,
    sweep: &'s Sweep<'a>,
    is_output: &'a [bool],
    machine: Machine,
    /// Operators that run, in the order of the loop nest.
    pub sequence: Vec<usize>,
    /// Cuts around each operator of the sequence.
    pub levels: Vec<usize>,
    body_start: Vec<usize>,
    body_end: Vec<usize>,
    /// Tensors from outside.
    pub externals: Vec<External>,
    external_of: Vec<u32>,
    /// Bytes that stay on chip throughout: whole tensors before, across and after the group.
    pub resident_bytes: i64,
    /// Whether the result of the last operator stays on chip.
    pub keeps_result: bool,
    storages: Vec<Storage>,
}

#[derive(Clone, Debug)]
struct Storage {
    start: usize,
    end: usize,
    members: Vec<usize>,
}

const NO_STORAGE: usize = usize::MAX;

fn level_of(spans: &[Span]) -> usize {
    let driver = |span: &Span| match span {
        Span::Fixed(..) => 0,
        Span::Driven(cut, _) => cut + 1,
    };
    spans.iter().map(driver).max().unwrap_or(0)
}

impl<'s, 'a> Layout<'s, 'a> {
    /// Lays out the group of all operators that the sweep walked over.
    ///
    /// `on_chip` are tensors from outside that lie on chip as a whole.
    pub fn new(
        graph: &'a SplitGraph,
        sweep: &'s mut Sweep<'a>,
        is_output: &'a [bool],
        machine: Machine,
        on_chip: impl Fn(usize) -> bool,
    ) -> Self {
        let (first, last) = (sweep.first, sweep.last);
        let cuts = sweep.loops.len();
        let anchor = sweep.loops.iter().find_map(|l| match l {
            CutLoop::Accumulate(op, _) => Some(*op),
            CutLoop::Result(_) => None,
        });
        // What depends on a sum runs when the sum is complete.
        let mut is_after = vec![false; last + 1 - first];
        let mut late: Vec<usize> = Vec::new();
        if let Some(anchor) = anchor {
            late.extend(&graph.operators[anchor].results);
            for index in anchor + 1..=last {
                let op = &graph.operators[index];
                if op.operands.iter().any(|(t, _)| late.contains(t)) {
                    is_after[index - first] = true;
                    late.extend(&op.results);
                }
            }
        }
        let mut by_level: Vec<(Vec<usize>, Vec<usize>)> = vec![Default::default(); cuts + 1];
        for index in first..=last {
            if let Some(spans) = &sweep.loop_spans[index] {
                let level = level_of(spans);
                let list = &mut by_level[level];
                if is_after[index - first] { list.1.push(index) } else { list.0.push(index) }
            }
        }
        let mut sequence: Vec<usize> = Vec::new();
        let mut levels: Vec<usize> = Vec::new();
        let (mut body_start, mut body_end) = (vec![0; cuts + 2], vec![0; cuts + 2]);
        for (level, (before, _)) in by_level.iter().enumerate() {
            body_start[level] = sequence.len();
            sequence.extend(before);
            levels.resize(sequence.len(), level);
        }
        body_start[cuts + 1] = sequence.len();
        body_end[cuts + 1] = sequence.len();
        for (level, (_, after)) in by_level.iter().enumerate().rev() {
            sequence.extend(after);
            levels.resize(sequence.len(), level);
            body_end[level] = sequence.len();
        }
        let sequence: Vec<usize> = sequence;
        let mut externals: Vec<External> = Vec::new();
        let mut seen = vec![false; graph.tensors.len()];
        for &op in &sequence {
            for (tensor, access) in &graph.operators[op].operands {
                let is_inside = sweep.tensor_spans[*tensor].is_some();
                if is_inside
                    || graph.tensors[*tensor].is_constant
                    || *access == Access::Indirect
                    || std::mem::replace(&mut seen[*tensor], true)
                {
                    continue;
                }
                let Some(spans) = sweep.resolve(*tensor, false) else { continue };
                let is_read_in_place = on_chip(*tensor)
                    || (!machine.stages_arguments && graph.tensors[*tensor].is_argument);
                externals.push(External {
                    tensor: *tensor,
                    residency: if is_read_in_place || !machine.is_staged {
                        Residency::Resident
                    } else {
                        Residency::Fetched
                    },
                    level: level_of(&spans),
                    spans,
                    dies: false,
                });
            }
        }
        let mut external_of = vec![u32::MAX; graph.tensors.len()];
        for (number, external) in externals.iter().enumerate() {
            external_of[external.tensor] = number as u32;
        }
        Self {
            external_of,
            graph,
            sweep,
            is_output,
            machine,
            sequence,
            levels,
            body_start,
            body_end,
            externals,
            resident_bytes: 0,
            keeps_result: false,
            storages: Vec::new(),
        }
    }

    fn tiles(&self, cut: usize) -> i64 {
        self.sweep.tracks[cut].cut.tiles() as i64
    }

    fn spans(&self, tensor: usize) -> Option<&[Span]> {
        if let Some(spans) = &self.sweep.tensor_spans[tensor] {
            return Some(spans);
        }
        match self.external_of[tensor] {
            u32::MAX => None,
            number => Some(self.externals[number as usize].spans.as_slice()),
        }
    }

    /// Elements of a box summed up over all tiles of the cuts that drive it.
    fn sum(&self, spans: &[Span]) -> i64 {
        let mut product = 1;
        for span in spans {
            if let Span::Fixed(start, end) = span {
                product *= (end - start).max(0);
            }
        }
        for (cut, tracks) in self.sweep.tracks.iter().enumerate() {
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
                (0..tracks.cut.tiles()).map(over).sum::<i64>()
            };
        }
        product
    }

    /// Times that a box of these ranges changes, or is needed, with `level` cuts around it.
    fn repeats(&self, spans: &[Span], level: usize) -> i64 {
        let is_driver =
            |cut: usize| spans.iter().any(|s| matches!(s, Span::Driven(c, _) if *c == cut));
        (0..level).filter(|&cut| !is_driver(cut)).map(|cut| self.tiles(cut)).product()
    }

    fn union_elements(&self, spans: &[Span]) -> i64 {
        spans
            .iter()
            .map(|span| match *span {
                Span::Fixed(start, end) => (end - start).max(0),
                Span::Driven(cut, track) => {
                    let track = self.sweep.tracks[cut].get(track);
                    let busy = track.new.iter().filter(|r| r.0 < r.1);
                    let first = busy.clone().map(|r| r.0).min().unwrap_or(0);
                    busy.map(|r| r.1).max().unwrap_or(0) - first
                }
            })
            .product()
    }

    /// Elements of a box on chip in one tile: what was kept and what is new.
    fn window(&self, spans: &[Span], tile: &[usize]) -> i64 {
        spans
            .iter()
            .map(|span| match *span {
                Span::Fixed(start, end) => (end - start).max(0),
                Span::Driven(cut, track) => self.sweep.tracks[cut].get(track).size(tile[cut]),
            })
            .product()
    }

    fn largest_window(&self, spans: &[Span]) -> i64 {
        spans
            .iter()
            .map(|span| match *span {
                Span::Fixed(start, end) => (end - start).max(0),
                Span::Driven(cut, track) => self.sweep.tracks[cut].get(track).size(LARGEST),
            })
            .product()
    }

    fn has_overlap(&self, spans: &[Span]) -> bool {
        spans.iter().any(|span| match *span {
            Span::Fixed(..) => false,
            Span::Driven(cut, _) if !self.sweep.tracks[cut].is_cached() => false,
            Span::Driven(cut, track) => self.sweep.tracks[cut].get(track).has_overlap(),
        })
    }

    fn overlap(&self, spans: &[Span], tile: &[usize]) -> i64 {
        // At most one dimension follows a cached cut.
        let mut elements = 1;
        let mut is_kept = false;
        for span in spans {
            elements *= match *span {
                Span::Fixed(start, end) => (end - start).max(0),
                Span::Driven(cut, track) => {
                    let tracks = &self.sweep.tracks[cut];
                    let track = tracks.get(track);
                    if tracks.is_cached() {
                        is_kept = true;
                        let next = tile[cut] + 1;
                        let later = if next < track.new.len() { track.overlap(next) } else { 0 };
                        track.overlap(tile[cut]).max(later)
                    } else {
                        track.size(tile[cut])
                    }
                }
            };
        }
        if is_kept { elements } else { 0 }
    }

    /// Tensors that the group makes or fetches.
    fn tensors(&self) -> impl Iterator<Item = usize> {
        let made =
            self.sequence.iter().flat_map(|&op| self.graph.operators[op].results.iter().copied());
        made.chain(self.externals.iter().map(|e| e.tensor))
    }

    /// Bytes kept between tiles, at the most; they only grow when layers are added before.
    pub fn kept_bytes(&self) -> i64 {
        let of = |tensor: usize| {
            let spans = self.sweep.tensor_spans[tensor].as_deref().unwrap_or(&[]);
            if !self.has_overlap(spans) {
                return 0;
            }
            let tiles: Vec<usize> = self.sweep.tracks.iter().map(|t| t.cut.tiles() / 2).collect();
            self.overlap(spans, &tiles) * self.graph.tensors[tensor].element_bytes
        };
        let made = self.sequence.iter().filter(|&&op| !self.graph.operators[op].is_view);
        made.flat_map(|&op| &self.graph.operators[op].results).map(|&t| of(t)).sum()
    }

    /// Whether what a tile keeps is still there in the next one: nothing that is kept follows a cut further inside.
    pub fn can_keep(&self) -> bool {
        self.tensors().all(|tensor| {
            let spans = self.spans(tensor).unwrap_or(&[]);
            let cached = spans.iter().find_map(|span| match *span {
                Span::Driven(cut, track) if self.sweep.tracks[cut].is_cached() => {
                    self.sweep.tracks[cut].get(track).has_overlap().then_some(cut)
                }
                _ => None,
            });
            cached.is_none_or(|cut| level_of(spans) == cut + 1)
        })
    }

    /// The least bytes that fetching a tensor can take, whatever is kept.
    pub fn least_fetch(&self, tensor: usize) -> i64 {
        match self.external_of[tensor] {
            u32::MAX => 0,
            number => {
                let external = &self.externals[number as usize];
                let now = self.fetch_cost(external, external.residency).0;
                now.min(self.fetch_cost(external, Residency::Kept).0)
            }
        }
    }

    /// The least bytes that the group can move, whatever is kept.
    pub fn least_traffic(&self) -> i64 {
        let fetched: i64 = self
            .externals
            .iter()
            .map(|e| self.fetch_cost(e, e.residency).0 - self.least_fetch(e.tensor))
            .sum();
        self.traffic().0 - fetched
    }

    /// Whether no cut changes what the operators from `first` on and before `end` compute.
    pub fn is_uncut(&self, end: usize) -> bool {
        let mut works = self
            .sequence
            .iter()
            .zip(&self.levels)
            .filter(|&(&op, _)| op < end && self.graph.operators[op].work > 0)
            .peekable();
        works.peek().is_some() && works.all(|(_, &level)| level == 0)
    }

    fn aligned(&self, elements: i64, tensor: usize) -> i64 {
        let bytes = elements * self.graph.tensors[tensor].element_bytes;
        (bytes + self.machine.alignment - 1) / self.machine.alignment * self.machine.alignment
    }

    /// Multiplications and additions of all tiles.
    pub fn work(&self) -> i64 {
        let of = |&op: &usize| {
            let spans = self.sweep.loop_spans[op].as_deref().unwrap_or(&[]);
            let repeats = self.repeats(spans, level_of(spans));
            self.graph.operators[op].work * self.sum(spans) * repeats
        };
        self.sequence.iter().map(of).sum()
    }

    /// Multiplications and additions that are needed, each once.
    pub fn least_work(&self) -> i64 {
        let of = |&op: &usize| {
            let spans = self.sweep.loop_spans[op].as_deref().unwrap_or(&[]);
            self.graph.operators[op].work * self.union_elements(spans)
        };
        self.sequence.iter().map(of).sum()
    }

    fn fetch_cost(&self, external: &External, residency: Residency) -> (i64, i64) {
        let bytes = self.graph.tensors[external.tensor].element_bytes;
        let once = self.sum(&external.spans) * bytes;
        let cuts = |level: usize| (0..level).map(|cut| self.tiles(cut)).product::<i64>();
        match residency {
            Residency::Fetched => {
                (once * self.repeats(&external.spans, external.level), cuts(external.level))
            }
            Residency::Kept => (self.union_elements(&external.spans) * bytes, 1),
            Residency::Streamed { reader, slices, .. } => {
                let spans = self.sweep.loop_spans[reader].as_deref().unwrap_or(&[]);
                let level = level_of(spans);
                (once * self.repeats(&external.spans, level), cuts(level) * slices)
            }
            Residency::Resident => (0, 0),
        }
    }

    /// Bytes moved and number of moves.
    pub fn traffic(&self) -> (i64, i64) {
        if !self.machine.is_staged {
            return (0, 0);
        }
        let (mut bytes, mut transfers) = (0, 0);
        for external in &self.externals {
            let (b, t) = self.fetch_cost(external, external.residency);
            bytes += b;
            transfers += t;
        }
        for &op in &self.sequence {
            let op_data = &self.graph.operators[op];
            for &tensor in &op_data.results {
                let stays = self.keeps_result && op == self.sweep.last;
                if self.is_output[tensor] && !stays {
                    bytes += self.graph.tensors[tensor].bytes();
                    let level = self.spans(tensor).map_or(0, level_of);
                    transfers += (0..level).map(|cut| self.tiles(cut)).product::<i64>();
                }
            }
            if op_data.operands.iter().any(|(_, access)| *access == Access::Indirect) {
                let spans = self.sweep.loop_spans[op].as_deref().unwrap_or(&[]);
                let level = level_of(spans);
                for (tensor, _) in op_data.operands.iter().filter(|(_, a)| *a == Access::Indirect) {
                    bytes += self.sum(spans)
                        * self.repeats(spans, level)
                        * self.graph.tensors[*tensor].element_bytes;
                }
                transfers += (0..level).map(|cut| self.tiles(cut)).product::<i64>();
            }
        }
        (bytes, transfers)
    }

    /// The residencies that a tensor may have besides being fetched where it changes.
    pub fn alternatives(&self, external: &External) -> Vec<Residency> {
        if external.residency == Residency::Resident {
            return Vec::new();
        }
        let mut found = Vec::new();
        if let Some((reader, along, extent)) = self.slicing(external) {
            let bytes = self.largest_window(&external.spans)
                * self.graph.tensors[external.tensor].element_bytes;
            let room = (self.machine.capacity / 32).max(1);
            let slices = ((bytes + room - 1) / room).clamp(1, extent);
            let per_slice = (extent + slices - 1) / slices;
            let slices = (extent + per_slice - 1) / per_slice;
            if slices > 1 {
                found.push(Residency::Streamed { reader, along, slices });
            }
        }
        if external.level > 0 {
            found.push(Residency::Kept);
        }
        found
    }

    /// The only reader, a loop of it whose slices read slices of the tensor, and the iterations of that loop.
    pub fn slicing(&self, external: &External) -> Option<(usize, usize, i64)> {
        let mut readers = self.sequence.iter().filter(|&&op| {
            self.graph.operators[op].operands.iter().any(|(t, _)| *t == external.tensor)
        });
        let (&reader, None) = (readers.next()?, readers.next()) else { return None };
        let op = &self.graph.operators[reader];
        let mut reads = op.operands.iter().filter(|(t, _)| *t == external.tensor);
        let ((_, Access::Affine(expressions)), None) = (reads.next()?, reads.next()) else {
            return None;
        };
        let spans = self.sweep.loop_spans[reader].as_deref()?;
        if op.is_view || !op.is_splittable || !op.parts.is_empty() {
            return None;
        }
        let along = expressions.iter().filter_map(|e| match e.terms[..] {
            [(l, 1)] if e.divisor == 1 && !op.is_reduction[l] => match spans[l] {
                Span::Fixed(start, end) if end - start > 1 => Some((end - start, l)),
                _ => None,
            },
            _ => None,
        });
        let in_result = |l: usize| op.result_loops[0].contains(&Some(l));
        let (extent, along) = along.filter(|&(_, l)| in_result(l)).max()?;
        Some((reader, along, extent))
    }

    /// Saves bytes by keeping tensors on chip, as far as the capacity goes. False if nothing fits.
    pub fn settle(&mut self) -> bool {
        let alternatives: Vec<Vec<Residency>> =
            self.externals.iter().map(|e| self.alternatives(e)).collect();
        // First the least room.
        for (index, options) in alternatives.iter().enumerate() {
            if let Some(&streamed) =
                options.iter().find(|r| matches!(r, Residency::Streamed { .. }))
            {
                self.externals[index].residency = streamed;
            }
        }
        self.assign();
        if self.peak() > self.machine.capacity {
            return false;
        }
        // Then what saves the most bytes for its room.
        let mut moves: Vec<(i64, i64, usize, Residency)> = Vec::new();
        for (index, options) in alternatives.iter().enumerate() {
            let external = &self.externals[index];
            let price = |residency| {
                let (bytes, transfers) = self.fetch_cost(external, residency);
                bytes + transfers * self.machine.transfer_bytes
            };
            let now = price(external.residency);
            let element = self.graph.tensors[external.tensor].element_bytes;
            for &residency in options.iter().chain(&[Residency::Fetched]) {
                let saved = now - price(residency);
                let room = match residency {
                    Residency::Kept => self.union_elements(&external.spans),
                    _ => self.largest_window(&external.spans),
                };
                if saved > 0 {
                    moves.push((saved, (room * element).max(1), index, residency));
                }
            }
        }
        moves.sort_by(|a, b| {
            let left = i128::from(a.0) * i128::from(b.1);
            let right = i128::from(b.0) * i128::from(a.1);
            right.cmp(&left).then(a.2.cmp(&b.2)).then(b.0.cmp(&a.0))
        });
        let mut gained = vec![0; self.externals.len()];
        for (saved, _, index, residency) in moves {
            if saved <= gained[index] {
                continue;
            }
            let before = std::mem::replace(&mut self.externals[index].residency, residency);
            self.assign();
            if self.peak() > self.machine.capacity {
                self.externals[index].residency = before;
            } else {
                gained[index] = saved;
            }
        }
        self.assign();
        true
    }

    /// Decides which tensors share a storage, and when each storage is live.
    pub fn assign(&mut self) {
        let graph = self.graph;
        let positions = self.sequence.len();
        let count = graph.tensors.len();
        let mut base: Vec<usize> = (0..count).collect();
        let mut uses = vec![0_u32; count];
        let mut last_use = vec![0_usize; count];
        let mut first_use = vec![usize::MAX; count];
        let mut deepest = vec![0_usize; count];
        for (position, &op) in self.sequence.iter().enumerate() {
            let data = &graph.operators[op];
            if data.is_view
                && let Some((source, _)) = data.operands.first()
            {
                base[data.results[0]] = base[*source];
                continue;
            }
            for (tensor, access) in &data.operands {
                let is_inside = self.sweep.tensor_spans[*tensor].is_some();
                if *access == Access::Indirect && !is_inside {
                    continue;
                }
                let b = base[*tensor];
                uses[b] += 1;
                last_use[b] = position;
                first_use[b] = first_use[b].min(position);
                deepest[b] = deepest[b].max(self.levels[position]);
            }
        }
        let target = graph.operators[self.sweep.last].results[0];
        let is_split = !self.sweep.loops.is_empty();
        let mut root = vec![NO_STORAGE; count];
        let mut made_level = vec![usize::MAX; count];
        let mut made_at = vec![0_usize; count];
        for (position, &op) in self.sequence.iter().enumerate() {
            let data = &graph.operators[op];
            if data.is_view {
                continue;
            }
            for &tensor in &data.results {
                if let Some(spans) = &self.sweep.tensor_spans[tensor] {
                    made_level[tensor] = level_of(spans);
                    made_at[tensor] = position;
                }
            }
        }
        for external in &self.externals {
            if external.residency == Residency::Fetched || external.dies {
                made_level[external.tensor] = external.level;
            }
        }
        // An output that stays on chip is one whole storage; tiles are written into it.
        let stays = |tensor: usize| {
            (self.is_output[tensor] && is_split && !self.machine.is_staged)
                || (self.keeps_result && base[target] == tensor)
        };
        const RESIDENT: usize = usize::MAX - 1;
        let mut overlapped = vec![false; count];
        for t in self.tensors() {
            overlapped[t] = self.spans(t).is_some_and(|s| self.has_overlap(s));
        }
        let output_bases: Vec<usize> =
            (0..count).filter(|&t| self.is_output[t]).map(|t| base[t]).collect();
        let mut is_output_base = vec![false; count];
        for b in output_bases {
            is_output_base[b] = true;
        }
        for position in (0..positions).rev() {
            let op = self.sequence[position];
            let data = &graph.operators[op];
            if data.is_view {
                continue;
            }
            for &tensor in &data.results {
                if root[tensor] == NO_STORAGE {
                    root[tensor] = if stays(tensor) { RESIDENT } else { tensor };
                }
            }
            let result = data.results[0];
            let level = self.levels[position];
            let may_take = |root: &[usize], b: usize| {
                root[b] == NO_STORAGE
                    && made_level[b] == level.min(made_level[result])
                    && !is_output_base[b]
                    && last_use[b] == position
            };
            for &k in &data.parts {
                let b = base[data.operands[k].0];
                if may_take(&root, b) && uses[b] == 1 && !overlapped[b] {
                    root[b] = root[result];
                }
            }
            for &k in &data.in_place {
                let b = base[data.operands[k].0];
                if may_take(&root, b)
                    && !overlapped[b]
                    && graph.tensors[b].element_bytes == graph.tensors[result].element_bytes
                {
                    root[b] = root[result];
                    break;
                }
            }
        }
        let mut number = vec![usize::MAX; count];
        let mut storages: Vec<Storage> = Vec::new();
        let mut add = |tensor: usize, root: usize, start: usize, end: usize| {
            if root == RESIDENT {
                return;
            }
            if number[root] == usize::MAX {
                number[root] = storages.len();
                storages.push(Storage { start, end, members: Vec::new() });
            }
            let storage = &mut storages[number[root]];
            storage.start = storage.start.min(start);
            storage.end = storage.end.max(end);
            storage.members.push(tensor);
        };
        for (position, &op) in self.sequence.iter().enumerate() {
            let data = &graph.operators[op];
            if data.is_view {
                continue;
            }
            for &tensor in &data.results {
                if made_level[tensor] == usize::MAX || root[tensor] == NO_STORAGE {
                    continue;
                }
                let level = made_level[tensor];
                let (mut start, mut end) = (position, position);
                if self.levels[position] > level {
                    start = self.body_start[level + 1];
                    end = self.body_end[level + 1].saturating_sub(1).max(end);
                }
                if uses[tensor] > 0 {
                    end = end.max(last_use[tensor]);
                    if deepest[tensor] > level {
                        end = end.max(self.body_end[level + 1].saturating_sub(1));
                    }
                }
                // A whole result of an unsplit group stays to its end.
                if is_output_base[tensor] && !self.machine.is_staged {
                    end = positions.saturating_sub(1);
                }
                add(tensor, root[tensor], start, end);
            }
        }
        for external in &self.externals {
            let tensor = external.tensor;
            if !(external.residency == Residency::Fetched || external.dies)
                || first_use[tensor] == usize::MAX
            {
                continue;
            }
            if external.dies {
                let own = if root[tensor] == NO_STORAGE { tensor } else { root[tensor] };
                add(tensor, own, 0, last_use[tensor]);
                continue;
            }
            let level = external.level;
            let own = if root[tensor] == NO_STORAGE { tensor } else { root[tensor] };
            let (mut start, mut end) = (first_use[tensor], last_use[tensor]);
            if deepest[tensor] > level {
                start = start.min(self.body_start[level + 1]);
                end = end.max(self.body_end[level + 1].saturating_sub(1));
            }
            add(tensor, own, start, end);
        }
        self.storages = storages;
    }

    /// Bytes on chip at the most, over a sample of tiles that has the ends and the middle, or over all tiles.
    pub fn peak_of(&self, all: bool) -> i64 {
        let cuts = self.sweep.loops.len();
        let samples: Vec<Vec<usize>> = (0..cuts)
            .map(|cut| {
                let n = self.sweep.tracks[cut].cut.tiles();
                if !self.sweep.tracks[cut].is_cached() {
                    return vec![LARGEST];
                }
                if all || n <= 6 {
                    return (0..n).collect();
                }
                let mut tiles = vec![0, 1, 2, n / 2, n - 2, n - 1];
                if self.sweep.tracks[cut].cut.runs_ahead() {
                    tiles.extend([n / 4, n / 3, n * 3 / 4, n - 3]);
                    tiles.sort_unstable();
                    tiles.dedup();
                }
                tiles
            })
            .collect();
        // In the middle most is live: what does not fit there need not be looked at further.
        let middle: Vec<usize> = samples.iter().map(|s| s[s.len() / 2]).collect();
        let mut peak = self.peak_in(&middle);
        if !all && peak > self.machine.capacity {
            return peak;
        }
        let mut at = vec![0; cuts];
        loop {
            let tile: Vec<usize> =
                at.iter().zip(&samples).map(|(&k, s): (&usize, _)| s[k]).collect();
            peak = peak.max(self.peak_in(&tile));
            if !all && peak > self.machine.capacity {
                return peak;
            }
            let Some(cut) = (0..cuts).rev().find(|&cut| at[cut] + 1 < samples[cut].len()) else {
                return peak;
            };
            at[cut] += 1;
            at[cut + 1..].fill(0);
        }
    }

    /// Bytes on chip at the most, over a sample of tiles.
    pub fn peak(&self) -> i64 {
        self.peak_of(false)
    }

    fn peak_in(&self, tile: &[usize]) -> i64 {
        let mut change = vec![0_i64; self.sequence.len() + 1];
        for storage in &self.storages {
            let of = |&tensor: &usize| {
                let spans = self.spans(tensor).unwrap_or(&[]);
                self.aligned(self.window(spans, tile), tensor)
            };
            let bytes = storage.members.iter().map(of).max().unwrap_or(0);
            change[storage.start] += bytes;
            change[storage.end + 1] -= bytes;
        }
        let mut constant = self.resident_bytes;
        for external in &self.externals {
            let tensor = external.tensor;
            match external.residency {
                Residency::Kept => {
                    constant += self.aligned(self.union_elements(&external.spans), tensor);
                }
                Residency::Streamed { reader, slices, .. } => {
                    let bytes = self.aligned(
                        (self.window(&external.spans, tile) + slices - 1) / slices,
                        tensor,
                    );
                    if let Some(position) = self.sequence.iter().position(|&op| op == reader) {
                        change[position] += bytes;
                        change[position + 1] -= bytes;
                    }
                }
                Residency::Fetched => {
                    if self.has_overlap(&external.spans) {
                        constant += self.aligned(self.overlap(&external.spans, tile), tensor);
                    }
                }
                Residency::Resident => {}
            }
        }
        for &op in &self.sequence {
            if self.graph.operators[op].is_view {
                continue;
            }
            for &tensor in &self.graph.operators[op].results {
                if let Some(spans) = &self.sweep.tensor_spans[tensor]
                    && self.has_overlap(spans)
                {
                    constant += self.aligned(self.overlap(spans, tile), tensor);
                }
            }
        }
        let mut live = 0;
        let mut most = 0;
        for step in change {
            live += step;
            most = most.max(live);
        }
        most + constant
    }

    /// All costs; the peak is that of all tiles if `exactly`.
    pub fn cost(&self, exactly: bool) -> Cost {
        let (traffic, transfers) = self.traffic();
        let tiles = (0..self.sweep.loops.len()).map(|cut| self.tiles(cut)).product();
        Cost { traffic, peak: self.peak_of(exactly), work: self.work(), transfers, tiles }
    }
}
