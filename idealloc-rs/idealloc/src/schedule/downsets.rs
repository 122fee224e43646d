//! Downsets: the sets of macros that can have run, each stored once, with all that depends on nothing else.
//!
//! A schedule is a path through the lattice of downsets. What is live at a downset, which macros are ready there, and
//! how the live tensors change over each of them is worked out once per downset, however many states share it.

use super::bit_set::BitSet;
use super::path::Step;
use super::reduce::Reduced;

/// Position of a downset in its [`Downsets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct DownsetIdx(pub u32);

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
    /// What it makes, as bits of the downset it leads to; empty until somebody goes there.
    pub made: BitSet<W>,
    /// The part of `made` that is clean from the start.
    pub made_clean: BitSet<W>,
    /// Number of tensors it makes.
    pub made_count: usize,
    /// Bytes of what it makes.
    pub made_bytes: u64,
    /// Whether all it makes is clean from the start.
    pub makes_clean: bool,
    /// Bytes the first operator needs besides its inputs.
    pub enter: u64,
    /// Bytes the later operators need.
    pub hill: u64,
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
    /// Bytes of what it makes.
    pub made_bytes: u64,
    /// Bytes the first operator needs besides its inputs.
    pub enter: u64,
    /// Bytes the later operators need.
    pub hill: u64,
}

/// One downset.
#[derive(Clone, Debug)]
pub(super) struct Downset<const W: usize> {
    /// Number of macros in it.
    pub depth: u32,
    /// Tensors with a reader still to run that are made or off chip; ascending items.
    pub live: Vec<u32>,
    /// Macros that can run next, ascending.
    ready: Vec<u32>,
    /// One per ready macro; empty until expanded.
    pub moves: Vec<Move<W>>,
    /// Macros that may have run last, descending; empty until they are looked for.
    pub lasts: Vec<LastStep<W>>,
    /// For each live tensor, the first live one of the same size and readers; empty until they are looked for.
    pub twin: Vec<u16>,
    is_expanded: bool,
    has_lasts: bool,
    has_twins: bool,
}

impl<const W: usize> Downset<W> {
    /// The step that a move from here is on a path, with what is evicted for it.
    pub fn step(&self, by: u32, evicted: BitSet<W>) -> Step {
        let by = &self.moves[by as usize];
        let item = |bit: u32| self.live[bit as usize];
        Step {
            step: by.step,
            evicted_before: evicted.minus(by.inputs).iter().map(item).collect(),
            evicted_inside: (evicted & by.inputs).iter().map(item).collect(),
        }
    }

    fn new(depth: u32, live: Vec<u32>, ready: Vec<u32>) -> Self {
        Self {
            depth,
            live,
            ready,
            moves: Vec::new(),
            lasts: Vec::new(),
            twin: Vec::new(),
            is_expanded: false,
            has_lasts: false,
            has_twins: false,
        }
    }
}

/// All downsets met so far.
#[derive(Clone, Debug)]
pub(super) struct Downsets<'a, const W: usize> {
    pub reduced: &'a Reduced,
    all: Vec<Downset<W>>,
    /// Bit sets of the macros run, `words` each.
    bits: Vec<u64>,
    words: usize,
    /// Hash of each set: the exclusive or of the keys of its macros.
    hashes: Vec<u64>,
    keys: Vec<u64>,
    /// Open addressing; `u32::MAX` is empty.
    table: Vec<u32>,
    /// Whether macros that can wait do.
    defers: bool,
    /// Bytes that downsets and their moves take, about.
    held: usize,
}

/// Bytes of downsets and moves that a search may hold: wide graphs have many moves per downset, and memory would end long
/// before the states that are allowed.
const MOST_HELD: usize = 4 << 30;

const EMPTY: u32 = u32::MAX;

impl<'a, const W: usize> Downsets<'a, W> {
    /// Starts with the downset of nothing.
    pub fn new(reduced: &'a Reduced, defers: bool) -> Result<Self, TooWide> {
        let n = reduced.macros.len();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let keys = (0..n).map(|_| split_mix(&mut state)).collect();
        let live: Vec<u32> = (0..reduced.items.len() as u32)
            .filter(|&item| reduced.items[item as usize].producer.is_none())
            .collect();
        if live.len() > BitSet::<W>::MOST {
            return Err(TooWide);
        }
        let ready = (0..n as u32)
            .filter(|&step| reduced.macros[step as usize].predecessors.is_empty())
            .collect();
        let words = n.div_ceil(64).max(1);
        let mut downsets = Self {
            reduced,
            all: vec![Downset::new(0, live, ready)],
            bits: vec![0; words],
            words,
            hashes: vec![0],
            keys,
            table: vec![EMPTY; 64],
            defers,
            held: 0,
        };
        downsets.table[0] = 0;
        Ok(downsets)
    }

