//! What code costs while shorter code is searched for, and which price to try next.

use super::machine::{Length, Machine};

/// What code is measured in where it has a higher price.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    Operators,
    Operations,
}

impl Unit {
    /// What there is too much of: the one that is above its limit by the larger factor.
    pub fn too_many(machine: Machine, length: Length) -> Self {
        let Machine { most_code, most_operations, .. } = machine;
        let operators = i128::from(length.operators) * i128::from(most_operations);
        let operations = i128::from(length.operations) * i128::from(most_code.max(1));
        if operations > operators && most_operations > 0 {
            Self::Operations
        } else {
            Self::Operators
        }
    }

    /// Bytes that one of them costs at the price of code. As many operations as there may be cost as much as so many
    /// operators.
    fn price(self, machine: Machine) -> f64 {
        let price = machine.code_bytes as f64;
        match self {
            Self::Operators => price,
            Self::Operations => {
                price * (machine.most_code.max(1) as f64 / machine.most_operations as f64)
            }
        }
    }

    /// The machine with `times` the price of code, and with tiles that are shifted.
    pub fn priced(self, machine: Machine, times: f64) -> Machine {
        let bytes = (self.price(machine) * times) as i64;
        match self {
            Self::Operators => Machine { code_bytes: bytes, shifts: true, ..machine },
            Self::Operations => Machine { operation_bytes: bytes, shifts: true, ..machine },
        }
    }
}

/// Groups that cost least at a price of code, and how that changes with the price: by as much as there is code.
#[derive(Clone, Copy)]
pub(super) struct Priced {
    /// So many times the price.
    pub times: f64,
    /// What they cost but for the code that has the price.
    rest: i64,
    /// How much code that is.
    code: i64,
}

impl Priced {
    /// Groups that cost `all` on a machine with `times` the price, and have so much code.
    pub fn of(unit: Unit, machine: Machine, (times, all): (f64, i64), length: Length) -> Self {
        let (code, bytes) = match unit {
            Unit::Operators => (length.operators, machine.code_bytes),
            Unit::Operations => (length.operations, machine.operation_bytes),
        };
        Self { times, rest: all - code * bytes, code }
    }

    /// Groups that were found before code got dearer.
    pub fn before(unit: Unit, machine: Machine, all: i64, length: Length) -> Self {
        let times = match unit {
            Unit::Operators => 1.0,
            // They had no price.
            Unit::Operations => 0.0,
        };
        Self::of(unit, machine, (times, all), length)
    }

    /// So many times the price at which these cost as much as others that are best at a higher price. What is best in between,
    /// if that is neither, costs less than both there (as with multipliers of Lagrange; Everett 1963). None if prices so near
    /// to each other tell nothing.
    pub fn as_dear_as(self, other: Self, unit: Unit, machine: Machine) -> Option<f64> {
        let (more, less) = (other.rest - self.rest, self.code - other.code);
        if more <= 0 || less <= 0 {
            return None;
        }
        let times = more as f64 / less as f64 / unit.price(machine);
        (self.times < times && times < other.times).then_some(times)
    }

    /// Whether these cost the same as others at any price.
    pub fn is_like(self, other: Self) -> bool {
        (self.rest, self.code) == (other.rest, other.code)
    }
}

/// What is known of prices of code.
#[derive(Clone, Copy)]
pub(super) struct Prices {
    /// The groups at the highest price with which there are too many operations.
    pub too_long: Priced,
    /// Those at the lowest with which there are not.
    pub in_limit: Option<Priced>,
    /// Whether the best groups, which do not move many more bytes, have no more than there may be.
    pub is_best_in_limit: bool,
    /// Whether groups at some price move more bytes than they may for short code. At a higher price they move no fewer.
    pub moves_too_much: bool,
}

impl Prices {
    /// Notes whether groups have no more operations than there may be.
    pub fn note(&mut self, new: Priced, is_in_limit: bool) {
        if is_in_limit {
            if self.in_limit.is_none_or(|known| new.times < known.times) {
                self.in_limit = Some(new);
            }
        } else if new.times > self.too_long.times {
            self.too_long = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Priced, Unit};
    use crate::split::machine::{Length, Machine};

    const MACHINE: Machine = Machine {
        capacity: 1 << 20,
        alignment: 1,
        is_staged: true,
        stages_arguments: true,
        joins_slices: false,
        max_recompute: 1.0,
        transfer_bytes: 0,
        shifts: false,
        code_bytes: 10,
        most_code: 100,
        most_operations: 400,
        operation_bytes: 0,
    };

    /// Groups that cost `rest` bytes and so many operations of code, at `times` the price.
    fn at(unit: Unit, times: f64, rest: i64, code: i64) -> Priced {
        let machine = unit.priced(MACHINE, times);
        let (length, price) = match unit {
            Unit::Operators => (Length { operators: code, operations: 0 }, machine.code_bytes),
            Unit::Operations => {
                (Length { operators: 0, operations: code }, machine.operation_bytes)
            }
        };
        Priced::of(unit, machine, (times, rest + code * price), length)
    }

    #[test]
    fn at_the_next_price_both_cost_the_same() {
        for unit in [Unit::Operators, Unit::Operations] {
            let (long, short) = (at(unit, 4.0, 10_000, 900), at(unit, 400.0, 100_000, 150));
            let times = long.as_dear_as(short, unit, MACHINE).expect("there is such a price");
            assert!(long.times < times && times < short.times);
            let all = |groups: Priced| {
                groups.rest as f64 + groups.code as f64 * times * unit.price(MACHINE)
            };
            assert!((all(long) - all(short)).abs() < 1e-6);
            assert!(long.is_like(at(unit, 8.0, 10_000, 900)));
            assert!(!long.is_like(short));
        }
    }

    #[test]
    fn no_price_tells_more_of_groups_that_are_alike_or_worse_in_both() {
        let unit = Unit::Operators;
        let long = at(unit, 4.0, 10_000, 900);
        for other in
            [at(unit, 9.0, 10_000, 900), at(unit, 9.0, 9_000, 800), at(unit, 9.0, 10_100, 150)]
        {
            assert!(long.as_dear_as(other, unit, MACHINE).is_none());
        }
    }
}
