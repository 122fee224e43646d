//! What alignment wastes in a section, whatever fills the gaps that it leaves.

use super::cyclic_knapsack::{CyclicKnapsack, Piece};
use super::simplex::Basis;
use crate::preprocess::Component;
use crate::preprocess::unit::gcd;

/// Prices of fillers count in this many parts of a unit.
const PARTS: f64 = 65_536.0;

/// A column that gains less than this is not worth a step.
const LEAST_GAIN: f64 = 1e-6;

/// Steps, times the kinds of gaps and fillers, without a lower cost: it may go round in circles.
const PATIENCE: usize = 2;

/// The gaps of a section and what may fill them, at one alignment.
///
/// What is aligned to (a multiple of) the period starts at multiples of it, so that behind each of these buffers but the topmost
/// the other buffers that lie there and what is wasted make up a multiple of the period with it. Heights count modulo the period
/// only: each other buffer fills a part of one gap.
#[derive(Clone, Debug)]
pub struct Filling {
    period: u32,
    /// Sizes of gaps below the period, and how many there are, without the one on the ground.
    gaps: Vec<Piece>,
    /// The gap below the lowest aligned position.
    ground: u32,
    /// Heights of other buffers modulo the period.
    fillers: Vec<Piece>,
}

impl Filling {
    /// Gaps and fillers of some members of a section; a fixed buffer counts as one that may lie anywhere. `None` if there is
    /// nothing to waste. Complexity: `O(k log k)` for `k` members.
    pub fn new(component: &Component, members: &[u32], period: u32) -> Option<Self> {
        let step = u64::from(period);
        let (mut gaps, mut fillers, mut ground) = (Vec::new(), Vec::new(), None);
        for &i in members {
            let (domain, height) = (component.domains[i as usize], component.heights[i as usize]);
            if domain.fixed.is_none() && gcd(domain.step, step) == step {
                gaps.push(((step - height % step) % step) as u32);
                ground = ground.or(Some(((step - domain.phase % step) % step) as u32));
            } else if height % step > 0 {
                fillers.push((height % step) as u32);
            }
        }
        let filling =
            Self { period, gaps: pieces(gaps), ground: ground?, fillers: pieces(fillers) };
        (filling.unfilled() > 0).then_some(filling)
    }

    /// Units that are wasted at most, where nothing fills any gap.
    pub fn unfilled(&self) -> u64 {
        let all = |gap: &Piece| u64::from(gap.size) * u64::from(gap.count);
        let topmost = self.gaps.last().map_or(0, |gap| u64::from(gap.size));
        u64::from(self.ground) + self.gaps.iter().map(all).sum::<u64>() - topmost
    }

    /// Units that are wasted at least, as far as it is found with so many steps, which it counts down. Gives up where they are
    /// no more than `enough`.
    ///
    /// A lower bound of bin packing by columns (Gilmore and Gomory 1961): a linear program chooses how often a gap is filled by
    /// which set; the cheapest set for each gap is a knapsack. Any prices of fillers, not below 0, prove a bound (Lagrange): the
    /// cheapest filling of all gaps but the topmost, less the price of all fillers. Prices are integers there, so that rounding
    /// cannot make it wrong.
    pub fn least_waste(&self, enough: u64, steps: &mut usize) -> u64 {
        let (gaps, fillers) = (self.gaps.len(), self.fillers.len());
        let mut knapsack = CyclicKnapsack::new(&self.fillers, self.period);
        let mut program = self.program();
        // The row of the first filler; the last row is that of the topmost.
        let first = gaps + 1;
        let (mut best, mut stalled) = (0, 0);
        loop {
            let work = knapsack.work() + 2 * program.work() + (gaps + 1) * self.period as usize;
            if *steps < work || program.cost() <= enough as f64 {
                return best;
            }
            *steps -= work;
            let prices = program.prices();
            let of_fillers: Vec<i64> = prices[first..][..fillers]
                .iter()
                .map(|price| (-price * PARTS).max(0.0) as i64)
                .collect();
            let costs = knapsack.solve(&of_fillers);
            let cheapest: Vec<(i64, usize)> =
                self.sizes().map(|gap| self.cheapest(gap, costs)).collect();
            best = best.max(self.proved(&cheapest, &of_fillers));
            if stalled == PATIENCE * (gaps + fillers) || best as f64 >= program.cost() {
                return best;
            }
            // The column that gains most, of those that fill a gap, leave out the topmost, or use fillers up.
            let mut column = (LEAST_GAIN, Vec::new(), 0.0);
            let mut offer = |entries: Vec<(usize, f64)>, cost: f64| {
                let gain =
                    entries.iter().map(|&(row, many)| prices[row] * many).sum::<f64>() - cost;
                if gain > column.0 {
                    column = (gain, entries, cost);
                }
            };
            for (row, (gap, &(_, remainder))) in self.sizes().zip(&cheapest).enumerate() {
                let chosen = knapsack.choice(remainder).into_iter();
                let filled = chosen.map(|(piece, many)| (first + piece as usize, f64::from(many)));
                let entries = std::iter::once((row, 1.0)).chain(filled).collect();
                offer(entries, f64::from(self.waste(gap, remainder)));
                if row < gaps {
                    offer(vec![(row, 1.0), (first + fillers, 1.0)], 0.0);
                }
            }
            (first..first + fillers).for_each(|row| offer(vec![(row, 1.0)], 0.0));
            let (_, column, cost) = column;
            let before = program.cost();
            if column.is_empty() || !program.enter(&column, cost) {
                return best;
            }
            stalled = if program.cost() < before { 0 } else { stalled + 1 };
        }
    }

