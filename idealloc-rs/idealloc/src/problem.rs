//! What is to be planned: buffers, how they conflict, and the memory they go to.

use crate::check::check;
use crate::error::Error;
use crate::index::BufferIdx;
use crate::lifetime::Lifetime;

/// The largest size, offset or capacity, in bytes.
pub const MAX_BYTES: u64 = i64::MAX as u64;

/// One memory that buffers can be put into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Name for messages, e.g. `L1`.
    pub name: String,
    /// Bytes that fit; `None` if there is no limit.
    pub capacity: Option<u64>,
    /// Address of offset 0, in bytes. Alignment holds for addresses, not for offsets.
    pub base_address: u64,
}

impl Default for Pool {
    fn default() -> Self {
        Self { name: "memory".to_owned(), capacity: None, base_address: 0 }
    }
}

/// Which buffers must not share bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Conflicts {
    /// Two buffers conflict when their lifetimes (less their gaps) overlap.
    #[default]
    Lifetimes,
    /// As `Lifetimes`, and these pairs as well. Sorted, `a < b`, no pair twice.
    LifetimesAnd(Vec<(BufferIdx, BufferIdx)>),
    /// Just these pairs; lifetimes only guide heuristics. Sorted, `a < b`, no pair twice.
    Pairs(Vec<(BufferIdx, BufferIdx)>),
}

/// Offset assignment, in structure-of-arrays form. Made and checked by [`ProblemBuilder`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    pub(crate) sizes: Vec<u64>,
    pub(crate) lifetimes: Vec<Lifetime>,
    pub(crate) alignments: Option<Vec<u64>>,
    pub(crate) fixed: Vec<(BufferIdx, u64)>,
    pub(crate) gaps: Vec<(BufferIdx, Lifetime)>,
    pub(crate) conflicts: Conflicts,
    pub(crate) pools: Vec<Pool>,
    pub(crate) candidates: Vec<(BufferIdx, u32)>,
}

impl Problem {
    /// Starts an empty problem.
    #[must_use]
    pub fn builder() -> ProblemBuilder {
        ProblemBuilder::default()
    }

    /// Number of buffers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// True if there is no buffer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Sizes in bytes, one per buffer.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Lifetimes, one per buffer.
    #[must_use]
    pub fn lifetimes(&self) -> &[Lifetime] {
        &self.lifetimes
    }

    /// Alignments in bytes, one per buffer; `None` if all are 1.
    #[must_use]
    pub fn alignments(&self) -> Option<&[u64]> {
        self.alignments.as_deref()
    }

    /// Alignment of one buffer in bytes.
    #[must_use]
    pub fn alignment(&self, buffer: BufferIdx) -> u64 {
        self.alignments.as_ref().map_or(1, |all| all[buffer.get()])
    }

    /// Buffers whose offset is given, with it; by ascending buffer.
    #[must_use]
    pub fn fixed(&self) -> &[(BufferIdx, u64)] {
        &self.fixed
    }

    /// Times within a lifetime at which the buffer is idle; by buffer, then start; disjoint.
    #[must_use]
    pub fn gaps(&self) -> &[(BufferIdx, Lifetime)] {
        &self.gaps
    }

    /// Which buffers must not share bytes.
    #[must_use]
    pub fn conflicts(&self) -> &Conflicts {
        &self.conflicts
    }

    /// The memories, at least one; the first is where buffers without candidates go.
    #[must_use]
    pub fn pools(&self) -> &[Pool] {
        &self.pools
    }

    /// Pools a buffer may go to, in order of preference; by ascending buffer.
    #[must_use]
    pub fn candidates(&self) -> &[(BufferIdx, u32)] {
        &self.candidates
    }

    /// Capacity of the first pool in bytes.
    #[must_use]
    pub fn capacity(&self) -> Option<u64> {
        self.pools[0].capacity
    }

    /// Base address of the first pool.
    #[must_use]
    pub fn base_address(&self) -> u64 {
        self.pools[0].base_address
    }
}

/// Collects a problem and checks it as a whole.
#[derive(Clone, Debug, Default)]
pub struct ProblemBuilder {
    problem: Problem,
}

impl ProblemBuilder {
    /// Adds a buffer of `size` bytes, live in `[start, end)`, alignment 1.
    pub fn buffer(&mut self, size: u64, start: i64, end: i64) -> BufferIdx {
        let index = BufferIdx::from(self.problem.sizes.len());
        self.problem.sizes.push(size);
        self.problem.lifetimes.push(Lifetime::new(start, end));
        if let Some(all) = &mut self.problem.alignments {
            all.push(1);
        }
        index
    }

    /// Replaces the buffers by whole arrays of equal length.
    pub fn arrays(
        &mut self,
        sizes: Vec<u64>,
        lifetimes: Vec<Lifetime>,
        alignments: Option<Vec<u64>>,
    ) -> &mut Self {
        self.problem.sizes = sizes;
        self.problem.lifetimes = lifetimes;
        self.problem.alignments = alignments;
        self
    }

