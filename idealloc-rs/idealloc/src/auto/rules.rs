//! The rules of one pass that the registry has: a search should not end above what anybody gets at once.

use crate::auto::search::{Search, peak_of};
use crate::control::Options;
use crate::planner::{Planner, find, one_pass, refuse_unsupported};

/// Work that a pass of every rule counts for each buffer, more or less.
const WORK_OF_RULES: u64 = 128;

/// Rules that may come near searches on tilings where much meets by chance.
const OF_TILINGS: [&str; 4] =
    ["first-fit-by-size", "first-fit-by-area", "first-fit-by-contention", "tetris-by-area"];

impl Search<'_> {
    /// A pass of every rule, each kept if it ends below what there is, where a small part of the whole work pays for that.
    ///
    /// Comes last: searches seldom leave anything to gain, and go other ways from other plans.
    pub fn rules(&mut self) {
        if self.peak <= self.target || !self.pays_for_rules() {
            return;
        }
        let few = self.instance.len() <= super::budget::FEW;
        let can = |planner: &Planner| refuse_unsupported(planner, self.problem).is_ok();
        let rules: Vec<Planner> = one_pass(few).into_iter().filter(can).collect();
        self.follow(&rules);
    }

    /// A pass of the rules that are good on tilings, if not [all](Self::rules) follow in the end. They count as no work, so that
    /// what follows is the same.
    pub fn rules_of_tilings(&mut self) {
        if !self.pays_for_rules() {
            let rules: Vec<Planner> = OF_TILINGS.iter().flat_map(|name| find(name)).collect();
            self.follow(&rules);
        }
    }

    fn pays_for_rules(&self) -> bool {
        WORK_OF_RULES.saturating_mul(self.instance.len() as u64) <= self.budget
    }

    fn follow(&mut self, rules: &[Planner]) {
        let options = Options { parameters: Vec::new(), ..self.options.clone() };
        for rule in rules {
            if self.peak <= self.target || self.control.is_cancelled() {
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
