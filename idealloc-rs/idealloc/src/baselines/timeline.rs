//! What is taken, over time and address, as one array of windows of time.
//!
//! A placed buffer is in every window that it meets. A window keeps three things by address: `solid`, what is taken at
//! all of its sections by one buffer, merged; `partial`, the buffers that are live at some of its sections only; and
//! `any`, what is taken at any of its sections, merged. What conflicts with a buffer is then `solid` and a look at
//! `partial` in the windows where it starts and ends, and `any` in those between. Merged sets stay short, as
//! layouts are nearly solid; the width of the windows balances how many a buffer meets against how many
//! buffers start or end in one, so that both grow with the square root of the conflicts of a buffer.

use crate::baselines::holes::{self, Holes};
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
    /// Of the buffers in the windows where the query starts and ends, those that it conflicts with; scratch.
    relevant: Vec<(u64, u64)>,
    /// Scratch.
    holes: Holes,
}

#[derive(Clone, Debug, Default)]
struct Window {
    solid: IntervalSet,
    any: IntervalSet,
    partial: Vec<Taken>,
}

/// Addresses `[start, end)` taken over a span; sorted by start.
#[derive(Clone, Copy, Debug)]
struct Taken {
    start: u64,
    end: u64,
    span: Span,
}

/// Where a query stands in one list. Before `position` nothing is of interest any more.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    list: List,
    position: u32,
    /// No interval from `position` on starts before this.
    next: u64,
    /// Where those that matter are, selected from a list of which only some do.
    selected: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
enum List {
    Solid(u32),
    Any(u32),
    /// A window, and the span for which its buffers matter.
    Partial(u32, Span),
    Extra,
}

/// Up to so many lists are gone through one after the other, more of them together, hole by hole.
///
/// From timings of `xla-spatial` and `xla-start` on generated problems of both kinds, 100k and 300k buffers: 4 is as good as
/// 3, and 0 takes up to 1.8 times as long.
const FEW: usize = 4;

/// Work per window that a buffer meets, in units of the work per buffer that is looked at in one.
///
/// From timings of `tflm` and `tflite-gpu-by-size` on generated problems of 10k and 100k buffers: flat between 500
/// and 2000, half as fast at 15.
const WINDOW_COST: u64 = 1000;

