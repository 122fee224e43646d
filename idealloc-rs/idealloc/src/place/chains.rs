//! Lowest first, where the lowest plateau is covered from end to end by a chain of buffers: for what has no room to waste.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::control::Control;
use crate::place::instance::{Instance, Span};

/// Plateaus between two looks at the control.
const WATCH: usize = 64;

/// Lifetimes looked at to cover plateaus, for each buffer on average, before it is given up.
const LOOKS: u64 = 2_000;

/// How much a chain gains by a buffer of so many sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// As many: chains that leave little open.
    Length,
    /// The square: chains of few.
    Square,
}

/// Buffers of one lifetime by size.
type Sizes = BTreeMap<u64, Vec<u32>>;

/// Offsets in bytes and the peak; `None` if it takes too long, or somebody asked to stop.
///
/// The lowest plateau lies between higher ones, the walls. Of all chains of buffers that fit between them, one after
/// another, the one that gains most lies down on it; of buffers of one lifetime one that ends level with what is next to it,
/// or the largest. A plateau on which nothing fits rises to the lower wall. `instance` must be
/// [plain](crate::place::lowest_first::is_plain) and every buffer in some section.
///
/// Complexity: `O(log n)` for each lifetime on each plateau that is covered.
pub fn chains(instance: &Instance, gain: Gain, control: &Control) -> Option<(Vec<u64>, u64)> {
    if control.is_cancelled() {
        return None;
    }
    Chains::new(instance, gain).run(control)
}

struct Chains<'a> {
    instance: &'a Instance,
    gain: Gain,
    /// What is not placed, by start and end.
    open: Vec<BTreeMap<u32, Sizes>>,
    skyline: Skyline,
    /// The most that is gained from a section to the end of the plateau, and where the first buffer of that chain ends; `None`
    /// if the section stays open.
    best: Vec<(u64, Option<u32>)>,
    looks: u64,
}

impl<'a> Chains<'a> {
    fn new(instance: &'a Instance, gain: Gain) -> Self {
        let sections = instance.sections();
        let mut open: Vec<BTreeMap<u32, Sizes>> = vec![BTreeMap::new(); sections];
        for (buffer, span) in (0_u32..).zip(instance.spans()) {
            let size = instance.sizes()[buffer as usize];
            let sizes = open[span.start as usize].entry(span.end).or_default();
            sizes.entry(size).or_default().push(buffer);
        }
        let skyline = Skyline::new(sections as u32);
        Self { instance, gain, open, skyline, best: vec![(0, None); sections + 1], looks: 0 }
    }

    fn run(mut self, control: &Control) -> Option<(Vec<u64>, u64)> {
        let mut offsets = vec![0; self.instance.len()];
        let (mut left, mut peak) = (self.instance.len(), 0_u64);
        let most = LOOKS.saturating_mul(left as u64);
        let mut steps = 0;
        while left > 0 {
            steps += 1;
            if self.looks > most || steps % WATCH == 0 && control.is_cancelled() {
                return None;
            }
            let plateau = self.skyline.lowest()?;
            let floor = plateau.height;
            let (before, after) = self.skyline.walls(plateau);
            if !self.cover(plateau.span) {
                let wall = before.min(after);
                if wall == u64::MAX {
                    return None;
                }
                self.skyline.replace(plateau, &[(plateau.span, wall)]);
                continue;
            }
            let mut pieces: Vec<(Span, u64)> = Vec::new();
            let (mut at, mut wall) = (plateau.span.start, before);
            while at < plateau.span.end {
                let end = match self.best[at as usize].1 {
                    None => {
                        pieces.push((Span { start: at, end: at + 1 }, floor));
                        wall = floor;
                        at += 1;
                        continue;
                    }
                    Some(end) => end,
                };
                let next = if end == plateau.span.end { after } else { u64::MAX };
                let (buffer, size) = self.take(at, end, [wall, next].map(|wall| wall - floor))?;
                offsets[buffer as usize] = floor;
                left -= 1;
                wall = floor.checked_add(size)?;
                peak = peak.max(wall);
                pieces.push((Span { start: at, end }, wall));
                at = end;
            }
            self.skyline.replace(plateau, &pieces);
        }
        Some((offsets, peak))
    }

