//! Starts and ends of buffers in order of time.

use crate::problem::Problem;

/// A buffer comes to life or ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Position of the buffer in the problem.
    pub buffer: u32,
    /// True if it starts, false if it ends.
    pub starts: bool,
}

/// All events by time, ends before starts (lifetimes are half-open), then by buffer. Gaps end a buffer and start it
/// again; what has no ticks or no bytes has no events.
///
/// Complexity: `O(n)` where there are at most eight ticks to a buffer, else `O(n log n)`.
pub(crate) fn timeline(problem: &Problem) -> Vec<Event> {
    let (mut count, mut from, mut to) = (0_usize, i64::MAX, i64::MIN);
    for_each_piece(problem, |_, start, end| {
        count += 1;
        from = from.min(start);
        to = to.max(end);
    });
    if count == 0 {
        return Vec::new();
    }
    if to.abs_diff(from) <= 8 * count as u64 {
        return counted(problem, count, from, to.abs_diff(from) as usize);
    }
    let mut events: Vec<(i64, bool, u32)> = Vec::with_capacity(2 * count);
    for_each_piece(problem, |buffer, start, end| {
        events.push((start, true, buffer));
        events.push((end, false, buffer));
    });
    events.sort_unstable();
    events.into_iter().map(|(_, starts, buffer)| Event { buffer, starts }).collect()
}

/// Counting sort by tick and kind; buffers are visited in ascending order, so that ties keep it.
fn counted(problem: &Problem, count: usize, from: i64, horizon: usize) -> Vec<Event> {
    let key = |time: i64, starts: bool| 2 * time.abs_diff(from) as usize + usize::from(starts);
    let mut next = vec![0_usize; 2 * horizon + 3];
    for_each_piece(problem, |_, start, end| {
        next[key(start, true) + 1] += 1;
        next[key(end, false) + 1] += 1;
    });
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    let mut events = vec![Event::default(); 2 * count];
    for_each_piece(problem, |buffer, start, end| {
        for (time, starts) in [(start, true), (end, false)] {
            let place = &mut next[key(time, starts)];
            events[*place] = Event { buffer, starts };
            *place += 1;
        }
    });
    events
}

/// Visits the times at which each buffer takes bytes, as `buffer, start, end`.
fn for_each_piece(problem: &Problem, mut visit: impl FnMut(u32, i64, i64)) {
    let mut gaps = problem.gaps().iter().peekable();
    for (i, (life, &size)) in problem.lifetimes().iter().zip(problem.sizes()).enumerate() {
        let mut add = |start: i64, end: i64| {
            if start < end && size > 0 {
                visit(i as u32, start, end);
            }
        };
        let mut from = life.start;
        while let Some((_, gap)) = gaps.next_if(|(buffer, _)| buffer.get() == i) {
            add(from, gap.start);
            from = gap.end;
        }
        add(from, life.end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::timeline;
    use crate::problem::Problem;

    proptest! {
        #[test]
        fn sparse_and_dense_times_give_the_same_order(
            rows in prop::collection::vec((0_u64..3, 0_i64..20, 0_i64..6), 0..30),
        ) {
            let problem = |stretch: i64| {
                let mut builder = Problem::builder();
                for &(size, start, life) in &rows {
                    builder.buffer(size, stretch * start - 7, stretch * (start + life) - 7);
                }
                builder.build().expect("valid by construction")
            };
            prop_assert_eq!(timeline(&problem(1)), timeline(&problem(1_000_000_007)));
        }
    }
}
