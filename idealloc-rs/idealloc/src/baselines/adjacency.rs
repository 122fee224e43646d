//! Conflicts as lists of neighbours.

use crate::error::Error;
use crate::index::BufferIdx;
use crate::place::instance::Instance;
use crate::problem::{Conflicts, Problem};

/// The most pairs that a list is made of: 2 GiB of memory.
const MOST_PAIRS: usize = 1 << 28;

/// For each buffer the buffers that it conflicts with, ascending.
#[derive(Clone, Debug)]
pub struct Adjacency {
    neighbours: Vec<BufferIdx>,
    first: Vec<usize>,
}

impl Adjacency {
    /// From pairs without repetition. Complexity: `O(n + pairs)`.
    pub fn new(buffers: usize, pairs: &[(BufferIdx, BufferIdx)]) -> Self {
        let mut first = vec![0_usize; buffers + 1];
        for &(a, b) in pairs {
            first[a.get() + 1] += 1;
            first[b.get() + 1] += 1;
        }
        for i in 0..buffers {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut neighbours = vec![BufferIdx::new(0); 2 * pairs.len()];
        let mut add = |from: BufferIdx, to: BufferIdx| {
            neighbours[next[from.get()]] = to;
            next[from.get()] += 1;
        };
        // Pairs come in ascending order with the smaller one first: the smaller neighbours of all first.
        for &(a, b) in pairs {
            add(b, a);
        }
        for &(a, b) in pairs {
            add(a, b);
        }
        Self { neighbours, first }
    }

    /// All conflicts of a problem, by lifetimes and listed. Complexity: `O(n log n + pairs log pairs)`.
    ///
    /// # Errors
    /// [`Error::InvalidProblem`] if there are more than 2^28 pairs.
    pub fn of_problem(problem: &Problem) -> Result<Self, Error> {
        let pairs = match problem.conflicts() {
            Conflicts::Lifetimes => pairs_by_lifetime(problem)?,
            Conflicts::Pairs(pairs) => pairs.clone(),
            Conflicts::LifetimesAnd(listed) => {
                let mut pairs = pairs_by_lifetime(problem)?;
                pairs.extend_from_slice(listed);
                pairs.sort_unstable();
                pairs.dedup();
                pairs
            }
        };
        Ok(Self::new(problem.len(), &pairs))
    }

    /// The neighbours of a buffer, ascending.
    pub fn of(&self, buffer: usize) -> &[BufferIdx] {
        &self.neighbours[self.first[buffer]..self.first[buffer + 1]]
    }
}

/// Sorted, `a < b`, none twice.
fn pairs_by_lifetime(problem: &Problem) -> Result<Vec<(BufferIdx, BufferIdx)>, Error> {
    let instance = Instance::new(problem);
    let mut stretches: Vec<(u32, u32, u32)> = Vec::with_capacity(problem.len());
    for i in 0..problem.len() {
        let pieces = instance.pieces(i).iter().filter(|piece| !piece.is_empty());
        stretches.extend(pieces.map(|piece| (piece.start, piece.end, i as u32)));
    }
    stretches.sort_unstable();
    let mut pairs = Vec::new();
    // What began before and is live still.
    let mut live: Vec<(u32, u32)> = Vec::new();
    for (from, to, i) in stretches {
        live.retain(|&(end, _)| end > from);
        if pairs.len() + live.len() > MOST_PAIRS {
            return Err(Error::problem(format!(
                "this planner works on the conflict graph, which has more than {MOST_PAIRS} edges here"
            )));
        }
        pairs.extend(
            live.iter().map(|&(_, j)| (BufferIdx::new(i.min(j)), BufferIdx::new(i.max(j)))),
        );
        live.push((to, i));
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}
