//! The revised simplex method for linear programs whose columns are found one by one.

/// What is less than this is rounding.
const TINY: f64 = 1e-9;

/// A basis of a linear program: least cost of `x >= 0` with given row sums. Dantzig, Orden and Wolfe 1955.
///
/// It holds the inverse as a dense matrix: meant for some hundred rows. All numbers come from additions, multiplications and
/// divisions in a fixed order, so that they are the same on every machine.
#[derive(Clone, Debug)]
pub struct Basis {
    rows: usize,
    inverse: Vec<f64>,
    costs: Vec<f64>,
    values: Vec<f64>,
}

impl Basis {
    /// The basis of unit columns, with the cost of each, and what each row must sum up to (not below 0).
    pub fn new(costs: Vec<f64>, sums: Vec<f64>) -> Self {
        let rows = costs.len();
        let mut inverse = vec![0.0; rows * rows];
        for row in 0..rows {
            inverse[row * rows + row] = 1.0;
        }
        Self { rows, inverse, costs, values: sums }
    }

    /// Steps of [`Self::prices`] and of [`Self::enter`].
    pub fn work(&self) -> usize {
        self.inverse.len()
    }

    /// Cost of the solution of this basis.
    pub fn cost(&self) -> f64 {
        self.costs.iter().zip(&self.values).map(|(cost, value)| cost * value).sum()
    }

    /// Prices of the rows: a column with a cost below the sum of its entries at these makes the solution cheaper.
    pub fn prices(&self) -> Vec<f64> {
        let mut prices = vec![0.0; self.rows];
        for (row, &cost) in self.inverse.chunks_exact(self.rows).zip(&self.costs) {
            if cost != 0.0 {
                prices.iter_mut().zip(row).for_each(|(price, entry)| *price += cost * entry);
            }
        }
        prices
    }

    /// Brings a column into the basis, given by its rows and entries, for the one that is down to 0 first. False if none is,
    /// as then the cost has no limit.
    pub fn enter(&mut self, column: &[(usize, f64)], cost: f64) -> bool {
        let rows = self.rows;
        let entry = |row: &[f64]| column.iter().map(|&(at, factor)| row[at] * factor).sum::<f64>();
        let entries: Vec<f64> = self.inverse.chunks_exact(rows).map(entry).collect();
        let mut out: Option<(f64, usize)> = None;
        for (row, (&entry, &value)) in entries.iter().zip(&self.values).enumerate() {
            if entry > TINY {
                let ratio = value / entry;
                // Of equals the one with the largest entry, for the sake of rounding.
                let is_less = out.is_none_or(|(least, at)| {
                    ratio < least - TINY || (ratio < least + TINY && entry > entries[at])
                });
                if is_less {
                    out = Some((ratio, row));
                }
            }
        }
        let Some((ratio, out)) = out else { return false };
        let pivot = entries[out];
        let mut row = self.inverse[out * rows..(out + 1) * rows].to_vec();
        row.iter_mut().for_each(|entry| *entry /= pivot);
        for (at, (other, &factor)) in self.inverse.chunks_exact_mut(rows).zip(&entries).enumerate()
        {
            if at == out {
                other.copy_from_slice(&row);
            } else if factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(entry, &less)| *entry -= factor * less);
                self.values[at] = (self.values[at] - factor * ratio).max(0.0);
            }
        }
        self.values[out] = ratio;
        self.costs[out] = cost;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Basis;

    #[test]
    fn it_finds_the_cheapest_mix_of_columns() {
        // Rows must sum up to 4 and 6; each may be met at 10 a unit. A column (1, 2) at 3, then (2, 1) at 2.
        let mut basis = Basis::new(vec![10.0, 10.0], vec![4.0, 6.0]);
        assert!((basis.cost() - 100.0).abs() < 1e-9);
        assert!(basis.enter(&[(0, 1.0), (1, 2.0)], 3.0));
        assert!((basis.cost() - 19.0).abs() < 1e-9, "three of it, and one of the first row");
        assert!(basis.enter(&[(0, 2.0), (1, 1.0)], 2.0));
        // 2/3 of the second and 8/3 of the first.
        assert!((basis.cost() - 28.0 / 3.0).abs() < 1e-9);
        let prices = basis.prices();
        assert!((prices[0] + 2.0 * prices[1] - 3.0).abs() < 1e-9);
        assert!((2.0 * prices[0] + prices[1] - 2.0).abs() < 1e-9);
        assert!(!basis.enter(&[(0, -1.0), (1, -1.0)], -1.0), "costs less and less");
    }
}
