//! What does not change during a search: a component at a capacity, laid out for speed.

use super::stacks::Stacks;
use crate::bounds::largest_padding;
use crate::preprocess::{Component, Domain, Run};

/// Most buffers of a component that the search takes: sets of conflicts take `n^2` bits.
pub const MAX_BUFFERS: usize = 4096;

/// A component at a capacity. Indices are positions in the component, or sections.
#[derive(Clone, Debug)]
pub struct Model {
    /// Buffers.
    pub n: usize,
    /// Sections.
    pub sections: usize,
    /// Words of a set of buffers.
    pub words: usize,
    pub heights: Vec<u64>,
    pub domains: Vec<Domain>,
    /// Highest position of each buffer.
    pub last: Vec<u64>,
    /// Units that fit each section: the capacity, and the padding that its topmost buffer does not need.
    pub room: Vec<u64>,
    /// Sections of each buffer.
    pub runs: Vec<Vec<Run>>,
    /// First and last section of each buffer.
    pub hull: Vec<Run>,
    /// Buffers of each section, as a set.
    pub members: Vec<u64>,
    /// Buffers that conflict with each buffer, as a set.
    pub neighbours: Vec<u64>,
    /// Buffers with the same sections, height and domain as each buffer, as the next such buffer.
    pub twins: Vec<Vec<u32>>,
    /// Number of sections of each buffer.
    pub widths: Vec<u64>,
    /// Largest sum of heights among the sections of each buffer.
    pub crowds: Vec<u128>,
    /// Buffers of all sections that lie at the bottom, in order, of some plan that fits if any does: each, with what
    /// is below it, can change places. Empty if a buffer is fixed, aligned beyond the unit, or padded.
    pub ground: Vec<u32>,
    /// What alignment wastes in each section; `None` where no alignment matters, or nobody asks.
    pub stacks: Option<Stacks>,
    /// True if every buffer is one run of sections.
    pub contiguous: bool,
}

impl Model {
    /// Lays a component out; `None` if a buffer or a section does not fit the capacity at all.
    ///
    /// Complexity: `O(n^2 / 64 * sections)` time, `O(n^2 / 64 + sections n / 64)` memory.
    pub fn new(component: &Component, capacity: u64) -> Option<Self> {
        let (n, sections) = (component.len(), component.sections);
        let words = n.div_ceil(64);
        let mut members = vec![0_u64; sections * words];
        for i in 0..n {
            for run in component.runs(i) {
                for s in run.first..=run.last {
                    members[s as usize * words + i / 64] |= 1 << (i % 64);
                }
            }
        }
        let mut neighbours = vec![0_u64; n * words];
        for i in 0..n {
            let row = &mut neighbours[i * words..(i + 1) * words];
            for run in component.runs(i) {
                for s in run.first as usize..=run.last as usize {
                    for (word, &bits) in row.iter_mut().zip(&members[s * words..(s + 1) * words]) {
                        *word |= bits;
                    }
                }
            }
            row[i / 64] &= !(1 << (i % 64));
        }
        let last =
            (0..n).map(|i| component.last_position(i, capacity)).collect::<Option<Vec<_>>>()?;
        let above = capacity.checked_sub(component.unit.origin)?;
        let room: Vec<u64> = largest_padding(component)
            .into_iter()
            .map(|padding| (above + padding) / component.unit.bytes)
            .collect();
        let runs: Vec<Vec<Run>> = (0..n).map(|i| component.runs(i).to_vec()).collect();
        let hull = runs
            .iter()
            .map(|list| Run { first: list[0].first, last: list[list.len() - 1].last })
            .collect();
        let mut sums = vec![0_u128; sections];
        let of = |i: usize| runs[i].iter().flat_map(|r: &Run| r.first as usize..=r.last as usize);
        for i in 0..n {
            of(i).for_each(|s| sums[s] += u128::from(component.heights[i]));
        }
        let widths: Vec<u64> = (0..n).map(|i| of(i).count() as u64).collect();
        let crowds = (0..n).map(|i| of(i).map(|s| sums[s]).max().unwrap_or(0)).collect();
        let mut order: Vec<usize> = (0..n).collect();
        let kind = |i: usize| {
            (
                &runs[i],
                component.heights[i],
                component.sizes[i],
                component.domains[i].step,
                component.domains[i].phase,
                component.domains[i].fixed,
                i,
            )
        };
        order.sort_by(|&a, &b| kind(a).cmp(&kind(b)));
        let mut twins = vec![Vec::new(); n];
        for a in order.chunk_by(|&a, &b| {
            runs[a] == runs[b]
                && component.sizes[a] == component.sizes[b]
                && component.domains[a] == component.domains[b]
        }) {
            for &i in a {
                twins[i] = a.iter().filter(|&&j| j != i).map(|&j| j as u32).collect();
            }
        }
        let movable = component.domains.iter().all(|d| d.step == 1 && d.fixed.is_none())
            && (0..n).all(|i| component.padding(i) == 0);
        let spanning = |i: &usize| movable && widths[*i] == sections as u64;
        let ground = (0..n).filter(spanning).map(|i| i as u32).collect();
        Some(Self {
            n,
            sections,
            words,
            heights: component.heights.clone(),
            domains: component.domains.clone(),
            last,
            room,
            stacks: None,
            contiguous: runs.iter().all(|list| list.len() == 1),
            runs,
            hull,
            ground,
            widths,
            crowds,
            members,
            neighbours,
            twins,
        })
    }

    /// The same with what alignment wastes at that capacity. Complexity: see [`Stacks::new`].
    pub fn with_stacks(self, component: &Component, capacity: u64) -> Self {
        let above = capacity.saturating_sub(component.unit.origin);
        let stacks = Stacks::new(component, &self.room, above);
        Self { stacks, ..self }
    }

    pub fn members(&self, section: usize) -> &[u64] {
        &self.members[section * self.words..(section + 1) * self.words]
    }

    pub fn neighbours(&self, buffer: usize) -> &[u64] {
        &self.neighbours[buffer * self.words..(buffer + 1) * self.words]
    }
}
