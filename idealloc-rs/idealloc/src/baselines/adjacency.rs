//! Conflicts as lists of neighbours.

use crate::control::Control;
use crate::error::Error;
use crate::index::BufferIdx;
use crate::place::instance::Instance;
use crate::problem::{Conflicts, Problem};

/// The most pairs that a list is made of: 2 GiB of memory.
const MOST_PAIRS: usize = 1 << 28;

/// Buffers between two looks at the control.
const WATCH: usize = 256;

/// For each buffer the buffers that it conflicts with, ascending.
#[derive(Clone, Debug)]
pub struct Adjacency {
    neighbours: Vec<BufferIdx>,
    /// Where the neighbours of each buffer start and end.
    ranges: Vec<(usize, usize)>,
}

impl Adjacency {
    /// All conflicts of a problem, by lifetimes and listed. Complexity: `O(n log n + pairs log n)`.
    ///
    /// # Errors
    /// [`Error::InvalidProblem`] if there are more than 2^28 pairs, [`Error::Cancelled`].
    pub fn of_problem(problem: &Problem, control: &Control) -> Result<Self, Error> {
        let n = problem.len();
        let pairs = Pairs::of(problem);
        // Where the list of each buffer starts, then where its next neighbour goes.
        let mut next = vec![0_usize; n + 1];
        pairs.visit(control, |a, b| {
            next[a + 1] += 1;
            next[b + 1] += 1;
        })?;
        for i in 0..n {
            next[i + 1] += next[i];
        }
        let first = next.clone();
        let mut neighbours = vec![BufferIdx::new(0); first[n]];
        pairs.visit(control, |a, b| {
            neighbours[next[a]] = BufferIdx::from(b);
            neighbours[next[b]] = BufferIdx::from(a);
            next[a] += 1;
            next[b] += 1;
        })?;
        let mut ranges = Vec::with_capacity(n);
        for i in 0..n {
            stop_if_asked(i, control)?;
            let list = &mut neighbours[first[i]..first[i + 1]];
            list.sort_unstable();
            // Two buffers may meet in several stretches, and be listed as well.
            let mut kept = 0;
            for at in 0..list.len() {
                if kept == 0 || list[kept - 1] != list[at] {
                    list[kept] = list[at];
                    kept += 1;
                }
            }
            ranges.push((first[i], first[i] + kept));
        }
        Ok(Self { neighbours, ranges })
    }

    /// The neighbours of a buffer, ascending.
    pub fn of(&self, buffer: usize) -> &[BufferIdx] {
        let (first, end) = self.ranges[buffer];
        &self.neighbours[first..end]
    }
}

/// What conflicts: where lifetimes say so, the stretches of each buffer by their start, and pairs.
struct Pairs<'p> {
    stretches: Vec<(u32, u32, u32)>,
    listed: &'p [(BufferIdx, BufferIdx)],
}

impl<'p> Pairs<'p> {
    fn of(problem: &'p Problem) -> Self {
        let listed: &[_] = match problem.conflicts() {
            Conflicts::Lifetimes => &[],
            Conflicts::Pairs(pairs) => return Self { stretches: Vec::new(), listed: pairs },
            Conflicts::LifetimesAnd(pairs) => pairs,
        };
        let instance = Instance::new(problem);
        let mut stretches: Vec<(u32, u32, u32)> = Vec::with_capacity(problem.len());
        for i in 0..problem.len() {
            let pieces = instance.pieces(i).iter().filter(|piece| !piece.is_empty());
            stretches.extend(pieces.map(|piece| (piece.start, piece.end, i as u32)));
        }
        stretches.sort_unstable();
        Self { stretches, listed }
    }

    /// Visits every pair at least once.
    fn visit(&self, control: &Control, mut visit: impl FnMut(usize, usize)) -> Result<(), Error> {
        // What began before and is live still.
        let mut live: Vec<(u32, u32)> = Vec::new();
        let mut count = self.listed.len();
        for (turn, &(from, to, i)) in self.stretches.iter().enumerate() {
            stop_if_asked(turn, control)?;
            live.retain(|&(end, _)| end > from);
            count += live.len();
            if count > MOST_PAIRS {
                return Err(Error::problem(format!(
                    "this planner works on the conflict graph, which has more than {MOST_PAIRS} edges here"
                )));
            }
            for &(_, j) in &live {
                visit(i as usize, j as usize);
            }
            live.push((to, i));
        }
        for &(a, b) in self.listed {
            visit(a.get(), b.get());
        }
        Ok(())
    }
}

fn stop_if_asked(turn: usize, control: &Control) -> Result<(), Error> {
    if turn.is_multiple_of(WATCH) && control.is_cancelled() {
        return Err(Error::Cancelled);
    }
    Ok(())
}
