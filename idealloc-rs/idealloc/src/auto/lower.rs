//! Ejection of a whole layout, again and again, each time to a lower limit.

use crate::auto::ejection::{Ejection, Next, Run};
use crate::auto::search::{Search, peak_of};
use crate::control::Control;
use crate::place::instance::Instance;

/// Runs of ejection, each to a lower limit, until one fails.
pub const RUNS: u64 = 4;

/// Part of what is above the load that the first limit leaves.
const FIRST: f64 = 0.7;

/// Parts of the work that a run may take at most.
const PARTS: u64 = 16;

impl Search<'_> {
    /// Lowers the plan that is there by ejection, for at most so much work.
    pub fn lower(&mut self, work: u64) {
        let work = self.left().min(work);
        if self.is_done() || work == 0 || !self.instance.is_temporal() {
            return;
        }
        let (mut offsets, mut part, mut done) = (self.offsets.clone(), FIRST, 0);
        for round in 0_u64.. {
            if done >= work || self.control.is_cancelled() {
                break;
            }
            let run = Run {
                limit: self.target,
                next: Next::Heaviest,
                work: (work / PARTS).min(work - done),
                seed: self.options.seed ^ (RUNS * round),
            };
            // A round may end at once.
            done += 1 + lower(self.instance, &mut offsets, &mut part, run, self.control);
            if peak_of(self.instance, &offsets) <= self.target {
                break;
            }
        }
        self.work = self.work.saturating_add(done);
        let peak = peak_of(self.instance, &offsets);
        if peak < self.peak {
            self.accept(&offsets, peak);
        }
    }
}

/// Runs ejection to lower and lower limits above that of `run`, as long as it succeeds. `part` of what is above is left under
/// the first one, less after every success, more after a failure. Returns the work.
pub fn lower(
    instance: &Instance,
    offsets: &mut Vec<u64>,
    part: &mut f64,
    run: Run,
    control: &Control,
) -> u64 {
    let load = run.limit;
    let mut peak = peak_of(instance, offsets);
    if peak <= load {
        return 0;
    }
    let ejection = Ejection::new(instance);
    let mut work = 0;
    for turn in 0..RUNS {
        let limit = load + ((peak - load) as f64 * *part) as u64;
        let ejected =
            ejection.run(offsets, Run { limit, seed: run.seed.wrapping_add(turn), ..run }, control);
        work += ejected.work;
        let Some((found, reached)) = ejected.plan else { break };
        if reached < peak {
            (*offsets, peak) = (found, reached);
        }
        if reached > limit {
            *part = 1.0 - (1.0 - *part) * 0.6;
            break;
        }
        *part = f64::max(*part - 0.05, 0.5);
        if peak <= load {
            break;
        }
    }
    work
}

#[cfg(test)]
mod tests {
    use crate::auto::search::{Search, peak_of};
    use crate::auto::stages::Stages;
    use crate::check::check;
    use crate::control::{Control, Options};
    use crate::place::instance::Instance;
    use crate::problem::Problem;
    use crate::random::Random;

    /// Lines and pages by turns, sizes up to four pages, about sixty alive at a moment.
    fn mixed(buffers: usize) -> Problem {
        let mut random = Random::new(7);
        let mut builder = Problem::builder();
        let (mut sizes, mut lifetimes, mut alignments) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..buffers {
            let start = random.below(buffers as u64) as i64;
            sizes.push(1 + random.below(1 << 14));
            lifetimes
                .push(crate::lifetime::Lifetime::new(start, start + 1 + random.below(120) as i64));
            alignments.push(if at % 2 == 0 { 64 } else { 4096 });
        }
        builder.arrays(sizes, lifetimes, Some(alignments));
        builder.build().expect("is well formed")
    }

    #[test]
    fn a_plan_with_mixed_alignments_ends_lower_and_stays_valid() {
        let problem = mixed(700);
        let (instance, options, control) =
            (Instance::new(&problem), Options::default(), Control::default());
        let stages = Stages::of(&options).expect("no parameters");
        let mut search = Search::new(&problem, &instance, &options, stages, 2_000_000, &control);
        assert!(search.instance.has_mixed_alignments());
        search.passes().expect("nobody stops it");
        let before = search.peak;
        search.lower(200_000);
        assert!(search.peak < before && search.peak == peak_of(&instance, &search.offsets));
        assert!(check(&problem, &search.offsets, &[]).is_ok());
        assert!(search.work < 300_000, "{}", search.work);
    }
}
