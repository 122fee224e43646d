//! Offers: one group with something on chip before and after it, which is taken if it leads to its last layer best.
//!
//! What is not known of it is found out step by step, the cheapest first, as long as it may be better than what was found.

use super::end_layer::VARIANTS;
use super::ending::Ending;
use super::families::Family;
use super::grids::Grid;
use super::group::{Form, Group};
use super::layout::Layout;
use super::least::Least;
use super::machine::Machine;
use super::records::{Made, Outcome, RecordId};
use super::settle::Settled;
use super::tally::Tally;
use super::ways::Reached;

/// A grid that is made only where it is needed.
#[derive(Clone, Copy)]
pub(super) enum Candidate<'g> {
    Grid(&'g Grid),
    Member(&'g Family, i64),
}

impl Candidate<'_> {
    /// The grid.
    pub fn grid(self) -> Grid {
        match self {
            Self::Grid(grid) => grid.clone(),
            Self::Member(family, size) => family.grid(size),
        }
    }
}

/// A group that is looked at: its grid, its number of layers, less one, and its record.
#[derive(Clone, Copy)]
pub(super) struct Place<'g> {
    pub candidate: Candidate<'g>,
    pub depth: usize,
    pub record: RecordId,
    /// Of one layer alone, bytes on chip that smaller tiles take at the least, where these may be tried next.
    pub room_of_smaller: Option<i64>,
    /// Whether it may fit with its result on chip.
    pub fits_with_result: bool,
}

/// What came of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    /// The group needs more room than there is.
    TooLarge,
    /// It may fit, but moves too much.
    NotWorth,
    /// It fits.
    Fits,
    /// Whether it fits was not looked at: it leads to nothing better anyway.
    Unseen,
}

/// What is to be done about an offer.
enum Decision {
    /// Nothing.
    Done(Offered),
    /// Something must be found out first.
    Find(Missing),
    /// It leads to the last layer better than what is known.
    Take(Box<Reached>),
}

/// What is not known of an offer.
#[derive(Clone, Copy)]
enum Missing {
    Least,
    Moved,
    /// The group costs so much at the least.
    Outcome(Least),
    Form,
}

/// A group that is laid out, and for which variant that was settled, if it was.
type LaidOut<'s, 'a> = (Layout<'s, 'a>, Option<usize>);

impl<'a> Ending<'a> {
    /// Keeps a group, with whatever on chip before and after, if it leads to its last layer best.
    pub(super) fn offer_all(
        &mut self,
        place: Place<'_>,
        tally: &mut Option<Tally<'a>>,
    ) -> [Offered; 4] {
        let mut offered = [Offered::TooLarge; 4];
        let mut variants = 0..VARIANTS.len();
        let unknown = variants.find(|&variant| match self.offer_known(place, variant) {
            Some(known) => {
                offered[variant] = known;
                false
            }
            None => true,
        });
        if let Some(first) = unknown {
            let counted = self.counted(tally, place.candidate, place.depth);
            let mut laid_out = None;
            for (variant, offered) in offered.iter_mut().enumerate().skip(first) {
                *offered = self.offer(place, variant, counted, &mut laid_out);
            }
        }
        offered
    }

    /// The same for one variant.
    pub(super) fn offer_one(
        &mut self,
        place: Place<'_>,
        variant: usize,
        tally: &mut Option<Tally<'a>>,
    ) -> Offered {
        self.offer_known(place, variant).unwrap_or_else(|| {
            let counted = self.counted(tally, place.candidate, place.depth);
            self.offer(place, variant, counted, &mut None)
        })
    }

    /// Keeps a group if it leads to its last layer best; none if not enough is known of it.
    fn offer_known(&mut self, place: Place<'_>, variant: usize) -> Option<Offered> {
        match self.decide(place, variant) {
            Decision::Done(offered) => Some(offered),
            Decision::Take(way) => {
                let (_, ends) = VARIANTS[variant];
                self.best[usize::from(ends)] = Some(*way);
                Some(Offered::Fits)
            }
            Decision::Find(_) => None,
        }
    }

