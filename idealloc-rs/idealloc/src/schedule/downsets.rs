//! What depends on a downset alone, however many states share it: what is live there, which macros are ready, and how
//! the live tensors change over each of them. Worked out once per downset, when somebody asks.

use super::bit_set::BitSet;
use super::lattice::{DownsetIdx, Lattice};
use super::lists::Lists;
use super::path::Step;
use super::reduce::Reduced;

/// More tensors are live at once than a set of so many words can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooWide;

/// One macro that is ready at a downset, and what running it does to the live tensors.
#[derive(Clone, Debug)]
pub(super) struct Move<const W: usize> {
    /// The macro.
    pub step: u32,
    /// Where it leads; `None` until somebody goes there.
    to: Option<DownsetIdx>,
    /// What it reads.
    pub inputs: BitSet<W>,
    /// What it reads last.
    pub dying: BitSet<W>,
    /// Bytes of `dying`.
    pub dying_bytes: u64,
    /// Size of the smallest of `dying`; `u64::MAX` if there is none.
    pub smallest_dying: u64,
    /// Bytes that results find in `dying`, as they may be written over it; 0 if it has to be loaded for that.
    pub saved_bytes: u64,
    /// What else it may write over, if that leaves the chip, or is loaded.
    pub overwritten: BitSet<W>,
    /// What it makes, as bits of the downset it leads to; empty until somebody goes there.
    pub made: BitSet<W>,
    /// The part of `made` that is clean from the start.
    pub made_clean: BitSet<W>,
}

impl<const W: usize> Move<W> {
    /// Carries a set over the move: what dies is dropped, the rest gets its bits at the new downset.
    pub fn carry(&self, set: BitSet<W>) -> BitSet<W> {
        set.minus(self.dying).renumber(self.dying, self.made)
    }
}

/// A macro that may have been the last to run on the way to a downset.
#[derive(Clone, Debug)]
pub(super) struct LastStep<const W: usize> {
    /// The macro.
    pub step: u32,
    /// All it reads and makes, all live.
    pub touched: BitSet<W>,
}

/// All downsets met so far, with what depends on them.
#[derive(Clone, Debug)]
pub(super) struct Downsets<'a, const W: usize> {
    pub lattice: Lattice<'a>,
    /// Size of each tensor: those of `Reduced` lie farther apart.
    item_bytes: Vec<u64>,
    /// Tensors with a reader still to run that are made or off chip; ascending items.
    live: Lists<u32>,
    /// One per macro to run next.
    moves: Lists<Move<W>>,
    /// Macros that may have run last, descending.
    lasts: Lists<LastStep<W>>,
    /// For each live tensor, the first live one of the same size and readers.
    twins: Lists<u16>,
}

impl<'a, const W: usize> Downsets<'a, W> {
    /// Starts with the empty set; `defers` as for [`Lattice::new`].
    pub fn new(reduced: &'a Reduced, defers: bool) -> Result<Self, TooWide> {
        let items = reduced.items.iter().enumerate();
        let sources: Vec<u32> =
            items.filter(|(_, item)| item.producer.is_none()).map(|(i, _)| i as u32).collect();
        if sources.len() > BitSet::<W>::MOST {
            return Err(TooWide);
        }
        let mut live = Lists::default();
        live.set(Lattice::FIRST.get(), sources.into_iter());
        Ok(Self {
            lattice: Lattice::new(reduced, defers),
            item_bytes: reduced.items.iter().map(|item| item.bytes).collect(),
            live,
            moves: Lists::default(),
            lasts: Lists::default(),
            twins: Lists::default(),
        })
    }