    /// Fills `best` for a plateau; false if nothing fits.
    fn cover(&mut self, plateau: Span) -> bool {
        let mut fits = false;
        self.best[plateau.end as usize] = (0, None);
        for start in (plateau.start..plateau.end).rev() {
            let mut best = (self.best[start as usize + 1].0, None);
            for &end in self.open[start as usize].range(..=plateau.end).map(|(end, _)| end) {
                self.looks += 1;
                fits = true;
                let length = u64::from(end - start);
                let gain = match self.gain {
                    Gain::Length => length,
                    Gain::Square => length * length,
                };
                let gain = self.best[end as usize].0 + gain;
                if gain > best.0 {
                    best = (gain, Some(end));
                }
            }
            self.looks += 1;
            self.best[start as usize] = best;
        }
        fits
    }

    /// Takes out a buffer of this lifetime, and its size: one of a wanted size, or the largest.
    fn take(&mut self, start: u32, end: u32, wanted: [u64; 2]) -> Option<(u32, u64)> {
        let lives = &mut self.open[start as usize];
        let sizes = lives.get_mut(&end)?;
        let largest = *sizes.last_key_value()?.0;
        let size = wanted.into_iter().find(|size| sizes.contains_key(size)).unwrap_or(largest);
        let buffers = sizes.get_mut(&size)?;
        let buffer = buffers.pop()?;
        if buffers.is_empty() {
            sizes.remove(&size);
        }
        if sizes.is_empty() {
            lives.remove(&end);
        }
        Some((buffer, size))
    }
}

/// Neighbouring sections of one height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plateau {
    height: u64,
    span: Span,
}

/// What is taken from the ground up, as plateaus.
struct Skyline {
    /// End and height of each plateau by its start.
    plateaus: BTreeMap<u32, (u32, u64)>,
    /// The lowest on top; some are no longer there.
    heap: BinaryHeap<Reverse<(u64, Span)>>,
}

impl Skyline {
    fn new(sections: u32) -> Self {
        let mut skyline = Self { plateaus: BTreeMap::new(), heap: BinaryHeap::new() };
        skyline.insert(Span { start: 0, end: sections }, 0);
        skyline
    }

    fn insert(&mut self, span: Span, height: u64) {
        self.plateaus.insert(span.start, (span.end, height));
        self.heap.push(Reverse((height, span)));
    }

    /// The lowest plateau, the first of equals.
    fn lowest(&mut self) -> Option<Plateau> {
        while let Some(Reverse((height, span))) = self.heap.pop() {
            if self.plateaus.get(&span.start) == Some(&(span.end, height)) {
                return Some(Plateau { height, span });
            }
        }
        None
    }

    /// Heights before and after a plateau; `u64::MAX` where there is nothing.
    fn walls(&self, of: Plateau) -> (u64, u64) {
        let before = self.plateaus.range(..of.span.start).next_back();
        let after = self.plateaus.get(&of.span.end);
        (before.map_or(u64::MAX, |(_, at)| at.1), after.map_or(u64::MAX, |at| at.1))
    }

    /// Puts others in the place of a plateau; neighbours of one height become one.
    fn replace(&mut self, old: Plateau, pieces: &[(Span, u64)]) {
        self.plateaus.remove(&old.span.start);
        for piece in pieces.chunk_by(|a, b| a.1 == b.1) {
            let height = piece[0].1;
            let mut span = Span { start: piece[0].0.start, end: piece[piece.len() - 1].0.end };
            let before = self.plateaus.range(..span.start).next_back();
            if let Some((&start, _)) = before.filter(|&(_, &at)| at == (span.start, height)) {
                span.start = start;
            }
            if let Some((end, _)) =
                self.plateaus.get(&span.end).copied().filter(|at| at.1 == height)
            {
                self.plateaus.remove(&span.end);
                span.end = end;
            }
            self.insert(span, height);
        }
    }
}
