//! What is taken, over time and address, as one array of windows of time.
//!
//! A placed buffer is in every window that it meets. A window keeps five things by address: merged, what is taken
//! by one buffer at all of its sections (`solid`), at its first one, at its last one, at any of them; and the
//! buffers that are live at some of its sections only (`partial`). What conflicts with a buffer is then, in the window
//! where it starts, what is taken at the last section and some of `partial`; in that where it ends, the same with
//! the first section; and `any` in those between. Merged sets stay short, as layouts are nearly solid; the width of the
//! windows balances how many a buffer meets against how many buffers start or end in one, so that both grow
//! with the square root of the conflicts of a buffer.

use std::ops::RangeInclusive;

use crate::baselines::holes::Holes;
use crate::place::instance::Span;
use crate::place::interval_set::IntervalSet;

/// The index: addresses taken, by window.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Sections per window.
    width: u32,
    windows: Vec<Window>,
    cursors: Vec<Cursor>,
    /// Addresses taken by conflicting buffers besides those that time says.
    extra: IntervalSet,
    /// Scratch.
    holes: Holes,
}

#[derive(Clone, Debug, Default)]
struct Window {
    solid: IntervalSet,
    first: IntervalSet,
    last: IntervalSet,
    any: IntervalSet,
    /// Live at the first section, not at the last.
    early: Vec<Taken>,
    /// Live at the last section, not at the first.
    late: Vec<Taken>,
    /// Live at neither.
    inner: Vec<Taken>,
}

/// Addresses `[start, end)` taken over a span; sorted by start.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// Sections; not empty.
    pub span: Span,
}

impl Taken {
    /// Whether its span, which is not empty, overlaps another one that is not.
    #[inline]
    pub fn meets(&self, span: Span) -> bool {
        (self.span.start < span.end) & (span.start < self.span.end)
    }
}

/// Where a query stands in one list. Before `position` nothing is of interest any more.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    list: List,
    position: u32,
    /// No interval from `position` on starts before this.
    next: u64,
}

#[derive(Clone, Copy, Debug)]
enum List {
    Solid(u32),
    First(u32),
    Last(u32),
    Any(u32),
    /// Of the buffers that are live in a part of a window only, those that meet a span.
    Partial(u32, Part, Span),
    Extra,
}

/// Where in a window, not in all of which it is, a buffer is live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Early,
    Late,
    Inner,
}

impl Window {
    fn part(&self, part: Part) -> &[Taken] {
        match part {
            Part::Early => &self.early,
            Part::Late => &self.late,
            Part::Inner => &self.inner,
        }
    }
}

/// Work per window that a buffer meets, in units of the work per buffer that is looked at in one.
///
/// From timings of `tflm` and `tflite-gpu-by-size` on generated problems of 10k and 100k buffers: flat between 500
/// and 2000, half as fast at 15.
const WINDOW_COST: u64 = 1000;

impl Timeline {
    /// Nothing is taken. `spans` are all those that will be inserted.
    pub fn new(sections: usize, spans: &[Span]) -> Self {
        let width = width(sections as u64, spans);
        let count = sections.div_ceil(width as usize);
        Self {
            width,
            windows: vec![Window::default(); count],
            cursors: Vec::new(),
            extra: IntervalSet::default(),
            holes: Holes::default(),
        }
    }

    /// Takes `[start, end)` over the sections of `span`.
    ///
    /// Complexity: `O(log k)` to find the place in each window met, and `O(k)` bytes moved, for `k` entries.
    pub fn insert(&mut self, span: Span, start: u64, end: u64) {
        if span.is_empty() || start >= end {
            return;
        }
        for at in self.met(span) {
            let meeting = self.meeting(span, at);
            let window = &mut self.windows[at as usize];
            if meeting.at_first {
                window.first.insert(start, end);
            }
            if meeting.at_last {
                window.last.insert(start, end);
            }
            window.any.insert(start, end);
            let partial = match (meeting.at_first, meeting.at_last) {
                (true, true) => {
                    window.solid.insert(start, end);
                    continue;
                }
                (true, false) => &mut window.early,
                (false, true) => &mut window.late,
                (false, false) => &mut window.inner,
            };
            let place = partial.partition_point(|taken| taken.start < start);
            partial.insert(place, Taken { start, end, span });
        }
    }

