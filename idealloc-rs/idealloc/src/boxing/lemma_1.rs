//! Lemma 1: jobs that share an instant, into boxes of `h` layers.

use super::job::Job;

/// What Lemma 1 makes of its jobs.
#[derive(Debug, Default)]
pub struct Boxed {
    /// Boxes of `layers` jobs each.
    pub boxes: Vec<Job>,
    /// The outer strips: the price.
    pub unresolved: Vec<Job>,
}

/// Lemma 1 of Buchsbaum et al.: all `jobs` are live at one instant, all count as one layer.
///
/// The `h * ceil(1/e^2)` jobs of earliest birth, and as many of latest death, stay unresolved. From the rest strips of
/// `h * ceil(1/e)` jobs are peeled, in turn the earliest births (a vertical strip) and the latest deaths (a horizontal one).
/// A vertical strip is cut into boxes of `h` jobs by death, a horizontal one by birth: ends that lie close share a box.
/// Complexity: `O(n log n)`.
pub fn lemma_1(mut jobs: Vec<Job>, layers: usize, box_size: u64, epsilon: f64) -> Boxed {
    let strip = |share: f64| layers.saturating_mul(share.ceil().max(1.0) as usize);
    let outer = strip(1.0 / (epsilon * epsilon));
    let inner = strip(1.0 / epsilon).max(1);
    let mut result = Boxed::default();
    if jobs.len() <= outer.saturating_mul(2) {
        result.unresolved = jobs;
        return result;
    }
    // Latest birth first, so that the earliest are at the end.
    jobs.sort_by_key(|job| (std::cmp::Reverse(job.birth), job.death));
    result.unresolved.extend(jobs.drain(jobs.len() - outer..));
    jobs.sort_by_key(|job| (job.death, job.birth));
    result.unresolved.extend(jobs.drain(jobs.len() - outer..));
    let mut vertical = true;
    while !jobs.is_empty() {
        let count = inner.min(jobs.len());
        let mut taken: Vec<Job>;
        if vertical {
            jobs.sort_by_key(|job| (std::cmp::Reverse(job.birth), job.death));
            taken = jobs.drain(jobs.len() - count..).collect();
            taken.sort_by_key(|job| (std::cmp::Reverse(job.death), job.birth));
        } else {
            jobs.sort_by_key(|job| (job.death, job.birth));
            taken = jobs.drain(jobs.len() - count..).collect();
            taken.sort_by_key(|job| (job.birth, job.death));
        }
        let groups = taken.chunks(layers.max(1));
        result.boxes.extend(groups.map(|group| Job::around(group.to_vec(), box_size)));
        vertical = !vertical;
    }
    result
}
