//! Cheapest choices of priced pieces by the remainder of their sum.

/// Pieces of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Size modulo the period; not 0.
    pub size: u32,
    /// How many there are.
    pub count: u32,
}

/// The cheapest choice for every remainder: a knapsack (Bellman 1957) on the cyclic group (Gomory 1969).
#[derive(Clone, Debug)]
pub struct CyclicKnapsack {
    period: usize,
    /// Which piece, how many of it, and the remainder of their sum.
    bundles: Vec<(u32, u32, usize)>,
    cost: Vec<i64>,
    next: Vec<i64>,
    /// Whether each bundle is in the cheapest choice of each remainder of it and those before.
    taken: Vec<bool>,
}

/// Of a remainder that no choice has.
const NEVER: i64 = i64::MAX / 2;

impl CyclicKnapsack {
    /// For some pieces. More of a size than come around the period are never cheapest.
    pub fn new(pieces: &[Piece], period: u32) -> Self {
        let mut bundles = Vec::new();
        for (k, piece) in (0..).zip(pieces) {
            let mut left = piece.count.min(period - 1);
            let mut many = 1;
            while left > 0 {
                let these = many.min(left);
                let sum = u64::from(these) * u64::from(piece.size) % u64::from(period);
                bundles.push((k, these, sum as usize));
                left -= these;
                many *= 2;
            }
        }
        let period = period as usize;
        let (cost, next) = (vec![NEVER; period], vec![NEVER; period]);
        let taken = vec![false; period * bundles.len()];
        Self { period, bundles, cost, next, taken }
    }

    /// Steps of [`Self::solve`].
    pub fn work(&self) -> usize {
        self.taken.len()
    }

    /// Finds the cheapest choices with such a price for each piece, none below 0: the cost for each remainder. Complexity:
    /// [`Self::work`].
    pub fn solve(&mut self, prices: &[i64]) -> &[i64] {
        self.cost.fill(NEVER);
        self.cost[0] = 0;
        let rows = self.taken.chunks_exact_mut(self.period.max(1));
        for (&(piece, many, sum), taken) in self.bundles.iter().zip(rows) {
            let price = i64::from(many) * prices[piece as usize];
            let from = self.cost[self.period - sum..].iter().chain(&self.cost);
            let better = self.next.iter_mut().zip(taken).zip(&self.cost);
            for (((next, taken), &without), &before) in better.zip(from) {
                let with = before + price;
                *taken = with < without;
                *next = if *taken { with } else { without };
            }
            std::mem::swap(&mut self.cost, &mut self.next);
        }
        &self.cost
    }

    /// Which pieces, and how many, are in the cheapest choice that [`Self::solve`] found for a remainder.
    pub fn choice(&self, mut remainder: usize) -> Vec<(u32, u32)> {
        let mut chosen = Vec::new();
        for (&(piece, many, sum), taken) in
            self.bundles.iter().zip(self.taken.chunks_exact(self.period.max(1))).rev()
        {
            if taken[remainder] {
                chosen.push((piece, many));
                remainder = (remainder + self.period - sum) % self.period;
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::{CyclicKnapsack, NEVER, Piece};
    use crate::random::Random;

    #[test]
    fn it_is_the_cheapest_of_all_choices() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let period = 2 + random.below(9) as u32;
            let mut pieces: Vec<Piece> = Vec::new();
            for size in 1..period {
                if random.one_in(2) {
                    pieces.push(Piece { size, count: 1 + random.below(3) as u32 });
                }
            }
            let prices: Vec<i64> = pieces.iter().map(|_| random.below(9) as i64).collect();
            let mut best = vec![NEVER; period as usize];
            best[0] = 0;
            // One piece after the other, by each number of it.
            for (piece, &price) in pieces.iter().zip(&prices) {
                let before = best.clone();
                for (at, &cost) in before.iter().enumerate() {
                    for many in 0..=piece.count {
                        let to = (at as u32 + many * piece.size) % period;
                        let sum = cost + i64::from(many) * price;
                        best[to as usize] = best[to as usize].min(sum);
                    }
                }
            }
            let mut knapsack = CyclicKnapsack::new(&pieces, period);
            let found = knapsack.solve(&prices).to_vec();
            for (remainder, (&found, &best)) in found.iter().zip(&best).enumerate() {
                assert_eq!(found.min(NEVER), best.min(NEVER), "seed {seed}");
                if found >= NEVER {
                    continue;
                }
                let (mut sum, mut cost) = (0, 0);
                for (piece, many) in knapsack.choice(remainder) {
                    sum += many * pieces[piece as usize].size;
                    cost += i64::from(many) * prices[piece as usize];
                }
                assert_eq!((sum % period, cost), (remainder as u32, found), "seed {seed}");
            }
        }
    }
}
