//! Groups of least traffic whose code is not too long: code gets dearer until it is short enough.

use super::code_price::{Priced, Prices, Unit};
use super::ending::{Notes, work_of};
use super::group::{Group, moved};
use super::least_traffic::{Ordered, Path, least_traffic};
use super::machine::Machine;
use super::shorter::{Shortened, Shorter, Wanted};
use super::shorter_traffic::Traffic;
use super::written::{MOST_TIMES, MOST_TIMES_IN_LIMIT, Written};

/// The price of code becomes so many times as high from one search to the next.
const STEP: f64 = 6.0;

/// Searches with a higher price, and after them such with the price at which two of those before cost the same: what is
/// between them, if anything is, is found there.
const SEARCHES: usize = 4;
const SEARCHES_BETWEEN: usize = 4;

/// As many again at the most, with ever higher prices, where all that was found has more operations than it may.
const SEARCHES_BEYOND: usize = 3;

/// and with prices between, so that no more bytes are moved than that takes.
const SEARCHES_IN_LIMIT: usize = 4;

/// Short code may cost this fraction of the bytes that move anyway.
const MOST_SHARE: i64 = 4;

/// Of tiles of other sizes those with the shortest code are looked at that cost so many 32nds more.
const SHARES: [i64; 3] = [1, 4, 8];

/// After so much work, in steps of walks, fewer bytes than what moves least while code may be long are not looked for. Such
/// groups have the least price, and others may move less in more moves.
const MOST_WORK: usize = 2_000_000;

/// The groups of least traffic; if their code is too long, those of least traffic whose code is not.
///
/// If short code would cost too many bytes, of all groups within those the ones whose bytes times operations are fewest; but
/// if these have more operations than there may be, the groups of fewest bytes that were found with no more, up to several
/// times the bytes. If none were, of all that move up to twice the bytes those whose bytes times operations are fewest. None
/// if a layer does not fit.
pub(super) fn little_code(
    ordered: &Ordered,
    mut least: Path,
    machine: Machine,
    (threads, notes): (usize, &mut Notes),
) -> Option<Written> {
    let Ordered { layers, ends, .. } = ordered;
    let mut shorter = Shorter::new(Traffic { layers, ends, machine }, machine, threads);
    let length = shorter.length(&least.groups);
    if machine.code_bytes == 0 || machine.is_short(length) {
        return Some(written(least.groups, true));
    }
    let unit = Unit::too_many(machine, length);
    let most_traffic = least.traffic + least.traffic / MOST_SHARE;
    let mut found = Found::new(machine, least.traffic);
    found.take(Shortened { groups: least.groups.clone(), length });
    found.take_shorter(&mut shorter, &least.groups);
    if found.is_short_with(least.traffic) && is_much(notes) {
        return found.into_groups();
    }
    // What a group costs but for its code does not change with the price.
    let mut known = match unit {
        Unit::Operators => vec![std::mem::take(&mut least.reached)],
        // In those ways operations were not counted.
        Unit::Operations => Vec::new(),
    };
    let first = Priced::before(unit, machine, least.price, length);
    let mut so_far =
        Prices { too_long: first, in_limit: None, is_best_in_limit: false, moves_too_much: false };
    let mut prices = so_far;
    let mut search = |times: f64| {
        let machine_then = unit.priced(machine, times);
        let mut path = least_traffic(ordered, &known, machine_then, (threads, &mut *notes))?;
        known.push(std::mem::take(&mut path.reached));
        let length = shorter.length(&path.groups);
        let is_short = machine.is_short(length);
        prices.moves_too_much |= path.traffic > MOST_TIMES_IN_LIMIT * least.traffic;
        let mut is_in_limit = false;
        if !is_short {
            is_in_limit |= found.take_shorter(&mut shorter, &path.groups);
        }
        is_in_limit |= found.take(Shortened { groups: path.groups, length });
        let is_enough = is_short
            || path.traffic > most_traffic
            || found.is_short_with(least.traffic) && is_much(notes);
        let priced = Priced::of(unit, machine_then, (times, path.price), length);
        prices.note(priced, is_in_limit);
        prices.is_best_in_limit = found.is_best_in_limit;
        Some((is_enough, priced, prices))
    };
    let (mut low, mut high) = (first, None);
    for _ in 0..SEARCHES {
        let (is_enough, priced, now) = search(dearer(low.times))?;
        so_far = now;
        if is_enough {
            high = Some(priced);
            break;
        }
        low = priced;
    }
    for _ in 0..SEARCHES_BETWEEN {
        let Some(middle) = high.and_then(|high| low.as_dear_as(high, unit, machine)) else { break };
        let (is_enough, priced, now) = search(middle)?;
        so_far = now;
        if high.is_some_and(|high| priced.is_like(high)) || priced.is_like(low) {
            break;
        }
        if is_enough {
            high = Some(priced);
        } else {
            low = priced;
        }
    }
    for _ in 0..SEARCHES_BEYOND {
        if so_far.is_best_in_limit || so_far.in_limit.is_some() || so_far.moves_too_much {
            break;
        }
        (.., so_far) = search(dearer(so_far.too_long.times))?;
    }
    for _ in 0..SEARCHES_IN_LIMIT {
        let Prices { too_long, in_limit, is_best_in_limit, .. } = so_far;
        let Some(in_limit) = in_limit.filter(|_| !is_best_in_limit) else { break };
        let Some(middle) = too_long.as_dear_as(in_limit, unit, machine) else { break };
        let priced;
        (_, priced, so_far) = search(middle)?;
        if priced.is_like(too_long) || priced.is_like(in_limit) {
            break;
        }
    }
    Some(found.into_groups().unwrap_or_else(|| written(least.groups, false)))
}

