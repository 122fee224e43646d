//! One way to run the search: in which order buffers are tried, and where the search branches.

use super::model::Model;
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
    /// second time on the keys are multiplied by random factors within 30 %.
    #[must_use]
    pub fn nth(model: &Model, seed: u64, position: u64) -> Self {
        let mut combinations = COMBINATIONS;
        let mut random = Random::stream(seed, u64::MAX);
        for i in (1..combinations.len()).rev() {
            combinations.swap(i, random.below(i as u64 + 1) as usize);
        }
        let count = combinations.len() as u64;
        let (order, section_rule, fit_rule) = combinations[(position % count) as usize];
        let noise = if position < count { 0 } else { 30 };
        let rank = rank(model, order, noise, &mut Random::stream(seed, position));
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

/// Ranks by ascending key; ties by position, the earlier buffer ranks higher.
fn rank(model: &Model, order: Order, noise_percent: u64, random: &mut Random) -> Vec<u32> {
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
            (first.saturating_mul(u128::from(factor)), second, i)
        })
        .collect();
    keys.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.cmp(&a.2)));
    let mut rank = vec![0; model.n];
    for (position, &(_, _, i)) in keys.iter().enumerate() {
        rank[i] = position as u32;
    }
    rank
}
