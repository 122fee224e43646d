//! Why a placement failed: the decisions that a contradiction follows from (section 5.4).

use super::bounds::{Bounds, Cause, Conflict, NONE};
use super::model::Model;

/// Walks back from contradictions to decisions.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    /// Entries of the trail that are still to be explained, one bit each.
    open: Vec<u64>,
    /// The last entry of each bound before the one that is explained.
    last: Vec<u32>,
    levels: Vec<u32>,
}

/// A bound that a conclusion needs: `2 * buffer` and a lower limit, or one more and an upper limit.
#[derive(Clone, Copy, Debug)]
struct Need {
    variable: usize,
    value: i64,
}

const fn lower(buffer: usize, value: i64) -> Need {
    Need { variable: 2 * buffer, value }
}

const fn upper(buffer: usize, value: i64) -> Need {
    Need { variable: 2 * buffer + 1, value }
}

impl Need {
    const fn holds(self, value: i64) -> bool {
        if self.variable.is_multiple_of(2) { value >= self.value } else { value <= self.value }
    }
}

impl Reasons {
    /// The levels of the decisions in a conflict, ascending. Each conclusion is traced to the oldest bounds that
    /// suffice for it, so that recent decisions are blamed only where they matter.
    ///
    /// Complexity: the entries of the trail of the bounds that took part.
    pub fn of(&mut self, model: &Model, bounds: &Bounds<'_>, conflict: Conflict) -> &[u32] {
        self.open.resize(bounds.trail().len().div_ceil(64), 0);
        self.last.clear();
        self.last.extend((0..2 * model.n).map(|variable| bounds.head(variable)));
        self.levels.clear();
        let now = bounds.trail().len() as u32;
        match conflict {
            Conflict::Empty(buffer) => {
                let i = buffer as usize;
                let low = self.blame(bounds, now, lower(i, bounds.high(i) + 1));
                self.blame(bounds, now, upper(i, low - 1));
            }
            Conflict::Section { section, floor } => {
                let members = model.members(section as usize);
                let above =
                    || members.iter().map(|&i| i as usize).filter(|&i| bounds.low(i) >= floor);
                let sum: i64 = above().map(|i| model.heights[i]).sum();
                let slack = floor + sum - model.room[section as usize] - 1;
                for i in above() {
                    self.blame(bounds, now, lower(i, floor - slack));
                }
            }
        }
        // From the newest to the oldest: what an entry follows from is older.
        for word in (0..self.open.len()).rev() {
            while self.open[word] != 0 {
                let bit = self.open[word].ilog2();
                self.open[word] ^= 1 << bit;
                self.explain(model, bounds, word as u32 * 64 + bit);
            }
        }
        self.levels.sort_unstable();
        self.levels.dedup();
        &self.levels
    }

    /// Blames what an entry of the trail follows from.
    fn explain(&mut self, model: &Model, bounds: &Bounds<'_>, index: u32) {
        let entry = bounds.trail()[index as usize];
        let i = entry.variable as usize / 2;
        match entry.cause {
            Cause::Decision(level) => self.levels.push(level),
            Cause::Pair(other) if entry.variable.is_multiple_of(2) => {
                self.lies_above(model, bounds, index, i, other as usize);
                let least = entry.value - model.step(i) + 1 - model.heights[other as usize];
                self.blame(bounds, index, lower(other as usize, least));
            }
            Cause::Pair(other) => {
                self.lies_above(model, bounds, index, other as usize, i);
                let most = entry.value + model.step(i) - 1 + model.heights[i];
                self.blame(bounds, index, upper(other as usize, most));
            }
        }
    }

    /// Blames the bounds before an entry for that `i` lies above `j`: it cannot lie below.
    fn lies_above(&mut self, model: &Model, bounds: &Bounds<'_>, before: u32, i: usize, j: usize) {
        let height = model.heights[i];
        let last = self.last_before(bounds, before, 2 * j + 1);
        let high = bounds.value(2 * j + 1, last);
        let low = self.blame(bounds, before, lower(i, high - height + 1));
        self.blame(bounds, before, upper(j, low + height - 1));
    }