    /// Where every search starts.
    pub const fn first(&self) -> DownsetIdx {
        DownsetIdx(0)
    }

    /// Number of downsets met.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// True if so many downsets and moves are stored that the search has to give up.
    pub const fn is_full(&self) -> bool {
        self.held > MOST_HELD
    }

    /// One downset.
    pub fn get(&self, index: DownsetIdx) -> &Downset<W> {
        &self.all[index.0 as usize]
    }

    /// True if nothing is left to run.
    pub fn is_complete(&self, index: DownsetIdx) -> bool {
        self.get(index).depth as usize == self.reduced.macros.len()
    }

    /// True if a macro has run.
    pub fn contains(&self, index: DownsetIdx, step: u32) -> bool {
        let word = self.bits[index.0 as usize * self.words + step as usize / 64];
        word >> (step % 64) & 1 == 1
    }

    /// Whether a ready macro need not wait: some reader of its results waits for nothing but such macros.
    ///
    /// Any schedule can delay a macro that can wait until right before its first reader: less is held in between,
    /// and there it fits, as it needs no more room than the reader.
    fn is_wanted(&self, index: DownsetIdx, step: u32) -> bool {
        let macros = &self.reduced.macros;
        !macros[step as usize].can_wait
            || macros[step as usize].successors.iter().any(|&next| {
                let mut needed = macros[next as usize].predecessors.iter();
                needed.all(|&p| macros[p as usize].can_wait || self.contains(index, p))
            })
    }

    /// Size in bytes of a live tensor.
    pub fn bytes(&self, index: DownsetIdx, bit: u32) -> u64 {
        let item = self.get(index).live[bit as usize];
        self.reduced.items[item as usize].bytes
    }

    /// Size in bytes of a set of live tensors.
    pub fn sum(&self, index: DownsetIdx, set: BitSet<W>) -> u64 {
        let live = &self.get(index).live;
        set.iter().map(|bit| self.reduced.items[live[bit as usize] as usize].bytes).sum()
    }

    /// Works out the moves of a downset, once.
    pub fn expand(&mut self, index: DownsetIdx) {
        if self.get(index).is_expanded {
            return;
        }
        let ready = self.get(index).ready.iter().copied();
        let moves: Vec<Move<W>> = ready
            .filter(|&step| !self.defers || self.is_wanted(index, step))
            .map(|step| self.make_move(index, step))
            .collect();
        self.held += size_of_val(moves.as_slice());
        let downset = &mut self.all[index.0 as usize];
        downset.moves = moves;
        downset.is_expanded = true;
    }

    /// Works out the last steps of a downset, once.
    pub fn look_for_lasts(&mut self, index: DownsetIdx) {
        if !self.get(index).has_lasts {
            self.all[index.0 as usize].lasts = self.find_lasts(index);
            self.all[index.0 as usize].has_lasts = true;
        }
    }

    /// Works out the twins of a downset, once.
    pub fn look_for_twins(&mut self, index: DownsetIdx) {
        if !self.get(index).has_twins {
            self.all[index.0 as usize].twin = self.find_twins(index);
            self.all[index.0 as usize].has_twins = true;
        }
    }

    /// Where a move leads.
    pub fn target(&mut self, from: DownsetIdx, index: usize) -> Result<DownsetIdx, TooWide> {
        let by = &self.get(from).moves[index];
        if let Some(to) = by.to {
            return Ok(to);
        }
        let (step, dying) = (by.step, by.dying);
        let to = self.intern(from, step, dying)?;
        let body = &self.reduced.macros[step as usize];
        let (mut made, mut made_clean) = (BitSet::EMPTY, BitSet::EMPTY);
        for item in &body.outputs {
            if let Ok(bit) = self.get(to).live.binary_search(item) {
                made.insert(bit as u32);
                if self.reduced.items[*item as usize].is_clean {
                    made_clean.insert(bit as u32);
                }
            }
        }
        let by = &mut self.all[from.0 as usize].moves[index];
        by.to = Some(to);
        by.made = made;
        by.made_clean = made_clean;
        Ok(to)
    }

    fn make_move(&self, from: DownsetIdx, step: u32) -> Move<W> {
        let reduced = self.reduced;
        let body = &reduced.macros[step as usize];
        let live = &self.get(from).live;
        let (mut inputs, mut dying) = (BitSet::EMPTY, BitSet::EMPTY);
        let (mut dying_bytes, mut smallest) = (0, u64::MAX);
        for (bit, &item) in live.iter().enumerate() {
            if body.inputs.binary_search(&item).is_err() {
                continue;
            }
            inputs.insert(bit as u32);
            let item = &reduced.items[item as usize];
            if item.consumers.iter().all(|&c| c == step || self.contains(from, c)) {
                dying.insert(bit as u32);
                dying_bytes += item.bytes;
                smallest = smallest.min(item.bytes);
            }
        }
        let made = body.outputs.iter().map(|&item| &reduced.items[item as usize]);
        Move {
            step,
            to: None,
            inputs,
            dying,
            dying_bytes,
            smallest_dying: smallest,
            made: BitSet::EMPTY,
            made_clean: BitSet::EMPTY,
            made_count: body.outputs.len(),
            made_bytes: made.clone().map(|item| item.bytes).sum(),
            makes_clean: made.clone().all(|item| item.is_clean),
            enter: body.enter,
            hill: body.hill,
        }
    }

