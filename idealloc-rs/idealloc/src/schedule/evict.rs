//! Which tensors to evict so that a macro fits: all inclusion-minimal choices, one of each kind.

use super::bit_set::BitSet;

/// A tensor that could be evicted.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    bit: u32,
    bytes: u64,
    when: When,
    /// Candidates of one kind are interchangeable. The second is whether evicting writes.
    kind: (u32, bool),
}

/// From when on the bytes of a tensor that is evicted are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    /// From the start of the macro.
    Early,
    /// Once its first operator has run, but a result of that may be written over it.
    Over,
    /// The same, but it comes back for that and leaves again.
    OverAgain,
    /// Once its first operator has run.
    Late,
}

impl Candidate {
    /// Bytes free for the first operator, which can write over no more than `room` bytes of what it reads.
    fn early_bytes(&self, room: u64) -> u64 {
        match self.when {
            When::Early => self.bytes,
            When::Over | When::OverAgain => self.bytes.min(room),
            When::Late => 0,
        }
    }

    /// Bytes moved by evicting it, the read that brings it back included.
    const fn cost(&self) -> u64 {
        let again = if matches!(self.when, When::OverAgain) { self.bytes } else { 0 };
        again + if self.kind.1 { 2 * self.bytes } else { self.bytes }
    }
}

/// What must be freed, and what may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need<const W: usize> {
    /// Bytes to free among `bystanders` and `overwritten` before the first operator.
    pub early_bytes: u64,
    /// Bytes to free among `bystanders` and `read` before the others.
    pub late_bytes: u64,
    /// Tensors on chip that the macro does not read.
    pub bystanders: BitSet<W>,
    /// Tensors that it reads and that are read again later.
    pub read: BitSet<W>,
    /// Those of `read` that the first operator may write over, and how many bytes of its results at most.
    pub overwritten: BitSet<W>,
    pub overwriting_bytes: u64,
    /// Those of `overwritten` that are moved once more for that.
    pub again: BitSet<W>,
    /// Of both, those without a copy off chip.
    pub dirty: BitSet<W>,
}

/// Lists choices; keeps its buffers between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Evictor<const W: usize> {
    candidates: Vec<Candidate>,
    /// Bytes of the candidates from each position on: all, and the early ones.
    rest: Vec<(u64, u64)>,
    chosen: Vec<usize>,
    choices: Vec<BitSet<W>>,
    /// Bytes to free: of all candidates, and of the early ones; and what may be written over.
    need: (u64, u64),
    room: u64,
    /// Choices after which a listing is cut.
    most: usize,
    /// Steps that a listing may still take.
    steps_left: u32,
    /// Whether a listing was cut: then choices are missing, the smallest tensors' among them.
    pub is_cut: bool,
    /// Most bytes that a choice may move, and the least that any choice moves that was left out for moving more.
    most_cost: u64,
    pub left_out: u64,
    /// Bytes moved for each byte that is freed, at least.
    price: u64,
}

/// Steps of one listing for each choice that it may have: many steps end without one.
const STEPS_PER_CHOICE: u32 = 16;

