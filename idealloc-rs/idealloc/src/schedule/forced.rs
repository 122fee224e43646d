//! Evictions that every schedule must make: a lower bound of the cost to come.
//!
//! A tensor that in every order is live across a macro which does not read it, and does not fit beside that macro, has
//! to be evicted there. If a reader of the tensor must run between two such macros, it has to be evicted twice. The
//! longest alternation macro < reader < macro < ... counts how often; the sum over tensors bounds the cost.

use super::bit_set::BitSet;
use super::downsets::Downsets;
use super::lattice::DownsetIdx;
use super::reduce::Reduced;
use super::step::State;

/// Where one tensor is forced out.
#[derive(Clone, Debug)]
struct Forced {
    item: u32,
    /// The forcing macros, latest first in some order of the graph, with how many evictions are forced from each on.
    at: Vec<(u32, u64)>,
    /// The readers that come before one of them, with how many evictions are forced after each.
    readers: Vec<(u32, u64)>,
}

/// The bound at one downset, as weights on what is on chip.
#[derive(Clone, Debug)]
struct Weights<const W: usize> {
    /// Cost of tensors that are not made yet.
    base: u64,
    /// Tensors on chip that will be forced out, with the cost.
    resident: Vec<(u32, u64)>,
    /// Live tensors off chip that will be read and forced out again, with the cost.
    absent: Vec<(u32, u64)>,
    /// Those of `resident` that cost their size more while dirty.
    on_chip: BitSet<W>,
}

/// The forced-eviction bound, worked out once per downset.
#[derive(Clone, Debug)]
pub(super) struct ForcedEvictions<const W: usize> {
    forced: Vec<Forced>,
    weights: Vec<Option<Weights<W>>>,
    /// Entries of all weights.
    entries: usize,
}

impl<const W: usize> ForcedEvictions<W> {
    /// Finds the forced evictions of a graph under a capacity. O(macros · (edges / 64 + tensors)).
    pub fn new(reduced: &Reduced, capacity: u64) -> Self {
        let need: Vec<u64> = reduced.macros.iter().map(|step| reduced.need(step)).collect();
        let largest = reduced.items.iter().map(|item| item.bytes).max().unwrap_or(0);
        let is_tight = |v: &u32| need[*v as usize] + largest > capacity;
        let mut forced = Vec::new();
        if !(0..need.len() as u32).any(|v| is_tight(&v)) {
            return Self { forced, weights: Vec::new(), entries: 0 };
        }
        let reach = Reach::new(reduced);
        // Only these can force anything out; latest first.
        let tight: Vec<u32> = reach.order.iter().rev().copied().filter(is_tight).collect();
        for (index, item) in reduced.items.iter().enumerate() {
            let is_forced_at = |v: u32| {
                item.bytes + need[v as usize] > capacity
                    && item.consumers.binary_search(&v).is_err()
                    && match item.producer {
                        Some(from) => reach.is_before(from, v),
                        None => item.consumers.iter().any(|&c| reach.is_before(c, v)),
                    }
                    && item.consumers.iter().any(|&c| reach.is_before(v, c))
            };
            let mut at: Vec<(u32, u64)> =
                tight.iter().copied().filter(|&v| is_forced_at(v)).map(|v| (v, 1)).collect();
            if at.is_empty() {
                continue;
            }
            let mut readers = Vec::new();
            for &c in &item.consumers {
                if at.iter().any(|&(v, _)| reach.is_before(c, v)) {
                    readers.push((c, 0));
                }
            }
            for i in 0..at.len() {
                let v = at[i].0;
                for &(c, _) in readers.iter().filter(|r: &&(u32, u64)| reach.is_before(v, r.0)) {
                    let later = at[..i].iter().filter(|l| reach.is_before(c, l.0));
                    let most = later.map(|l| l.1 + 1).max().unwrap_or(1);
                    at[i].1 = most.max(at[i].1);
                }
            }
            for (c, count) in &mut readers {
                let next = at.iter().filter(|v| reach.is_before(*c, v.0)).map(|v| v.1);
                *count = next.max().unwrap_or(0);
            }
            forced.push(Forced { item: index as u32, at, readers });
        }
        Self { forced, weights: Vec::new(), entries: 0 }
    }

