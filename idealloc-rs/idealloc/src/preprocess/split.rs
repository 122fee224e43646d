//! Splits a problem into parts that no conflict joins.

use super::sections::Relation;

/// The parts of a problem.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Buffers of each part, ascending; parts by their first buffer. Buffers in no section are left out.
    pub buffers: Vec<Vec<usize>>,
    /// Number of sections of each part.
    pub sections: Vec<usize>,
    /// Each section's number within its part.
    pub names: Vec<u32>,
}

/// Finds the parts.
///
/// Complexity: `O((n + runs) a(n))` with the inverse Ackermann function `a`.
#[must_use]
pub fn split(relation: &Relation) -> Parts {
    let mut sets = DisjointSets::new(relation.sections);
    // Sections that one run spans are joined by a sweep over their boundaries, not one by one.
    let mut spans = vec![0_i64; relation.sections + 1];
    for i in 0..relation.len() {
        for run in relation.of(i) {
            spans[run.first as usize] += 1;
            spans[run.last as usize] -= 1;
        }
    }
    let mut open = 0;
    for (section, &change) in spans.iter().enumerate() {
        open += change;
        if open > 0 {
            sets.join(section, section + 1);
        }
    }
    for i in 0..relation.len() {
        for pair in relation.of(i).windows(2) {
            sets.join(pair[0].first as usize, pair[1].first as usize);
        }
    }
    let mut part_of = vec![usize::MAX; relation.sections];
    let mut parts = Parts::default();
    for i in 0..relation.len() {
        if let Some(run) = relation.of(i).first() {
            let root = sets.root(run.first as usize);
            if part_of[root] == usize::MAX {
                part_of[root] = parts.buffers.len();
                parts.buffers.push(Vec::new());
                parts.sections.push(0);
            }
            parts.buffers[part_of[root]].push(i);
        }
    }
    for section in 0..relation.sections {
        let part = part_of[sets.root(section)];
        parts.names.push(parts.sections[part] as u32);
        parts.sections[part] += 1;
    }
    parts
}

/// Union-find with path halving; the smaller index is the root, so that roots are deterministic.
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(n: usize) -> Self {
        Self { parent: (0..n).collect() }
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
