//! Which tensors of a group share a storage, and when each storage is live.

use super::boxes::level_of;
use super::external::{External, Residency};
use super::gaps::Gaps;
use super::graph::{Access, Operator};
use super::layout::Layout;
use super::sweep::Span;

/// Positions of the sequence in which some tensors share room, both ends included.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    pub start: usize,
    pub end: usize,
}

/// The storages of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Storages {
    pub storages: Vec<Storage>,
    pub members: Vec<Member>,
    states: Vec<State>,
}

/// A tensor in a storage, and the positions for which it holds the storage, both ends included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub storage: usize,
    pub tensor: usize,
    pub start: usize,
    pub end: usize,
    /// Whether it is what a shifted tile pads, before what is needed of that is put behind what was kept.
    pub is_padded: bool,
}

/// Where a tensor lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Unknown,
    /// In a whole tensor that is counted elsewhere.
    Resident,
    /// In the storage of this tensor.
    Of(usize),
}

/// What is known of one tensor.
#[derive(Clone, Copy, Debug)]
struct State {
    /// The tensor that it is a view of, or itself.
    base: usize,
    uses: u32,
    first_use: usize,
    last_use: usize,
    /// Most cuts around a reader.
    deepest: usize,
    /// Cuts around the place where it is made; none if it is not.
    made_level: Option<usize>,
    root: Root,
    /// Between its rows, where it lies in its root.
    gaps: Gaps,
    /// The operator that shows it, if it is a view.
    shown_by: Option<usize>,
    has_overlap: bool,
    is_output_base: bool,
    /// Whether a view shows less of it than there is, such as 21 rows of 11 times two.
    is_shown_in_part: bool,
    /// Whether some operator may write its result over it.
    may_be_over: bool,
    /// Whether some operator has it as a part of its result.
    may_be_part: bool,
    /// Number of the storage whose first tensor this is.
    storage: Option<usize>,
}

impl Storages {
    fn add(&mut self, tensor: usize, root: usize, start: usize, end: usize) {
        let number = *self.states[root].storage.get_or_insert(self.storages.len());
        self.add_to(number, Member { storage: number, tensor, start, end, is_padded: false });
    }

    /// Adds a member to a storage, the next one if there is none of this number.
    fn add_to(&mut self, number: usize, member: Member) {
        let Member { start, end, .. } = member;
        if number == self.storages.len() {
            self.storages.push(Storage { start, end });
        }
        let storage = &mut self.storages[number];
        storage.start = storage.start.min(start);
        storage.end = storage.end.max(end);
        self.members.push(member);
    }

    /// Takes a tensor from outside out of a storage in which others stay, or which ends with it.
    pub fn remove(&mut self, tensor: usize, number: usize) {
        self.members.retain(|member| member.tensor != tensor || member.storage != number);
        let rest = self.members.iter().filter(|member| member.storage == number);
        let range = rest.fold(None, |range: Option<Storage>, member| {
            let (start, end) = range.map_or((usize::MAX, 0), |range| (range.start, range.end));
            Some(Storage { start: start.min(member.start), end: end.max(member.end) })
        });
        // Nobody is left: room for nothing.
        self.storages[number] = range.unwrap_or(Storage { start: 0, end: 0 });
    }
}

impl Layout<'_, '_> {
    /// The positions at which a tensor from outside has room of its own, both ends included, if it is fetched; none if it
    /// may share room with another tensor.
    pub(super) fn own_room(&self, external: &External) -> Option<(usize, usize)> {
        let state = &self.storages.states[external.tensor];
        if external.dies || state.may_be_over || state.may_be_part || state.uses == 0 {
            return None;
        }
        Some(self.live_from_outside(external, state))
    }

    /// The position at which a tile copies what the next one needs of a tensor that the group makes, or an earlier one.
    pub(super) fn kept_at(&self, tensor: usize) -> usize {
        let state = &self.storages.states[tensor];
        if state.uses == 0 { 0 } else { state.last_use }
    }

    /// The storage of which a tensor from outside is a part that can be taken out while all others stay where they are.
    pub(super) fn storage_as_part(&self, external: &External) -> Option<usize> {
        let state = &self.storages.states[external.tensor];
        let is_changed = self.graph.tensors[external.tensor].is_changed;
        if external.dies || is_changed || state.may_be_over || !state.may_be_part {
            return None;
        }
        self.number_of_storage(external)
    }

