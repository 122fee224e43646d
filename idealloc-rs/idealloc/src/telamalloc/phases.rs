//! Contention phases (section 5.3, Figure 9): the most contended ranges of time first.

use super::model::Model;

/// Puts every buffer into a phase; returns the phase of each, numbered by decreasing contention.
///
/// The threshold falls from the capacity in steps of `percent` of it. Every contiguous range of time at or above it is a
/// phase, with all buffers that overlap it and are in no phase yet; of one threshold the earlier range comes first.
/// A threshold that is passed by nothing new has no phase. Complexity: `100 / percent` times the sections, and the runs.
#[must_use]
pub fn phases(model: &Model, capacity: i64, percent: u64) -> Vec<u32> {
    let mut phase_of = vec![u32::MAX; model.n];
    let (mut phases, mut left) = (0, model.n);
    let mut share = 100_u64;
    while left > 0 {
        let threshold = i128::from(capacity) * i128::from(share);
        let busy = |s: usize| i128::from(model.contention[s]) * 100 >= threshold;
        let mut s = 0;
        while s < model.sections {
            if !busy(s) {
                s += 1;
                continue;
            }
            let before = left;
            while s < model.sections && busy(s) {
                for &i in model.members(s) {
                    if phase_of[i as usize] == u32::MAX {
                        phase_of[i as usize] = phases;
                        left -= 1;
                    }
                }
                s += 1;
            }
            phases += u32::from(left < before);
        }
        share = share.saturating_sub(percent);
    }
    phase_of
}