    /// The graph.
    pub const fn reduced(&self) -> &'a Reduced {
        self.lattice.reduced
    }

    /// Bytes taken.
    pub const fn held(&self) -> usize {
        self.lattice.held()
            + self.live.held()
            + self.moves.held()
            + self.lasts.held()
            + self.twins.held()
    }

    /// Tensors with a reader still to run that are made or off chip; ascending items.
    pub fn live(&self, at: DownsetIdx) -> &[u32] {
        self.live.get(at.get())
    }

    /// One per macro to run next; empty until [`Self::expand`].
    pub fn moves(&self, at: DownsetIdx) -> &[Move<W>] {
        self.moves.get(at.get())
    }

    /// Macros that may have run last, descending; empty until [`Self::look_for_lasts`].
    pub fn lasts(&self, at: DownsetIdx) -> &[LastStep<W>] {
        self.lasts.get(at.get())
    }

    /// For each live tensor, the first live one of the same size and readers; empty until [`Self::look_for_twins`].
    pub fn twins(&self, at: DownsetIdx) -> &[u16] {
        self.twins.get(at.get())
    }

    /// Sizes in bytes of the live tensors, by bit; for many look-ups at one downset.
    pub fn sizes(&self, at: DownsetIdx) -> impl Fn(u32) -> u64 {
        let live = self.live(at);
        move |bit| self.item_bytes[live[bit as usize] as usize]
    }

    /// Size in bytes of a tensor.
    pub fn item_bytes(&self, item: u32) -> u64 {
        self.item_bytes[item as usize]
    }

    /// Size in bytes of a live tensor.
    pub fn bytes(&self, at: DownsetIdx, bit: u32) -> u64 {
        self.item_bytes[self.live(at)[bit as usize] as usize]
    }

    /// Size in bytes of a set of live tensors.
    pub fn sum(&self, at: DownsetIdx, set: BitSet<W>) -> u64 {
        set.iter().map(self.sizes(at)).sum()
    }

    /// The step that a move from a downset is on a path, with what is evicted for it of what is on chip.
    pub fn step(&self, at: DownsetIdx, by: u32, evicted: BitSet<W>, resident: BitSet<W>) -> Step {
        let by = &self.moves(at)[by as usize];
        // What is loaded again leaves before.
        let reloads = self.reduced().macros[by.step as usize].reloads;
        let again = if reloads { evicted & by.inputs & resident } else { BitSet::EMPTY };
        let live = self.live(at);
        let item = |bit: u32| live[bit as usize];
        Step {
            step: by.step,
            evicted_before: (evicted.minus(by.inputs) | again).iter().map(item).collect(),
            evicted_inside: (evicted & by.inputs).minus(by.dying).iter().map(item).collect(),
        }
    }

    /// Works out the moves of a downset, once.
    pub fn expand(&mut self, at: DownsetIdx) {
        if !self.moves.has(at.get()) {
            let (lattice, live) = (&self.lattice, self.live.get(at.get()));
            let moves = lattice.ready(at).map(|step| make_move(lattice, live, at, step));
            self.moves.set(at.get(), moves);
        }
    }

    /// Works out the last steps of a downset, once.
    pub fn look_for_lasts(&mut self, at: DownsetIdx) {
        if !self.lasts.has(at.get()) {
            let lasts = find_lasts(&self.lattice, self.live.get(at.get()), at);
            self.lasts.set(at.get(), lasts.into_iter());
        }
    }

    /// Works out the twins of a downset, once.
    pub fn look_for_twins(&mut self, at: DownsetIdx) {
        if !self.twins.has(at.get()) {
            let twins = find_twins(&self.lattice, self.live.get(at.get()), at);
            self.twins.set(at.get(), twins.into_iter());
        }
    }

    /// Where a move leads.
    pub fn target(&mut self, from: DownsetIdx, index: usize) -> Result<DownsetIdx, TooWide> {
        let by = &self.moves(from)[index];
        if let Some(to) = by.to {
            return Ok(to);
        }
        let (step, dying) = (by.step, by.dying);
        let (to, is_new) = self.lattice.with(from, step);
        let body = &self.reduced().macros[step as usize];
        if is_new {
            let before = self.live(from).iter().zip(0..);
            let kept = before.filter(|&(_, bit)| !dying.contains(bit)).map(|(&item, _)| item);
            let mut live: Vec<u32> = kept.chain(body.outputs.iter().copied()).collect();
            if live.len() > BitSet::<W>::MOST {
                return Err(TooWide);
            }
            live.sort_unstable();
            self.live.set(to.get(), live.into_iter());
        }
        let (mut made, mut made_clean) = (BitSet::EMPTY, BitSet::EMPTY);
        let live = self.live(to);
        for item in &body.outputs {
            if let Ok(bit) = live.binary_search(item) {
                made.insert(bit as u32);
                if self.reduced().items[*item as usize].is_clean {
                    made_clean.insert(bit as u32);
                }
            }
        }
        let by = self.moves.item_mut(from.get(), index);
        (by.to, by.made, by.made_clean) = (Some(to), made, made_clean);
        Ok(to)
    }
}

