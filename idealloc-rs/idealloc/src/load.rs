//! The load: max over ticks of the bytes live, a lower bound of the peak.

use crate::problem::Problem;
use crate::timeline::timeline;

/// Max over ticks of the bytes live. Complexity: `O(n)` where times are dense, else `O(n log n)`.
///
/// Gaps are respected. Only meaningful where conflicts follow lifetimes.
#[must_use]
pub fn load(problem: &Problem) -> u64 {
    let (mut live, mut most) = (0_u64, 0_u64);
    for event in timeline(problem) {
        let size = problem.sizes()[event.buffer as usize];
        if event.starts {
            live += size;
            most = most.max(live);
        } else {
            live -= size;
        }
    }
    most
}
