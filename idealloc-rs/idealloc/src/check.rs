//! The independent checker: a plain sweep over time. It shares the problem with planners, and no code: its order comes from
//! the standard library, and nobody else uses its [set of ranks](crate::rank_set).

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::index::BufferIdx;
use crate::lifetime::Lifetime;
use crate::problem::{Conflicts, MAX_BYTES, Problem};
use crate::rank_set::RankSet;

/// What a plan without a defect takes, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked {
    /// Max of offset + size; the sum of that over several pools.
    pub peak: u64,
    /// Max over ticks of the bytes live; 0 where pairs alone say what conflicts.
    pub load: u64,
}

/// Checks offsets (and pools, empty for one pool) against every rule of the problem and returns the peak in bytes.
///
/// Complexity: `O(n log n)` for lifetimes, plus `O(pairs)`.
///
/// # Errors
/// [`Error::InvalidPlan`] naming the two buffers or the rule.
pub fn check(problem: &Problem, offsets: &[u64], pools: &[u32]) -> Result<u64, Error> {
    check_rules(problem, offsets, pools, true).map(|checked| checked.peak)
}

/// As [`check`], but what ends above the capacity of its pool is no error.
pub(crate) fn check_uncapped(
    problem: &Problem,
    offsets: &[u64],
    pools: &[u32],
) -> Result<Checked, Error> {
    check_rules(problem, offsets, pools, false)
}

fn check_rules(
    problem: &Problem,
    offsets: &[u64],
    pools: &[u32],
    capped: bool,
) -> Result<Checked, Error> {
    let n = problem.len();
    let wrong = |i: usize, reason: String| Err(Error::plan(&[i], reason));
    if offsets.len() != n || !(pools.is_empty() || pools.len() == n) {
        return Err(Error::plan(&[], format!("{} offsets for {n} buffers", offsets.len())));
    }
    let pool_of = |i: usize| if pools.is_empty() { 0 } else { pools[i] as usize };
    let mut peaks = vec![0_u64; problem.pools.len()];
    for i in 0..n {
        let Some(pool) = problem.pools.get(pool_of(i)) else {
            return wrong(i, "is in a pool that does not exist".to_owned());
        };
        let end = offsets[i].checked_add(problem.sizes[i]).filter(|&e| e <= MAX_BYTES);
        let Some(end) = end else {
            return wrong(i, "ends above 2^63 - 1".to_owned());
        };
        if capped && problem.sizes[i] > 0 && pool.capacity.is_some_and(|capacity| end > capacity) {
            return wrong(i, format!("ends at {end}, above the capacity of {}", pool.name));
        }
        let alignment = problem.alignment(BufferIdx::from(i));
        if alignment > 1
            && problem.sizes[i] > 0
            && (u128::from(pool.base_address) + u128::from(offsets[i])) % u128::from(alignment) != 0
        {
            return wrong(i, format!("at offset {} is not aligned to {alignment}", offsets[i]));
        }
        if problem.sizes[i] > 0 {
            let peak = &mut peaks[pool_of(i)];
            *peak = (*peak).max(end);
        }
    }
    for &(buffer, offset) in &problem.fixed {
        if offsets[buffer.get()] != offset {
            let is = offsets[buffer.get()];
            return wrong(buffer.get(), format!("is fixed at {offset} but is at {is}"));
        }
    }
    check_candidates(problem, pools)?;
    let share = |a: usize, b: usize| {
        pool_of(a) == pool_of(b)
            && problem.sizes[a] > 0
            && problem.sizes[b] > 0
            && offsets[a] < offsets[b] + problem.sizes[b]
            && offsets[b] < offsets[a] + problem.sizes[a]
    };
    let load = match &problem.conflicts {
        Conflicts::Lifetimes => sweep(problem, offsets, &pool_of)?,
        Conflicts::LifetimesAnd(pairs) => {
            check_pairs(pairs, &share)?;
            sweep(problem, offsets, &pool_of)?
        }
        Conflicts::Pairs(pairs) => {
            check_pairs(pairs, &share)?;
            0
        }
    };
    Ok(Checked { peak: peaks.iter().sum(), load })
}

