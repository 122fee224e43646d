//! A decision point (section 5.1): which candidates were tried there, and which are left.

use super::bounds::Bounds;
use super::candidates::Candidates;
use super::settings::{Key, Order};

/// A node of the search tree that is on the path.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// Candidates to try, the next one last.
    list: Vec<u32>,
    /// Candidates tried so far; the last of these is the one that is placed, if one is.
    pub tried: Vec<u32>,
    /// Phase of the buffer placed before this point.
    home: usize,
    /// How many buffers of that phase were placed right before this point, one after another.
    run: usize,
    /// How many phases have given candidates, home counted first unless we have returned here.
    asked: usize,
    returned: bool,
    /// Candidates given since the point was opened or returned to.
    given: usize,
    /// Whether candidates by position were all taken since then.
    filled: bool,
    /// Length of the trail before anything was placed here.
    pub trail: usize,
    /// Major backtracks that came here.
    pub arrivals: u32,
    /// Major backtracks in the subtree of this point.
    pub subtree: u32,
    /// How many of these make it stuck.
    pub limit: u32,
}

impl Point {
    /// Opens the point anew, after a buffer of the phase `home` has been placed.
    /// `run` of them were placed one after another.
    pub fn open(&mut self, (home, run): (usize, usize), trail: usize, limit: u32) {
        self.list.clear();
        self.tried.clear();
        (self.home, self.run) = (home, run);
        (self.asked, self.returned, self.given, self.filled) = (0, false, 0, false);
        (self.trail, self.arrivals, self.subtree, self.limit) = (trail, 0, 0, limit);
    }

    /// How many buffers of `phase` were placed right before this point, one after another.
    #[must_use]
    pub const fn run(&self, phase: usize) -> usize {
        if phase == self.home { self.run } else { 0 }
    }

    /// Comes back to the point from deeper ones. The candidates of the one that failed go first, but for those that were
    /// tried here; what exceeds `most` is dropped. From now on phases are asked in order.
    pub fn return_with(&mut self, moved: &[u32], most: usize) {
        (self.asked, self.returned, self.filled) = (0, true, false);
        for &buffer in moved.iter().rev() {
            if !self.tried.contains(&buffer) {
                self.list.retain(|&other| other != buffer);
                self.list.push(buffer);
            }
        }
        let excess = self.list.len().saturating_sub(most);
        self.list.drain(..excess);
        self.given = self.list.len();
    }

    /// The next candidate, at most `most` since the point was opened or returned to.
    ///
    /// A phase gives one for each key of the order: first that of the buffer placed last, then the others in order (section 5.3).
    pub fn next(
        &mut self,
        (candidates, bounds): (&Candidates, &Bounds<'_>),
        order: Order,
        most: usize,
    ) -> Option<u32> {
        if order == Order::One(Key::Position) {
            self.fill(candidates, bounds, most);
        }
        let mut idle = 0;
        while self.list.is_empty() && self.given < most && idle < candidates.phases {
            let phase = self.phase(candidates.phases);
            self.asked += 1;
            idle += 1;
            for &key in Candidates::keys(order) {
                if self.given == most {
                    break;
                }
                let known = |i| self.tried.contains(&i) || self.list.contains(&i);
                if let Some(buffer) = candidates.first(phase, key, known) {
                    self.list.insert(0, buffer);
                    self.given += 1;
                    idle = 0;
                }
            }
        }
        let buffer = self.list.pop()?;
        self.tried.push(buffer);
        Some(buffer)
    }

    /// Takes candidates by position, all at once: later a placement that failed has changed the bounds.
    fn fill(&mut self, candidates: &Candidates, bounds: &Bounds<'_>, most: usize) {
        if self.filled {
            return;
        }
        self.filled = true;
        let known = |i| self.tried.contains(&i) || self.list.contains(&i);
        for buffer in candidates.lowest(bounds, most - self.given, known) {
            self.list.insert(0, buffer);
            self.given += 1;
        }
    }

    /// The phase to ask next. After all have been asked, each has a next best.
    fn phase(&self, phases: usize) -> usize {
        let turn = self.asked % phases;
        match (self.returned, turn) {
            (true, turn) => turn,
            (false, 0) => self.home,
            (false, turn) if turn <= self.home => turn - 1,
            (false, turn) => turn,
        }
    }
}
