//! From one state to the next: run a ready macro, evicting what has to go.
//!
//! A state is what is on chip, and which of it has no copy off chip, at a downset. Its cost is prepaid: evicting a
//! tensor costs its write, unless it is clean, and the read that brings it back; loading costs nothing then. The
//! first load of a graph input and the write of a graph output are compulsory and cost nothing.

use super::bit_set::BitSet;
use super::downsets::{Downsets, LastStep, Move, TooWide};
use super::evict::{Evictor, Need};
use super::lattice::{DownsetIdx, Lattice};
use super::options::Reductions;
use super::reduce::{Macro, Reduced};

/// What is on chip at a downset, and what it cost to get there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State<const W: usize> {
    /// Which macros have run.
    pub downset: DownsetIdx,
    /// Tensors on chip.
    pub resident: BitSet<W>,
    /// Those of them without a copy off chip.
    pub dirty: BitSet<W>,
    /// Bytes of `resident`.
    pub bytes: u64,
    /// Bytes moved so far, reads to come of evicted tensors included.
    pub cost: u64,
}

/// A state with how it was reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child<const W: usize> {
    pub state: State<W>,
    /// Position of the move at the parent's downset.
    pub by: u32,
    /// What was evicted, as bits of the parent's downset.
    pub evicted: BitSet<W>,
}

/// Makes the children of states under a capacity.
#[derive(Clone, Debug)]
pub(super) struct Stepper<'a, const W: usize> {
    pub downsets: Downsets<'a, W>,
    pub capacity: u64,
    reductions: Reductions,
    evictor: Evictor<W>,
}

impl<'a, const W: usize> Stepper<'a, W> {
    /// With at most `most_choices` sets of tensors to evict for one macro.
    pub fn new(
        downsets: Downsets<'a, W>,
        capacity: u64,
        reductions: Reductions,
        most_choices: usize,
    ) -> Self {
        Self { downsets, capacity, reductions, evictor: Evictor::new(most_choices) }
    }

    /// Whether children were left out since this was asked last, as there were too many.
    pub const fn take_is_cut(&mut self) -> bool {
        std::mem::replace(&mut self.evictor.is_cut, false)
    }