    /// The downset with one more macro.
    fn intern(
        &mut self,
        from: DownsetIdx,
        step: u32,
        dying: BitSet<W>,
    ) -> Result<DownsetIdx, TooWide> {
        let hash = self.hashes[from.0 as usize] ^ self.keys[step as usize];
        let start = from.0 as usize * self.words;
        let (at, bit) = (step as usize / 64, 1u64 << (step % 64));
        let word = |i: usize| self.bits[start + i] | if i == at { bit } else { 0 };
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != EMPTY {
            let other = self.table[slot] as usize;
            if self.hashes[other] == hash
                && (0..self.words).all(|i| self.bits[other * self.words + i] == word(i))
            {
                return Ok(DownsetIdx(other as u32));
            }
            slot = (slot + 1) & mask;
        }
        let body = &self.reduced.macros[step as usize];
        let parent = self.get(from);
        let mut live: Vec<u32> = parent
            .live
            .iter()
            .enumerate()
            .filter(|&(bit, _)| !dying.contains(bit as u32))
            .map(|(_, &item)| item)
            .chain(body.outputs.iter().copied())
            .collect();
        live.sort_unstable();
        if live.len() > BitSet::<W>::MOST {
            return Err(TooWide);
        }
        let has_run = |other: u32| word(other as usize / 64) >> (other % 64) & 1 == 1;
        let mut ready: Vec<u32> = parent.ready.iter().copied().filter(|&s| s != step).collect();
        ready.extend(body.successors.iter().copied().filter(|&next| {
            self.reduced.macros[next as usize].predecessors.iter().all(|&p| has_run(p))
        }));
        ready.sort_unstable();
        let index = DownsetIdx(self.all.len() as u32);
        let depth = parent.depth + 1;
        let lists = 4 * (live.len() + ready.len()) + 8 * (self.words + 2);
        self.held += size_of::<Downset<W>>() + lists;
        self.all.push(Downset::new(depth, live, ready));
        self.bits.extend_from_within(start..start + self.words);
        self.bits[index.0 as usize * self.words + at] |= bit;
        self.hashes.push(hash);
        self.table[slot] = index.0;
        if self.all.len() * 2 > self.table.len() {
            self.grow();
        }
        Ok(index)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table = vec![EMPTY; size];
        for (index, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & (size - 1);
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = index as u32;
        }
    }

    fn find_lasts(&self, index: DownsetIdx) -> Vec<LastStep<W>> {
        let live = &self.get(index).live;
        let bit_of = |item: &u32| live.binary_search(item).ok();
        let mut steps: Vec<u32> = live
            .iter()
            .filter_map(|&item| self.reduced.items[item as usize].producer)
            .filter(|&step| {
                let body = &self.reduced.macros[step as usize];
                body.successors.iter().all(|&next| !self.contains(index, next))
            })
            .collect();
        steps.sort_unstable();
        steps.dedup();
        let lasts = steps.into_iter().rev().filter_map(|step| {
            let body = &self.reduced.macros[step as usize];
            let mut touched = BitSet::EMPTY;
            for item in body.inputs.iter().chain(&body.outputs) {
                touched.insert(bit_of(item)? as u32);
            }
            let made = body.outputs.iter().map(|&item| self.reduced.items[item as usize].bytes);
            Some(LastStep {
                step,
                touched,
                made_bytes: made.sum(),
                enter: body.enter,
                hill: body.hill,
            })
        });
        lasts.collect()
    }

    fn find_twins(&self, index: DownsetIdx) -> Vec<u16> {
        let live = &self.get(index).live;
        let open = |item: u32| -> Vec<u32> {
            let readers = &self.reduced.items[item as usize].consumers;
            readers.iter().copied().filter(|&c| !self.contains(index, c)).collect()
        };
        let keys: Vec<(u64, Vec<u32>)> = live
            .iter()
            .map(|&item| (self.reduced.items[item as usize].bytes, open(item)))
            .collect();
        (0..live.len())
            .map(|i| keys[..i].iter().position(|key| *key == keys[i]).unwrap_or(i) as u16)
            .collect()
    }
}

/// Steele, Lea and Flood's generator: keys that differ from run to run would make runs differ.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
