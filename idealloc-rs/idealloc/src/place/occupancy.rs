//! What is taken, over time and address, without an interference graph.
//!
//! A segment tree over the sections. A placed buffer covers `O(log sections)` canonical nodes. Each node keeps two
//! sets of addresses: `cover`, taken by buffers that have this node as a canonical one, and `below`, taken at some
//! section of the node by a buffer that does not cover more than the node (its own cover included). What conflicts with
//! a buffer is then the `below` of its canonical nodes and the `cover` of their ancestors. Overlapping addresses are
//! merged, so the sets of high nodes, which are nearly solid, stay short.

use crate::place::instance::{Aligner, Span};
use crate::place::interval_set::IntervalSet;

/// The index: addresses taken, by section.
#[derive(Clone, Debug)]
pub struct Occupancy {
    leaves: usize,
    /// `below` of node v at 2v, `cover` at 2v + 1; a leaf only has `below`.
    sets: Vec<IntervalSet>,
    /// Sets that are not empty, for a cheap `clear`.
    touched: Vec<u32>,
    /// What `clear` goes back to.
    kept: Vec<(u32, IntervalSet)>,
    cursors: Vec<Cursor>,
    /// Addresses taken by conflicting buffers besides those that time says.
    extra: IntervalSet,
}

/// Where a query stands in one set.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    set: u32,
    position: u32,
    /// Start of the interval at `position`; `u64::MAX` past the last.
    next: u64,
}

const EXTRA: u32 = u32::MAX;

impl Occupancy {
    /// An empty index over `sections` sections.
    pub fn new(sections: usize) -> Self {
        let leaves = sections.max(1);
        Self {
            leaves,
            sets: vec![IntervalSet::default(); 4 * leaves],
            touched: Vec::new(),
            kept: Vec::new(),
            cursors: Vec::new(),
            extra: IntervalSet::default(),
        }
    }

    /// Goes back to what `keep` saw last, or to nothing. `O(what was touched)`.
    pub fn clear(&mut self) {
        for set in self.touched.drain(..) {
            self.sets[set as usize].clear();
        }
        for (set, content) in &self.kept {
            self.sets[*set as usize].clone_from(content);
            self.touched.push(*set);
        }
    }

    /// Makes what is taken now the state that `clear` goes back to.
    pub fn keep(&mut self) {
        self.kept =
            self.touched.iter().map(|&set| (set, self.sets[set as usize].clone())).collect();
    }

    /// Takes `[start, end)` over the sections of `span`.
    pub fn insert(&mut self, span: Span, start: u64, end: u64) {
        if span.is_empty() || start >= end {
            return;
        }
        let Canonical { left, right, .. } = self.canonical(span, |occupancy, node| {
            if node < occupancy.leaves {
                occupancy.add(2 * node + 1, start, end);
            }
            occupancy.add(2 * node, start, end);
        });
        // Above a node whose `below` holds all of it already, everything does.
        let mut up = |mut node: usize| {
            node /= 2;
            while node >= 1 && self.add(2 * node, start, end) {
                node /= 2;
            }
        };
        if let Some(node) = left {
            up(node);
        }
        if let Some(node) = right {
            up(node);
        }
    }

    fn add(&mut self, set: usize, start: u64, end: u64) -> bool {
        let intervals = &mut self.sets[set];
        if intervals.is_empty() {
            self.touched.push(set as u32);
        }
        intervals.insert(start, end)
    }

    /// Visits the canonical nodes of a span; returns the lowest on the left and on the right flank.
    fn canonical(&mut self, span: Span, mut visit: impl FnMut(&mut Self, usize)) -> Canonical {
        let mut found = Canonical { left: None, right: None };
        let (mut low, mut high) =
            (span.start as usize + self.leaves, span.end as usize + self.leaves);
        while low < high {
            if low % 2 == 1 {
                found.left.get_or_insert(low);
                visit(self, low);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                found.right.get_or_insert(high);
                visit(self, high);
            }
            low /= 2;
            high /= 2;
        }
        found
    }

