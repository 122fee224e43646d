//! What changes during a search.

use super::model::Model;

/// A partial placement: everything below the floors is decided.
#[derive(Debug, Default)]
pub struct State {
    /// Lowest position still possible for an unplaced buffer; the position of a placed one.
    pub lowest: Vec<u64>,
    /// Lowest position of each unplaced buffer on what is placed; below `lowest` once that position is excluded.
    pub support: Vec<u64>,
    /// Buffers that are not placed, as a set.
    pub unplaced: Vec<u64>,
    /// Least `lowest` of the unplaced buffers of each section; `u64::MAX` if there is none.
    pub floor: Vec<u64>,
    /// How many unplaced buffers of each section have `lowest` at the floor.
    pub at_floor: Vec<u32>,
    /// Sum of the heights of the unplaced buffers of each section.
    pub total: Vec<u64>,
    /// Number of what is unplaced in each section in [`Stacks`](super::stacks::Stacks); empty where no alignment matters.
    pub left: Vec<u32>,
    /// Unplaced buffers whose hull holds both this section and the next.
    pub crossing: Vec<u32>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        self.lowest.clone_from(&other.lowest);
        self.support.clone_from(&other.support);
        self.unplaced.clone_from(&other.unplaced);
        self.floor.clone_from(&other.floor);
        self.at_floor.clone_from(&other.at_floor);
        self.total.clone_from(&other.total);
        self.left.clone_from(&other.left);
        self.crossing.clone_from(&other.crossing);
    }
}

/// A section cannot hold what it must, or a buffer has no position left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fail;

/// A floor that is not computed yet: nothing can be at it.
const NO_FLOOR: u64 = u64::MAX - 1;

impl State {
    /// Nothing placed but the ground.
    pub fn new(model: &Model) -> Result<Self, Fail> {
        let mut state = Self {
            lowest: Vec::with_capacity(model.n),
            support: Vec::new(),
            unplaced: vec![0; model.words],
            floor: vec![NO_FLOOR; model.sections],
            at_floor: vec![0; model.sections],
            total: vec![0; model.sections],
            left: model.stacks.as_ref().map_or_else(Vec::new, |stacks| stacks.full().to_vec()),
            crossing: vec![0; model.sections],
        };
        for i in 0..model.n {
            let domain = model.domains[i];
            state.lowest.push(domain.fixed.unwrap_or_else(|| domain.align(0)));
            if state.lowest[i] > model.last[i] {
                return Err(Fail);
            }
            state.unplaced[i / 64] |= 1 << (i % 64);
            for run in &model.runs[i] {
                for s in run.first..=run.last {
                    state.total[s as usize] += model.heights[i];
                }
            }
            for s in model.hull[i].first..model.hull[i].last {
                state.crossing[s as usize] += 1;
            }
        }
        state.support.clone_from(&state.lowest);
        state.settle(model)?;
        for &b in &model.ground {
            state.place(model, b as usize)?;
        }
        Ok(state)
    }

    /// True if `b` is not placed.
    pub fn is_unplaced(&self, b: usize) -> bool {
        self.unplaced[b / 64] >> (b % 64) & 1 == 1
    }

    /// Buffers that are not placed, ascending.
    pub fn unplaced_buffers(&self) -> impl Iterator<Item = usize> {
        self.unplaced.iter().enumerate().flat_map(|(w, &word)| Bits { base: w * 64, word })
    }

    /// Buffers of a section that are not placed, ascending.
    pub fn unplaced_members(&self, model: &Model, section: usize) -> impl Iterator<Item = usize> {
        let words = model.members(section).iter().zip(&self.unplaced);
        words.enumerate().flat_map(|(w, (&row, &open))| Bits { base: w * 64, word: row & open })
    }

    /// Places `b` at its lowest position.
    pub fn place(&mut self, model: &Model, b: usize) -> Result<(), Fail> {
        self.place_unsettled(model, b)?;
        self.settle(model)
    }