impl<const W: usize> Evictor<W> {
    /// Lists at most so many choices at a time.
    pub fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// All inclusion-minimal sets that free enough; none if there is no such set.
    ///
    /// With `merge_twins`, of sets that differ only in interchangeable tensors just the first: `twin` names for
    /// each bit the first bit with the same size and the same readers to come. Evicting more than needed is never
    /// better than evicting later, and costs the same then. Choices that move more than `most_cost` bytes are left out;
    /// [`Self::left_out`] bounds what they move. Exponential in the number of kinds at worst, so listings are cut; see
    /// [`Self::is_cut`].
    pub fn choices(
        &mut self,
        need: Need<W>,
        bytes_of: impl Fn(u32) -> u64,
        twin: &[u16],
        merge_twins: bool,
        most_cost: u64,
    ) -> &[BitSet<W>] {
        self.choices.clear();
        self.left_out = u64::MAX;
        self.most_cost = most_cost;
        if need.early_bytes == 0 && need.late_bytes == 0 {
            self.choices.push(BitSet::EMPTY);
            return &self.choices;
        }
        self.candidates.clear();
        let over = if need.early_bytes == 0 || need.overwriting_bytes == 0 {
            BitSet::EMPTY
        } else {
            need.overwritten
        };
        let late = if need.late_bytes == 0 { BitSet::EMPTY } else { need.read };
        for bit in (need.bystanders | over | late).iter() {
            let when = match (need.bystanders.contains(bit), over.contains(bit)) {
                (true, _) => When::Early,
                (false, true) if need.again.contains(bit) => When::OverAgain,
                (false, true) => When::Over,
                (false, false) => When::Late,
            };
            let is_dirty = need.dirty.contains(bit);
            self.candidates.push(Candidate {
                bit,
                bytes: bytes_of(bit),
                when,
                kind: (if merge_twins { u32::from(twin[bit as usize]) } else { bit }, is_dirty),
            });
        }
        self.candidates
            .sort_unstable_by_key(|c| (std::cmp::Reverse(c.bytes), c.kind, c.when, c.bit));
        self.price = if self.candidates.iter().all(|c| c.kind.1) { 2 } else { 1 };
        self.rest.clear();
        self.rest.push((0, 0));
        for c in self.candidates.iter().rev() {
            let (all, early) = self.rest[self.rest.len() - 1];
            self.rest.push((all + c.bytes, early + c.early_bytes(need.overwriting_bytes)));
        }
        self.rest.reverse();
        self.chosen.clear();
        self.need = (need.late_bytes, need.early_bytes);
        self.room = need.overwriting_bytes;
        self.steps_left = (self.most as u32).saturating_mul(STEPS_PER_CHOICE);
        self.extend(0, (need.late_bytes, need.early_bytes), self.room, 0);
        &self.choices
    }

    /// Lists the choices that extend the chosen by candidates from a position on.
    ///
    /// `late` and `early` are bytes still to be freed, `room` those that may still be written over something; `cost` is
    /// what the chosen move.
    fn extend(&mut self, from: usize, (late, early): (u64, u64), room: u64, cost: u64) {
        if self.choices.len() >= self.most || self.steps_left == 0 {
            self.is_cut = true;
            return;
        }
        self.steps_left -= 1;
        if cost > self.most_cost {
            self.left_out = self.left_out.min(cost);
            return;
        }
        if late == 0 && early == 0 {
            if self.is_minimal() {
                let mut set = BitSet::EMPTY;
                self.chosen.iter().for_each(|&i| set.insert(self.candidates[i].bit));
                self.choices.push(set);
            }
            return;
        }
        let least = cost + self.price * late.max(early);
        if least > self.most_cost {
            self.left_out = self.left_out.min(least);
            return;
        }
        let mut i = from;
        while i < self.candidates.len() {
            let (all_left, early_left) = self.rest[i];
            if all_left < late || early_left < early {
                return;
            }
            let c = self.candidates[i];
            let early_freed = c.early_bytes(room);
            if late > 0 || early_freed > 0 {
                self.chosen.push(i);
                let left = (late.saturating_sub(c.bytes), early.saturating_sub(early_freed));
                let is_over = matches!(c.when, When::Over | When::OverAgain);
                let room = if is_over { room - early_freed } else { room };
                self.extend(i + 1, left, room, cost + c.cost());
                self.chosen.pop();
            }
            // Leaving one out means leaving out all that are interchangeable with it.
            i += 1;
            while i < self.candidates.len() && {
                let next = self.candidates[i];
                next.kind == c.kind && next.bytes == c.bytes && next.when == c.when
            } {
                i += 1;
            }
        }
    }

    fn is_minimal(&self) -> bool {
        let (mut all, mut early, mut over) = (0, 0, 0);
        for &i in &self.chosen {
            let c = self.candidates[i];
            all += c.bytes;
            match c.when {
                When::Early => early += c.bytes,
                When::Over | When::OverAgain => over += c.bytes,
                When::Late => {}
            }
        }
        let (need_all, need_early) = self.need;
        self.chosen.iter().all(|&i| {
            let c = self.candidates[i];
            let early_without = match c.when {
                When::Early => early - c.bytes + over.min(self.room),
                When::Over | When::OverAgain => early + (over - c.bytes).min(self.room),
                When::Late => return all - c.bytes < need_all,
            };
            all - c.bytes < need_all || early_without < need_early
        })
    }
}