    /// Opens a query for a buffer that takes these spans. Nothing else may be called before it is done.
    pub fn open(&mut self, pieces: &[Span]) -> &mut Self {
        self.cursors.clear();
        self.extra.clear();
        for &piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            let Canonical { left, right } =
                self.canonical(piece, |occupancy, node| occupancy.watch(2 * node));
            let mut last = 0;
            if let Some(node) = left {
                last = node / 2;
                self.watch_covers(last, 0);
            }
            if let Some(node) = right {
                self.watch_covers(node / 2, last);
            }
        }
        self
    }

    /// Watches the covers of `node` and its ancestors, up to where they meet those of `other`.
    fn watch_covers(&mut self, mut node: usize, mut other: usize) {
        while node >= 1 {
            while other > node {
                other /= 2;
            }
            if other == node {
                return;
            }
            self.watch(2 * node + 1);
            node /= 2;
        }
    }

    fn watch(&mut self, set: usize) {
        if let Some(&(start, _)) = self.sets[set].intervals().first() {
            self.cursors.push(Cursor { set: set as u32, position: 0, next: start });
        }
    }

    /// Adds addresses that are taken for other reasons than time to the open query.
    pub fn avoid(&mut self, start: u64, end: u64) {
        if start < end {
            self.extra.insert(start, end);
        }
    }

    /// Ends the collection of what to avoid.
    fn watch_extra(&mut self) {
        if let Some(&(start, _)) = self.extra.intervals().first() {
            if self.cursors.last().is_none_or(|cursor| cursor.set != EXTRA) {
                self.cursors.push(Cursor { set: EXTRA, position: 0, next: start });
            }
        }
    }

    /// The lowest aligned offset at or above `from` where `size` bytes are free and end at or below `limit`.
    ///
    /// Complexity: `O(log sections)` sets, each entered once and then galloped through.
    pub fn lowest(&mut self, from: u64, size: u64, aligner: Aligner, limit: u64) -> Option<u64> {
        self.watch_extra();
        self.advance(from, size, aligner, limit)
    }

    fn advance(&mut self, from: u64, size: u64, aligner: Aligner, limit: u64) -> Option<u64> {
        let fits = |offset: u64| offset.checked_add(size).filter(|&end| end <= limit);
        let mut offset = aligner.up(from);
        let mut end = fits(offset)?;
        let count = self.cursors.len();
        let (mut agreed, mut at) = (0, 0);
        while agreed < count {
            let cursor = &mut self.cursors[at];
            if cursor.next < end {
                let set =
                    if cursor.set == EXTRA { &self.extra } else { &self.sets[cursor.set as usize] };
                let intervals = set.intervals();
                let mut position = set.first_ending_above(offset, cursor.position as usize);
                while let Some(&(taken_from, taken_to)) = intervals.get(position) {
                    if taken_from >= end {
                        break;
                    }
                    // `position` may lag behind after the offset was rounded up.
                    if taken_to > offset {
                        offset = aligner.up(taken_to);
                        end = fits(offset)?;
                        agreed = 0;
                    }
                    position += 1;
                }
                cursor.position = position as u32;
                cursor.next = intervals.get(position).map_or(u64::MAX, |interval| interval.0);
            }
            agreed += 1;
            at += 1;
            if at == count {
                at = 0;
            }
        }
        Some(offset)
    }

    /// The first hole at or above `from` that is at least `size` bytes long; the one above everything ends at `u64::MAX`.
    ///
    /// To see all holes, ascending, ask for the next one from the end of the last. Complexity: as `lowest`.
    pub fn next_hole(&mut self, from: u64, size: u64) -> Option<(u64, u64)> {
        self.watch_extra();
        let start = self.advance(from, size, Aligner::default(), u64::MAX)?;
        let end = self.cursors.iter().map(|cursor| cursor.next).min().unwrap_or(u64::MAX);
        Some((start, end))
    }

    /// The smallest hole that holds `size` bytes (the lowest of equals), else above everything that conflicts.
    ///
    /// A hole counts as long as it is, whatever rounding takes away. Complexity: as `lowest`, for all holes.
    pub fn tightest(&mut self, size: u64, aligner: Aligner, limit: u64) -> Option<u64> {
        let mut best: Option<(u64, u64)> = None;
        let mut from = 0;
        while let Some((start, end)) = self.next_hole(from, size) {
            let offset = aligner.up(start);
            let length = end - start;
            let fits = offset.checked_add(size).is_some_and(|top| top <= end.min(limit));
            if fits && best.is_none_or(|(least, _)| length < least) {
                best = Some((length, offset));
            }
            if end == u64::MAX || length == size && fits {
                break;
            }
            from = end;
        }
        best.map(|(_, offset)| offset)
    }
}

/// The lowest canonical nodes of a span on its two flanks.
struct Canonical {
    left: Option<usize>,
    right: Option<usize>,
}