    /// Sets the alignment of a buffer, in bytes; any positive integer.
    pub fn align(&mut self, buffer: BufferIdx, alignment: u64) -> &mut Self {
        let n = self.problem.sizes.len();
        self.problem.alignments.get_or_insert_with(|| vec![1; n])[buffer.get()] = alignment;
        self
    }

    /// Fixes the offset of a buffer, in bytes.
    pub fn fix(&mut self, buffer: BufferIdx, offset: u64) -> &mut Self {
        self.problem.fixed.push((buffer, offset));
        self
    }

    /// Says that a buffer is idle in `[start, end)`: others may use its bytes then.
    pub fn gap(&mut self, buffer: BufferIdx, start: i64, end: i64) -> &mut Self {
        self.problem.gaps.push((buffer, Lifetime::new(start, end)));
        self
    }

    /// Sets the conflict relation; pairs in any order.
    pub fn conflicts(&mut self, conflicts: Conflicts) -> &mut Self {
        self.problem.conflicts = conflicts;
        self
    }

    /// Sets capacity and base address of the only memory, in bytes.
    pub fn memory(&mut self, capacity: Option<u64>, base_address: u64) -> &mut Self {
        self.problem.pools = vec![Pool { capacity, base_address, ..Pool::default() }];
        self
    }

    /// Sets several memories.
    pub fn pools(&mut self, pools: Vec<Pool>) -> &mut Self {
        self.problem.pools = pools;
        self
    }

    /// Adds a pool to the candidates of a buffer; the first call is the most preferred.
    pub fn candidate(&mut self, buffer: BufferIdx, pool: u32) -> &mut Self {
        self.problem.candidates.push((buffer, pool));
        self
    }

    /// Checks everything and returns the problem.
    ///
    /// # Errors
    /// [`Error::InvalidProblem`] naming the buffer and what is wrong with it.
    pub fn build(mut self) -> Result<Problem, Error> {
        let p = &mut self.problem;
        let n = p.sizes.len();
        if u32::try_from(n).is_err() {
            return Err(Error::problem("more than 2^32 - 1 buffers"));
        }
        if p.lifetimes.len() != n || p.alignments.as_ref().is_some_and(|a| a.len() != n) {
            return Err(Error::problem("sizes, lifetimes and alignments differ in length"));
        }
        if p.pools.is_empty() {
            p.pools.push(Pool::default());
        }
        check_buffers(p)?;
        check_fixed(p)?;
        check_gaps(p)?;
        match &mut p.conflicts {
            Conflicts::Lifetimes => {}
            Conflicts::LifetimesAnd(pairs) | Conflicts::Pairs(pairs) => normalise(pairs, n)?,
        }
        p.candidates.sort_by_key(|&(buffer, _)| buffer);
        let pools = p.pools.len();
        for &(buffer, pool) in &p.candidates {
            if buffer.get() >= n || pool as usize >= pools {
                return Err(Error::problem(format!(
                    "pool {pool} as a candidate of buffer {}: there are {n} buffers, {pools} pools",
                    buffer.get()
                )));
            }
        }
        check_fixed_apart(p)?;
        for pool in &p.pools {
            if pool.capacity.is_some_and(|c| c > MAX_BYTES) || pool.base_address > MAX_BYTES {
                return Err(Error::problem(format!(
                    "capacity or base address of {} is above 2^63 - 1",
                    pool.name
                )));
            }
        }
        Ok(self.problem)
    }
}

fn check_buffers(p: &mut Problem) -> Result<(), Error> {
    let mut total: u128 = 0;
    for (i, (&size, life)) in p.sizes.iter().zip(&p.lifetimes).enumerate() {
        if life.end < life.start {
            return Err(Error::buffer(
                i,
                format!("ends at {} before it starts at {}", life.end, life.start),
            ));
        }
        if size > MAX_BYTES {
            return Err(Error::buffer(i, format!("size {size} is above 2^63 - 1")));
        }
        let alignment = p.alignments.as_ref().map_or(1, |a| a[i]);
        if alignment == 0 || alignment > MAX_BYTES {
            return Err(Error::buffer(
                i,
                format!("alignment {alignment} is not in 1 ..= 2^63 - 1"),
            ));
        }
        total += padded(p, i);
    }
    if total > u128::from(MAX_BYTES) {
        check_stacks(p)?;
    }
    if p.alignments.as_ref().is_some_and(|all| all.iter().all(|&a| a == 1)) {
        p.alignments = None;
    }
    Ok(())
}