    /// Places `b` at its lowest position; floors that nothing is left at stay until [`Self::settle`].
    pub fn place_unsettled(&mut self, model: &Model, b: usize) -> Result<(), Fail> {
        let at = self.lowest[b];
        let height = model.heights[b];
        let top = at + height;
        self.unplaced[b / 64] &= !(1 << (b % 64));
        for run in &model.runs[b] {
            self.total[run.range()].iter_mut().for_each(|total| *total -= height);
        }
        if let Some(stacks) = &model.stacks {
            let mut strides = stacks.strides(b);
            for run in &model.runs[b] {
                for (left, stride) in self.left[run.range()].iter_mut().zip(strides) {
                    *left -= stride;
                }
                strides = &strides[run.range().count()..];
            }
        }
        self.leave(model, b, at);
        let hull = model.hull[b];
        let crossed = &mut self.crossing[hull.first as usize..hull.last as usize];
        crossed.iter_mut().for_each(|count| *count -= 1);
        for (w, &row) in model.neighbours(b).iter().enumerate() {
            let mut bits = row & self.unplaced[w];
            while bits != 0 {
                let c = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if self.support[c] < top {
                    self.support[c] = model.domains[c].align(top);
                    if self.lowest[c] < self.support[c] {
                        self.lift(model, c, top)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// True if `b` at its lowest position lies on something placed, on the ground, or is fixed. In a plan that is
    /// pushed down, a buffer below all its unplaced neighbours can lie nowhere else.
    pub fn is_supported(&self, model: &Model, b: usize) -> bool {
        self.support[b] >= self.lowest[b] || model.domains[b].fixed.is_some()
    }

    /// Lifts every unplaced buffer of sections `low .. high` to where a chain of unplaced buffers that starts from a
    /// supported one can carry it: shortest paths (Dijkstra 1959). `O(n^2)`.
    pub fn climb(&mut self, model: &Model, low: usize, high: usize) -> Result<(), Fail> {
        let mut open: Vec<usize> = (0..model.n)
            .filter(|&b| {
                let inside =
                    low <= model.hull[b].first as usize && (model.hull[b].last as usize) < high;
                inside && self.is_unplaced(b)
            })
            .collect();
        let mut reach: Vec<u64> = vec![u64::MAX; model.n];
        for &b in &open {
            if self.is_supported(model, b) {
                reach[b] = self.lowest[b];
            }
        }
        while let Some((k, &b)) = open.iter().enumerate().min_by_key(|&(_, &b)| (reach[b], b)) {
            open.swap_remove(k);
            if reach[b] == u64::MAX {
                return Err(Fail);
            }
            if reach[b] > self.lowest[b] {
                self.lift(model, b, reach[b])?;
            }
            let top = self.lowest[b] + model.heights[b];
            for &c in &open {
                if model.neighbours(b)[c / 64] >> (c % 64) & 1 == 1 {
                    reach[c] = reach[c].min(model.domains[c].align(top).max(self.lowest[c]));
                }
            }
        }
        self.settle(model)
    }

    /// Excludes the lowest position of `b`: it must lie on top of an unplaced neighbour, or nowhere.
    pub fn raise(&mut self, model: &Model, b: usize) -> Result<(), Fail> {
        let domain = model.domains[b];
        if domain.fixed.is_some() {
            return Err(Fail);
        }
        let mut next = u64::MAX;
        for (w, &row) in model.neighbours(b).iter().enumerate() {
            let mut bits = row & self.unplaced[w];
            while bits != 0 {
                let c = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                next = next.min(self.lowest[c] + model.heights[c]);
            }
        }
        if next > model.last[b] {
            return Err(Fail);
        }
        self.lift(model, b, next)?;
        for &twin in &model.twins[b] {
            let twin = twin as usize;
            if self.is_unplaced(twin) && self.lowest[twin] < next {
                self.lift(model, twin, next)?;
            }
        }
        self.settle(model)
    }

    /// Takes a buffer that was at `at` out of the counts; `settle` recomputes the floors that nothing is left at.
    fn leave(&mut self, model: &Model, b: usize, at: u64) {
        for run in &model.runs[b] {
            let floors = &self.floor[run.range()];
            for (count, &floor) in self.at_floor[run.range()].iter_mut().zip(floors) {
                *count -= u32::from(floor == at);
            }
        }
    }

    /// Raises the lowest position of a buffer to the first aligned one from `to` on, without settling.
    pub fn lift(&mut self, model: &Model, c: usize, to: u64) -> Result<(), Fail> {
        let old = self.lowest[c];
        let to = model.domains[c].align(to);
        if to > model.last[c] {
            return Err(Fail);
        }
        self.lowest[c] = to;
        self.leave(model, c, old);
        Ok(())
    }

    /// Recomputes the floors that nothing is left at, and lifts what alignment keeps from being lowest in such a section,
    /// until nothing changes; fails if such a section cannot hold what it must.
    pub fn settle(&mut self, model: &Model) -> Result<(), Fail> {
        let mut lifted = true;
        while lifted {
            lifted = false;
            for s in 0..model.sections {
                if self.at_floor[s] > 0 || self.floor[s] == u64::MAX {
                    continue;
                }
                let (mut floor, mut count) = (u64::MAX, 0);
                for c in self.unplaced_members(model, s) {
                    let at = self.lowest[c];
                    if at < floor {
                        floor = at;
                        count = 1;
                    } else if at == floor {
                        count += 1;
                    }
                }
                self.floor[s] = floor;
                self.at_floor[s] = count;
                if count == 0 {
                    continue;
                }
                match &model.stacks {
                    None if floor + self.total[s] > model.room[s] => return Err(Fail),
                    None => {}
                    Some(stacks) => lifted |= self.sequence(model, stacks, s)?,
                }
            }
        }
        Ok(())
    }
}

/// The positions of the ones of a word.
struct Bits {
    base: usize,
    word: u64,
}

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.word == 0 {
            return None;
        }
        let position = self.base + self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(position)
    }
}