    /// The windows that a span, which is not empty, has sections of.
    fn met(&self, span: Span) -> RangeInclusive<u32> {
        span.start / self.width..=(span.end - 1) / self.width
    }

    /// How a span is live in a window that it meets.
    fn meeting(&self, span: Span, window: u32) -> Meeting {
        let first = window * self.width;
        Meeting {
            at_first: span.start <= first,
            at_last: span.end - first >= self.width,
        }
    }

    /// Opens a query for a buffer that takes these spans. Nothing else may be called before it is done.
    pub fn open(&mut self, pieces: &[Span]) -> &mut Self {
        self.cursors.clear();
        self.extra.clear();
        for &piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            for at in self.met(piece) {
                let Meeting { at_first, at_last } = self.meeting(piece, at);
                let window = &self.windows[at as usize];
                let (list, set) = match (at_first, at_last) {
                    (true, true) => (List::Any(at), &window.any),
                    (true, false) => (List::First(at), &window.first),
                    (false, true) => (List::Last(at), &window.last),
                    (false, false) => (List::Solid(at), &window.solid),
                };
                watch(&mut self.cursors, list, set);
                // Those that are live at a section where the query is, too, are in its set.
                for part in [Part::Early, Part::Late, Part::Inner] {
                    if (at_first && part == Part::Early) || (at_last && part == Part::Late) || (at_first && at_last) {
                        continue;
                    }
                    if let Some(lowest) = window.part(part).first() {
                        let list = List::Partial(at, part, piece);
                        self.cursors.push(Cursor { list, position: 0, next: lowest.start });
                    }
                }
            }
        }
        self
    }

    /// Adds addresses that are taken for other reasons than time to the open query, which has not been asked yet.
    pub fn avoid(&mut self, start: u64, end: u64) {
        if start < end {
            self.extra.insert(start, end);
        }
    }

    /// Ends the collection of what to avoid.
    pub fn close(&mut self) {
        watch(&mut self.cursors, List::Extra, &self.extra);
    }

    /// The lowest offset at or above `from` where `size` bytes are free; `None` if there is no such address.
    ///
    /// `up` rounds offsets, so that they are aligned.
    /// Complexity: each list of the query is gone through once, over all calls with ascending `from`.
    pub fn lowest(&mut self, from: u64, size: u64, up: impl Fn(u64) -> u64 + Copy) -> Option<u64> {
        let Self { windows, cursors, extra, .. } = self;
        let mut offset = up(from);
        let (count, mut agreed) = (cursors.len(), 0);
        while agreed < count {
            for cursor in cursors.iter_mut() {
                if cursor.next >= offset.wrapping_add(size) {
                    agreed += 1;
                } else {
                    let free = cursor.pass(windows, extra, offset, size, up);
                    agreed = if free == offset { agreed + 1 } else { 1 };
                    offset = free;
                }
                if agreed == count {
                    break;
                }
            }
        }
        offset.checked_add(size).map(|_| offset)
    }

    /// Visits the holes of at least `size` bytes, ascending; the one above everything ends at `u64::MAX`. The query has
    /// not been asked yet.
    ///
    /// `visit` says up to which length holes are still of interest, and may be given longer ones; it is done when that
    /// is less than `size`. Complexity: `O(p)` for the `p` buffers that start or end in the windows where the query
    /// does, and `O(h log k + k)` per other list, for its `k` intervals and the `h` holes that are left by then.
    pub fn holes(&mut self, size: u64, visit: impl FnMut(u64, u64) -> u64) {
        let Self { windows, cursors, extra, holes, .. } = self;
        holes.reset();
        cursors.retain(|cursor| {
            let List::Partial(at, part, span) = cursor.list else { return true };
            holes.cut_by_selected(windows[at as usize].part(part), span, size);
            false
        });
        let intervals = |cursor: &Cursor| match cursor.list {
            List::Solid(at) => windows[at as usize].solid.intervals(),
            List::First(at) => windows[at as usize].first.intervals(),
            List::Last(at) => windows[at as usize].last.intervals(),
            List::Any(at) => windows[at as usize].any.intervals(),
            List::Partial(..) => &[],
            List::Extra => extra.intervals(),
        };
        cursors.sort_unstable_by_key(|cursor| intervals(cursor).len());
        let longest = cursors.pop();
        for cursor in cursors.iter() {
            holes.cut_by(intervals(cursor), size);
        }
        holes.visit_between(longest.as_ref().map_or(&[], intervals), size, visit);
    }
}

