//! What an order moves, by a replacement rule: the quick estimate that local search compares orders by.
//!
//! Belady's rule (1966) evicts what is read last. Here tensors have sizes and prices, too: the one leaves first that
//! keeps most room free for the price of a byte, that is the distance to the next use, twice as far for a tensor whose
//! copy off chip saves the write. What turns out to have left in vain stays.

use super::reduce::Reduced;

/// Plays orders of macros under a capacity in bytes; keeps its buffers between them.
#[derive(Clone, Debug)]
pub(super) struct Replay<'a> {
    reduced: &'a Reduced,
    capacity: u64,
    /// By macro: its place in the order.
    position: Vec<u32>,
    /// By item.
    is_clean: Vec<bool>,
    is_resident: Vec<bool>,
    /// Readers still to run.
    left: Vec<u32>,
    /// Items on chip.
    resident: Vec<u32>,
    held: u64,
    moved: u64,
    leaving: Vec<(u32, u64)>,
}

impl<'a> Replay<'a> {
    pub fn new(reduced: &'a Reduced, capacity: u64) -> Self {
        let items = reduced.items.len();
        Self {
            reduced,
            capacity,
            position: vec![0; reduced.macros.len()],
            is_clean: vec![false; items],
            is_resident: vec![false; items],
            left: vec![0; items],
            resident: Vec::new(),
            held: 0,
            moved: 0,
            leaving: Vec::new(),
        }
    }

    /// Bytes moved in an order of all macros; `None` if that is more than `most`. O(macros · live tensors) at worst.
    pub fn moved(&mut self, order: &[u32], most: u64) -> Option<u64> {
        for (at, &step) in order.iter().enumerate() {
            self.position[step as usize] = at as u32;
        }
        for (i, item) in self.reduced.items.iter().enumerate() {
            self.is_clean[i] = item.is_clean;
            self.left[i] = item.consumers.len() as u32;
        }
        self.is_resident.fill(false);
        self.resident.clear();
        (self.held, self.moved) = (0, 0);
        for (at, &step) in order.iter().enumerate() {
            self.run(step, at as u32);
            if self.moved > most {
                return None;
            }
        }
        Some(self.moved)
    }

    fn run(&mut self, step: u32, at: u32) {
        let reduced = self.reduced;
        let body = &reduced.macros[step as usize];
        let (mut dying, mut gone) = (0, 0);
        for &item in &body.inputs {
            let i = item as usize;
            let is_loaded = !self.is_resident[i];
            if is_loaded {
                self.is_resident[i] = true;
                self.resident.push(item);
                self.held += reduced.items[i].bytes;
            }
            self.left[i] -= 1;
            if self.left[i] == 0 {
                dying += reduced.items[i].bytes;
                let is_room = body.overwritten.contains(&item) && (is_loaded || !body.reloads);
                gone += if is_room { reduced.items[i].bytes } else { 0 };
            }
        }
        let saved = gone.min(body.overwriting_bytes);
        let most = self.capacity + saved;
        self.evict((self.held + body.enter).saturating_sub(most), at, &body.inputs);
        if self.held + body.enter > most && !body.overwritten.is_empty() {
            // What it reads leaves, too, to be written over.
            let inputs = body.inputs.iter().copied();
            let kept: Vec<u32> = inputs.filter(|i| !body.overwritten.contains(i)).collect();
            self.evict(self.held + body.enter - most, at, &kept);
        }
        self.evict((self.held - dying + body.hill).saturating_sub(self.capacity), at, &[]);
        let (left, is_resident) = (&self.left, &mut self.is_resident);
        self.resident.retain(|&item| {
            is_resident[item as usize] = left[item as usize] > 0;
            left[item as usize] > 0
        });
        self.held -= dying;
        for &item in &body.outputs {
            self.is_resident[item as usize] = true;
            self.resident.push(item);
            self.held += reduced.items[item as usize].bytes;
        }
    }

    /// Frees so many bytes, if there is enough that may leave: all but `kept` and what nobody reads any more.
    fn evict(&mut self, excess: u64, at: u32, kept: &[u32]) {
        let reduced = self.reduced;
        let mut freed = 0;
        self.leaving.clear();
        while freed < excess {
            let mut best: Option<(u64, u64, usize)> = None;
            for (i, &item) in self.resident.iter().enumerate() {
                if self.left[item as usize] == 0 || kept.contains(&item) {
                    continue;
                }
                let far = self.next_use(item, at) - u64::from(at);
                let weight = if self.is_clean[item as usize] { 2 * far } else { far };
                let bytes = reduced.items[item as usize].bytes;
                if best.is_none_or(|(w, b, _)| (weight, bytes) > (w, b)) {
                    best = Some((weight, bytes, i));
                }
            }
            let Some((_, bytes, i)) = best else { break };
            freed += bytes;
            self.leaving.push((self.resident.swap_remove(i), bytes));
        }
        for i in 0..self.leaving.len() {
            let (item, bytes) = self.leaving[i];
            if freed - excess.min(freed) >= bytes {
                freed -= bytes;
                self.resident.push(item);
                continue;
            }
            let clean = &mut self.is_clean[item as usize];
            self.moved += if *clean { bytes } else { 2 * bytes };
            *clean = true;
            self.is_resident[item as usize] = false;
            self.held -= bytes;
        }
    }

    /// Place in the order of the next macro after `at` that reads a tensor.
    fn next_use(&self, item: u32, at: u32) -> u64 {
        let readers = self.reduced.items[item as usize].consumers.iter();
        let later = readers.map(|&c| self.position[c as usize]).filter(|&p| p > at);
        later.min().map_or(u64::from(at), u64::from)
    }
}
