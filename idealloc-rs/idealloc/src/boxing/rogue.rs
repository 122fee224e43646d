//! Theorems 16 and 19, first phase: boxes the small jobs again and again, until sizes are within a small ratio.

use super::control::{epsilon_range, safe_round};
use super::corollary_15::corollary_15;
use super::job::{Job, size_range};
use super::theorem_2::Chooser;
use crate::control::Control;

/// Rounds of Theorem 16 while they are safe. Each lifts the least size, so there are few.
///
/// Complexity: that of Corollary 15 for each round, at most 64.
pub fn rogue(jobs: Vec<Job>, epsilon: f64, chooser: &mut Chooser<'_>) -> Vec<Job> {
    let mut jobs = jobs;
    for _ in 0..64 {
        let Some(round) = safe_round(&jobs, epsilon) else { break };
        let (small, mut large): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| job.size <= round.target);
        large.extend(corollary_15(small, round.box_size, round.mu, chooser));
        jobs = large;
    }
    jobs
}

/// The epsilon that leaves the least ratio of sizes, searched from the small end of its range upwards in steps of a
/// hundredth of what is left of it, until three steps in a row were no better. At most 100 steps, none once cancelled.
pub fn best_epsilon(jobs: &[Job], seed: u64, control: &Control) -> f64 {
    let ratio = |jobs: &[Job]| {
        size_range(jobs).map_or(1.0, |(least, most)| most as f64 / least.max(1) as f64)
    };
    let range = epsilon_range(ratio(jobs).max(2.0));
    let (mut epsilon, mut best) = (range.small, (f64::INFINITY, range.small));
    let mut failures = 0;
    for _ in 0..100 {
        if failures == 3 || epsilon >= range.big || control.is_cancelled() {
            break;
        }
        let mut chooser = Chooser::new(seed, &[]);
        let left = ratio(&rogue(jobs.to_vec(), epsilon, &mut chooser));
        if left < best.0 {
            best = (left, epsilon);
            failures = 0;
        } else {
            failures += 1;
        }
        epsilon += 0.01 * (range.big - epsilon);
    }
    best.1
}
