//! The constants of the algorithm, and what is safe to box.

use super::job::{Content, Job, size_range};

/// `(sqrt 5 - 1) / 2`: the largest mu at which the analysis holds.
pub const MU_LIMIT: f64 = 0.618_033_988_749_894_9;

/// Least ratio of sizes at which epsilon has any room; below it a dummy job is added.
pub const LEAST_RATIO: f64 = 2216.54;

/// The range that epsilon is searched in.
#[derive(Clone, Copy, Debug)]
pub struct EpsilonRange {
    /// `(L^7 / r)^(1/6)` with `L = (log2 r)^2`.
    pub small: f64,
    /// `MU_LIMIT * L`.
    pub big: f64,
}

/// `(log2 r)^2` of the ratio of sizes.
fn squared_log(ratio: f64) -> f64 {
    let log = ratio.log2();
    log * log
}

/// The range for jobs of this size ratio. It is empty if the ratio is too small.
pub fn epsilon_range(ratio: f64) -> EpsilonRange {
    let l = squared_log(ratio);
    EpsilonRange { small: (l.powi(7) / ratio).powf(1.0 / 6.0), big: MU_LIMIT * l }
}

/// One round of boxing the small.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Error of the round.
    pub mu: f64,
    /// Height of the boxes in bytes.
    pub box_size: u64,
    /// Jobs up to this size are boxed.
    pub target: u64,
}

/// The round for these jobs and this epsilon; `None` if it is not safe: mu too large, or nothing is small enough.
pub fn safe_round(jobs: &[Job], epsilon: f64) -> Option<Round> {
    let (least, most) = size_range(jobs)?;
    let ratio = most as f64 / least.max(1) as f64;
    if ratio <= 2.0 {
        return None;
    }
    let l = squared_log(ratio);
    let mu = epsilon / l;
    let box_size = (mu.powi(5) * most as f64 / l).ceil();
    let target = (mu * box_size).floor();
    (mu < MU_LIMIT && target >= least as f64 && box_size < most as f64).then_some(Round {
        mu,
        box_size: box_size as u64,
        target: target as u64,
    })
}

/// Height and error of the last boxing, after which all boxes are equal.
pub fn last_boxing(jobs: &[Job], epsilon: f64, largest: u64) -> (u64, f64) {
    let ratio = size_range(jobs).map_or(1.0, |(least, most)| most as f64 / least.max(1) as f64);
    let mu = epsilon / squared_log(ratio.max(2.0));
    let mu = if mu > MU_LIMIT || mu <= 0.0 { 0.99 * MU_LIMIT } else { mu };
    ((largest as f64 / mu).min(u64::MAX as f64 / 4.0) as u64, mu)
}

/// Adds a dummy that is live throughout if the ratio of sizes is too small.
pub fn with_dummy(mut jobs: Vec<Job>) -> Vec<Job> {
    let Some((least, most)) = size_range(&jobs) else { return jobs };
    let range = epsilon_range((most as f64 / least.max(1) as f64).max(2.0));
    if range.small >= range.big {
        let death = jobs.iter().map(|job| job.death).max().unwrap_or(1);
        let size = (LEAST_RATIO * least as f64).ceil().min(u64::MAX as f64 / 4.0) as u64;
        jobs.push(Job { birth: 0, death, size: size.max(most), content: Content::Dummy });
    }
    jobs
}