    /// Sizes of all kinds of gaps, the one on the ground last.
    fn sizes(&self) -> impl Iterator<Item = u32> {
        self.gaps.iter().map(|gap| gap.size).chain(std::iter::once(self.ground))
    }

    /// What is left of a gap after such a remainder.
    fn waste(&self, gap: u32, remainder: usize) -> u32 {
        (gap + self.period - remainder as u32) % self.period
    }

    /// The least that a gap costs, in parts, and the remainder of what fills it then, given what each remainder costs.
    fn cheapest(&self, gap: u32, costs: &[i64]) -> (i64, usize) {
        let sum = |(remainder, &cost): (usize, &i64)| {
            (i64::from(self.waste(gap, remainder)) * PARTS as i64 + cost, remainder)
        };
        costs.iter().enumerate().map(sum).min().unwrap_or((0, 0))
    }

    /// The bound that some prices of fillers prove, given what each gap costs at least.
    fn proved(&self, cheapest: &[(i64, usize)], prices: &[i64]) -> u64 {
        let (ground, gaps) =
            cheapest.split_last().map_or((0, &[][..]), |(last, gaps)| (last.0, gaps));
        let topmost = gaps.iter().map(|gap| gap.0).max().unwrap_or(0);
        let of = |pieces: &[Piece], each: &mut dyn Iterator<Item = i64>| -> i64 {
            pieces.iter().zip(each).map(|(piece, each)| i64::from(piece.count) * each).sum()
        };
        let filled = ground + of(&self.gaps, &mut gaps.iter().map(|gap| gap.0)) - topmost;
        let bound = filled - of(&self.fillers, &mut prices.iter().copied());
        u64::try_from(bound).unwrap_or(0).div_ceil(PARTS as u64)
    }

    /// The program to begin with: every gap empty, no filler used, and no topmost buffer, which would save its gap.
    fn program(&self) -> Basis {
        let sizes = self.sizes().map(f64::from);
        let free = std::iter::repeat_n(0.0, self.fillers.len() + 1);
        let counts =
            |pieces: &[Piece]| pieces.iter().map(|p| f64::from(p.count)).collect::<Vec<_>>();
        let sums = [counts(&self.gaps), vec![1.0], counts(&self.fillers), vec![1.0]];
        Basis::new(sizes.chain(free).collect(), sums.concat())
    }
}

/// How many there are of each size but 0, ascending.
fn pieces(mut sizes: Vec<u32>) -> Vec<Piece> {
    sizes.sort_unstable();
    let kinds = sizes.chunk_by(|a, b| a == b);
    let pieces = kinds.map(|kind| Piece { size: kind[0], count: kind.len() as u32 });
    pieces.filter(|piece| piece.size > 0).collect()
}
