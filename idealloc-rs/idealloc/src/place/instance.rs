//! A problem as placement sees it: time cut into sections, nothing else left of it.

use crate::index::BufferIdx;
use crate::lifetime::Lifetime;
use crate::problem::{Conflicts, Problem};

/// A range of sections `[start, end)`; empty if the buffer meets nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First section.
    pub start: u32,
    /// One past the last section.
    pub end: u32,
}

impl Span {
    /// Number of sections.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// True if there is no section in it.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// True if both hold a common section.
    pub fn overlaps(self, other: Self) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }
}

/// Lists of varying length, one per buffer, in two arrays.
#[derive(Clone, Debug)]
struct Lists<T> {
    first: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    fn of(&self, buffer: usize) -> &[T] {
        &self.items[self.first[buffer] as usize..self.first[buffer + 1] as usize]
    }
}

/// Sizes, alignments and sections of the buffers of one memory.
///
/// A section is a moment at which a maximal set of buffers is live; all other moments are dominated by one of
/// these, so nothing is lost: two buffers conflict exactly if they share a section, and the load is the largest
/// sum of sizes over a section.
#[derive(Clone, Debug)]
pub struct Instance {
    sizes: Vec<u64>,
    alignments: Option<Vec<u64>>,
    base_address: u64,
    spans: Vec<Span>,
    /// Spans of each buffer where some buffer has gaps; otherwise the one span is all.
    pieces: Option<Lists<Span>>,
    neighbours: Option<Lists<u32>>,
    fixed: Vec<(u32, u64)>,
    sections: usize,
    lifetimes_conflict: bool,
}

impl Instance {
    /// Cuts time into sections. Complexity: `O(n)` where times are dense, else `O(n log n)`.
    pub fn new(problem: &Problem) -> Self {
        let (spans, pieces, sections) = spans_of(problem.lifetimes(), pieces_of(problem));
        let pairs = match problem.conflicts() {
            Conflicts::Lifetimes => None,
            Conflicts::LifetimesAnd(pairs) | Conflicts::Pairs(pairs) => Some(pairs),
        };
        Self {
            sizes: problem.sizes().to_vec(),
            alignments: problem.alignments().map(<[u64]>::to_vec),
            base_address: problem.base_address(),
            spans,
            pieces,
            neighbours: pairs.map(|pairs| neighbours(problem.len(), pairs)),
            fixed: problem.fixed().iter().map(|&(b, offset)| (b.get() as u32, offset)).collect(),
            sections,
            lifetimes_conflict: !matches!(problem.conflicts(), Conflicts::Pairs(_)),
        }
    }

    /// Some of the buffers alone, with no more sections than they need; conflicts other than those of time are left out.
    ///
    /// Complexity: `O(n)`, or `O(n log n)` where sections are many to a buffer.
    pub fn subset(&self, buffers: &[u32]) -> Self {
        let life = |span: &Span| Lifetime::new(i64::from(span.start), i64::from(span.end));
        let lifetimes: Vec<Lifetime> =
            buffers.iter().map(|&buffer| life(&self.spans[buffer as usize])).collect();
        let pieces = self.pieces.as_ref().map(|all| {
            let mut lists = Lists { first: vec![0], items: Vec::new() };
            for &buffer in buffers {
                lists.items.extend(all.of(buffer as usize).iter().map(life));
                lists.first.push(lists.items.len() as u32);
            }
            lists
        });
        let (spans, pieces, sections) = spans_of(&lifetimes, pieces);
        let mut place = vec![u32::MAX; if self.fixed.is_empty() { 0 } else { self.len() }];
        for (at, &buffer) in (0..).zip(buffers).filter(|_| !self.fixed.is_empty()) {
            place[buffer as usize] = at;
        }
        let here = |&(buffer, offset): &(u32, u64)| (place[buffer as usize], offset);
        Self {
            sizes: buffers.iter().map(|&buffer| self.sizes[buffer as usize]).collect(),
            alignments: self
                .alignments
                .as_ref()
                .map(|all| buffers.iter().map(|&buffer| all[buffer as usize]).collect()),
            base_address: self.base_address,
            spans,
            pieces,
            neighbours: None,
            fixed: self.fixed.iter().map(here).filter(|&(at, _)| at != u32::MAX).collect(),
            sections,
            lifetimes_conflict: self.lifetimes_conflict,
        }
    }

