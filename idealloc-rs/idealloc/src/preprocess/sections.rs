//! Sections: maximal sets of buffers that conflict pairwise.
//!
//! A tick matters only if its live set is contained in no neighbour's; those are the ticks between a start and the
//! next end. Conflicts that no tick shows become sections of their own. Two buffers conflict exactly if they share a
//! section, so that lifetimes with gaps and extra conflicts need no further thought downstream.

use crate::control::Control;
use crate::problem::{Conflicts, Problem};
use crate::radix::{self, ascending};

/// Consecutive sections `first ..= last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// First section.
    pub first: u32,
    /// Last section, inclusive.
    pub last: u32,
}

impl Run {
    /// The sections, as indices.
    #[must_use]
    pub const fn range(self) -> std::ops::RangeInclusive<usize> {
        self.first as usize..=self.last as usize
    }

    /// True if both hold a common section.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Which buffer is in which sections, by runs in compressed sparse rows. Linear memory.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    /// Number of sections.
    pub sections: usize,
    starts: Vec<usize>,
    runs: Vec<Run>,
}

impl Relation {
    /// Collects runs of each buffer in turn; joins runs that touch.
    fn from_runs(sections: usize, of_buffers: &mut [Vec<Run>]) -> Self {
        let mut starts = Vec::with_capacity(of_buffers.len() + 1);
        let mut runs: Vec<Run> = Vec::new();
        for list in of_buffers {
            let first = runs.len();
            starts.push(first);
            list.sort_unstable();
            for &run in list.iter() {
                match runs[first..].last_mut() {
                    Some(previous) if run.first <= previous.last + 1 => {
                        previous.last = previous.last.max(run.last);
                    }
                    _ => runs.push(run),
                }
            }
        }
        starts.push(runs.len());
        Self { sections, starts, runs }
    }

    /// Runs of a buffer, ascending and disjoint; none if it conflicts with nothing and is never live.
    #[must_use]
    pub fn of(&self, buffer: usize) -> &[Run] {
        &self.runs[self.starts[buffer]..self.starts[buffer + 1]]
    }

    /// Number of buffers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// True if there is no buffer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Finds the sections of a problem. Buffers of size 0 are in none. `None` if the caller asked to stop.
#[must_use]
pub fn sections(problem: &Problem, control: &Control) -> Option<Relation> {
    if matches!(problem.conflicts(), Conflicts::Lifetimes) && problem.gaps().is_empty() {
        return one_run_each(problem, control);
    }
    let mut runs: Vec<Vec<Run>> = vec![Vec::new(); problem.len()];
    let (sections, pairs) = match problem.conflicts() {
        Conflicts::Lifetimes => {
            return Some(Relation::from_runs(sweep(problem, &mut runs), &mut runs));
        }
        Conflicts::LifetimesAnd(pairs) => (sweep(problem, &mut runs), pairs.as_slice()),
        Conflicts::Pairs(pairs) => (0, pairs.as_slice()),
    };
    if control.is_cancelled() {
        return None;
    }
    let mut cliques: Vec<Vec<usize>> = Vec::new();
    let mut edges: Vec<(usize, usize)> = pairs
        .iter()
        .map(|&(a, b)| (a.get(), b.get()))
        .filter(|&(a, b)| problem.sizes()[a] > 0 && problem.sizes()[b] > 0)
        .collect();
    edges.retain(|&(a, b)| !share(&runs[a], &runs[b]));
    if sections == 0 {
        cover(problem.len(), &edges, &mut cliques, control)?;
    } else {
        cliques.extend(edges.iter().map(|&(a, b)| vec![a, b]));
    }
    let sections = insert(sections, &mut runs, cliques);
    Some(Relation::from_runs(sections, &mut runs))
}

/// As [`sweep`], where a buffer's life is in one piece and lists of its runs are not needed.
///
/// Complexity: `O(n log n)`, `O(n)` where times are dense.
fn one_run_each(problem: &Problem, control: &Control) -> Option<Relation> {
    let lives = problem.lifetimes();
    let is_live = |i: usize| lives[i].start < lives[i].end && problem.sizes()[i] > 0;
    let starts = radix::order(lives.len(), |i| [ascending(lives[i].start)]);
    if control.is_cancelled() {
        return None;
    }
    let ends = radix::order(lives.len(), |i| [ascending(lives[i].end)]);
    if control.is_cancelled() {
        return None;
    }
    let mut runs = vec![Run { first: 0, last: 0 }; lives.len()];
    let (mut count, mut grew) = (0_u32, false);
    let mut starting = starts.into_iter().map(|i| i as usize).filter(|&i| is_live(i)).peekable();
    for i in ends.into_iter().map(|i| i as usize).filter(|&i| is_live(i)) {
        // Ends first, as lifetimes are half-open.
        while let Some(next) = starting.next_if(|&next| lives[next].start < lives[i].end) {
            grew = true;
            runs[next].first = count;
        }
        count += u32::from(grew);
        grew = false;
        runs[i].last = count - 1;
    }
    if control.is_cancelled() {
        return None;
    }
    let mut relation = Relation { sections: count as usize, ..Relation::default() };
    for (i, run) in runs.into_iter().enumerate() {
        relation.starts.push(relation.runs.len());
        relation.runs.extend(is_live(i).then_some(run));
    }
    relation.starts.push(relation.runs.len());
    Some(relation)
}

/// Sweeps time; a section ends where the first buffer ends after one has started. Returns the number of sections.
fn sweep(problem: &Problem, runs: &mut [Vec<Run>]) -> usize {
    // (time, 0 = end / 1 = start, buffer): ends first, as lifetimes are half-open.
    let mut events: Vec<(i64, u8, u32)> = Vec::with_capacity(2 * problem.len());
    let mut gaps = problem.gaps().iter().peekable();
    for (i, life) in problem.lifetimes().iter().enumerate() {
        let mut add = |start: i64, end: i64| {
            if start < end && problem.sizes()[i] > 0 {
                events.push((start, 1, i as u32));
                events.push((end, 0, i as u32));
            }
        };
        let mut from = life.start;
        while let Some((_, gap)) = gaps.next_if(|(buffer, _)| buffer.get() == i) {
            add(from, gap.start);
            from = gap.end;
        }
        add(from, life.end);
    }
    events.sort_unstable();
    let (mut count, mut grew) = (0_u32, false);
    for (_, kind, buffer) in events {
        let list = &mut runs[buffer as usize];
        if kind == 1 {
            grew = true;
            list.push(Run { first: count, last: count });
        } else {
            if grew {
                grew = false;
                count += 1;
            }
            if let Some(run) = list.last_mut() {
                run.last = count - 1;
            }
        }
    }
    count as usize
}

/// True if two lists of runs have a common section.
fn share(a: &[Run], b: &[Run]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].meets(b[j]) {
            return true;
        }
        if a[i].last < b[j].last { i += 1 } else { j += 1 }
    }
    false
}

