//! Groups of least traffic whose code is not too long: code gets dearer until it is short enough.

use super::ending::Notes;
use super::group::Group;
use super::least_traffic::{Ordered, Path, least_traffic};
use super::machine::{Length, Machine};
use super::misfit::Misfit;
use super::shorter::{Shortened, Shorter, Wanted};
use super::shorter_traffic::Traffic;
use super::written::Written;

/// The price of code becomes so many times as high from one search to the next.
const STEP: f64 = 6.0;

/// Searches with a higher price, and after them such with a price between those of two before.
const SEARCHES: usize = 4;
const SEARCHES_BETWEEN: usize = 4;

/// As many again at the most, with ever higher prices, where all that was found has more operations than it may.
const SEARCHES_BEYOND: usize = 3;

/// and with a price between, so that no more bytes are moved than that takes.
const SEARCHES_IN_LIMIT: usize = 4;

/// Short code may cost this fraction of the bytes that move anyway.
const MOST_SHARE: i64 = 4;

/// To have no more operations than there may be, groups may move so many times the bytes.
const MOST_TIMES: i64 = 2;

/// Of tiles of other sizes those with the shortest code are looked at that cost so many 32nds more.
const SHARES: [i64; 3] = [1, 4, 8];

/// The groups of least traffic; if their code is too long, those of least traffic whose code is not.
///
/// If short code would cost too many bytes, of all groups within those the ones whose bytes times operations are fewest; but
/// if these have more operations than there may be, the groups of fewest bytes that were found with no more.
pub(super) fn little_code(
    ordered: &Ordered,
    mut least: Path,
    machine: Machine,
    (threads, notes): (usize, &mut Notes),
) -> Result<Written, Misfit> {
    let Ordered { layers, ends, .. } = ordered;
    let mut shorter = Shorter::new(Traffic { layers, ends, machine }, machine, threads);
    let length = shorter.length(&least.groups);
    if machine.code_bytes == 0 || machine.is_short(length) {
        return Ok(written(least.groups, true));
    }
    let unit = Unit::too_many(machine, length);
    let most_traffic = least.traffic + least.traffic / MOST_SHARE;
    let mut found = Found::new(machine, least.traffic);
    found.take(Shortened { groups: least.groups.clone(), length });
    found.take_shorter(&mut shorter, &least.groups);
    // What a group costs but for its code does not change with the price.
    let mut known = match unit {
        Unit::Operators => vec![std::mem::take(&mut least.reached)],
        // In those ways operations were not counted.
        Unit::Operations => Vec::new(),
    };
    let mut prices = Prices { too_long: 1.0, in_limit: f64::INFINITY, is_best_in_limit: false };
    let mut so_far = prices;
    let mut search = |times: f64| {
        let priced = unit.priced(machine, times);
        let mut path = least_traffic(ordered, &known, priced, (threads, &mut *notes))?;
        known.push(std::mem::take(&mut path.reached));
        let length = shorter.length(&path.groups);
        let is_short = machine.is_short(length);
        let is_dear = path.traffic > most_traffic;
        let mut is_in_limit = false;
        if !is_short {
            is_in_limit |= found.take_shorter(&mut shorter, &path.groups);
        }
        is_in_limit |= found.take(Shortened { groups: path.groups, length });
        if is_in_limit {
            prices.in_limit = prices.in_limit.min(times);
        } else {
            prices.too_long = prices.too_long.max(times);
        }
        prices.is_best_in_limit = found.is_best_in_limit;
        Ok((is_short || is_dear, prices))
    };
    let (mut low, mut high, mut is_between) = (1.0, 1.0, false);
    for _ in 0..SEARCHES {
        high *= STEP;
        (is_between, so_far) = search(high)?;
        if is_between {
            break;
        }
        low = high;
    }
    for _ in 0..if is_between { SEARCHES_BETWEEN } else { 0 } {
        let middle = f64::sqrt(low * high);
        let is_enough;
        (is_enough, so_far) = search(middle)?;
        if is_enough {
            high = middle;
        } else {
            low = middle;
        }
    }
    for _ in 0..SEARCHES_BEYOND {
        if so_far.is_best_in_limit || so_far.in_limit.is_finite() {
            break;
        }
        (_, so_far) = search(so_far.too_long * STEP)?;
    }
    for _ in 0..SEARCHES_IN_LIMIT {
        if so_far.is_best_in_limit || so_far.in_limit.is_infinite() {
            break;
        }
        (_, so_far) = search(f64::sqrt(so_far.too_long * so_far.in_limit))?;
    }
    Ok(found.into_groups().unwrap_or_else(|| written(least.groups, false)))
}