    /// What happens within `window`: `free` buffers, then `obstacles` at given offsets, both cut to the window.
    ///
    /// Conflicts other than those of time are left out.
    pub fn window(&self, window: Span, free: &[u32], obstacles: &[(u32, u64)]) -> Self {
        let members = || free.iter().copied().chain(obstacles.iter().map(|&(buffer, _)| buffer));
        let clip = |span: Span| {
            let start = span.start.max(window.start);
            let end = span.end.min(window.end).max(start);
            Span { start: start - window.start, end: end - window.start }
        };
        let pieces = self.pieces.as_ref().map(|all| {
            let mut lists = Lists { first: vec![0], items: Vec::new() };
            for buffer in members() {
                let clipped = all.of(buffer as usize).iter().map(|&piece| clip(piece));
                lists.items.extend(clipped.filter(|piece| !piece.is_empty()));
                lists.first.push(lists.items.len() as u32);
            }
            lists
        });
        let first = free.len() as u32;
        Self {
            sizes: members().map(|buffer| self.sizes[buffer as usize]).collect(),
            alignments: self
                .alignments
                .as_ref()
                .map(|all| members().map(|buffer| all[buffer as usize]).collect()),
            base_address: self.base_address,
            spans: members().map(|buffer| clip(self.spans[buffer as usize])).collect(),
            pieces,
            neighbours: None,
            fixed: (first..).zip(obstacles).map(|(i, &(_, offset))| (i, offset)).collect(),
            sections: window.len() as usize,
            lifetimes_conflict: self.lifetimes_conflict,
        }
    }

    /// Number of buffers.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// True if there is no buffer.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Number of sections.
    pub fn sections(&self) -> usize {
        self.sections
    }

    /// Sizes in bytes.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// From the first to the last section of each buffer, idle times included.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The sections at which bytes of a buffer are taken, as disjoint spans.
    pub fn pieces(&self, buffer: usize) -> &[Span] {
        match &self.pieces {
            _ if !self.lifetimes_conflict => &[],
            Some(lists) => lists.of(buffer),
            None => std::slice::from_ref(&self.spans[buffer]),
        }
    }

    /// True if some buffer has idle times.
    pub fn has_pieces(&self) -> bool {
        self.pieces.is_some()
    }

    /// True if two buffers take bytes at a common section; both spans are known to overlap.
    pub fn meet(&self, a: usize, b: usize) -> bool {
        self.pieces.as_ref().is_none_or(|lists| {
            lists.of(a).iter().any(|piece| lists.of(b).iter().any(|other| piece.overlaps(*other)))
        })
    }

    /// Buffers that conflict with one for other reasons than time.
    pub fn neighbours(&self, buffer: usize) -> &[u32] {
        self.neighbours.as_ref().map_or(&[], |lists| lists.of(buffer))
    }

    /// Buffers whose offset is given, with it.
    pub fn fixed(&self) -> &[(u32, u64)] {
        &self.fixed
    }

    /// True if only time says what conflicts.
    pub fn is_temporal(&self) -> bool {
        self.neighbours.is_none() && self.lifetimes_conflict
    }

    /// Alignments in bytes; `None` if all are 1.
    pub fn alignments(&self) -> Option<&[u64]> {
        self.alignments.as_deref()
    }

    /// True if buffers are aligned to different multiples, so that what one wastes another one may use.
    pub fn has_mixed_alignments(&self) -> bool {
        let alignments = self.alignments().unwrap_or(&[]);
        alignments.iter().any(|&alignment| alignment != alignments[0])
    }

    /// Address of offset 0.
    pub fn base_address(&self) -> u64 {
        self.base_address
    }

    /// How offsets of a buffer are rounded.
    pub fn aligner(&self, buffer: usize) -> Aligner {
        let alignment = self.alignments.as_ref().map_or(1, |all| all[buffer]);
        Aligner { alignment, base_address: self.base_address }
    }

    /// Bytes live at each section. Complexity: `O(n + sections)`.
    pub fn section_loads(&self) -> Vec<u64> {
        // Differences wrap around: disjoint lives may add up to more than 64 bits, what is live never does.
        let mut change = vec![0_u64; self.sections + 1];
        for buffer in 0..self.len() {
            let size = self.sizes[buffer];
            for piece in self.pieces(buffer) {
                let (start, end) = (piece.start as usize, piece.end as usize);
                change[start] = change[start].wrapping_add(size);
                change[end] = change[end].wrapping_sub(size);
            }
        }
        let mut live = 0_u64;
        change[..self.sections]
            .iter()
            .map(|step| {
                live = live.wrapping_add(*step);
                live
            })
            .collect()
    }
}

/// Rounds offsets up so that addresses are multiples of an alignment.
#[derive(Clone, Copy, Debug)]
pub struct Aligner {
    alignment: u64,
    base_address: u64,
}

impl Default for Aligner {
    fn default() -> Self {
        Self { alignment: 1, base_address: 0 }
    }
}

impl Aligner {
    /// The lowest aligned offset at or above `offset`; `u64::MAX` if there is none.
    #[inline]
    pub fn up(self, offset: u64) -> u64 {
        if self.alignment == 1 {
            return offset;
        }
        self.base_address
            .checked_add(offset)
            .and_then(|address| address.checked_next_multiple_of(self.alignment))
            .map_or(u64::MAX, |address| address - self.base_address)
    }
}

