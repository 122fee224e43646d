//! One way to run the search: which order and which rules.

use super::model::Model;

/// An arm of the portfolio.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Higher goes first.
    pub rank: Vec<u64>,
    pub section_rule: u8,
    pub fit_rule: u8,
    pub local: bool,
}

/// Splitmix64.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

pub fn ranks(model: &Model, key: char, noise: u64, random: &mut Random) -> Vec<u64> {
    let width = |i: usize| model.runs[i].iter().map(|r| u128::from(r.last - r.first + 1)).sum::<u128>();
    let mut sums = vec![0_u128; model.sections];
    for i in 0..model.n {
        for r in &model.runs[i] {
            for s in r.first..=r.last { sums[s as usize] += u128::from(model.heights[i]); }
        }
    }
    let total = |i: usize| model.runs[i].iter().flat_map(|r| r.first..=r.last).map(|s| sums[s as usize]).max().unwrap_or(0);
    let mut keyed: Vec<(u128, u128, usize)> = (0..model.n).map(|i| {
        let h = u128::from(model.heights[i]);
        let mut k = match key {
            'W' => (width(i) << 20, h),
            'A' => ((width(i) * h) << 20, width(i)),
            'T' => (total(i) << 20, width(i)),
            'Z' => (h << 20, width(i)),
            'Y' => (total(i) << 20, width(i)),
            _ => (1 << 20, 0),
        };
        if noise > 0 {
            let r = random.next() % (2 * noise);
            k.0 = k.0 * u128::from(100 - noise + r) / 100;
        }
        (k.0, k.1, i)
    }).collect();
    keyed.sort_by_key(|&(a, b, i)| (a, b, std::cmp::Reverse(i)));
    let mut rank = vec![0; model.n];
    for (position, &(_, _, i)) in keyed.iter().enumerate() { rank[i] = position as u64; }
    rank
}
