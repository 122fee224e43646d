//! What does not change during a search (section 5.1): buffers, which of them overlap, and the memory's limit.

use crate::bounds::largest_padding;
use crate::preprocess::{Component, Domain, Run};

/// Positions are below this, so that sums of them never overflow.
const MOST_UNITS: u64 = 1 << 61;

/// Entries of the list of overlapping pairs that a search takes, 64 MiB.
const MOST_PAIRS: usize = 1 << 24;

/// A component at a capacity. Positions and heights count units; indices are positions in the component, or sections.
#[derive(Clone, Debug)]
pub struct Model {
    /// Buffers.
    pub n: usize,
    /// Moments in time, see [`sections`](crate::preprocess::sections).
    pub sections: usize,
    /// Height of each buffer.
    pub heights: Vec<i64>,
    /// Positions that alignment allows.
    pub domains: Vec<Domain>,
    /// Lowest position of each buffer.
    pub first: Vec<i64>,
    /// Highest position of each buffer: the constraint `pos(X) + size(X) <= M`.
    pub last: Vec<i64>,
    /// Units that fit each section.
    pub room: Vec<i64>,
    /// Sections of each buffer.
    pub runs: Vec<Vec<Run>>,
    /// Sum of the heights in each section: the contention of section 3.1.
    pub contention: Vec<i64>,
    /// Number of sections of each buffer: its lifetime, as far as it matters.
    pub lifetimes: Vec<i64>,
    /// Whether the positions of some buffer are multiples of more than 1.
    aligned: bool,
    overlaps: Rows,
    members: Rows,
}

/// Why there is no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoModel {
    /// A buffer does not fit the capacity.
    Infeasible,
    /// Too many pairs, or numbers too large.
    TooLarge,
}

impl Model {
    /// Lays a component out.
    ///
    /// Complexity: `O(pairs log pairs)` time and `O(pairs)` memory.
    ///
    /// # Errors
    /// [`NoModel`] if a buffer does not fit by itself, or the component is too large.
    pub fn new(component: &Component, capacity: u64) -> Result<Self, NoModel> {
        let n = component.len();
        let above = capacity.checked_sub(component.unit.origin).ok_or(NoModel::Infeasible)?;
        let unit = component.unit.bytes;
        let signed = |units: u64| i64::try_from(units.min(MOST_UNITS)).unwrap_or(i64::MAX);
        if above / unit >= MOST_UNITS || component.heights.iter().any(|&h| h >= MOST_UNITS) {
            return Err(NoModel::TooLarge);
        }
        let runs: Vec<Vec<Run>> = (0..n).map(|i| component.runs(i).to_vec()).collect();
        let spans = runs.iter().flatten().map(|run| (run.last - run.first) as usize + 1);
        if spans.fold(0_usize, usize::saturating_add) > MOST_PAIRS {
            return Err(NoModel::TooLarge);
        }
        let members = Rows::of_sections(&runs, component.sections);
        let overlaps = Rows::of_overlaps(&runs, &members).ok_or(NoModel::TooLarge)?;
        let last = (0..n)
            .map(|i| component.last_position(i, capacity).map(signed))
            .collect::<Option<Vec<_>>>()
            .ok_or(NoModel::Infeasible)?;
        let heights: Vec<i64> = component.heights.iter().map(|&h| signed(h)).collect();
        let contention: Vec<i64> = (0..component.sections)
            .map(|s| {
                members.row(s).iter().fold(0_i64, |sum, &i| sum.saturating_add(heights[i as usize]))
            })
            .collect();
        let sections_of = |i: usize| runs[i].iter().flat_map(|run: &Run| run.range());
        Ok(Self {
            n,
            sections: component.sections,
            first: component
                .domains
                .iter()
                .map(|domain| signed(domain.fixed.unwrap_or_else(|| domain.align(0))))
                .collect(),
            last,
            room: largest_padding(component)
                .into_iter()
                .map(|padding| signed((above + padding) / unit))
                .collect(),
            lifetimes: (0..n).map(|i| sections_of(i).count() as i64).collect(),
            heights,
            domains: component.domains.clone(),
            aligned: component.domains.iter().any(|domain| domain.step > 1),
            contention,
            runs,
            overlaps,
            members,
        })
    }