/// What a buffer may take with what its alignment wastes. One of no bytes may be anywhere.
fn padded(p: &Problem, i: usize) -> u128 {
    match p.sizes[i] {
        0 => 0,
        size => u128::from(size) + u128::from(p.alignment(BufferIdx::from(i)) - 1),
    }
}

/// A planner may stack all that lifetimes join, directly or through others: its padded sum must be addressable.
///
/// Conflicts beyond lifetimes and fixed offsets can join anything, so that then everything counts as joined.
fn check_stacks(p: &Problem) -> Result<(), Error> {
    let apart = p.conflicts == Conflicts::Lifetimes && p.fixed.is_empty();
    let mut order: Vec<usize> = (0..p.sizes.len()).collect();
    order.sort_by_key(|&i| (p.lifetimes[i].start, i));
    let (mut sum, mut end) = (0_u128, i64::MIN);
    for i in order {
        let life = p.lifetimes[i];
        if apart && life.start >= end {
            sum = 0;
        }
        sum += padded(p, i);
        end = end.max(life.end);
        if sum > u128::from(MAX_BYTES) {
            let reason = "the sizes that are live with it, directly or through others, and what their alignments may waste, add up to more than 2^63 - 1 bytes";
            return Err(Error::buffer(i, reason));
        }
    }
    Ok(())
}

fn check_fixed(p: &mut Problem) -> Result<(), Error> {
    p.fixed.sort_unstable();
    for pair in p.fixed.windows(2) {
        if pair[0].0 == pair[1].0 {
            return Err(Error::buffer(pair[0].0.get(), "its offset is fixed twice"));
        }
    }
    for &(buffer, offset) in &p.fixed {
        if buffer.get() >= p.sizes.len() {
            return Err(Error::problem(format!(
                "the offset of buffer {} is fixed, but there are {} buffers",
                buffer.get(),
                p.sizes.len()
            )));
        }
        let end = offset.checked_add(p.sizes[buffer.get()]);
        if end.is_none_or(|end| end > MAX_BYTES) {
            return Err(Error::buffer(buffer.get(), "its fixed offset ends above 2^63 - 1"));
        }
        let base = p.base_address();
        let alignment = p.alignment(buffer);
        let aligned = base.checked_add(offset).is_some_and(|address| address % alignment == 0);
        // Buffers of no bytes get in nobody's way, wherever they are.
        if p.sizes[buffer.get()] > 0 && !aligned {
            return Err(Error::buffer(
                buffer.get(),
                format!(
                    "fixed offset {offset} at base address {base} is not aligned to {alignment}"
                ),
            ));
        }
    }
    Ok(())
}

/// Fixed buffers that conflict do not share bytes. With several pools that depends on the plan.
fn check_fixed_apart(p: &Problem) -> Result<(), Error> {
    if p.fixed.len() < 2 || p.pools.len() > 1 {
        return Ok(());
    }
    // Buffers of no bytes get in nobody's way, so what is left to check are the fixed ones.
    let mut only_fixed =
        Problem { sizes: vec![0; p.len()], pools: vec![Pool::default()], ..p.clone() };
    only_fixed.pools[0].base_address = p.base_address();
    let mut offsets = vec![0; p.len()];
    for &(buffer, offset) in &p.fixed {
        only_fixed.sizes[buffer.get()] = p.sizes[buffer.get()];
        offsets[buffer.get()] = offset;
    }
    check(&only_fixed, &offsets, &[]).map(|_| ()).map_err(|error| match error {
        Error::InvalidPlan { buffers, reason } => {
            Error::InvalidProblem { buffers, reason: format!("{reason}: their offsets are fixed") }
        }
        other => other,
    })
}

fn check_gaps(p: &mut Problem) -> Result<(), Error> {
    p.gaps.sort_unstable();
    for &(buffer, gap) in &p.gaps {
        let life = *p.lifetimes.get(buffer.get()).ok_or_else(|| {
            let reason = format!("a gap in buffer {}, which does not exist", buffer.get());
            Error::problem(reason)
        })?;
        if gap.start >= gap.end || gap.start < life.start || gap.end > life.end {
            return Err(Error::buffer(
                buffer.get(),
                format!("gap [{}, {}) is empty or outside its lifetime", gap.start, gap.end),
            ));
        }
    }
    for pair in p.gaps.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1.end > pair[1].1.start {
            return Err(Error::buffer(pair[0].0.get(), "its gaps overlap"));
        }
    }
    Ok(())
}

fn normalise(pairs: &mut Vec<(BufferIdx, BufferIdx)>, n: usize) -> Result<(), Error> {
    for (a, b) in pairs.iter_mut() {
        if a.get() >= n || b.get() >= n || a == b {
            let (a, b) = (a.get(), b.get());
            let reason = format!("buffers {a} and {b} of {n} cannot conflict");
            return Err(Error::problem(reason));
        }
        if a > b {
            std::mem::swap(a, b);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(())
}
