//! The lattice of downsets: the sets of macros that can have run, each stored once.
//!
//! A schedule is a path through it, one macro at a time from the empty set to all of them.

use super::lists::Lists;
use super::reduce::Reduced;
use crate::random::Random;

/// Position of a downset in its [`Lattice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct DownsetIdx(pub u32);

impl DownsetIdx {
    /// As an array index.
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// All downsets met so far.
#[derive(Clone, Debug)]
pub(super) struct Lattice<'a> {
    pub reduced: &'a Reduced,
    /// Bit sets of the macros run, `words` each.
    bits: Vec<u64>,
    words: usize,
    /// Hash of each set: the exclusive or of the keys of its macros.
    hashes: Vec<u64>,
    keys: Vec<u64>,
    /// Open addressing; [`EMPTY`] is empty.
    table: Vec<u32>,
    /// Number of macros in each.
    depths: Vec<u32>,
    /// Macros that can run next, ascending.
    ready: Lists<u32>,
    /// Whether macros that can wait do.
    defers: bool,
}

const EMPTY: u32 = u32::MAX;

impl<'a> Lattice<'a> {
    /// Starts with the empty set. With `defers`, [`Self::ready`] leaves out macros that can wait.
    pub fn new(reduced: &'a Reduced, defers: bool) -> Self {
        let n = reduced.macros.len();
        // Keys that differ from run to run would make runs differ.
        let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
        let keys = (0..n).map(|_| random.next()).collect();
        let words = n.div_ceil(64).max(1);
        let mut lattice = Self {
            reduced,
            bits: vec![0; words],
            words,
            hashes: vec![0],
            keys,
            table: vec![EMPTY; 64],
            depths: vec![0],
            ready: Lists::default(),
            defers,
        };
        let steps = 0..n as u32;
        lattice.ready.set(0, steps.filter(|&s| reduced.macros[s as usize].predecessors.is_empty()));
        lattice.table[0] = 0;
        lattice
    }

    /// The empty set, where every search starts.
    pub const FIRST: DownsetIdx = DownsetIdx(0);

    /// Number of downsets met.
    pub const fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Bytes taken.
    pub const fn held(&self) -> usize {
        let each = (self.words + 1) * size_of::<u64>() + size_of::<u32>();
        self.len() * each + self.table.len() * size_of::<u32>() + self.ready.held()
    }

    /// Number of macros in a downset.
    pub fn depth(&self, index: DownsetIdx) -> u32 {
        self.depths[index.get()]
    }

    /// True if nothing is left to run.
    pub fn is_complete(&self, index: DownsetIdx) -> bool {
        self.depth(index) as usize == self.keys.len()
    }

    /// True if a macro has run.
    pub fn contains(&self, index: DownsetIdx, step: u32) -> bool {
        self.bits[index.get() * self.words + step as usize / 64] >> (step % 64) & 1 == 1
    }

    /// Macros to run next, ascending: all that can, less those that had better wait.
    pub fn ready(&self, index: DownsetIdx) -> impl Iterator<Item = u32> {
        let ready = self.ready.get(index.get()).iter().copied();
        ready.filter(move |&step| !self.defers || self.is_wanted(index, step))
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

    /// The downset with one more macro, which is ready, and whether it is new.
    pub fn with(&mut self, from: DownsetIdx, step: u32) -> (DownsetIdx, bool) {
        let hash = self.hashes[from.get()] ^ self.keys[step as usize];
        let start = from.get() * self.words;
        let (at, bit) = (step as usize / 64, 1u64 << (step % 64));
        let word = |i: usize| self.bits[start + i] | if i == at { bit } else { 0 };
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != EMPTY {
            let other = self.table[slot] as usize;
            if self.hashes[other] == hash
                && (0..self.words).all(|i| self.bits[other * self.words + i] == word(i))
            {
                return (DownsetIdx(other as u32), false);
            }
            slot = (slot + 1) & mask;
        }
        let index = DownsetIdx(self.len() as u32);
        self.table[slot] = index.0;
        self.bits.extend_from_within(start..start + self.words);
        self.bits[index.get() * self.words + at] |= bit;
        self.hashes.push(hash);
        self.depths.push(self.depth(from) + 1);
        let macros = &self.reduced.macros;
        let freed = macros[step as usize].successors.iter().copied().filter(|&next| {
            macros[next as usize].predecessors.iter().all(|&p| self.contains(index, p))
        });
        let mut ready: Vec<u32> = self
            .ready
            .get(from.get())
            .iter()
            .copied()
            .filter(|&s| s != step)
            .chain(freed)
            .collect();
        ready.sort_unstable();
        self.ready.set(index.get(), ready.into_iter());
        if self.len() * 2 > self.table.len() {
            self.grow();
        }
        (index, true)
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
}