    /// The macro of a move.
    fn body(&self, by: &Move<W>) -> &'a Macro {
        &self.downsets.reduced().macros[by.step as usize]
    }

    /// Where every schedule starts: nothing on chip.
    pub const fn first() -> State<W> {
        State {
            downset: Lattice::FIRST,
            resident: BitSet::EMPTY,
            dirty: BitSet::EMPTY,
            bytes: 0,
            cost: 0,
        }
    }

    /// Fills `children` with all states one macro further that a best schedule may need.
    ///
    /// Those that cost more than `most_cost` gives for their downset are left out. Returns the least of what they cost
    /// beyond that, `u64::MAX` if there are none.
    pub fn children(
        &mut self,
        state: State<W>,
        mut most_cost: impl FnMut(&Downsets<'a, W>, DownsetIdx) -> u64,
        children: &mut Vec<Child<W>>,
    ) -> Result<u64, TooWide> {
        children.clear();
        let mut excess = u64::MAX;
        self.downsets.expand(state.downset);
        let n = self.downsets.moves(state.downset).len();
        if self.reductions.free_move {
            let free = (0..n).find(|&i| self.is_free(state, i));
            if let Some(i) = free {
                let to = self.downsets.target(state.downset, i)?;
                let by = &self.downsets.moves(state.downset)[i];
                let made_bytes = self.body(by).made_bytes;
                let next = after(by, made_bytes, to, state, state.resident);
                children.push(Child { state: next, by: i as u32, evicted: BitSet::EMPTY });
                return Ok(excess);
            }
        }
        for i in 0..n {
            let to = self.downsets.target(state.downset, i)?;
            let most = most_cost(&self.downsets, to);
            let least = match most.checked_sub(state.cost) {
                Some(more) => state.cost.saturating_add(self.run(state, i, to, more, children)),
                None => state.cost,
            };
            if least < u64::MAX {
                excess = excess.min(least.saturating_sub(most).max(1));
            }
        }
        Ok(excess)
    }

    /// A move that can be taken at once without loss.
    ///
    /// All it reads is on chip, it fits without eviction, and afterwards no more is held than at any later time had
    /// it waited: what it makes is no larger than any one tensor that dies, so it can stand in for that tensor while
    /// it is on chip, and where all of them are evicted, evicting the result instead costs no more.
    fn is_free(&self, state: State<W>, by: usize) -> bool {
        let by = &self.downsets.moves(state.downset)[by];
        let body = self.body(by);
        if !by.inputs.is_subset(&state.resident)
            || state.bytes + body.enter - by.saved_bytes > self.capacity
            || state.bytes - by.dying_bytes + body.hill > self.capacity
        {
            return false;
        }
        match body.outputs.len() {
            0 => true,
            1 => {
                body.made_bytes <= by.smallest_dying
                    && !by.dying.is_empty()
                    && (!(state.dirty & by.dying).is_empty()
                        || by.dying_bytes >= 2 * body.made_bytes
                        || body.makes_clean)
            }
            _ => false,
        }
    }

    /// Runs one macro with all choices that move no more than `most` bytes; returns the least that others move.
    fn run(
        &mut self,
        state: State<W>,
        index: usize,
        to: DownsetIdx,
        most: u64,
        children: &mut Vec<Child<W>>,
    ) -> u64 {
        let by = &self.downsets.moves(state.downset)[index];
        let body = self.body(by);
        let resident = state.resident | by.inputs;
        let loaded = self.downsets.sum(state.downset, by.inputs.minus(state.resident));
        let bytes = state.bytes + loaded;
        let (mut saved, mut overwritten, mut again) =
            (by.saved_bytes, by.overwritten, BitSet::EMPTY);
        let mut late_bytes = (bytes - by.dying_bytes + body.hill).saturating_sub(self.capacity);
        if body.reloads {
            let put = (overwritten & by.dying).minus(state.resident);
            saved = self.downsets.sum(state.downset, put).min(body.overwriting_bytes);
            overwritten = overwritten.minus(put);
            again = (overwritten & state.resident).minus(by.dying);
            // There is no later operator, and what is freed for this one is enough.
            late_bytes = 0;
        }
        let need = Need {
            early_bytes: (bytes + body.enter - saved).saturating_sub(self.capacity),
            late_bytes,
            bystanders: state.resident.minus(by.inputs),
            read: by.inputs.minus(by.dying),
            overwritten,
            again,
            overwriting_bytes: body.overwriting_bytes - saved,
            dirty: state.dirty,
        };
        if need.early_bytes > 0 || need.late_bytes > 0 {
            self.downsets.look_for_twins(state.downset);
        }
        let by = &self.downsets.moves(state.downset)[index];
        let (live, twins) = (self.downsets.live(state.downset), self.downsets.twins(state.downset));
        let items = &self.downsets.reduced().items;
        let bytes_of = |bit: u32| items[live[bit as usize] as usize].bytes;
        let choices =
            self.evictor.choices(need, bytes_of, twins, self.reductions.merge_twins, most);
        for &evicted in choices {
            let (mut freed, mut cost) = (0, 0);
            for bit in evicted.iter() {
                let size = bytes_of(bit);
                freed += if by.dying.contains(bit) { 0 } else { size };
                cost += if state.dirty.contains(bit) { 2 * size } else { size };
                cost += if again.contains(bit) { size } else { 0 };
            }
            let before = State { bytes: bytes - freed, cost: state.cost + cost, ..state };
            let next = after(by, body.made_bytes, to, before, resident.minus(evicted));
            children.push(Child { state: next, by: index as u32, evicted });
        }
        if self.reductions.canonical_last {
            let step = by.step;
            self.downsets.look_for_lasts(to);
            let lasts = self.downsets.lasts(to);
            let (reduced, capacity) = (self.downsets.reduced(), self.capacity);
            children.retain(|child| {
                child.by != index as u32
                    || last_of(reduced, lasts, child.state, capacity).is_none_or(|l| l == step)
            });
        }
        self.evictor.left_out
    }
}

/// The macro that is taken to have run last: of those that could have, the one with the highest index.
///
/// Whatever order led here, that macro could have waited until now: nobody has read what it made, all it read is
/// still on chip, and it fits now. Macros that make nothing are left out: as free moves they run at once.
fn last_of<const W: usize>(
    reduced: &Reduced,
    lasts: &[LastStep<W>],
    state: State<W>,
    capacity: u64,
) -> Option<u32> {
    let fits = lasts.iter().find(|last| {
        let body = &reduced.macros[last.step as usize];
        last.touched.is_subset(&state.resident)
            && state.bytes - body.made_bytes + body.enter.max(body.hill) <= capacity
    });
    fits.map(|last| last.step)
}

/// The state after a macro; `state.bytes` counts `resident`, what is loaded for it included.
fn after<const W: usize>(
    by: &Move<W>,
    made_bytes: u64,
    to: DownsetIdx,
    state: State<W>,
    resident: BitSet<W>,
) -> State<W> {
    State {
        downset: to,
        resident: by.carry(resident) | by.made,
        dirty: by.carry(state.dirty & resident) | by.made.minus(by.made_clean),
        bytes: state.bytes - by.dying_bytes + made_bytes,
        cost: state.cost,
    }
}
