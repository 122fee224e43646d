//! Tiles in parts that no tile joins: each part is a problem of its own.
//!
//! Gluing knows nothing of time but what meets; what fits by chance in another part would be glued to it.

use crate::auto::search::Search;
use crate::auto::solve;
use crate::auto::stages::Stages;
use crate::control::Options;
use crate::glue::tiling::Tiling;
use crate::problem::Problem;

impl Search<'_> {
    /// Plans the parts of a tiling one by one with half of the work, the smallest first, so that what these leave of it goes to
    /// larger ones. True if nothing is left to do; false if there is but one part, or one failed, when all together may fare
    /// better.
    pub fn apart(&mut self, tiling: &Tiling) -> bool {
        let mut parts = tiling.parts();
        if parts.len() < 2 {
            return false;
        }
        parts.sort_by_key(Vec::len);
        let end = self.work + self.left() / 2;
        let mut tiles = tiling.tiles.len() as u128;
        let mut offsets = vec![0; self.instance.len()];
        for part in parts {
            if self.control.is_cancelled() {
                return true;
            }
            let buffers: Vec<u32> =
                part.iter().map(|&tile| tiling.buffers[tile as usize]).collect();
            let problem = part_of(self.problem, &buffers, self.problem.capacity());
            // No more than what is left.
            let left = end.saturating_sub(self.work);
            let work = (u128::from(left) * part.len() as u128 / tiles) as u64;
            tiles -= part.len() as u128;
            let Some(found) = self.solved(&problem, self.options, self.stages, work) else {
                return true;
            };
            for (&buffer, offset) in buffers.iter().zip(found) {
                offsets[buffer as usize] = offset;
            }
        }
        self.accept_better(&offsets);
        self.is_done()
    }

    /// Offsets of another problem as `auto` plans any; `None` if it was stopped before it had some. Counts as work of this one.
    pub fn solved(
        &mut self,
        problem: &Problem,
        options: &Options,
        stages: Stages,
        work: u64,
    ) -> Option<Vec<u64>> {
        let found = solve(problem, options, stages, work, self.control).ok()?;
        let count = |name| found.statistics.iter().find(|&&(n, _)| n == name).map_or(0, |at| at.1);
        self.work = self.work.saturating_add(count("placements"));
        self.passes += count("passes");
        self.windows += count("windows");
        self.nodes += count("nodes");
        self.plays += count("plays");
        Some(found.offsets)
    }
}

/// Some buffers of a problem without slack.
pub fn part_of(problem: &Problem, buffers: &[u32], capacity: Option<u64>) -> Problem {
    let sizes = buffers.iter().map(|&buffer| problem.sizes()[buffer as usize]).collect();
    let lifetimes = buffers.iter().map(|&buffer| problem.lifetimes()[buffer as usize]).collect();
    let mut builder = Problem::builder();
    let alignments = problem.alignments();
    let alignments =
        alignments.map(|all| buffers.iter().map(|&buffer| all[buffer as usize]).collect());
    builder.arrays(sizes, lifetimes, alignments);
    builder.memory(capacity, problem.base_address());
    // No more than the buffers, which were a problem.
    builder.build().unwrap_or_default()
}
