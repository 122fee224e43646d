//! The solver: what is known of each position, and what follows from it (sections 3.2 and 5.1).
//!
//! The paper gives a constraint solver `pos(X) + size(X) <= M` and, for each pair that overlaps in time, that one of
//! the two lies below the other. Without learned clauses all such a solver does is to propagate bounds: a buffer whose
//! lowest end is above the highest position of another one cannot lie below it, so it lies above. The choice of each
//! pair stays implicit. Around placed buffers, the lower bound is the lowest free position.

use super::floors::Floors;
use super::model::Model;

/// No entry of the trail, or no buffer.
pub const NONE: u32 = u32::MAX;

/// Why a bound has its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A buffer was placed at its lower bound at this level.
    Decision(u32),
    /// This buffer lies right below (for a lower bound) or right above (for an upper one).
    Pair(u32),
}

/// A change of a bound.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// `2 * buffer` for the lower bound, one more for the upper one.
    pub variable: u32,
    /// The entry before it of the same bound, or [`NONE`].
    pub before: u32,
    /// The new value.
    pub value: i64,
    /// What it follows from.
    pub cause: Cause,
}

/// What contradicts itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// No position is left for a buffer.
    Empty(u32),
    /// What lies at or above a position in a section does not fit between it and the limit.
    Section {
        /// The section.
        section: u32,
        /// The position.
        floor: i64,
    },
}

/// What one buffer is known to be, in one line of a cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Span {
    low: i64,
    high: i64,
    /// The lowest end.
    end: i64,
    /// At most the upper bound of any buffer whose order with this one is open.
    ceiling: i64,
}

impl Span {
    const fn height(self) -> i64 {
        self.end - self.low
    }
}

/// What need not be looked at again. Pairs that are settled for good are left out of `active`, the first so many of the
/// buffers that overlap this one: the lower one ends below the other wherever both go.
#[derive(Clone, Copy, Debug)]
struct Hint {
    active: u32,
    /// Whether a settled pair may still raise something above this buffer.
    covered: bool,
}

/// A hint of a buffer, to be restored when the trail is no longer than `after`.
#[derive(Clone, Copy, Debug)]
struct Saved {
    after: u32,
    buffer: u32,
    value: Hint,
    ceiling: i64,
}

/// Bounds of all positions, with the trail of how they came about.
#[derive(Clone, Debug)]
pub struct Bounds<'a> {
    model: &'a Model,
    spans: Vec<Span>,
    /// Lower bounds of what is not placed, `i64::MAX` for what is.
    open: Vec<i64>,
    /// All changes, the oldest first.
    trail: Vec<Entry>,
    /// The last entry of each bound.
    heads: Vec<u32>,
    /// Entries of the trail from before any decision.
    given: u32,
    /// Buffers whose bounds have changed, and which ones: 1 the lower, 2 the upper.
    queue: Vec<u32>,
    queued: Vec<u8>,
    /// Buffers that overlap each buffer, the active ones first.
    overlaps: Vec<u32>,
    starts: Vec<usize>,
    hints: Vec<Hint>,
    saved_hints: Vec<Saved>,
    /// If sections are checked.
    floors: Option<Floors>,
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;

impl<'a> Bounds<'a> {
    /// The bounds before any decision, not propagated yet.
    #[must_use]
    pub fn new(model: &'a Model, section_check: bool) -> Self {
        let n = model.n;
        let mut overlaps = Vec::new();
        let mut starts = Vec::with_capacity(n);
        for i in 0..n {
            starts.push(overlaps.len());
            overlaps.extend_from_slice(model.overlaps(i));
        }
        let span = |i: usize| {
            let (low, high) = (model.first[i], model.last[i]);
            Span { low, high, end: low + model.heights[i], ceiling: i64::MIN }
        };
        let hint = |i: usize| Hint { active: model.overlaps(i).len() as u32, covered: true };
        Self {
            model,
            spans: (0..n).map(span).collect(),
            open: (0..n)
                .map(|i| model.domains[i].fixed.map_or(model.first[i], |_| i64::MAX))
                .collect(),
            trail: Vec::new(),
            heads: vec![NONE; 2 * n],
            given: 0,
            queue: Vec::new(),
            queued: vec![0; n],
            overlaps,
            starts,
            hints: (0..n).map(hint).collect(),
            saved_hints: Vec::new(),
            floors: section_check.then(|| Floors::new(model)),
        }
    }

