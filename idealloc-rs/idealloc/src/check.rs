//! The independent checker. Shares no code with planners: a plain sweep over time.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::index::BufferIdx;
use crate::problem::{Conflicts, MAX_BYTES, Problem};
use crate::rank_set::RankSet;
use crate::timeline::{Event, timeline};

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

/// Sweeps time with the live address ranges, which are disjoint: a new range meets only its two neighbours.
fn sweep(
    problem: &Problem,
    offsets: &[u64],
    pool_of: &dyn Fn(usize) -> usize,
) -> Result<(), Error> {
    let key = |i: usize| (pool_of(i), offsets[i]);
    let mut order: Vec<(usize, u64, u32)> =
        (0..problem.len()).map(|i| (pool_of(i), offsets[i], i as u32)).collect();
    order.sort_unstable();
    // rank[i]: how many different places there are below that of buffer i.
    let mut rank = vec![0_u32; problem.len()];
    let mut places = 0;
    for (k, &(pool, offset, i)) in order.iter().enumerate() {
        places += u32::from(k > 0 && (pool, offset) != (order[k - 1].0, order[k - 1].1));
        rank[i as usize] = places;
    }
    let mut live = RankSet::new(places as usize + 1);
    let mut holder = vec![0_u32; places as usize + 1];
    for Event { buffer, starts } in timeline(problem) {
        let (i, at) = (buffer as usize, rank[buffer as usize] as usize);
        if !starts {
            live.remove(at);
            continue;
        }
        if !live.insert(at) {
            return Err(overlap(i, holder[at] as usize));
        }
        let pool = key(i).0;
        if let Some(other) = live.below(at).map(|place| holder[place] as usize) {
            if key(other).0 == pool && offsets[other] + problem.sizes[other] > offsets[i] {
                return Err(overlap(i, other));
            }
        }
        if let Some(other) = live.above(at).map(|place| holder[place] as usize) {
            if key(other).0 == pool && offsets[other] < offsets[i] + problem.sizes[i] {
                return Err(overlap(i, other));
            }
        }
        holder[at] = buffer;
    }
    Ok(())
}
