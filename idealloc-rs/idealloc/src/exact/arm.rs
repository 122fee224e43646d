//! One way to run the search: in which order buffers are tried, and where the search branches.

use super::model::Model;
use crate::preprocess::Run;
use crate::random::Random;

/// What makes a buffer go first among those that could lie on one floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Number of sections times height.
    Area,
    /// The largest sum of heights among its sections, then number of sections.
    Total,
    /// Number of sections, then height.
    Width,
    /// Height, then number of sections.
    Height,
}

/// Which section is branched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionRule {
    /// Fewest candidates, then least slack.
    Fewest,
    /// Fewest candidates per failure seen there so far (Boussemart et al., ECAI 2004: dom/wdeg), then least slack.
    Failures,
}

/// What else makes a buffer go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitRule {
    /// Nothing.
    Rank,
    /// Edges that meet the walls of the plateau that it would lie on, and a top level with the wall.
    Walls,
}

/// An arm of the portfolio.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Rank of each buffer: the highest goes first.
    pub rank: Vec<u32>,
    /// Which section is branched on.
    pub section_rule: SectionRule,
    /// What goes before the rank.
    pub fit_rule: FitRule,
}

impl Arm {
    /// The arm at a position of the endless sequence of a seed: all combinations of rules, over and over; from the
    /// second time on the keys are multiplied by random factors within 30 %. `failures` of each section so far raise the
    /// keys of the buffers in it.
    #[must_use]
    pub fn nth(model: &Model, seed: u64, position: u64, failures: &[u32]) -> Self {
        let mut combinations = COMBINATIONS;
        let mut random = Random::stream(seed, u64::MAX);
        for i in (1..combinations.len()).rev() {
            combinations.swap(i, random.below(i as u64 + 1) as usize);
        }
        let count = combinations.len() as u64;
        let (order, section_rule, fit_rule) = combinations[(position % count) as usize];
        let noise = if position < count { 0 } else { 30 };
        let blame = blame(model, failures);
        let rank = rank(model, order, noise, &mut Random::stream(seed, position), &blame);
        Self { rank, section_rule, fit_rule }
    }
}

/// Number of arms before the sequence repeats its rules.
pub const ARMS: u64 = COMBINATIONS.len() as u64;

/// Measured on minimalloc's instances A to K: each solves something the others do not, or much sooner.
const COMBINATIONS: [(Order, SectionRule, FitRule); 8] = {
    use FitRule::{Rank, Walls};
    use Order::{Area, Height, Total, Width};
    use SectionRule::{Failures, Fewest};
    [
        (Area, Fewest, Walls),
        (Total, Fewest, Walls),
        (Height, Fewest, Walls),
        (Area, Failures, Walls),
        (Total, Failures, Walls),
        (Width, Failures, Walls),
        (Total, Fewest, Rank),
        (Height, Fewest, Rank),
    ]
};

/// By how many percent at most failures raise a key.
const MOST_BLAME: u64 = 500;

/// Factors of the keys of buffers, in percent: the more failures there were in a section of a buffer, the earlier it goes
/// (Boussemart et al., ECAI 2004, with weights of buffers instead of constraints). Complexity: the sections of all buffers.
fn blame(model: &Model, failures: &[u32]) -> Vec<u64> {
    let most = u64::from(failures.iter().copied().max().unwrap_or(0).max(1));
    let worst = |i: usize| {
        let of_run = |run: &Run| failures[run.range()].iter().copied().max();
        u64::from(model.runs[i].iter().filter_map(of_run).max().unwrap_or(0))
    };
    (0..model.n).map(|i| 100 + MOST_BLAME * worst(i) / most).collect()
}

/// Ranks by ascending key; ties by position, the earlier buffer ranks higher.
fn rank(
    model: &Model,
    order: Order,
    noise_percent: u64,
    random: &mut Random,
    blame: &[u64],
) -> Vec<u32> {
    let mut keys: Vec<(u128, u128, usize)> = (0..model.n)
        .map(|i| {
            let (height, width) = (u128::from(model.heights[i]), u128::from(model.widths[i]));
            let (first, second) = match order {
                Order::Area => (height * width, width),
                Order::Total => (model.crowds[i], width),
                Order::Width => (width, height),
                Order::Height => (height, width),
            };
            let factor = 100 - noise_percent + random.below(2 * noise_percent + 1);
            let factor = u128::from(factor) * u128::from(blame[i]);
            (first.saturating_mul(factor), second, i)
        })
        .collect();
    keys.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.cmp(&a.2)));
    let mut rank = vec![0; model.n];
    for (position, &(_, _, i)) in keys.iter().enumerate() {
        rank[i] = position as u32;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::{Arm, Order, blame};
    use crate::exact::model::Model;
    use crate::preprocess::prepare;
    use crate::problem::Problem;
    use crate::random::Random;

    #[test]
    fn buffers_of_sections_that_failed_go_first() {
        // A long buffer joins three short ones of the same size, each at a time of its own.
        let mut builder = Problem::builder();
        builder.buffer(9, 0, 6);
        for start in [0, 2, 4] {
            builder.buffer(4, start, start + 2);
        }
        let problem = builder.build().expect("is well formed");
        let prepared = prepare(&problem);
        let model = Model::new(&prepared.components[0], 20).expect("fits");
        let short: Vec<usize> = (0..model.n).filter(|&i| model.heights[i] == 4).collect();
        let section = |i: usize| model.runs[i][0].first as usize;
        let mut failures = vec![0; model.sections];
        assert!(blame(&model, &failures).iter().all(|&factor| factor == 100));
        failures[section(short[2])] = 8;
        failures[section(short[1])] = 2;
        let factors = blame(&model, &failures);
        assert_eq!(short.iter().map(|&i| factors[i]).collect::<Vec<_>>(), [100, 225, 600]);
        let rank = super::rank(&model, Order::Height, 0, &mut Random::new(0), &factors);
        assert!(rank[short[2]] > rank[short[1]] && rank[short[1]] > rank[short[0]]);
        let before = Arm::nth(&model, 1, 0, &vec![0; model.sections]).rank;
        assert_ne!(Arm::nth(&model, 1, 0, &failures).rank, before);
    }
}