    /// Blames the oldest value before an entry of the trail that suffices; returns it.
    fn blame(&mut self, bounds: &Bounds<'_>, before: u32, need: Need) -> i64 {
        let trail = bounds.trail();
        let mut found = self.last_before(bounds, before, need.variable);
        while found != NONE {
            let older = trail[found as usize].before;
            if !need.holds(bounds.value(need.variable, older)) {
                break;
            }
            found = older;
        }
        if found != NONE && found >= bounds.given() {
            self.open[found as usize / 64] |= 1 << (found % 64);
        }
        bounds.value(need.variable, found)
    }

    /// The last entry of a bound before another entry of the trail, which is no newer than the one asked for before.
    fn last_before(&mut self, bounds: &Bounds<'_>, before: u32, variable: usize) -> u32 {
        let last = &mut self.last[variable];
        while *last != NONE && *last >= before {
            *last = bounds.trail()[*last as usize].before;
        }
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::Reasons;
    use crate::preprocess::prepare;
    use crate::problem::Problem;
    use crate::random::Random;
    use crate::telamalloc::bounds::Bounds;
    use crate::telamalloc::model::Model;

    /// True if some positions respect the upper bounds given, and no two buffers that overlap share bytes.
    fn possible(model: &Model, most: &[i64], positions: &mut Vec<i64>) -> bool {
        let i = positions.len();
        if i == model.n {
            return true;
        }
        (model.first[i]..=most[i]).any(|at| {
            let apart = |&j: &u32| {
                let Some(&other) = positions.get(j as usize) else { return true };
                at >= other + model.heights[j as usize] || other >= at + model.heights[i]
            };
            if model.round_up(i, at) != at || !model.overlaps(i).iter().all(apart) {
                return false;
            }
            positions.push(at);
            let found = possible(model, most, positions);
            positions.pop();
            found
        })
    }

    #[test]
    fn the_decisions_of_a_conflict_alone_leave_no_plan() {
        let (mut conflicts, mut partial) = (0, 0);
        for seed in 0..3_000 {
            let mut random = Random::new(seed);
            let mut builder = Problem::builder();
            for _ in 0..5 {
                let start = random.below(5).cast_signed();
                let life = 1 + random.below(4).cast_signed();
                let buffer = builder.buffer(1 + random.below(4), start, start + life);
                builder.align(buffer, 1 + random.below(2));
            }
            let Ok(problem) = builder.build() else { continue };
            let prepared = prepare(&problem);
            for component in &prepared.components {
                let Ok(model) = Model::new(component, component.bound) else { continue };
                let mut bounds = Bounds::new(&model, seed % 2 == 0);
                if bounds.propagate_all().is_err() {
                    assert!(!possible(&model, &model.last.clone(), &mut Vec::new()), "seed {seed}");
                    continue;
                }
                let mut left: Vec<usize> = (0..model.n).collect();
                let mut decisions = Vec::new();
                while !left.is_empty() {
                    let i = left.swap_remove(random.below(left.len() as u64) as usize);
                    decisions.push((i, bounds.low(i)));
                    let Err(conflict) = bounds.place(i, decisions.len() as u32 - 1) else {
                        continue;
                    };
                    let mut reasons = Reasons::default();
                    let levels = reasons.of(&model, &bounds, conflict);
                    let mut most = model.last.clone();
                    levels.iter().for_each(|&level| {
                        let (i, at) = decisions[level as usize];
                        most[i] = at;
                    });
                    assert!(!possible(&model, &most, &mut Vec::new()), "seed {seed}: {levels:?}");
                    conflicts += 1;
                    partial += u32::from(levels.len() < decisions.len());
                    break;
                }
            }
        }
        assert!(conflicts > 300 && partial > 30, "{conflicts} {partial}");
    }
}