    /// Propagates the bounds from before any decision.
    ///
    /// # Errors
    /// The conflict: nothing fits at all.
    pub fn propagate_all(&mut self) -> Result<(), Conflict> {
        for i in 0..self.model.n {
            if self.spans[i].low > self.spans[i].high {
                return Err(Conflict::Empty(i as u32));
            }
            self.wake(i, LOWER | UPPER);
        }
        let result = self.propagate();
        self.given = self.trail.len() as u32;
        result
    }

    /// Lower bound of a position: the lowest valid place of a buffer.
    #[must_use]
    pub fn low(&self, buffer: usize) -> i64 {
        self.spans[buffer].low
    }

    /// Upper bound of a position.
    #[must_use]
    pub fn high(&self, buffer: usize) -> i64 {
        self.spans[buffer].high
    }

    /// Whether a buffer has its place.
    #[must_use]
    pub fn is_placed(&self, buffer: usize) -> bool {
        self.open[buffer] == i64::MAX
    }

    /// Lower bounds of what is not placed, `i64::MAX` for what is.
    #[must_use]
    pub fn open(&self) -> &[i64] {
        &self.open
    }

    /// All changes, the oldest first.
    #[must_use]
    pub fn trail(&self) -> &[Entry] {
        &self.trail
    }

    /// The last change of a bound, or [`NONE`].
    #[must_use]
    pub fn head(&self, variable: usize) -> u32 {
        self.heads[variable]
    }

    /// How many changes follow from the problem alone.
    #[must_use]
    pub const fn given(&self) -> u32 {
        self.given
    }

    /// The value that an entry of the trail gave a bound; for [`NONE`] the one of the problem.
    #[must_use]
    pub fn value(&self, variable: usize, entry: u32) -> i64 {
        match entry {
            NONE if variable.is_multiple_of(2) => self.model.first[variable / 2],
            NONE => self.model.last[variable / 2],
            entry => self.trail[entry as usize].value,
        }
    }

    /// Places a buffer at its lower bound, as the decision of `level`, and propagates that.
    ///
    /// Complexity: the overlaps of everything whose bounds change; the members of the sections of these.
    ///
    /// # Errors
    /// The conflict. [`undo`](Self::undo) leads back.
    pub fn place(&mut self, buffer: usize, level: u32) -> Result<(), Conflict> {
        self.open[buffer] = i64::MAX;
        let at = self.spans[buffer].low;
        if let Some(floors) = &mut self.floors {
            floors.place(self.model, buffer);
        }
        // Even where nothing changes, the decision is the reason for what follows.
        self.record(2 * buffer as u32 + 1, at, Cause::Decision(level));
        self.spans[buffer].high = at;
        self.wake(buffer, UPPER);
        self.propagate()
    }

    /// Takes back a placement and all changes since the trail had that length.
    pub fn undo(&mut self, length: usize, buffer: usize) {
        while self.trail.len() > length {
            let Some(entry) = self.trail.pop() else { break };
            let variable = entry.variable as usize;
            self.heads[variable] = entry.before;
            let value = self.value(variable, entry.before);
            let i = variable / 2;
            if variable.is_multiple_of(2) {
                self.spans[i].end += value - self.spans[i].low;
                self.spans[i].low = value;
                if self.open[i] < i64::MAX {
                    self.open[i] = value;
                }
            } else {
                self.spans[i].high = value;
            }
        }
        self.open[buffer] = self.spans[buffer].low;
        while let Some(saved) = self.saved_hints.pop_if(|saved| saved.after as usize > length) {
            self.hints[saved.buffer as usize] = saved.value;
            self.spans[saved.buffer as usize].ceiling = saved.ceiling;
        }
        if let Some(floors) = &mut self.floors {
            floors.undo(length);
        }
    }

    fn record(&mut self, variable: u32, value: i64, cause: Cause) {
        let before = self.heads[variable as usize];
        self.heads[variable as usize] = self.trail.len() as u32;
        self.trail.push(Entry { variable, before, value, cause });
    }

    fn wake(&mut self, buffer: usize, bound: u8) {
        if self.queued[buffer] == 0 {
            self.queue.push(buffer as u32);
        }
        self.queued[buffer] |= bound;
    }