/// Covers the edges of a graph by maximal cliques, greedily: the larger the sections, the stronger the bounds.
///
/// `None` if the caller asked to stop.
fn cover(
    n: usize,
    edges: &[(usize, usize)],
    cliques: &mut Vec<Vec<usize>>,
    control: &Control,
) -> Option<()> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); n];
    for &(a, b) in edges {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    neighbours.iter_mut().for_each(|list| list.sort_unstable());
    let adjacent = |a: usize, b: usize| neighbours[a].binary_search(&b).is_ok();
    let mut covered: Vec<Vec<bool>> = neighbours.iter().map(|l| vec![false; l.len()]).collect();
    for &(a, b) in edges {
        let done = neighbours[a].binary_search(&b).is_ok_and(|at| covered[a][at]);
        if done {
            continue;
        }
        if control.is_cancelled() {
            return None;
        }
        let mut clique = vec![a, b];
        for &c in &neighbours[a] {
            if c != b && clique.iter().all(|&d| adjacent(c, d)) {
                clique.push(c);
            }
        }
        clique.sort_unstable();
        for &c in &clique {
            for &d in &clique {
                if let Ok(at) = neighbours[c].binary_search(&d) {
                    covered[c][at] = true;
                }
            }
        }
        cliques.push(clique);
    }
    Some(())
}

/// Adds cliques as sections, each right after the section where its first member ends: hulls of buffers stay short.
fn insert(sections: usize, runs: &mut [Vec<Run>], cliques: Vec<Vec<usize>>) -> usize {
    if cliques.is_empty() {
        return sections;
    }
    // (section of time before it, or none; position in cliques)
    let mut placed: Vec<(Option<u32>, usize)> = cliques
        .iter()
        .enumerate()
        .map(|(k, clique)| (clique.iter().filter_map(|&i| runs[i].last().map(|r| r.last)).min(), k))
        .collect();
    placed.sort_unstable();
    // How many cliques come before each section of time.
    let mut before = vec![0_u32; sections + 1];
    let mut names = vec![0_u32; cliques.len()];
    let mut next = 0;
    for (section, before) in before.iter_mut().enumerate() {
        let limit = section.checked_sub(1).map(|s| s as u32);
        while next < placed.len() && placed[next].0 <= limit {
            names[placed[next].1] = (section + next) as u32;
            next += 1;
        }
        *before = next as u32;
    }
    for list in runs.iter_mut() {
        *list = list
            .iter()
            .flat_map(|run| (run.first..=run.last).map(|s| s + before[s as usize]))
            .map(|s| Run { first: s, last: s })
            .collect();
    }
    for (clique, &name) in cliques.iter().zip(&names) {
        for &i in clique {
            runs[i].push(Run { first: name, last: name });
        }
    }
    sections + cliques.len()
}
