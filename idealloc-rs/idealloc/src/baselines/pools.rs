//! Candidate pools of each buffer.

use crate::problem::Problem;

/// For each buffer the pools it may go to, in order of preference.
#[derive(Clone, Debug)]
pub struct Candidates {
    pools: Vec<u32>,
    first: Vec<u32>,
}

impl Candidates {
    /// A buffer without candidates may go to the first pool. Complexity: `O(n + candidates)`.
    pub fn of(problem: &Problem) -> Self {
        let mut pools = Vec::new();
        let mut first = Vec::with_capacity(problem.len() + 1);
        let mut listed = problem.candidates().iter().peekable();
        for i in 0..problem.len() {
            first.push(pools.len() as u32);
            while let Some(&(_, pool)) = listed.next_if(|(buffer, _)| buffer.get() == i) {
                pools.push(pool);
            }
            if pools.len() as u32 == first[i] {
                pools.push(0);
            }
        }
        first.push(pools.len() as u32);
        Self { pools, first }
    }

    /// The candidates of a buffer; never empty.
    pub fn of_buffer(&self, buffer: usize) -> &[u32] {
        &self.pools[self.first[buffer] as usize..self.first[buffer + 1] as usize]
    }
}

/// Whether a range that ends at `end` counts as fitting a pool.
///
/// With one pool the capacity is a wish, and the peak says by how much it is missed; with several it decides
/// where a buffer goes.
pub fn fits(problem: &Problem, pool: u32, end: u64) -> bool {
    problem.pools().len() == 1
        || problem.pools()[pool as usize].capacity.is_none_or(|capacity| end <= capacity)
}
