//! Small random problems with every feature, and their least peaks by brute force.

#![allow(dead_code, reason = "every test takes what it needs")]

use idealloc::random::Random;
use idealloc::{BufferIdx, Conflicts, Problem};

/// A number from the environment, for longer or other runs.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A random problem of up to seven buffers; `None` where the builder refuses it.
pub fn random_problem(seed: u64) -> Option<Problem> {
    let mut random = Random::new(seed);
    let n = 1 + random.below(7);
    let most = [3, 6, 12, 40][random.below(4) as usize];
    let scale = [1, 1, 5, 64][random.below(4) as usize];
    let horizon = 2 + random.below(9);
    let aligned = random.one_in(3);
    let base = if aligned { random.below(20) } else { 0 };
    let mut builder = Problem::builder();
    let mut spans = Vec::new();
    for _ in 0..n {
        let start = random.below(horizon) as i64;
        let width = random.below(horizon.min(6)) as i64 + i64::from(!random.one_in(12));
        let size = if random.one_in(25) { 0 } else { (1 + random.below(most)) * scale };
        let buffer = builder.buffer(size, start, start + width);
        let mut alignment = 1;
        if aligned && !random.one_in(3) {
            alignment = [2, 3, 4, 8, 12, 64][random.below(6) as usize];
            builder.align(buffer, alignment);
        }
        if random.one_in(12) {
            let wanted = random.below(3 * most * scale);
            builder.fix(buffer, (base + wanted).next_multiple_of(alignment) - base);
        }
        spans.push((buffer, start, width));
    }
    if random.one_in(4) {
        for &(buffer, start, width) in &spans {
            if width >= 3 && random.one_in(2) {
                let from = start + 1 + random.below(width as u64 - 2) as i64;
                builder.gap(buffer, from, from + 1);
            }
        }
    }
    if random.one_in(4) {
        let mut pairs = Vec::new();
        for a in 0..n as usize {
            for b in 0..a {
                if random.one_in(4) {
                    pairs.push((BufferIdx::from(a), BufferIdx::from(b)));
                }
            }
        }
        let only = random.one_in(2);
        builder.conflicts(if only {
            Conflicts::Pairs(pairs)
        } else {
            Conflicts::LifetimesAnd(pairs)
        });
    }
    let capacity = random.one_in(2).then(|| random.below(4 * most * scale));
    builder.memory(capacity, base);
    builder.build().ok()
}

/// A random problem of up to eight buffers that mostly live together, with odd sizes and alignments that have little in
/// common: what alignment wastes between them decides.
pub fn aligned_problem(seed: u64) -> Option<Problem> {
    let mut random = Random::new(seed ^ 0xa11c);
    let n = 3 + random.below(6);
    let alignments: &[u64] = [
        &[1, 2, 3, 4, 6, 8][..],
        &[2, 4, 8, 16][..],
        &[1, 5, 7][..],
        &[6, 10, 15][..],
        &[64, 96, 256][..],
    ][random.below(5) as usize];
    let most = [6, 20, 300][random.below(3) as usize];
    let horizon = 1 + random.below(5);
    let base = if random.one_in(3) { random.below(40) } else { 0 };
    let mut builder = Problem::builder();
    for _ in 0..n {
        let start = random.below(horizon) as i64;
        let width = 1 + random.below(horizon) as i64;
        let buffer = builder.buffer(1 + random.below(most), start, start + width);
        let alignment = alignments[random.below(alignments.len() as u64) as usize];
        builder.align(buffer, alignment);
        if random.one_in(20) {
            let wanted = random.below(2 * most);
            builder.fix(buffer, (base + wanted).next_multiple_of(alignment) - base);
        }
        if width >= 3 && random.one_in(4) {
            builder.gap(buffer, start + 1, start + 2);
        }
    }
    if random.one_in(5) {
        let (a, b) = (random.below(n) as usize, random.below(n) as usize);
        if a != b {
            let pair = (BufferIdx::from(a), BufferIdx::from(b));
            builder.conflicts(Conflicts::LifetimesAnd(vec![pair]));
        }
    }
    let capacity = random.one_in(2).then(|| random.below(n * most));
    builder.memory(capacity, base);
    builder.build().ok()
}

/// The least peak over all orders in which each buffer lies on everything before it that conflicts with it; `None` if
/// fixed buffers cannot all be where they are fixed.
pub fn brute_force(problem: &Problem) -> Option<u64> {
    let n = problem.len();
    let live = |i: usize, tick: i64| {
        let life = problem.lifetimes()[i];
        let idle = |&(b, gap): &(BufferIdx, idealloc::Lifetime)| {
            b.get() == i && gap.start <= tick && tick < gap.end
        };
        life.start <= tick && tick < life.end && !problem.gaps().iter().any(idle)
    };
    let mut conflict = vec![vec![false; n]; n];
    let (by_time, pairs) = match problem.conflicts() {
        Conflicts::Lifetimes => (true, &[][..]),
        Conflicts::LifetimesAnd(pairs) => (true, pairs.as_slice()),
        Conflicts::Pairs(pairs) => (false, pairs.as_slice()),
    };
    for (a, row) in conflict.iter_mut().enumerate() {
        for (b, entry) in row.iter_mut().enumerate() {
            *entry = by_time && a != b && (0..40).any(|tick| live(a, tick) && live(b, tick));
        }
    }
    for &(a, b) in pairs {
        conflict[a.get()][b.get()] = true;
        conflict[b.get()][a.get()] = true;
    }
    let mut tops = vec![None; n];
    let mut best = None;
    extend(problem, &conflict, &mut tops, 0, &mut best);
    best
}

fn extend(
    problem: &Problem,
    conflict: &[Vec<bool>],
    tops: &mut Vec<Option<u64>>,
    peak: u64,
    best: &mut Option<u64>,
) {
    if best.is_some_and(|b| peak >= b) {
        return;
    }
    let mut complete = true;
    for i in 0..problem.len() {
        if tops[i].is_some() {
            continue;
        }
        complete = false;
        let size = problem.sizes()[i];
        let under = (0..problem.len()).filter(|&j| conflict[i][j]).filter_map(|j| tops[j]).max();
        let alignment = problem.alignment(BufferIdx::from(i));
        let base = problem.base_address();
        let lowest = if size == 0 {
            0
        } else {
            (base + under.unwrap_or(0)).next_multiple_of(alignment) - base
        };
        let fixed = problem.fixed().iter().find(|f| f.0.get() == i).map(|f| f.1);
        let at = fixed.unwrap_or(lowest);
        if at < lowest {
            continue;
        }
        tops[i] = Some(if size == 0 { 0 } else { at + size });
        extend(problem, conflict, tops, peak.max(tops[i].unwrap_or(0)), best);
        tops[i] = None;
    }
    if complete {
        *best = Some(peak);
    }
}