fn make_move<const W: usize>(
    lattice: &Lattice<'_>,
    live: &[u32],
    from: DownsetIdx,
    step: u32,
) -> Move<W> {
    let reduced = lattice.reduced;
    let (mut inputs, mut dying) = (BitSet::EMPTY, BitSet::EMPTY);
    let (mut dying_bytes, mut smallest_dying) = (0, u64::MAX);
    let (mut overwritten, mut gone) = (BitSet::EMPTY, 0);
    let body = &reduced.macros[step as usize];
    for number in &body.inputs {
        let Ok(bit) = live.binary_search(number) else { continue };
        inputs.insert(bit as u32);
        let item = &reduced.items[*number as usize];
        let is_overwritten = body.overwritten.binary_search(number).is_ok();
        if item.consumers.iter().all(|&c| c == step || lattice.contains(from, c)) {
            dying.insert(bit as u32);
            dying_bytes += item.bytes;
            smallest_dying = smallest_dying.min(item.bytes);
            gone += if is_overwritten && !body.reloads { item.bytes } else { 0 };
            if is_overwritten && body.reloads {
                overwritten.insert(bit as u32);
            }
        } else if is_overwritten {
            overwritten.insert(bit as u32);
        }
    }
    let saved_bytes = gone.min(body.overwriting_bytes);
    Move {
        step,
        to: None,
        inputs,
        dying,
        dying_bytes,
        smallest_dying,
        saved_bytes,
        overwritten,
        made: BitSet::EMPTY,
        made_clean: BitSet::EMPTY,
    }
}

fn find_lasts<const W: usize>(
    lattice: &Lattice<'_>,
    live: &[u32],
    at: DownsetIdx,
) -> Vec<LastStep<W>> {
    let reduced = lattice.reduced;
    let mut steps: Vec<u32> = live
        .iter()
        .filter_map(|&item| reduced.items[item as usize].producer)
        .filter(|&step| {
            let successors = &reduced.macros[step as usize].successors;
            successors.iter().all(|&next| !lattice.contains(at, next))
        })
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let lasts = steps.into_iter().rev().filter_map(|step| {
        let body = &reduced.macros[step as usize];
        let mut touched = BitSet::EMPTY;
        for item in body.inputs.iter().chain(&body.outputs) {
            touched.insert(live.binary_search(item).ok()? as u32);
        }
        Some(LastStep { step, touched })
    });
    lasts.collect()
}

fn find_twins(lattice: &Lattice<'_>, live: &[u32], at: DownsetIdx) -> Vec<u16> {
    let items = &lattice.reduced.items;
    let are_alike = |&a: &u32, &b: &u32| {
        let readers = |item: u32| {
            let all = items[item as usize].consumers.iter().copied();
            all.filter(|&c| !lattice.contains(at, c))
        };
        let is_overwritten = |item: u32, reader: u32| {
            lattice.reduced.macros[reader as usize].overwritten.binary_search(&item).is_ok()
        };
        items[a as usize].bytes == items[b as usize].bytes
            && readers(a).eq(readers(b))
            && readers(a).all(|reader| is_overwritten(a, reader) == is_overwritten(b, reader))
    };
    (0..live.len())
        .map(|i| live[..i].iter().position(|a| are_alike(a, &live[i])).unwrap_or(i) as u16)
        .collect()
}
