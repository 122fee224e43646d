//! Corollary 15: jobs of any size into boxes of one height, class by class.

use super::job::Job;
use super::theorem_2::{BoxShape, Chooser, theorem_2};

/// Corollary 15 of Buchsbaum et al.: jobs with sizes in `((1+e)^(i-1), (1+e)^i]` count as layers of height
/// `floor((1+e)^i)` and go through Theorem 2 together. All boxes are `box_size` bytes high.
///
/// A job larger than a box gets one of its own height. Complexity: that of Theorem 2.
pub fn corollary_15(
    jobs: Vec<Job>,
    box_size: u64,
    epsilon: f64,
    chooser: &mut Chooser<'_>,
) -> Vec<Job> {
    let mut jobs = jobs;
    jobs.sort_by_key(|job| (job.size, job.birth, job.death));
    let mut boxes = Vec::new();
    let mut rest = jobs.into_iter().peekable();
    while let Some(first) = rest.peek() {
        let height = class_height(first.size, epsilon);
        let mut class = Vec::new();
        while let Some(job) = rest.next_if(|job| job.size <= height) {
            class.push(job);
        }
        let size = box_size.max(height);
        let layers = usize::try_from(size / height.max(1)).unwrap_or(usize::MAX);
        boxes.extend(theorem_2(class, BoxShape { layers, size, epsilon }, chooser));
    }
    boxes
}

/// The least `floor((1+e)^i)` that is at least `size`, by multiplication, so that it is the same on every machine.
fn class_height(size: u64, epsilon: f64) -> u64 {
    let mut height = 1.0_f64;
    while (height as u64) < size {
        height *= 1.0 + epsilon;
    }
    (height as u64).max(size)
}