/// Whether there was so much work that groups with short code are good enough where they move no more than those with any.
fn is_much(notes: &Notes) -> bool {
    work_of(notes) > MOST_WORK
}

/// The price to try after one at which code is too long.
fn dearer(times: f64) -> f64 {
    if times == 0.0 { 1.0 } else { times * STEP }
}

fn written(groups: Vec<Group>, is_in_limit: bool) -> Written {
    Written { needs: moved(&groups).0, groups, is_in_limit }
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
    /// Of all those whose bytes times operations are fewest, and these.
    product: Option<(i128, Vec<Group>)>,
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
            product: None,
        }
    }

    /// What to take in the end.
    fn into_groups(self) -> Option<Written> {
        if self.is_best_in_limit {
            return self.best.map(|(_, groups)| written(groups, true));
        }
        let in_limit = self.in_limit.map(|(_, groups)| written(groups, true));
        in_limit.or_else(|| self.product.map(|(_, groups)| written(groups, false)))
    }

    /// Whether the best have short enough code and move no more than so many bytes.
    fn is_short_with(&self, traffic: i64) -> bool {
        self.best
            .as_ref()
            .is_some_and(|&((is_long, bytes), _)| !is_long && bytes <= i128::from(traffic))
    }

    /// Takes groups if they are better; returns whether they have no more operations than there may be.
    fn take(&mut self, new: Shortened) -> bool {
        let (traffic, _) = moved(&new.groups);
        let is_short = self.machine.is_short(new.length);
        let weight = if is_short { 1 } else { i128::from(new.length.operations) };
        let score = (!is_short, i128::from(traffic) * weight);
        let is_in_limit = self.machine.is_in_limit(new.length);
        if traffic <= MOST_TIMES * self.least_traffic {
            let product = i128::from(traffic) * i128::from(new.length.operations);
            if self.product.as_ref().is_none_or(|(known, _)| product < *known) {
                self.product = Some((product, new.groups.clone()));
            }
        }
        let moves_less = self.in_limit.as_ref().is_none_or(|(known, _)| traffic < *known);
        if is_in_limit && moves_less && traffic <= MOST_TIMES_IN_LIMIT * self.least_traffic {
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
