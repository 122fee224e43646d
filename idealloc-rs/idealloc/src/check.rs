//! The independent checker. Shares no code with planners: a plain sweep over time.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::index::BufferIdx;
use crate::problem::{Conflicts, MAX_BYTES, Problem};

/// Checks offsets (and pools, empty for one pool) against every rule of the problem and returns the peak in bytes.
///
/// Complexity: `O(n log n)` for lifetimes, plus `O(pairs)`.
///
/// # Errors
/// [`Error::InvalidPlan`] naming the two buffers or the rule.
pub fn check(problem: &Problem, offsets: &[u64], pools: &[u32]) -> Result<u64, Error> {
    check_rules(problem, offsets, pools, true)
}

/// As [`check`], but what ends above the capacity of its pool is no error.
pub(crate) fn check_uncapped(
    problem: &Problem,
    offsets: &[u64],
    pools: &[u32],
) -> Result<u64, Error> {
    check_rules(problem, offsets, pools, false)
}

fn check_rules(
    problem: &Problem,
    offsets: &[u64],
    pools: &[u32],
    capped: bool,
) -> Result<u64, Error> {
    let n = problem.len();
    let wrong = |reason: String| Err(Error::InvalidPlan(reason));
    if offsets.len() != n || !(pools.is_empty() || pools.len() == n) {
        return wrong(format!("{} offsets for {n} buffers", offsets.len()));
    }
    let pool_of = |i: usize| if pools.is_empty() { 0 } else { pools[i] as usize };
    let mut peaks = vec![0_u64; problem.pools.len()];
    for i in 0..n {
        let Some(pool) = problem.pools.get(pool_of(i)) else {
            return wrong(format!("buffer {i} is in a pool that does not exist"));
        };
        let end = offsets[i].checked_add(problem.sizes[i]).filter(|&e| e <= MAX_BYTES);
        let Some(end) = end else {
            return wrong(format!("buffer {i} ends above 2^63 - 1"));
        };
        if capped && problem.sizes[i] > 0 && pool.capacity.is_some_and(|capacity| end > capacity) {
            return wrong(format!("buffer {i} ends at {end}, above the capacity of {}", pool.name));
        }
        let alignment = problem.alignment(BufferIdx::from(i));
        if problem.sizes[i] > 0
            && (u128::from(pool.base_address) + u128::from(offsets[i])) % u128::from(alignment) != 0
        {
            return wrong(format!(
                "buffer {i} at offset {} is not aligned to {alignment}",
                offsets[i]
            ));
        }
        if problem.sizes[i] > 0 {
            let peak = &mut peaks[pool_of(i)];
            *peak = (*peak).max(end);
        }
    }
    for &(buffer, offset) in &problem.fixed {
        if offsets[buffer.get()] != offset {
            return wrong(format!(
                "buffer {} is fixed at {offset} but is at {}",
                buffer.get(),
                offsets[buffer.get()]
            ));
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
    match &problem.conflicts {
        Conflicts::Lifetimes => sweep(problem, offsets, &pool_of)?,
        Conflicts::LifetimesAnd(pairs) => {
            sweep(problem, offsets, &pool_of)?;
            check_pairs(pairs, &share)?;
        }
        Conflicts::Pairs(pairs) => check_pairs(pairs, &share)?,
    }
    Ok(peaks.iter().sum())
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
            return Err(Error::InvalidPlan(format!(
                "buffer {buffer} is in a pool that it may not use"
            )));
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
    Error::InvalidPlan(format!("buffers {} and {} conflict and share bytes", a.min(b), a.max(b)))
}

/// Sweeps time with the live address ranges in an ordered map: a new range meets only its two neighbours.
fn sweep(
    problem: &Problem,
    offsets: &[u64],
    pool_of: &dyn Fn(usize) -> usize,
) -> Result<(), Error> {
    // (time, 0 = end / 1 = start, buffer): ends first, as lifetimes are half-open.
    let mut events: Vec<(i64, u8, usize)> = Vec::with_capacity(2 * problem.len());
    let mut gaps = problem.gaps.iter().peekable();
    for (i, life) in problem.lifetimes.iter().enumerate() {
        let mut from = life.start;
        while let Some((_, gap)) = gaps.next_if(|(buffer, _)| buffer.get() == i) {
            add(&mut events, problem, i, from, gap.start);
            from = gap.end;
        }
        add(&mut events, problem, i, from, life.end);
    }
    events.sort_unstable();
    let mut live: BTreeMap<(usize, u64), (u64, usize)> = BTreeMap::new();
    for (_, kind, i) in events {
        let key = (pool_of(i), offsets[i]);
        if kind == 0 {
            live.remove(&key);
            continue;
        }
        let end = offsets[i] + problem.sizes[i];
        if let Some((&(pool, _), &(other_end, other))) = live.range(..=key).next_back() {
            if pool == key.0 && other_end > offsets[i] {
                return Err(overlap(i, other));
            }
        }
        if let Some((&(pool, start), &(_, other))) = live.range(key..).next() {
            if pool == key.0 && start < end {
                return Err(overlap(i, other));
            }
        }
        live.insert(key, (end, i));
    }
    Ok(())
}

fn add(events: &mut Vec<(i64, u8, usize)>, problem: &Problem, buffer: usize, start: i64, end: i64) {
    if start < end && problem.sizes[buffer] > 0 {
        events.push((start, 1, buffer));
        events.push((end, 0, buffer));
    }
}