/// How a span that meets a window is live in it.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Whether the span is live at the first section.
    at_first: bool,
    /// Whether it is live at the last section.
    at_last: bool,
}

fn watch(cursors: &mut Vec<Cursor>, list: List, set: &IntervalSet) {
    if let Some(&(next, _)) = set.intervals().first() {
        cursors.push(Cursor { list, position: 0, next });
    }
}

impl Cursor {
    /// Moves past all that is in the way of `size` bytes at `offset` or ends before, and returns where nothing of this
    /// list is in the way any more.
    #[inline]
    fn pass(
        &mut self,
        windows: &[Window],
        extra: &IntervalSet,
        offset: u64,
        size: u64,
        up: impl Fn(u64) -> u64,
    ) -> u64 {
        let set = match self.list {
            List::Solid(at) => &windows[at as usize].solid,
            List::First(at) => &windows[at as usize].first,
            List::Last(at) => &windows[at as usize].last,
            List::Any(at) => &windows[at as usize].any,
            List::Extra => extra,
            List::Partial(at, part, span) => {
                let all = windows[at as usize].part(part);
                return self.pass_partial(all, span, offset, size, up);
            }
        };
        let intervals = set.intervals();
        let mut offset = offset;
        let mut position = set.first_ending_above(offset, self.position as usize);
        for &(start, end) in &intervals[position..] {
            if start >= offset.wrapping_add(size) {
                break;
            }
            // `position` may lag behind after the offset was rounded up.
            if end > offset {
                offset = up(end);
            }
            position += 1;
        }
        self.position = position as u32;
        self.next = intervals.get(position).map_or(u64::MAX, |interval| interval.0);
        offset
    }

    fn pass_partial(
        &mut self,
        all: &[Taken],
        span: Span,
        mut offset: u64,
        size: u64,
        up: impl Fn(u64) -> u64,
    ) -> u64 {
        let mut position = self.position as usize;
        loop {
            let mut top = offset;
            for taken in &all[position..] {
                if taken.start >= top.wrapping_add(size) {
                    break;
                }
                // Whether a buffer matters is as good as random, so no branch hangs on it.
                top = if taken.meets(span) & (taken.end > top) { taken.end } else { top };
                position += 1;
            }
            let rounded = up(top);
            if rounded == offset {
                break;
            }
            offset = rounded;
        }
        self.position = position as u32;
        self.next = all.get(position).map_or(u64::MAX, |taken| taken.start);
        offset
    }
}

/// Sections per window: the square root of what makes both costs of a buffer equal.
///
/// With `s` sections, `n` buffers and spans of `m` sections on average, a buffer meets `m / width` windows and looks at
/// `n * width / s` others where it starts and where it ends.
fn width(sections: u64, spans: &[Span]) -> u32 {
    let total: u64 = spans.iter().map(|span| u64::from(span.len())).sum();
    let count = spans.len().max(1) as u64;
    let mean = (total / count).max(1);
    let square = WINDOW_COST * mean * sections / count;
    u32::try_from(square.isqrt().clamp(1, sections.max(1))).unwrap_or(u32::MAX)
}