    fn number_of_storage(&self, external: &External) -> Option<usize> {
        let states = &self.storages.states;
        let root = match states.get(external.tensor)?.root {
            Root::Unknown => external.tensor,
            Root::Of(root) => root,
            Root::Resident => return None,
        };
        states[root].storage
    }

    /// The positions at which the storage is live that a tensor from outside is in, both ends included, and its most
    /// bytes.
    pub(super) fn storage_of(&self, external: &External) -> Option<(usize, usize, i64)> {
        let number = self.number_of_storage(external)?;
        let members = self.storages.members.iter().filter(|member| member.storage == number);
        let largest = |spans: &[Span]| self.sweep.largest_window(spans);
        let bytes = |member: &Member| {
            let elements = self.elements_of(member, largest);
            self.aligned(self.at_a_time(elements, member.tensor, None), member.tensor)
        };
        let storage = &self.storages.storages[number];
        Some((storage.start, storage.end, members.map(bytes).max().unwrap_or(0)))
    }

    /// Whether a tensor from outside takes room only while a tile needs it; what stays as it is counts elsewhere.
    fn has_room_in_tiles(&self, external: &External) -> bool {
        match external.residency {
            Residency::Fetched => true,
            Residency::Streamed { .. } => false,
            Residency::Kept | Residency::Resident => {
                external.dies || self.graph.tensors[external.tensor].is_changed
            }
        }
    }

    fn live_from_outside(&self, external: &External, state: &State) -> (usize, usize) {
        let (mut start, mut end) = (state.first_use, state.last_use);
        if external.dies {
            start = 0;
        } else if state.deepest > external.level {
            start = start.min(self.body_start[external.level + 1]);
            end = end.max(self.end_of(external.level));
        }
        (start, end)
    }

    fn end_of(&self, level: usize) -> usize {
        self.body_end[level + 1].saturating_sub(1)
    }

    /// Decides which tensors share a storage, and when each storage is live.
    pub fn assign(&mut self) {
        let mut storages = std::mem::take(&mut self.storages);
        storages.storages.clear();
        storages.members.clear();
        self.survey(&mut storages.states);
        self.share(&mut storages.states);
        self.place(&mut storages);
        self.storages = storages;
    }