/// Bytes that groups move.
fn traffic_of(groups: &[Group]) -> i64 {
    groups.iter().map(|group| group.cost.traffic).sum()
}

fn written(groups: Vec<Group>, is_in_limit: bool) -> Written {
    Written { needs: traffic_of(&groups), groups, is_in_limit }
}

/// What code is measured in where it has a higher price.
#[derive(Clone, Copy)]
enum Unit {
    Operators,
    Operations,
}

impl Unit {
    /// What there is too much of: the one that is above its limit by the larger factor.
    fn too_many(machine: Machine, length: Length) -> Self {
        let Machine { most_code, most_operations, .. } = machine;
        let operators = i128::from(length.operators) * i128::from(most_operations);
        let operations = i128::from(length.operations) * i128::from(most_code.max(1));
        if operations > operators && most_operations > 0 {
            Self::Operations
        } else {
            Self::Operators
        }
    }

    /// The machine with `times` the price of code, and with tiles that are shifted. As many operations as there may be cost as
    /// much as so many operators.
    fn priced(self, machine: Machine, times: f64) -> Machine {
        let price = machine.code_bytes as f64 * times;
        match self {
            Self::Operators => Machine { code_bytes: price as i64, shifts: true, ..machine },
            Self::Operations => {
                let operators = machine.most_code.max(1) as f64 / machine.most_operations as f64;
                let operation_bytes = (price * operators) as i64;
                Machine { operation_bytes, shifts: true, ..machine }
            }
        }
    }
}

/// What is known of prices of code.
#[derive(Clone, Copy)]
struct Prices {
    /// The highest with which there are too many operations.
    too_long: f64,
    /// The lowest with which there are not.
    in_limit: f64,
    /// Whether the best groups, which do not move many more bytes, have no more than there may be.
    is_best_in_limit: bool,
}

/// How good groups are, the less the better: whether their code is too long, bytes moved, or those times operations.
type Score = (bool, i128);

/// The best groups that were found so far.
struct Found {
    machine: Machine,
    least_traffic: i64,
    /// Bytes that may be moved for shorter code.
    most_traffic: i64,
    best: Option<(Score, Vec<Group>)>,
    /// Of all with no more operations than there may be those of fewest bytes, and these.
    in_limit: Option<(i64, Vec<Group>)>,
    /// Whether the best have no more, either.
    is_best_in_limit: bool,
}

impl Found {
    fn new(machine: Machine, least_traffic: i64) -> Self {
        let most_traffic = least_traffic + least_traffic / MOST_SHARE;
        Self {
            machine,
            least_traffic,
            most_traffic,
            best: None,
            in_limit: None,
            is_best_in_limit: false,
        }
    }

    /// What to take in the end.
    fn into_groups(self) -> Option<Written> {
        let best = self.best.map(|(_, groups)| groups);
        if self.is_best_in_limit {
            return best.map(|groups| written(groups, true));
        }
        let in_limit = self.in_limit.map(|(_, groups)| groups);
        in_limit
            .map(|groups| written(groups, true))
            .or_else(|| best.map(|groups| written(groups, false)))
    }

    /// Takes groups if they are better; returns whether they have no more operations than there may be.
    fn take(&mut self, new: Shortened) -> bool {
        let traffic = traffic_of(&new.groups);
        let is_short = self.machine.is_short(new.length);
        let weight = if is_short { 1 } else { i128::from(new.length.operations) };
        let score = (!is_short, i128::from(traffic) * weight);
        let is_in_limit = self.machine.is_in_limit(new.length);
        let is_bearable = traffic <= MOST_TIMES * self.least_traffic;
        if is_in_limit
            && is_bearable
            && self.in_limit.as_ref().is_none_or(|(known, _)| traffic < *known)
        {
            self.in_limit = Some((traffic, new.groups.clone()));
        }
        let is_better = self.best.as_ref().is_none_or(|(known, _)| score < *known);
        if traffic <= self.most_traffic && is_better {
            self.best = Some((score, new.groups));
            self.is_best_in_limit = is_in_limit;
        }
        is_in_limit
    }

    /// Takes groups in other tiles, if they are better; returns whether any have no more operations than there may be.
    fn take_shorter(&mut self, shorter: &mut Shorter<Traffic<'_>>, groups: &[Group]) -> bool {
        let mut is_in_limit = self.take(shorter.of(groups, Wanted::Short));
        for share in SHARES {
            is_in_limit |= self.take(shorter.of(groups, Wanted::Share(share)));
        }
        is_in_limit
    }
}
