//! Which buffers to try next (section 5.1): of a phase, the one with the longest lifetime, the largest, and the one with
//! the largest product of both.

use super::bounds::Bounds;
use super::model::Model;
use super::settings::{Key, Order};
use crate::random::Random;

/// Keys whose order does not change in a search.
const ORDERS: usize = 3;

/// The keys that the paper takes candidates by, in its order.
const KEYS: [Key; ORDERS] = [Key::Lifetime, Key::Size, Key::Area];

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
    /// All buffers by the last of the orders, phase by phase.
    ranked: Vec<u32>,
}

impl Candidates {
    /// Sorts the buffers of each phase; `noise` changes every key by up to so many percent, and `factors` are those of
    /// buffers, in percent. By position, all is one phase.
    ///
    /// Ties: lifetime by size, size by lifetime, then by index. Complexity: `O(n log n)`.
    #[must_use]
    pub fn new(
        model: &Model,
        phase_of: &[u32],
        by: Order,
        noise: Option<(&mut Random, u64)>,
        factors: &[u64],
    ) -> Self {
        let n = model.n;
        let one = by == Order::One(Key::Position);
        let phase_of = if one { vec![0; n] } else { phase_of.to_vec() };
        let phases = phase_of.iter().max().map_or(0, |&last| last as usize + 1);
        let blank = || vec![0; n + phases];
        let mut candidates = Self {
            phases,
            phase_of,
            next: [blank(), blank(), blank()],
            previous: [blank(), blank(), blank()],
            ranked: Vec::new(),
        };
        let mut noise = noise;
        let mut order: Vec<(u32, i128, i128, u32)> = Vec::with_capacity(n);
        for kind in 0..ORDERS {
            order.clear();
            for (i, &phase) in candidates.phase_of.iter().enumerate() {
                let (life, size) = (i128::from(model.lifetimes[i]), i128::from(model.heights[i]));
                let (key, tie) = [(life, size), (size, life), (life * size, 0)][kind];
                let weight = i128::from(factors.get(i).copied().unwrap_or(100));
                let factor = match &mut noise {
                    Some((random, percent)) => {
                        1000 - 10 * *percent + random.below(20 * *percent + 1)
                    }
                    None => 1000,
                };
                order.push((phase, -key * i128::from(factor) * weight, -tie, i as u32));
            }
            order.sort_unstable();
            candidates.link(kind, &order);
        }
        candidates.ranked = order.iter().map(|&(.., i)| i).collect();
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

    /// The keys that candidates are taken by.
    #[must_use]
    pub const fn keys(order: Order) -> &'static [Key] {
        match order {
            Order::Paper => &KEYS,
            Order::One(Key::Lifetime) => &[Key::Lifetime],
            Order::One(Key::Size) => &[Key::Size],
            Order::One(Key::Area) => &[Key::Area],
            Order::One(Key::Position) => &[Key::Position],
        }
    }

    /// The first unplaced buffer of a phase by a key whose order does not change that is not excluded.
    ///
    /// Complexity: what is excluded.
    pub fn first(&self, phase: usize, key: Key, excluded: impl Fn(u32) -> bool) -> Option<u32> {
        let n = self.phase_of.len();
        let next = match key {
            Key::Lifetime => &self.next[0],
            Key::Size => &self.next[1],
            Key::Area | Key::Position => &self.next[2],
        };
        let real = move |&i: &u32| (i as usize) < n;
        std::iter::successors(Some(next[n + phase]).filter(real), move |&i| {
            Some(next[i as usize]).filter(real)
        })
        .find(|&i| !excluded(i))
    }

    /// The unplaced buffers whose lowest valid positions are lowest, `most` of those that are not excluded, in order; of
    /// equal ones the one with the largest product first.
    ///
    /// Complexity: the buffers, times `most` at worst.
    pub fn lowest(
        &self,
        bounds: &Bounds<'_>,
        most: usize,
        excluded: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let open = bounds.open();
        let mut found: Vec<(i64, u32)> = Vec::new();
        let mut worst = if most == 0 { i64::MIN } else { i64::MAX };
        for &i in &self.ranked {
            let low = open[i as usize];
            if low < worst && !excluded(i) {
                found.truncate(most - 1);
                found.insert(found.partition_point(|&(other, _)| other <= low), (low, i));
                if found.len() == most {
                    worst = found[most - 1].0;
                }
            }
        }
        found.into_iter().map(|(_, i)| i).collect()
    }
}
