//! Time, compressed to what matters for conflicts.

use crate::lifetime::Lifetime;
use crate::problem::Problem;

/// The sections of time of a problem, and those in which each buffer is live.
///
/// A section is a longest stretch of time in which no buffer starts after another one has ended. Two buffers conflict
/// by lifetime if and only if they are live in a common section. There are at most as many sections as buffers.
#[derive(Clone, Debug)]
pub struct Sections {
    count: usize,
    /// Live stretches `[from, to)` of all buffers, one after another.
    stretches: Vec<(u32, u32)>,
    /// Where the stretches of each buffer begin in `stretches`, and the end.
    first: Vec<u32>,
}

impl Sections {
    /// Sorts all times. Complexity: `O(n log n)`.
    pub fn of(problem: &Problem) -> Self {
        let mut lives: Vec<Lifetime> = Vec::with_capacity(problem.len());
        let mut first: Vec<u32> = Vec::with_capacity(problem.len() + 1);
        for_each_stretch(problem, |stretch| match stretch {
            None => first.push(lives.len() as u32),
            Some(life) => lives.push(life),
        });
        let mut starts: Vec<i64> = lives.iter().map(|life| life.start).collect();
        let mut ends: Vec<i64> = lives.iter().map(|life| life.end).collect();
        starts.sort_unstable();
        starts.dedup();
        ends.sort_unstable();
        // Section of each distinct start: a new one begins where something has ended since the start before.
        let mut section_of_start: Vec<u32> = Vec::with_capacity(starts.len());
        let (mut section, mut ended) = (0_u32, 0);
        for (k, &start) in starts.iter().enumerate() {
            let before = ended;
            while ends.get(ended).is_some_and(|&end| end <= start) {
                ended += 1;
            }
            if k > 0 && ended > before {
                section += 1;
            }
            section_of_start.push(section);
        }
        let stretches = lives
            .iter()
            .map(|life| {
                let from = section_of_start[starts.partition_point(|&s| s < life.start)];
                let to = section_of_start[starts.partition_point(|&s| s < life.end) - 1] + 1;
                (from, to)
            })
            .collect();
        let count = section_of_start.last().map_or(0, |&last| last as usize + 1);
        Self { count, stretches, first }
    }

    /// Number of sections.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The sections `[from, to)` in which a buffer is live, ascending; more than one if it has gaps.
    pub fn of_buffer(&self, buffer: usize) -> &[(u32, u32)] {
        &self.stretches[self.first[buffer] as usize..self.first[buffer + 1] as usize]
    }
}

/// Visits the live stretches of time of every buffer, less its gaps: `None` where a buffer begins, and once at
/// the end.
pub fn for_each_stretch(problem: &Problem, mut visit: impl FnMut(Option<Lifetime>)) {
    let mut gaps = problem.gaps().iter().peekable();
    for (i, life) in problem.lifetimes().iter().enumerate() {
        visit(None);
        let mut from = life.start;
        while let Some((_, gap)) = gaps.next_if(|(buffer, _)| buffer.get() == i) {
            if from < gap.start {
                visit(Some(Lifetime::new(from, gap.start)));
            }
            from = gap.end;
        }
        if from < life.end {
            visit(Some(Lifetime::new(from, life.end)));
        }
    }
    visit(None);
}