    /// The operands that may be made where they lie in a result. What a view shows is new is put behind what was kept of it
    /// before, unless that is a part of it only.
    fn parts<'o>(&self, op: &'o Operator) -> impl Iterator<Item = &'o usize> {
        let keeps = |&t: &usize| self.spans(t).is_some_and(|spans| self.sweep.has_overlap(spans));
        let is_all = !self.is_part_of_reshape(op.results[0]);
        let is_put_behind = op.is_view && is_all && op.results.iter().any(keeps);
        let parts = if is_put_behind { &[0][..] } else { &op.parts };
        parts.iter().filter(move |k| is_put_behind || !op.copied_parts.contains(k))
    }

    /// Who makes and reads each tensor, and when.
    fn survey(&self, states: &mut Vec<State>) {
        let graph = self.graph;
        states.clear();
        states.extend((0..self.tensors).map(|tensor| State {
            base: tensor,
            uses: 0,
            first_use: usize::MAX,
            last_use: 0,
            deepest: 0,
            made_level: None,
            root: Root::Unknown,
            gaps: Gaps::default(),
            shown_by: None,
            has_overlap: false,
            is_output_base: false,
            is_shown_in_part: false,
            may_be_over: false,
            may_be_part: false,
            storage: None,
        }));
        for (position, &op) in self.sequence.iter().enumerate() {
            let data = &graph.operators[op];
            if self.is_alias(op)
                && let Some((source, _)) = data.operands.first()
            {
                let base = states[*source].base;
                states[data.results[0]].base = base;
                states[data.results[0]].shown_by = Some(op);
                states[base].is_shown_in_part |= !self.is_as_large(*source, data.results[0]);
                continue;
            }
            for (tensor, access) in &data.operands {
                let base = states[*tensor].base;
                let stays = !self.external(base).is_some_and(|external| external.dies);
                if *access == Access::Indirect && !self.is_made_inside(*tensor) && stays {
                    continue;
                }
                let state = &mut states[base];
                state.uses += 1;
                state.last_use = state.last_use.max(self.turns[position]);
                state.first_use = state.first_use.min(self.turns[position]);
                state.deepest = state.deepest.max(self.levels[position]);
            }
            for &k in self.parts(data) {
                let base = states[data.operands[k].0].base;
                states[base].may_be_part = true;
            }
            for &k in data.in_place.iter() {
                let base = states[data.operands[k].0].base;
                states[base].may_be_over = true;
            }
            for &tensor in &data.results {
                if let Some(spans) = self.sweep.tensor_spans(tensor) {
                    states[tensor].made_level = Some(level_of(spans));
                    states[tensor].has_overlap = self.sweep.has_overlap(spans);
                }
            }
        }
        for external in &self.externals {
            let state = &mut states[external.tensor];
            state.has_overlap = self.sweep.has_overlap(&external.spans);
            if self.has_room_in_tiles(external) {
                state.made_level = Some(external.level);
            }
        }
        for tensor in (0..states.len()).filter(|&tensor| self.is_output[tensor]) {
            let base = states[tensor].base;
            states[base].is_output_base = true;
        }
    }

    /// Results written over operands that are read for the last time, and tensors that are parts of another.
    fn share(&self, states: &mut [State]) {
        let graph = self.graph;
        let target = graph.operators[self.sweep.last].results[0];
        let kept_base = self.keeps_result.then_some(states[target].base);
        let is_split = !self.sweep.loops.is_empty();
        // An output that stays on chip is one whole storage; tiles are written into it, if none is computed again.
        let over = |tensor: usize| self.over.iter().find(|pair| pair.result == tensor);
        let stays = |tensor: usize| {
            (self.is_output[tensor]
                && is_split
                && !self.machine.is_staged
                && self.is_computed_once(tensor)
                && !over(tensor).is_some_and(|pair| pair.is_copied))
                || kept_base == Some(tensor)
        };
        for position in (0..self.sequence.len()).rev() {
            let data = &graph.operators[self.sequence[position]];
            if self.is_alias(self.sequence[position]) {
                continue;
            }
            for &tensor in &data.results {
                if states[tensor].root == Root::Unknown {
                    states[tensor].root =
                        if stays(tensor) { Root::Resident } else { Root::Of(tensor) };
                }
            }
            let result = data.results[0];
            // What it is made of cannot lie where a tensor from outside is still read.
            if over(result).is_some_and(|pair| !pair.is_copied) {
                continue;
            }
            let root = states[result].root;
            let level = self.levels[position].min(states[result].made_level.unwrap_or(usize::MAX));
            let is_sliced = self.is_sliced(result);
            let may_share = |state: &State| {
                state.root == Root::Unknown
                    && state.made_level == Some(level)
                    && (self.machine.is_staged || !state.is_output_base)
                    && !state.has_overlap
                    && state.last_use == self.turns[position]
            };
            // An output is stored right after it is made, which is one more use of it.
            let uses = |state: &State| state.uses + u32::from(state.is_output_base);
            let is_put_behind = self.is_put_behind_kept(result);
            for &k in self.parts(data).filter(|_| !is_put_behind) {
                let base = states[data.operands[k].0].base;
                // What was made before the group lies in a storage of its own size.
                let lies_elsewhere = self.external(base).is_some_and(|external| external.dies);
                // What is cut out of more is copied.
                let lies_elsewhere = lies_elsewhere || states[base].is_shown_in_part;
                if may_share(&states[base]) && uses(&states[base]) == 1 && !lies_elsewhere {
                    let part = data.operands[k].0;
                    let whole = &graph.tensors[result].shape;
                    let gaps = states[result].gaps.of_part(whole, &graph.tensors[part].shape);
                    if let Some(gaps) = self.gaps_of_base(states, part, gaps) {
                        states[base].root = root;
                        states[base].gaps = gaps;
                    }
                }
            }
            // As bufferization does: first what has few uses, which could not be elsewhere.
            let mut over: Vec<usize> = data.in_place.iter().map(|&k| data.operands[k].0).collect();
            over.sort_by_key(|&tensor| uses(&states[states[tensor].base]));
            // What is read as another view of it as well is not written over element by element.
            let is_read_otherwise = |base: usize| {
                let mut reads = data.operands.iter().map(|(tensor, _)| *tensor);
                let first = reads.find(|&tensor| states[tensor].base == base);
                reads.any(|tensor| states[tensor].base == base && Some(tensor) != first)
            };
            over.retain(|&tensor| !is_read_otherwise(states[tensor].base));
            for tensor in over {
                let base = states[tensor].base;
                if may_share(&states[base])
                    && self.is_sliced(base) == is_sliced
                    && !self.is_read_in_slices(base, position)
                    && graph.tensors[base].element_bytes == graph.tensors[result].element_bytes
                    && self.is_as_large(base, result)
                    && let Some(gaps) = self.gaps_of_base(states, tensor, states[result].gaps)
                {
                    states[base].root = root;
                    states[base].gaps = gaps;
                    break;
                }
            }
        }
    }

    /// The gaps between the rows of what a tensor is a view of, if it has these itself; none if it cannot lie so.
    fn gaps_of_base(&self, states: &[State], tensor: usize, gaps: Gaps) -> Option<Gaps> {
        let (mut tensor, mut gaps) = (tensor, gaps);
        while gaps != Gaps::default()
            && let Some(view) = states[tensor].shown_by
            && let (source, Access::Reshape(groups)) = &self.graph.operators[view].operands[0]
        {
            gaps = gaps.before(groups, &self.graph.tensors[tensor].shape)?;
            tensor = *source;
        }
        Some(gaps)
    }

    /// Whether two tensors have as many elements, all tiles taken together, those too in which one is made again: then no halo
    /// of one that is not kept is in the way of taking its room for the other.
    fn is_as_large(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.spans(one), self.spans(other)) else { return false };
        let level = level_of(one).max(level_of(other));
        let in_all = |spans| self.sweep.sum(spans) * self.sweep.repeats(spans, level);
        one == other || in_all(one) == in_all(other)
    }

    /// Whether no element of a tensor that the group makes is in two tiles.
    pub(super) fn is_computed_once(&self, tensor: usize) -> bool {
        let spans = self.spans(tensor).unwrap_or(&[]);
        let elements = self.graph.tensors[tensor].shape.iter().product::<i64>();
        self.sweep.sum(spans) * self.sweep.repeats(spans, level_of(spans)) == elements
    }

    /// The positions in which each storage is live.
    fn place(&self, storages: &mut Storages) {
        let graph = self.graph;
        for (position, &op) in self.sequence.iter().enumerate() {
            let data = &graph.operators[op];
            if self.is_alias(op) {
                continue;
            }
            for &tensor in &data.results {
                let state = storages.states[tensor];
                let (Some(level), Root::Of(root)) = (state.made_level, state.root) else {
                    continue;
                };
                let turn = self.turns[position];
                let (mut start, mut end) = (turn, turn);
                if self.levels[position] > level {
                    start = self.body_start[level + 1];
                    end = end.max(self.end_of(level));
                }
                if state.uses > 0 {
                    end = end.max(state.last_use);
                    if state.deepest > level {
                        end = end.max(self.end_of(level));
                    }
                }
                // A whole result of an unsplit group stays to its end.
                if state.is_output_base && !self.machine.is_staged && self.sweep.loops.is_empty() {
                    end = self.sequence.len().saturating_sub(1);
                }
                storages.add(tensor, root, start, end);
                if self.is_put_behind_kept(tensor) {
                    let source = storages.states[data.operands[0].0].base;
                    let of_source = storages.states[source];
                    let is_part = self.is_part_of_reshape(data.operands[0].0);
                    let is_last = of_source.uses == 1 && of_source.root == Root::Of(source);
                    // Its operand is made where it is padded, unless that is a part of more.
                    let number = of_source.storage.filter(|_| is_last && !is_part);
                    let number = number.unwrap_or(storages.storages.len());
                    let padded =
                        Member { storage: number, tensor, start: turn, end: turn, is_padded: true };
                    storages.add_to(number, padded);
                }
                // What is put together in another shape is whole rows, of which a tile is a part.
                if let [(source, Access::Reshape(_)), ..] = data.operands[..]
                    && !data.is_view
                {
                    storages.add(source, root, turn, turn);
                }
            }
        }
        for external in &self.externals {
            let tensor = external.tensor;
            let state = storages.states[tensor];
            if !self.has_room_in_tiles(external) || state.first_use == usize::MAX {
                continue;
            }
            let own = match state.root {
                Root::Unknown => tensor,
                Root::Of(root) => root,
                Root::Resident => continue,
            };
            let (start, end) = self.live_from_outside(external, &state);
            storages.add(tensor, own, start, end);
        }
    }
}
