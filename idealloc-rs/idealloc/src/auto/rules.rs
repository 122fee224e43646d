//! The rules of one pass that the registry has: a search should not end above what anybody gets at once.

use crate::auto::search::{Search, peak_of};
use crate::control::Options;
use crate::planner::{Planner, one_pass, refuse_unsupported};

/// Work that a pass of every rule counts for each buffer, more or less.
const WORK_OF_RULES: u64 = 128;

impl Search<'_> {
    /// A pass of every rule, each kept if it ends below what there is, where a small part of the whole work pays for that.
    ///
    /// Comes last: searches seldom leave anything to gain, and go other ways from other plans.
    pub fn rules(&mut self) {
        let work = WORK_OF_RULES.saturating_mul(self.instance.len() as u64);
        if self.peak <= self.target || work > self.budget {
            return;
        }
        let options = Options { parameters: Vec::new(), ..self.options.clone() };
        let few = self.instance.len() <= super::budget::FEW;
        let can = |planner: &Planner| refuse_unsupported(planner, self.problem).is_ok();
        let rules: Vec<Planner> = one_pass(few).into_iter().filter(can).collect();
        for rule in rules {
            if self.control.is_cancelled() {
                return;
            }
            let Ok(placed) = (rule.run)(self.problem, &options, self.control) else { continue };
            self.passes += 1;
            let peak = peak_of(self.instance, &placed.offsets);
            if peak < self.peak {
                self.accept(&placed.offsets, peak);
            }
        }
    }
}