fn check_candidates(problem: &Problem, pools: &[u32]) -> Result<(), Error> {
    if pools.is_empty() {
        return Ok(());
    }
    let mut allowed: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for &(buffer, pool) in &problem.candidates {
        allowed.entry(buffer.get()).or_default().insert(pool);
    }
    for (buffer, set) in allowed {
        if !set.contains(&pools[buffer]) {
            return Err(Error::plan(&[buffer], "is in a pool that it may not use"));
        }
    }
    Ok(())
}

fn check_pairs(
    pairs: &[(BufferIdx, BufferIdx)],
    share: &dyn Fn(usize, usize) -> bool,
) -> Result<(), Error> {
    for &(a, b) in pairs {
        if share(a.get(), b.get()) {
            return Err(overlap(a.get(), b.get()));
        }
    }
    Ok(())
}

fn overlap(a: usize, b: usize) -> Error {
    Error::plan(&[a.min(b), a.max(b)], "conflict and share bytes")
}

/// Where a buffer lies.
#[derive(Clone, Copy)]
struct Range {
    start: u64,
    end: u64,
}

/// Sweeps time with the live address ranges in order of address: a new range meets only its two neighbours.
///
/// Returns the load: max over ticks of the bytes live.
fn sweep(
    problem: &Problem,
    offsets: &[u64],
    pool_of: &dyn Fn(usize) -> usize,
) -> Result<u64, Error> {
    let mut by_address: Vec<(u64, u32)> = (0..).zip(offsets).map(|(i, &at)| (at, i)).collect();
    by_address.sort_unstable();
    if problem.pools.len() > 1 {
        by_address.sort_by_key(|&(_, buffer)| pool_of(buffer as usize));
    }
    let mut ranks = vec![0_u32; problem.len()];
    for (rank, &(_, buffer)) in (0..).zip(&by_address) {
        ranks[buffer as usize] = rank;
    }
    let mut starting: Vec<(i64, u32)> = Vec::with_capacity(problem.len());
    for_each_piece(problem, |life, buffer| starting.push((life.start, ranks[buffer])));
    starting.sort_unstable();
    let mut ending: Vec<(i64, u32)> = Vec::with_capacity(starting.len());
    for_each_piece(problem, |life, buffer| ending.push((life.end, ranks[buffer])));
    ending.sort_unstable();
    let ranges: Vec<Range> = by_address
        .iter()
        .map(|&(start, buffer)| Range { start, end: start + problem.sizes[buffer as usize] })
        .collect();
    let buffer_at = |rank: usize| by_address[rank].1 as usize;
    let collide = |low: usize, high: usize| {
        ranges[low].end > ranges[high].start && pool_of(buffer_at(low)) == pool_of(buffer_at(high))
    };
    let mut live = RankSet::new(problem.len());
    let (mut bytes, mut load) = (0_u64, 0_u64);
    let mut ending = ending.into_iter().peekable();
    for (now, rank) in starting {
        let rank = rank as usize;
        // Lifetimes are half-open: what ends now is gone.
        while let Some((_, ended)) = ending.next_if(|&(end, _)| end <= now) {
            let range = &ranges[ended as usize];
            live.remove(ended as usize);
            bytes -= range.end - range.start;
        }
        let below = live.below(rank).filter(|&low| collide(low, rank));
        let above = || live.above(rank).filter(|&high| collide(rank, high));
        if let Some(other) = below.or_else(above) {
            return Err(overlap(buffer_at(rank), buffer_at(other)));
        }
        live.insert(rank);
        bytes += ranges[rank].end - ranges[rank].start;
        load = load.max(bytes);
    }
    Ok(load)
}

/// The times at which each buffer takes bytes.
fn for_each_piece(problem: &Problem, mut visit: impl FnMut(Lifetime, usize)) {
    let mut gaps = problem.gaps.iter().peekable();
    let mut offer = |start: i64, end: i64, buffer: usize| {
        if problem.sizes[buffer] > 0 && start < end {
            visit(Lifetime::new(start, end), buffer);
        }
    };
    for (i, &life) in problem.lifetimes.iter().enumerate() {
        let mut from = life.start;
        while let Some((_, gap)) = gaps.next_if(|(buffer, _)| buffer.get() == i) {
            offer(from, gap.start, i);
            from = gap.end;
        }
        offer(from, life.end, i);
    }
}
