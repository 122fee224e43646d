//! Where a search branches.

use super::model::Model;
use super::state::State;

/// The section among `low .. high` where the fewest buffers can lie at the floor, among those that no lower floor
/// touches; one more where the section has slack, as then nothing need lie there. Ties by least slack. With
/// `failures` the count is divided by the failures seen in the section, plus one. `None` if all is placed.
///
/// Complexity: `O(sections)`.
pub fn choose_section(
    model: &Model,
    state: &State,
    low: usize,
    high: usize,
    failures: Option<&[u32]>,
) -> Option<usize> {
    let mut best: Option<((u64, u64), usize)> = None;
    let mut offer = |s: usize| {
        let slack = model.room[s] - state.floor[s] - state.total[s];
        let count = u64::from(state.at_floor[s]) + u64::from(slack > 0);
        let failed = failures.map_or(0, |failures| u64::from(failures[s]));
        let key = (count * 1024 / (1 + failed), slack);
        if best.is_none_or(|(least, _)| key < least) {
            best = Some((key, s));
        }
    };
    if model.contiguous {
        let mut s = low;
        while s < high {
            // A plateau [s, e): equal floors, higher ones on both sides.
            let floor = state.floor[s];
            let mut e = s + 1;
            while e < high && state.floor[e] == floor {
                e += 1;
            }
            let lower_left = s > low && state.floor[s - 1] < floor;
            let lower_right = e < high && state.floor[e] < floor;
            if floor != u64::MAX && !lower_left && !lower_right {
                (s..e).for_each(&mut offer);
            }
            s = e;
        }
    } else {
        let floor = state.floor[low..high].iter().copied().min().unwrap_or(u64::MAX);
        if floor != u64::MAX {
            (low..high).filter(|&s| state.floor[s] == floor).for_each(offer);
        }
    }
    best.map(|(_, s)| s)
}
