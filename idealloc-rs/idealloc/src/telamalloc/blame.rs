//! Which buffers could not be placed, so that a restart places them earlier.
//!
//! Beyond the paper: the weights of Boussemart, Hemery, Lecoutre and Sais (Boosting Systematic Search by Weighting
//! Constraints, ECAI 2004), given to buffers instead of constraints.

use super::bounds::Conflict;
use super::model::Model;

/// What is left of a weight after a restart: what went wrong lately counts more.
const KEPT: f64 = 0.95;

/// How often each buffer was what contradicted itself when a decision point failed.
#[derive(Clone, Debug)]
pub struct Blame {
    weights: Vec<f64>,
}

impl Blame {
    /// Nobody is to blame yet.
    #[must_use]
    pub fn new(buffers: usize) -> Self {
        Self { weights: vec![0.0; buffers] }
    }

    /// Blames the buffer without a position, or what is not placed in a section that is too full.
    ///
    /// Complexity: the members of a section.
    pub fn count(&mut self, model: &Model, conflict: Conflict, placed: impl Fn(u32) -> bool) {
        match conflict {
            Conflict::Empty(buffer) => self.weights[buffer as usize] += 1.0,
            Conflict::Section { section, .. } => {
                let members = model.members(section as usize).iter();
                for &buffer in members.filter(|&&buffer| !placed(buffer)) {
                    self.weights[buffer as usize] += 1.0;
                }
            }
        }
    }

    /// Factors of the keys of a new start, in percent: `most` more for the buffer that was blamed most.
    pub fn factors(&mut self, most: u64) -> Vec<u64> {
        let heaviest = self.weights.iter().copied().fold(1.0, f64::max);
        let factor = |weight: &f64| 100 + (most as f64 * weight / heaviest) as u64;
        let factors = self.weights.iter().map(factor).collect();
        self.weights.iter_mut().for_each(|weight| *weight *= KEPT);
        factors
    }
}

#[cfg(test)]
mod tests {
    use super::{Blame, Conflict};
    use crate::preprocess::prepare;
    use crate::problem::Problem;
    use crate::telamalloc::model::Model;

    #[test]
    fn the_buffer_blamed_most_gets_all_and_old_blame_fades() {
        let mut builder = Problem::builder();
        for _ in 0..3 {
            builder.buffer(4, 0, 2);
        }
        let problem = builder.build().expect("valid by construction");
        let component = &prepare(&problem).components[0];
        let Ok(model) = Model::new(component, 100) else { panic!("it fits") };
        let mut blame = Blame::new(3);
        assert_eq!(blame.factors(500), [100, 100, 100]);
        blame.count(&model, Conflict::Section { section: 0, floor: 0 }, |buffer| buffer == 2);
        blame.count(&model, Conflict::Empty(0), |_| false);
        assert_eq!(blame.factors(500), [600, 350, 100]);
        (0..2).for_each(|_| blame.count(&model, Conflict::Empty(2), |_| false));
        assert_eq!(blame.factors(100), [195, 147, 200]);
    }
}