    fn propagate(&mut self) -> Result<(), Conflict> {
        let mut next = 0;
        let mut result = Ok(());
        let mut overlaps = std::mem::take(&mut self.overlaps);
        while next < self.queue.len() && result.is_ok() {
            let buffer = self.queue[next] as usize;
            next += 1;
            let bounds = std::mem::take(&mut self.queued[buffer]);
            let (span, hint) = (self.spans[buffer], self.hints[buffer]);
            let idle = bounds == LOWER && !hint.covered && span.end <= span.ceiling;
            if !idle {
                result = self.look_around(buffer, &mut overlaps, bounds == LOWER);
            }
        }
        self.overlaps = overlaps;
        for buffer in self.queue.drain(..) {
            self.queued[buffer as usize] = 0;
        }
        let Some(floors) = &mut self.floors else { return result };
        if result.is_ok() {
            let known = |i: u32| (self.spans[i as usize].low, self.spans[i as usize].height());
            result = floors.check(self.model, &self.open, known, self.trail.len());
        }
        if result.is_err() {
            floors.forget();
        }
        result
    }

    /// Draws the conclusions of a buffer's bounds for each pair that it is in; with `raised` the upper one is as before.
    fn look_around(
        &mut self,
        i: usize,
        overlaps: &mut [u32],
        raised: bool,
    ) -> Result<(), Conflict> {
        let mut me = self.spans[i];
        let mut raised = raised;
        let mut hint = Hint { covered: false, ..self.hints[i] };
        let mut ceiling = i64::MAX;
        let pairs = &mut overlaps[self.starts[i]..][..hint.active as usize];
        let mut k = 0;
        while k < hint.active as usize {
            let other = pairs[k];
            let j = other as usize;
            let span = self.spans[j];
            if me.end <= span.high && span.end <= me.high {
                // Either may lie below the other.
                ceiling = ceiling.min(span.high);
                if !raised && me.high < span.ceiling {
                    self.save_hint(j);
                    self.spans[j].ceiling = me.high;
                }
                k += 1;
                continue;
            }
            let settled = if me.end > span.high {
                // This one cannot lie below the other, so it lies above.
                if span.end > me.low {
                    self.raise(i, span.end, other)?;
                }
                if span.high > me.high - span.height() {
                    self.lower(j, me.high - span.height(), i as u32)?;
                }
                let settled = self.spans[j].high + span.height() <= self.spans[i].low;
                if !settled && !self.hints[j].covered {
                    self.save_hint(j);
                    self.hints[j].covered = true;
                }
                settled
            } else {
                if span.low < me.end {
                    self.raise(j, me.end, i as u32)?;
                }
                if me.high > span.high - me.height() {
                    self.lower(i, span.high - me.height(), other)?;
                    raised = false;
                }
                let settled = self.spans[i].high + me.height() <= self.spans[j].low;
                hint.covered |= !settled;
                settled
            };
            me = self.spans[i];
            if settled {
                hint.active -= 1;
                pairs.swap(k, hint.active as usize);
            } else {
                k += 1;
            }
        }
        self.save_hint(i);
        self.hints[i] = hint;
        self.spans[i].ceiling = ceiling;
        Ok(())
    }

    fn save_hint(&mut self, buffer: usize) {
        let after = self.trail.len() as u32;
        let (value, ceiling) = (self.hints[buffer], self.spans[buffer].ceiling);
        self.saved_hints.push(Saved { after, buffer: buffer as u32, value, ceiling });
    }

    fn raise(&mut self, i: usize, floor: i64, by: u32) -> Result<(), Conflict> {
        let value = self.model.round_up(i, floor);
        self.record(2 * i as u32, value, Cause::Pair(by));
        self.spans[i].end += value - self.spans[i].low;
        self.spans[i].low = value;
        if value > self.spans[i].high {
            return Err(Conflict::Empty(i as u32));
        }
        self.wake(i, LOWER);
        // A placed one cannot be raised without a conflict.
        self.open[i] = value;
        if let Some(floors) = &mut self.floors {
            floors.raise(self.model, i, value);
        }
        Ok(())
    }

    fn lower(&mut self, i: usize, roof: i64, by: u32) -> Result<(), Conflict> {
        let value = self.model.round_down(i, roof);
        self.record(2 * i as u32 + 1, value, Cause::Pair(by));
        self.spans[i].high = value;
        if value < self.spans[i].low {
            return Err(Conflict::Empty(i as u32));
        }
        self.wake(i, UPPER);
        Ok(())
    }
}