    /// The same, and what is not known is found out.
    fn offer<'s>(
        &mut self,
        place: Place<'_>,
        variant: usize,
        tally: &'s Tally<'a>,
        laid_out: &mut Option<LaidOut<'s, 'a>>,
    ) -> Offered {
        loop {
            match self.decide(place, variant) {
                Decision::Find(missing) => self.find_out(missing, place, variant, tally, laid_out),
                Decision::Done(offered) => return offered,
                Decision::Take(way) => {
                    let (_, ends) = VARIANTS[variant];
                    self.best[usize::from(ends)] = Some(*way);
                    return Offered::Fits;
                }
            }
        }
    }

    /// What follows from all that is known of a group.
    fn decide(&self, place: Place<'_>, variant: usize) -> Decision {
        let Place { depth, record, .. } = place;
        let Some(bound) = self.bounds[depth][variant] else {
            return Decision::Done(Offered::TooLarge);
        };
        if self.way_before(depth, variant, bound).is_none() {
            return Decision::Done(Offered::Unseen);
        }
        let (starts, ends) = VARIANTS[variant];
        if ends && !place.fits_with_result {
            return Decision::Done(Offered::TooLarge);
        }
        let records = &self.note.records;
        let Some(least) = records.least(record, variant) else {
            return Decision::Find(Missing::Least);
        };
        let facts = records.facts(record);
        let length = self.least_length(facts, depth);
        let code = self.machine.code_price(length);
        let least = Least { price: least.price + code, ..least }.max(bound);
        let Some(way) = self.way_before(depth, variant, least) else {
            return Decision::Done(Offered::Unseen);
        };
        if facts.recomputes_too_much || self.is_too_large_with_less(record, variant) {
            return Decision::Done(Offered::TooLarge);
        }
        let Some(offer) = records.offer(record, variant) else {
            return Decision::Find(Missing::Moved);
        };
        if offer.is_too_large {
            return Decision::Done(Offered::TooLarge);
        }
        if !self.is_worth(depth, variant, least, offer.moved) {
            return Decision::Done(Offered::NotWorth);
        }
        let mut cost = match &offer.outcome {
            None => return Decision::Find(Missing::Outcome(least)),
            Some(Outcome::TooLarge) => return Decision::Done(Offered::TooLarge),
            Some(Outcome::NotWorth(moved)) => {
                return if self.is_worth(depth, variant, least, *moved) {
                    Decision::Find(Missing::Outcome(least))
                } else {
                    Decision::Done(Offered::NotWorth)
                };
            }
            Some(Outcome::Fits(cost)) => **cost,
        };
        let (bytes, moves) = self.saving(depth, variant);
        cost.traffic += bytes;
        cost.transfers += moves;
        let best = self.best[usize::from(ends)].as_ref();
        if !way.and_then(None, (&cost, length), self.machine).is_better(best) {
            return Decision::Done(Offered::Fits);
        }
        let made = offer.made.as_deref();
        let Some((length, form)) =
            made.and_then(|made| Some((made.length(self.machine)?, &made.form)))
        else {
            return Decision::Find(Missing::Form);
        };
        let mut new = way.and_then(None, (&cost, length), self.machine);
        if !new.is_better(best) {
            return Decision::Done(Offered::Fits);
        }
        let layers = (self.end.layer - depth, self.end.layer);
        let grid = self.in_window(place.candidate);
        let window = &self.end.window;
        let group = Group::of(window, form, &grid, self.end.last, layers, (starts, ends));
        new.group = Some(group.with_moves(bytes, moves));
        Decision::Take(Box::new(new))
    }

    /// Whether a group does not fit with less on chip before and after.
    fn is_too_large_with_less(&self, record: RecordId, variant: usize) -> bool {
        let (starts, ends) = VARIANTS[variant];
        let is_less = |other: usize| {
            let (other_starts, other_ends) = VARIANTS[other];
            (starts || !other_starts) && (ends || !other_ends)
        };
        (0..variant).any(|other| is_less(other) && self.note.records.is_too_large(record, other))
    }

    /// Bytes and moves that keep for later readers what a group reads on chip.
    pub(super) fn saving(&self, depth: usize, variant: usize) -> (i64, i64) {
        self.end.saving_cost(self.neighbours(depth, variant).newest)
    }

    /// Whether a group may be better than what is known if it moves so many bytes at the least, and costs `least`.
    pub(super) fn is_worth(&self, depth: usize, variant: usize, least: Least, moved: i64) -> bool {
        let saving = self.saving(depth, variant).0;
        let least = least.with_bytes((moved + saving - least.bytes).max(0));
        self.way_before(depth, variant, least).is_some()
    }

    /// Finds out something about a group.
    fn find_out<'s>(
        &mut self,
        missing: Missing,
        place: Place<'_>,
        variant: usize,
        tally: &'s Tally<'a>,
        laid_out: &mut Option<LaidOut<'s, 'a>>,
    ) {
        let depth = place.depth;
        let neighbours = self.neighbours(depth, variant);
        match missing {
            Missing::Least => {
                let least = self.end.least(tally, neighbours, self.machine);
                self.note.records.add_least(place.record, variant, least);
            }
            Missing::Moved => {
                let room = place.room_of_smaller;
                let by_smaller = room.map(|room| tally.least_of_smaller(neighbours, room));
                let moved = (tally.least_before_storages(neighbours), by_smaller);
                let is_too_large = tally.is_too_large(neighbours);
                self.note.records.add_offer(place.record, variant, moved, is_too_large);
            }
            Missing::Outcome(least) => {
                let (layout, settled_for) =
                    laid_out.get_or_insert_with(|| (Layout::new(tally), None));
                layout.start_over(neighbours);
                let mut least_moved = 0;
                let settled = layout.settle(|moved| {
                    least_moved = moved;
                    self.is_worth(depth, variant, least, moved)
                });
                *settled_for = (settled == Settled::Fits).then_some(variant);
                let outcome = match settled {
                    Settled::TooLarge => Outcome::TooLarge,
                    Settled::NotWorth => Outcome::NotWorth(least_moved),
                    Settled::Fits => Outcome::Fits(Box::new(layout.cost(false))),
                };
                if let Some(offer) = self.note.records.offer_mut(place.record, variant) {
                    offer.outcome = Some(outcome);
                }
            }
            Missing::Form => {
                let (layout, settled_for) =
                    laid_out.get_or_insert_with(|| (Layout::new(tally), None));
                if *settled_for != Some(variant) {
                    layout.start_over(neighbours);
                    layout.settle(|_| true);
                }
                // It takes time to count the code.
                let Machine { code_bytes, operation_bytes, .. } = self.machine;
                let operators = if code_bytes > 0 { layout.code() } else { tally.least_code() };
                let operations = (operation_bytes > 0).then(|| layout.operations());
                let cost = layout.cost(false);
                let form = Form::of(layout, cost, self.machine.capacity);
                *settled_for = None;
                if let Some(offer) = self.note.records.offer_mut(place.record, variant) {
                    offer.made = Some(Box::new(Made { operators, operations, form }));
                }
            }
        }
    }
}