/// Lifetimes less their gaps; `None` if there are no gaps.
fn pieces_of(problem: &Problem) -> Option<Lists<Lifetime>> {
    if problem.gaps().is_empty() {
        return None;
    }
    let mut lists = Lists { first: vec![0], items: Vec::new() };
    let mut gaps = problem.gaps().iter().peekable();
    for (i, life) in problem.lifetimes().iter().enumerate() {
        let mut from = life.start;
        while let Some((_, gap)) = gaps.next_if(|(buffer, _)| buffer.get() == i) {
            if from < gap.start {
                lists.items.push(Lifetime::new(from, gap.start));
            }
            from = gap.end;
        }
        if from < life.end {
            lists.items.push(Lifetime::new(from, life.end));
        }
        lists.first.push(lists.items.len() as u32);
    }
    Some(lists)
}

/// Spans of buffers and of their pieces, and the number of sections.
fn spans_of(
    lifetimes: &[Lifetime],
    pieces: Option<Lists<Lifetime>>,
) -> (Vec<Span>, Option<Lists<Span>>, usize) {
    let Some(lists) = pieces else {
        let (spans, sections) = cut(lifetimes);
        return (spans, None, sections);
    };
    let (items, sections) = cut(&lists.items);
    let lists = Lists { first: lists.first, items };
    let hull = |i: usize| match (lists.of(i).first(), lists.of(i).last()) {
        (Some(first), Some(last)) => Span { start: first.start, end: last.end },
        _ => Span::default(),
    };
    ((0..lifetimes.len()).map(hull).collect(), Some(lists), sections)
}

fn neighbours(n: usize, pairs: &[(BufferIdx, BufferIdx)]) -> Lists<u32> {
    let mut first = vec![0_u32; n + 1];
    for &(a, b) in pairs {
        first[a.get() + 1] += 1;
        first[b.get() + 1] += 1;
    }
    for i in 0..n {
        first[i + 1] += first[i];
    }
    let mut next = first.clone();
    let mut items = vec![0_u32; 2 * pairs.len()];
    for &(a, b) in pairs {
        for (from, to) in [(a.get(), b.get()), (b.get(), a.get())] {
            items[next[from] as usize] = to as u32;
            next[from] += 1;
        }
    }
    Lists { first, items }
}

/// Maps lifetimes to spans of maximal sections, and counts the sections.
fn cut(lifetimes: &[Lifetime]) -> (Vec<Span>, usize) {
    let live = || lifetimes.iter().filter(|life| !life.is_empty());
    let from = live().map(|life| life.start).min().unwrap_or(0);
    let to = live().map(|life| life.end).max().unwrap_or(0);
    let horizon = to.abs_diff(from);
    if horizon <= 8 * lifetimes.len() as u64 {
        let rank = |time: i64| time.abs_diff(from) as usize;
        let mut marks = vec![0_u8; horizon as usize + 1];
        for life in live() {
            marks[rank(life.start)] |= STARTS;
            marks[rank(life.end)] |= ENDS;
        }
        let (section, sections) = sections_of(&marks);
        let spans = lifetimes.iter().map(|life| {
            if life.is_empty() {
                return Span::default();
            }
            Span { start: section[rank(life.start)], end: section[rank(life.end)] }
        });
        return (spans.collect(), sections);
    }
    let mut events: Vec<(i64, u8, u32)> = Vec::with_capacity(2 * lifetimes.len());
    for (i, life) in lifetimes.iter().enumerate().filter(|(_, life)| !life.is_empty()) {
        events.push((life.start, STARTS, i as u32));
        events.push((life.end, ENDS, i as u32));
    }
    events.sort_unstable();
    let mut marks: Vec<u8> = Vec::new();
    let mut last = None;
    for &(time, mark, _) in &events {
        if last != Some(time) {
            marks.push(0);
            last = Some(time);
        }
        if let Some(at) = marks.last_mut() {
            *at |= mark;
        }
    }
    let (section, sections) = sections_of(&marks);
    let mut spans = vec![Span::default(); lifetimes.len()];
    let mut rank = 0;
    for (k, &(time, mark, i)) in events.iter().enumerate() {
        if k > 0 && events[k - 1].0 != time {
            rank += 1;
        }
        let span = &mut spans[i as usize];
        *(if mark == STARTS { &mut span.start } else { &mut span.end }) = section[rank];
    }
    (spans, sections)
}

const STARTS: u8 = 1;
const ENDS: u8 = 2;

/// A section closes at an end that follows a start. Ends come first at equal times: lifetimes are half-open.
fn sections_of(marks: &[u8]) -> (Vec<u32>, usize) {
    let (mut closed, mut open) = (0_u32, false);
    let section = marks
        .iter()
        .map(|mark| {
            if mark & ENDS != 0 && open {
                closed += 1;
                open = false;
            }
            open |= mark & STARTS != 0;
            closed
        })
        .collect();
    (section, closed as usize)
}