impl Taken {
    /// Whether its span, which is not empty, overlaps another one that is not.
    #[inline]
    fn meets(&self, span: Span) -> bool {
        (self.span.start < span.end) & (span.start < self.span.end)
    }
}

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
            relevant: Vec::new(),
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
        for at in span.start / self.width..=(span.end - 1) / self.width {
            let covers = self.covers(span, at);
            let window = &mut self.windows[at as usize];
            if covers {
                window.solid.insert(start, end);
            } else {
                let place = window.partial.partition_point(|taken| taken.start < start);
                window.partial.insert(place, Taken { start, end, span });
            }
            window.any.insert(start, end);
        }
    }

    fn covers(&self, span: Span, window: u32) -> bool {
        let first = window * self.width;
        span.start <= first && span.end - first >= self.width
    }

    /// Opens a query for a buffer that takes these spans. Nothing else may be called before it is done.
    pub fn open(&mut self, pieces: &[Span]) -> &mut Self {
        self.cursors.clear();
        self.extra.clear();
        for &piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            for at in piece.start / self.width..=(piece.end - 1) / self.width {
                let window = &self.windows[at as usize];
                if self.covers(piece, at) {
                    watch(&mut self.cursors, List::Any(at), &window.any);
                } else {
                    watch(&mut self.cursors, List::Solid(at), &window.solid);
                    if let Some(first) = window.partial.first() {
                        let list = List::Partial(at, piece);
                        self.cursors.push(Cursor {
                            list,
                            position: 0,
                            next: first.start,
                            selected: (0, 0),
                        });
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
    /// does, and what [`Holes::cut_by`] says for each list.
    pub fn holes(&mut self, size: u64, visit: impl FnMut(u64, u64) -> u64) {
        if self.cursors.len() > FEW {
            self.walk(size, visit);
        } else {
            self.cut(size, visit);
        }
    }

    /// As [`holes`](Self::holes), one search per hole.
    fn walk(&mut self, size: u64, mut visit: impl FnMut(u64, u64) -> u64) {
        let mut from = 0;
        while let Some((start, end)) = self.next_hole(from, size) {
            if visit(start, end) < size || end == u64::MAX {
                return;
            }
            from = end;
        }
    }

    fn next_hole(&mut self, from: u64, size: u64) -> Option<(u64, u64)> {
        let start = self.lowest(from, size, |offset| offset)?;
        let Self { windows, cursors, .. } = self;
        let nexts = cursors.iter_mut().map(|cursor| cursor.settle(windows));
        Some((start, nexts.min().unwrap_or(u64::MAX)))
    }

    /// As [`holes`](Self::holes), list by list.
    fn cut(&mut self, size: u64, visit: impl FnMut(u64, u64) -> u64) {
        let Self { width, windows, cursors, extra, holes, relevant } = self;
        let mut first = 0;
        for cursor in cursors.iter_mut() {
            if let List::Partial(at, span) = cursor.list {
                let window = Span { start: at * *width, end: (at + 1) * *width };
                let all = &windows[at as usize].partial;
                let end = select(all, window, span, relevant, first);
                cursor.selected = (first as u32, end as u32);
                first = end;
            }
        }
        let list = |cursor: &Cursor| match cursor.list {
            List::Solid(at) => holes::List::of(&windows[at as usize].solid),
            List::Any(at) => holes::List::of(&windows[at as usize].any),
            List::Extra => holes::List::of(extra),
            List::Partial(..) => {
                let (first, end) = cursor.selected;
                holes::List { taken: &relevant[first as usize..end as usize], is_disjoint: false }
            }
        };
        cursors.sort_unstable_by_key(|cursor| list(cursor).taken.len());
        holes.reset();
        let (longest, others) = match cursors.split_last() {
            Some((longest, others)) => (list(longest), others),
            None => (holes::List::EMPTY, &[][..]),
        };
        for other in others {
            holes.cut_by(list(other), size);
        }
        holes.visit(longest, size, visit);
    }
}

/// Writes down from `first` on the addresses of those that meet a span, and returns where they end.
///
/// All of `all` meet the sections of `window`; where the span runs to one of its ends, one comparison is enough.
fn select(
    all: &[Taken],
    window: Span,
    span: Span,
    relevant: &mut Vec<(u64, u64)>,
    first: usize,
) -> usize {
    if relevant.len() < first + all.len() {
        relevant.resize(2 * (first + all.len()), (0, 0));
    }
    let places = &mut relevant[first..first + all.len()];
    let count = if span.start <= window.start {
        keep(all, places, |taken| taken.span.start < span.end)
    } else if span.end >= window.end {
        keep(all, places, |taken| span.start < taken.span.end)
    } else {
        keep(all, places, |taken| taken.meets(span))
    };
    first + count
}

/// Writes down the addresses of those that matter, and returns how many they are.
#[inline]
fn keep(all: &[Taken], places: &mut [(u64, u64)], matters: impl Fn(&Taken) -> bool) -> usize {
    let mut count = 0;
    // Whether a buffer matters is as good as random, so no branch hangs on it.
    for taken in all {
        places[count] = (taken.start, taken.end);
        count += usize::from(matters(taken));
    }
    count
}

fn watch(cursors: &mut Vec<Cursor>, list: List, set: &IntervalSet) {
    if let Some(&(next, _)) = set.intervals().first() {
        cursors.push(Cursor { list, position: 0, next, selected: (0, 0) });
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
            List::Any(at) => &windows[at as usize].any,
            List::Extra => extra,
            List::Partial(at, span) => {
                let all = &windows[at as usize].partial;
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

    /// Moves to the first interval that matters, and returns its start.
    fn settle(&mut self, windows: &[Window]) -> u64 {
        if let List::Partial(at, span) = self.list {
            let ahead = &windows[at as usize].partial[self.position as usize..];
            let skipped = ahead.iter().take_while(|taken| !taken.meets(span)).count();
            self.position += skipped as u32;
            self.next = ahead.get(skipped).map_or(u64::MAX, |taken| taken.start);
        }
        self.next
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Span, Timeline};

    proptest! {
        #[test]
        fn holes_are_the_same_list_by_list_and_one_by_one(
            taken in prop::collection::vec((0_u32..20, 1_u32..9, 0_u64..50, 1_u64..9), 0..40),
            (start, length, size) in (0_u32..20, 1_u32..9, 1_u64..9),
            (from, to) in (0_u64..50, 0_u64..60),
            longest in prop::option::of(1_u64..20),
        ) {
            let span = |start, length| Span { start, end: start + length };
            let spans: Vec<Span> = taken.iter().map(|one| span(one.0, one.1)).collect();
            let mut timeline = Timeline::new(30, &spans);
            for (&span, &(.., start, length)) in spans.iter().zip(&taken) {
                timeline.insert(span, start, start + length);
            }
            let mut holes = [Vec::new(), Vec::new()];
            for (cuts, holes) in [false, true].into_iter().zip(&mut holes) {
                timeline.open(&[span(start, length)]).avoid(from, to);
                timeline.close();
                let visit = |start, end| {
                    if longest.is_none_or(|longest| end - start <= longest) {
                        holes.push((start, end));
                    }
                    longest.unwrap_or(u64::MAX)
                };
                if cuts { timeline.cut(size, visit) } else { timeline.walk(size, visit) }
            }
            // One search is over at a hole that ends it, the other when it is asked for the next.
            if longest.is_none_or(|longest| longest >= size) {
                prop_assert_eq!(&holes[0], &holes[1]);
            }
            if longest.is_none() {
                prop_assert_eq!(holes[0].last().map(|hole| hole.1), Some(u64::MAX));
            }
        }
    }
}
