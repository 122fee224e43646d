//! Which buffers to try next (section 5.1): of a phase, the one with the longest lifetime, the largest, and the one with
//! the largest product of both.

use super::model::Model;
use crate::random::Random;

/// The three orders.
pub const ORDERS: usize = 3;

/// The unplaced buffers of each phase in three orders, as linked lists: taking a buffer out and putting it back in the
/// reverse order takes constant time.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// Number of phases.
    pub phases: usize,
    /// Phase of each buffer.
    pub phase_of: Vec<u32>,
    /// For each order, the next of each buffer, then of each phase's anchor.
    next: [Vec<u32>; ORDERS],
    previous: [Vec<u32>; ORDERS],
}

impl Candidates {
    /// Sorts the buffers of each phase; `noise` changes every key by up to so many percent.
    ///
    /// Ties: lifetime by size, size by lifetime, then by index. Complexity: `O(n log n)`.
    #[must_use]
    pub fn new(model: &Model, phase_of: &[u32], noise: Option<(&mut Random, u64)>) -> Self {
        let n = model.n;
        let phases = phase_of.iter().max().map_or(0, |&last| last as usize + 1);
        let blank = || vec![0; n + phases];
        let mut candidates = Self {
            phases,
            phase_of: phase_of.to_vec(),
            next: [blank(), blank(), blank()],
            previous: [blank(), blank(), blank()],
        };
        let mut noise = noise;
        let mut order: Vec<(u32, i128, i128, u32)> = Vec::with_capacity(n);
        for kind in 0..ORDERS {
            order.clear();
            for (i, &phase) in phase_of.iter().enumerate() {
                let (life, size) = (i128::from(model.lifetimes[i]), i128::from(model.heights[i]));
                let (key, tie) = [(life, size), (size, life), (life * size, 0)][kind];
                let factor = match &mut noise {
                    Some((random, percent)) => {
                        1000 - 10 * *percent + random.below(20 * *percent + 1)
                    }
                    None => 1000,
                };
                order.push((phase, -key * i128::from(factor), -tie, i as u32));
            }
            order.sort_unstable();
            candidates.link(kind, &order);
        }
        candidates
    }

    fn link(&mut self, kind: usize, order: &[(u32, i128, i128, u32)]) {
        let n = self.phase_of.len();
        let (next, previous) = (&mut self.next[kind], &mut self.previous[kind]);
        for phase in 0..self.phases {
            let anchor = n + phase;
            (next[anchor], previous[anchor]) = (anchor as u32, anchor as u32);
        }
        for &(phase, _, _, i) in order {
            let anchor = n + phase as usize;
            let last = previous[anchor];
            (previous[i as usize], next[i as usize]) = (last, anchor as u32);
            next[last as usize] = i;
            previous[anchor] = i;
        }
    }

    /// Takes a buffer out: it is placed.
    pub fn take(&mut self, buffer: usize) {
        for kind in 0..ORDERS {
            let (next, previous) = (self.next[kind][buffer], self.previous[kind][buffer]);
            self.next[kind][previous as usize] = next;
            self.previous[kind][next as usize] = previous;
        }
    }

    /// Puts back the buffer that was taken out last.
    pub fn put_back(&mut self, buffer: usize) {
        for kind in 0..ORDERS {
            let (next, previous) = (self.next[kind][buffer], self.previous[kind][buffer]);
            self.next[kind][previous as usize] = buffer as u32;
            self.previous[kind][next as usize] = buffer as u32;
        }
    }

    /// The first unplaced buffer of a phase in one order that is not excluded.
    pub fn first(&self, phase: usize, kind: usize, excluded: impl Fn(u32) -> bool) -> Option<u32> {
        let n = self.phase_of.len() as u32;
        let mut i = self.next[kind][n as usize + phase];
        while i < n {
            if !excluded(i) {
                return Some(i);
            }
            i = self.next[kind][i as usize];
        }
        None
    }
}