    /// Bytes taken.
    pub const fn held(&self) -> usize {
        self.weights.len() * size_of::<Option<Weights<W>>>()
            + self.entries * size_of::<(u32, u64)>()
    }

    /// Bytes that every way from a state to the end must still move.
    pub fn bound(&mut self, downsets: &Downsets<'_, W>, state: State<W>) -> u64 {
        if self.forced.is_empty() {
            return 0;
        }
        let index = state.downset.0 as usize;
        if index >= self.weights.len() {
            self.weights.resize(index + 1, None);
        }
        if self.weights[index].is_none() {
            let weights = self.weigh(downsets, state.downset);
            self.entries += weights.resident.len() + weights.absent.len();
            self.weights[index] = Some(weights);
        }
        let Some(weights) = &self.weights[index] else { return 0 };
        let mut bound = weights.base;
        for &(bit, cost) in &weights.resident {
            bound += if state.resident.contains(bit) { cost } else { 0 };
        }
        for &(bit, cost) in &weights.absent {
            bound += if state.resident.contains(bit) { 0 } else { cost };
        }
        let dirty = (weights.on_chip & state.dirty).iter();
        bound + dirty.map(|bit| downsets.bytes(state.downset, bit)).sum::<u64>()
    }

    fn weigh(&self, downsets: &Downsets<'_, W>, at: DownsetIdx) -> Weights<W> {
        let mut weights =
            Weights { base: 0, resident: Vec::new(), absent: Vec::new(), on_chip: BitSet::EMPTY };
        let live = downsets.live(at);
        for forced in &self.forced {
            let item = &downsets.reduced().items[forced.item as usize];
            let most = |list: &[(u32, u64)]| {
                let open = list.iter().filter(|(step, _)| !downsets.lattice.contains(at, *step));
                open.map(|&(_, count)| count).max().unwrap_or(0)
            };
            let (stays, comes_back) = (most(&forced.at), most(&forced.readers));
            match live.binary_search(&forced.item) {
                Ok(bit) => {
                    let bit = bit as u32;
                    if stays > 0 {
                        weights.resident.push((bit, stays * item.bytes));
                        weights.on_chip.insert(bit);
                    }
                    if comes_back > 0 {
                        weights.absent.push((bit, comes_back * item.bytes));
                    }
                }
                Err(_)
                    if item.producer.is_some_and(|from| !downsets.lattice.contains(at, from)) =>
                {
                    let write = if item.is_clean || stays == 0 { 0 } else { 1 };
                    weights.base += (stays + write) * item.bytes;
                }
                Err(_) => {}
            }
        }
        weights
    }
}

/// Which macro comes before which in every order.
struct Reach {
    /// One order of the graph.
    order: Vec<u32>,
    /// For each macro the set of those it comes after, `words` each.
    before: Vec<u64>,
    words: usize,
}

impl Reach {
    fn new(reduced: &Reduced) -> Self {
        let n = reduced.macros.len();
        let order = reduced.topological_order();
        let words = n.div_ceil(64);
        let mut before = vec![0u64; words * n];
        let mut set = vec![0u64; words];
        for &step in &order {
            let step = step as usize;
            set.fill(0);
            for &p in &reduced.macros[step].predecessors {
                for (word, other) in set.iter_mut().zip(&before[p as usize * words..]) {
                    *word |= other;
                }
                set[p as usize / 64] |= 1 << (p % 64);
            }
            before[step * words..(step + 1) * words].copy_from_slice(&set);
        }
        Self { order, before, words }
    }

    fn is_before(&self, first: u32, then: u32) -> bool {
        self.before[then as usize * self.words + first as usize / 64] >> (first % 64) & 1 == 1
    }
}
