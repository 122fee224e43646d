//! Which tensors to evict so that a macro fits: all inclusion-minimal choices, one of each kind.

use super::downsets::{Mask, bits};

/// A tensor that could be evicted.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    bit: u32,
    bytes: u64,
    /// Counts from the start of the macro; otherwise only once its first operator has run.
    is_early: bool,
    /// Candidates of one kind are interchangeable.
    kind: (u8, bool),
}

/// What must be freed, and what may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    /// Bytes to free among `bystanders` before the first operator.
    pub early_bytes: u64,
    /// Bytes to free among `bystanders` and `read` before the others.
    pub late_bytes: u64,
    /// Tensors on chip that the macro does not read.
    pub bystanders: Mask,
    /// Tensors that it reads and that are read again later.
    pub read: Mask,
    /// Of both, those without a copy off chip.
    pub dirty: Mask,
}

/// Lists choices; keeps its buffers between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Evictor {
    candidates: Vec<Candidate>,
    /// Bytes of the candidates from each position on: all, and the early ones.
    rest: Vec<(u64, u64)>,
    chosen: Vec<usize>,
    choices: Vec<Mask>,
    /// Bytes to free: of all candidates, and of the early ones.
    need: (u64, u64),
}

impl Evictor {
    /// All inclusion-minimal sets that free enough; none if there is no such set.
    ///
    /// With `merge_twins`, of sets that differ only in interchangeable tensors just the first: `twin` names for
    /// each bit the first bit with the same size and the same readers to come. Evicting more than needed is never
    /// better than evicting later, and costs the same then. Exponential in the number of kinds at worst.
    pub fn choices(
        &mut self,
        need: Need,
        bytes_of: impl Fn(u32) -> u64,
        twin: &[u8],
        merge_twins: bool,
    ) -> &[Mask] {
        self.choices.clear();
        if need.early_bytes == 0 && need.late_bytes == 0 {
            self.choices.push(0);
            return &self.choices;
        }
        self.candidates.clear();
        let late = if need.late_bytes == 0 { 0 } else { need.read };
        for bit in bits(need.bystanders | late) {
            let is_dirty = need.dirty >> bit & 1 == 1;
            self.candidates.push(Candidate {
                bit,
                bytes: bytes_of(bit),
                is_early: need.bystanders >> bit & 1 == 1,
                kind: (if merge_twins { twin[bit as usize] } else { bit as u8 }, is_dirty),
            });
        }
        self.candidates
            .sort_unstable_by_key(|c| (std::cmp::Reverse(c.bytes), c.kind, c.is_early, c.bit));
        self.rest.clear();
        self.rest.push((0, 0));
        for c in self.candidates.iter().rev() {
            let (all, early) = self.rest[self.rest.len() - 1];
            self.rest.push((all + c.bytes, early + if c.is_early { c.bytes } else { 0 }));
        }
        self.rest.reverse();
        self.chosen.clear();
        self.need = (need.late_bytes, need.early_bytes);
        self.extend(0, need.late_bytes, need.early_bytes);
        &self.choices
    }

    fn extend(&mut self, from: usize, late: u64, early: u64) {
        if late == 0 && early == 0 {
            if self.is_minimal() {
                let set =
                    self.chosen.iter().fold(0, |set, &i| set | 1u128 << self.candidates[i].bit);
                self.choices.push(set);
            }
            return;
        }
        let mut i = from;
        while i < self.candidates.len() {
            let (all_left, early_left) = self.rest[i];
            if all_left < late || early_left < early {
                return;
            }
            let c = self.candidates[i];
            if late > 0 || c.is_early {
                self.chosen.push(i);
                let early_freed = if c.is_early { c.bytes } else { 0 };
                self.extend(i + 1, late.saturating_sub(c.bytes), early.saturating_sub(early_freed));
                self.chosen.pop();
            }
            // Leaving one out means leaving out all that are interchangeable with it.
            i += 1;
            while i < self.candidates.len() && {
                let next = self.candidates[i];
                next.kind == c.kind && next.bytes == c.bytes && next.is_early == c.is_early
            } {
                i += 1;
            }
        }
    }

    fn is_minimal(&self) -> bool {
        let (mut all, mut early) = (0, 0);
        for &i in &self.chosen {
            let c = self.candidates[i];
            all += c.bytes;
            early += if c.is_early { c.bytes } else { 0 };
        }
        let (need_all, need_early) = self.need;
        self.chosen.iter().all(|&i| {
            let c = self.candidates[i];
            all - c.bytes < need_all || (c.is_early && early - c.bytes < need_early)
        })
    }
}
