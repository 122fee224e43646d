//! Beyond the paper, minimalloc's inference (Moffitt, ASPLOS 2023): whatever is not placed in a section lies at or above
//! its floor, the lowest of their lower bounds; with what is placed above that, it must fit below the limit.
//!
//! Floors are not kept up to date. A section is looked at again only when the buffer that holds it, any that is not
//! placed, has been placed or has risen above the highest floor that is known to leave room.

use super::bounds::{Conflict, NONE};
use super::model::Model;

/// Sections, and by what it is known that each has room.
#[derive(Clone, Debug)]
pub struct Floors {
    /// What is known of each section.
    held: Vec<Held>,
    /// Up to which lower bound of a buffer the sections that it holds have room.
    fine: Vec<i64>,
    /// Sections to look at, one bit each.
    stale: Vec<u64>,
    saved: Vec<Saved>,
}

/// A section has room as long as `holder` is not placed and its lower bound is not above `most`.
#[derive(Clone, Copy, Debug)]
struct Held {
    most: i64,
    /// [`NONE`] where everything is placed.
    holder: u32,
}

/// To be restored when the trail is no longer than `after`.
#[derive(Clone, Copy, Debug)]
struct Saved {
    after: u32,
    section: u32,
    value: Held,
}

impl Floors {
    /// Nothing is known of any section.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let mut stale = vec![u64::MAX; model.sections.div_ceil(64)];
        if let Some(last) = stale.last_mut() {
            *last >>= (64 - model.sections % 64) % 64;
        }
        Self {
            held: vec![Held { most: i64::MIN, holder: NONE }; model.sections],
            fine: vec![i64::MAX; model.n],
            stale,
            saved: Vec::new(),
        }
    }

    /// Notes that the lower bound of a buffer has risen. Complexity: its sections, if it holds one.
    pub fn raise(&mut self, model: &Model, buffer: usize, low: i64) {
        if low <= self.fine[buffer] {
            return;
        }
        let mut fine = i64::MAX;
        for run in &model.runs[buffer] {
            for (held, s) in self.held[run.range()].iter().zip(run.range()) {
                if held.holder == buffer as u32 {
                    fine = fine.min(held.most);
                    self.stale[s / 64] |= u64::from(low > held.most) << (s % 64);
                }
            }
        }
        self.fine[buffer] = fine;
    }

    /// Notes that a buffer is placed. Complexity: its sections.
    pub fn place(&mut self, model: &Model, buffer: usize) {
        for run in &model.runs[buffer] {
            for (held, s) in self.held[run.range()].iter().zip(run.range()) {
                self.stale[s / 64] |= u64::from(held.holder == buffer as u32) << (s % 64);
            }
        }
    }

    /// Leaves out what was noted: it is about to be undone.
    pub fn forget(&mut self) {
        self.stale.fill(0);
    }

    /// Takes back what was learned since the trail had that length.
    pub fn undo(&mut self, length: usize) {
        while let Some(saved) = self.saved.pop_if(|saved| saved.after as usize > length) {
            self.set(saved.section as usize, saved.value);
        }
    }

    fn set(&mut self, section: usize, value: Held) {
        self.held[section] = value;
        if value.holder != NONE {
            let fine = &mut self.fine[value.holder as usize];
            *fine = (*fine).min(value.most);
        }
    }

    /// Looks at the sections that may have no room. `open` holds the lower bounds of what is not placed, `i64::MAX` for
    /// the others; `known` says the lower bound and the height of any; `after` is the length of the trail.
    ///
    /// Complexity: the members of these sections.
    ///
    /// # Errors
    /// The first section without room.
    pub fn check(
        &mut self,
        model: &Model,
        open: &[i64],
        known: impl Fn(u32) -> (i64, i64),
        after: usize,
    ) -> Result<(), Conflict> {
        for word in 0..self.stale.len() {
            while self.stale[word] != 0 {
                let s = word * 64 + self.stale[word].trailing_zeros() as usize;
                self.stale[word] &= self.stale[word] - 1;
                let before = self.held[s];
                let mut now = Held { holder: NONE, ..before };
                let mut floor = i64::MAX;
                for &i in model.members(s) {
                    let low = open[i as usize];
                    if low < floor {
                        (now.holder, floor) = (i, low);
                        if low <= before.most {
                            break;
                        }
                    }
                }
                if floor > before.most && floor < i64::MAX {
                    let above = model.members(s).iter().map(|&i| match known(i) {
                        (low, height) if low >= floor => height,
                        _ => 0,
                    });
                    now.most = model.room[s] - above.sum::<i64>();
                    if floor > now.most {
                        return Err(Conflict::Section { section: s as u32, floor });
                    }
                }
                self.saved.push(Saved { after: after as u32, section: s as u32, value: before });
                self.set(s, now);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::preprocess::prepare;
    use crate::problem::Problem;
    use crate::random::Random;
    use crate::telamalloc::bounds::{Bounds, Conflict};
    use crate::telamalloc::model::Model;

    /// What a section has too much of, by looking at all of it; none if it has room or everything is placed.
    fn excess(model: &Model, bounds: &Bounds<'_>, section: usize) -> Option<i64> {
        let members = || model.members(section).iter().map(|&i| i as usize);
        let floor = members().filter(|&i| !bounds.is_placed(i)).map(|i| bounds.low(i)).min()?;
        let above: i64 =
            members().filter(|&i| bounds.low(i) >= floor).map(|i| model.heights[i]).sum();
        Some(floor + above - model.room[section]).filter(|&excess| excess > 0)
    }

    #[test]
    fn no_section_without_room_is_missed() {
        let (mut full, mut fine) = (0, 0);
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let mut builder = Problem::builder();
            for _ in 0..14 {
                let start = random.below(10).cast_signed();
                let life = 1 + random.below(6).cast_signed();
                builder.buffer(1 + random.below(9), start, start + life);
            }
            let problem = builder.build().expect("valid by construction");
            for component in &prepare(&problem).components {
                let Ok(model) = Model::new(component, component.bound) else { continue };
                let mut bounds = Bounds::new(&model, true);
                if bounds.propagate_all().is_err() {
                    continue;
                }
                let mut path: Vec<(usize, usize)> = Vec::new();
                for _ in 0..60 {
                    let open: Vec<usize> = (0..model.n).filter(|&i| !bounds.is_placed(i)).collect();
                    if open.is_empty() || random.one_in(4) {
                        let Some((length, buffer)) = path.pop() else { continue };
                        bounds.undo(length, buffer);
                        continue;
                    }
                    let buffer = open[random.below(open.len() as u64) as usize];
                    let length = bounds.trail().len();
                    match bounds.place(buffer, path.len() as u32) {
                        Ok(()) => {
                            path.push((length, buffer));
                            let missed =
                                (0..model.sections).find_map(|s| excess(&model, &bounds, s));
                            assert_eq!(missed, None, "seed {seed}");
                            fine += 1;
                        }
                        Err(conflict) => {
                            if let Conflict::Section { section, .. } = conflict {
                                assert!(excess(&model, &bounds, section as usize).is_some());
                                full += 1;
                            }
                            bounds.undo(length, buffer);
                        }
                    }
                }
            }
        }
        assert!(full > 100 && fine > 1_000, "{full} {fine}");
    }
}