    /// Buffers that overlap `buffer` in time, ascending.
    #[must_use]
    pub fn overlaps(&self, buffer: usize) -> &[u32] {
        self.overlaps.row(buffer)
    }

    /// Buffers of a section, ascending.
    #[must_use]
    pub fn members(&self, section: usize) -> &[u32] {
        self.members.row(section)
    }

    /// What the positions of a buffer are multiples of, apart from a phase (section 5.5); 1 if it has only one.
    #[must_use]
    pub fn step(&self, buffer: usize) -> i64 {
        let domain = self.domains[buffer];
        if domain.fixed.is_some() { 1 } else { domain.step.cast_signed() }
    }

    /// The lowest position of `buffer` at or above `position` that its alignment allows.
    #[must_use]
    pub fn round_up(&self, buffer: usize, position: i64) -> i64 {
        if !self.aligned {
            return position;
        }
        let domain = self.domains[buffer];
        if domain.step == 1 || domain.fixed.is_some() {
            return position;
        }
        i64::try_from(domain.align(position.max(0).unsigned_abs())).unwrap_or(i64::MAX / 2)
    }

    /// The highest position of `buffer` at or below `position` that its alignment allows; negative if there is none.
    #[must_use]
    pub fn round_down(&self, buffer: usize, position: i64) -> i64 {
        let domain = self.domains[buffer];
        if domain.step == 1 || domain.fixed.is_some() || position < 0 {
            return position;
        }
        position - ((position.unsigned_abs() + domain.phase) % domain.step).cast_signed()
    }
}

/// Lists of buffers in compressed sparse rows.
#[derive(Clone, Debug)]
struct Rows {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Rows {
    fn row(&self, i: usize) -> &[u32] {
        &self.items[self.starts[i]..self.starts[i + 1]]
    }

    fn of_sections(runs: &[Vec<Run>], sections: usize) -> Self {
        let mut starts = vec![0; sections + 1];
        for s in runs.iter().flatten().flat_map(|run| run.range()) {
            starts[s + 1] += 1;
        }
        for s in 0..sections {
            starts[s + 1] += starts[s];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[sections]];
        for (i, list) in runs.iter().enumerate() {
            for s in list.iter().flat_map(|run| run.range()) {
                items[next[s]] = i as u32;
                next[s] += 1;
            }
        }
        Self { starts, items }
    }

    /// Everything that shares a section with each buffer; `None` if that is too much. A run meets what is alive when it
    /// begins, and what begins before it ends.
    fn of_overlaps(runs: &[Vec<Run>], members: &Self) -> Option<Self> {
        let sections = members.starts.len() - 1;
        let mut beginners: Vec<Vec<u32>> = vec![Vec::new(); sections];
        for (i, list) in runs.iter().enumerate() {
            list.iter().for_each(|run| beginners[run.first as usize].push(i as u32));
        }
        let mut starts = vec![0];
        let mut items = Vec::new();
        let mut seen = vec![u32::MAX; runs.len()];
        for (i, list) in runs.iter().enumerate() {
            seen[i] = i as u32;
            let mut meet = |others: &[u32]| {
                for &j in others {
                    if seen[j as usize] != i as u32 {
                        seen[j as usize] = i as u32;
                        items.push(j);
                    }
                }
            };
            for run in list {
                meet(members.row(run.first as usize));
                run.range().skip(1).for_each(|s| meet(&beginners[s]));
            }
            if items.len() > MOST_PAIRS {
                return None;
            }
            starts.push(items.len());
        }
        // Each pair is there from both sides: listed anew by the other side, every row is ascending.
        let mut next = starts.clone();
        let mut sorted = vec![0; items.len()];
        for i in 0..runs.len() {
            for &j in &items[starts[i]..starts[i + 1]] {
                sorted[next[j as usize]] = i as u32;
                next[j as usize] += 1;
            }
        }
        Some(Self { starts, items: sorted })
    }
}
