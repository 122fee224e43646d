//! The load: max over ticks of the bytes live, a lower bound of the peak.

use crate::problem::Problem;
use crate::radix::{ascending, order};

/// Max over ticks of the bytes live. Complexity: `O(n)` for times that spread over a power of `n`.
///
/// Gaps are respected. Only meaningful where conflicts follow lifetimes.
#[must_use]
pub fn load(problem: &Problem) -> u64 {
    let mut events: Vec<(i64, bool, u64)> = Vec::with_capacity(2 * problem.len());
    let mut add = |start: i64, end: i64, size: u64| {
        if start < end && size > 0 {
            events.push((start, true, size));
            events.push((end, false, size));
        }
    };
    let mut gaps = problem.gaps().iter().peekable();
    for (i, (life, &size)) in problem.lifetimes().iter().zip(problem.sizes()).enumerate() {
        let mut from = life.start;
        while let Some((_, gap)) = gaps.next_if(|(buffer, _)| buffer.get() == i) {
            add(from, gap.start, size);
            from = gap.end;
        }
        add(from, life.end, size);
    }
    let (mut live, mut most) = (0_u64, 0_u64);
    for event in order(events.len(), |k| [ascending(events[k].0), u64::from(events[k].1)]) {
        let (_, starts, size) = events[event as usize];
        if starts {
            live += size;
            most = most.max(live);
        } else {
            live -= size;
        }
    }
    most
}
