//! From nested boxes to offsets. Only their order matters: the squeeze comes after.

use super::colouring::rows;
use super::job::{Content, Job};

/// Symbolic offsets of the buffers in boxes of one height: the boxes are coloured, row `k` lies at `k` heights, and within a
/// box each group of equal sizes is coloured and its rows are stacked, the smallest sizes at the bottom.
///
/// Complexity: `O(n log n)` for each level of nesting. Offsets saturate.
pub fn symbolic_offsets(boxes: &[Job], buffers: usize) -> Vec<u64> {
    let mut offsets = vec![0; buffers];
    let mut pending: Vec<(&Job, u64)> = stack(boxes.iter().collect(), 0);
    while let Some((job, base)) = pending.pop() {
        match &job.content {
            Content::Buffer(buffer) => offsets[*buffer as usize] = base,
            Content::Dummy => {}
            Content::Box(jobs) => pending.extend(stack(jobs.iter().collect(), base)),
        }
    }
    offsets
}

/// Jobs with their offsets: groups of equal size one above the other, each coloured.
fn stack(mut jobs: Vec<&Job>, base: u64) -> Vec<(&Job, u64)> {
    jobs.sort_by_key(|job| (job.size, job.birth, job.death));
    let mut placed = Vec::with_capacity(jobs.len());
    let mut base = base;
    for group in jobs.chunk_by(|a, b| a.size == b.size) {
        // Colouring looks only at times; contents are shared, so the copies are cheap.
        let copies: Vec<Job> = group.iter().map(|&job| job.clone()).collect();
        let rows = rows(&copies);
        let size = group.first().map_or(0, |job| job.size);
        for (&job, &row) in group.iter().zip(&rows) {
            placed.push((job, base.saturating_add((row as u64).saturating_mul(size))));
        }
        let count = rows.iter().max().map_or(0, |&row| row as u64 + 1);
        base = base.saturating_add(count.saturating_mul(size));
    }
    placed
}
