//! What was found out about groups: facts that depend on nothing but the group itself, so that they hold for all groups that
//! look alike, with any price of code, and whatever ways lead to them.

use rustc_hash::FxHashMap;

use super::group::Form;
use super::least::Least;
use super::machine::{Cost, Length, Machine};
use super::pieces::Pieces;

/// A grid among those of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GridNumber {
    /// A set of grids of the layer.
    pub set: u32,
    /// One of them.
    pub index: u32,
}

/// Number of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordId(u32);

/// What is known of a group under one grid, whatever is on chip before and after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// Whether neither it nor a longer group is any use.
    pub ends_walk: bool,
    /// Whether more is computed again than the machine allows.
    pub recomputes_too_much: bool,
    /// Whether its tiles alone do not tell what results beside the last one follow.
    pub follows_from_outside: bool,
    /// Multiplications and additions that are not the first of their kind.
    pub repeated_work: i64,
    /// Bytes that it and all longer groups move at the least beside each argument once.
    pub excess: i64,
    /// Operators in the code at the least.
    pub operators: i64,
    /// Operations in the code at the least, besides those of each operator once.
    pub operations_again: i64,
}

impl Facts {
    /// Facts of a group that ends a walk.
    pub fn of_the_end() -> Self {
        Self {
            ends_walk: true,
            recomputes_too_much: false,
            follows_from_outside: false,
            repeated_work: 0,
            excess: 0,
            operators: 0,
            operations_again: 0,
        }
    }
}

/// What is known of a group with something on chip before and after, beside the least that it costs.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    /// The least bytes that it moves, by what is known before storages are.
    pub moved: i64,
    /// Of one layer alone, the least bytes that it moves with tiles that are as large or smaller.
    pub moved_by_smaller: Option<i64>,
    /// Whether it needs more room than there is, by what is known before storages are.
    pub is_too_large: bool,
    pub outcome: Option<Outcome>,
    pub made: Option<Box<Made>>,
}

impl Offer {
    /// Whether it fits, and moves more bytes than it must as there is too little room to keep what is fetched again.
    pub fn moves_more_for_room(&self) -> bool {
        matches!(&self.outcome, Some(Outcome::Fits(cost)) if cost.traffic > self.moved)
    }
}

/// A group that fits, and its code.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// Operators in the code.
    pub operators: i64,
    /// Operations in the code, if they were counted.
    pub operations: Option<i64>,
    pub form: Form,
}

impl Made {
    /// How long the code is, as far as it has a price; none if that is not known.
    pub fn length(&self, machine: Machine) -> Option<Length> {
        let operations = if machine.operation_bytes > 0 { self.operations? } else { 0 };
        Some(Length { operators: self.operators, operations })
    }
}

/// What came of settling how tensors come to the chip.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    TooLarge,
    /// It moves so many bytes at the least; whether it fits was not looked at.
    NotWorth(i64),
    Fits(Box<Cost>),
}

/// No list has an item of this number.
const NONE: u32 = u32::MAX;

/// What a group costs at the least but for its code, and the number of its offer. Of most groups no more is known than the
/// first, which tells that they are no use.
type LeastAndOffer = (Least, u32);

/// Records of groups, by what they look like and their grid.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// For each look of a group the records by grid. Those of the groups that end with one layer are looked for again and
    /// again, and small tables stay in the processor's memory.
    known: Vec<FxHashMap<GridNumber, u32>>,
    facts: Pieces<(Facts, [u32; 4])>,
    leasts: Pieces<LeastAndOffer>,
    offers: Pieces<Offer>,
}

impl Records {
    /// Groups of which something is known, each under one grid.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// The record of a group.
    pub fn find(&self, run: u32, grid: GridNumber) -> Option<RecordId> {
        self.known.get(run as usize)?.get(&grid).map(|&number| RecordId(number))
    }

    /// Adds a record.
    pub fn add(&mut self, run: u32, grid: GridNumber, facts: Facts) -> RecordId {
        let number = self.facts.push((facts, [NONE; 4]));
        let run = run as usize;
        if run >= self.known.len() {
            self.known.resize_with(run + 1, FxHashMap::default);
        }
        self.known[run].insert(grid, number);
        RecordId(number)
    }

    pub fn facts(&self, record: RecordId) -> Facts {
        self.facts[record.0].0
    }

    /// The least that one of the variants costs but for its code.
    pub fn least(&self, record: RecordId, variant: usize) -> Option<Least> {
        self.leasts.get(self.facts[record.0].1[variant]).map(|&(least, _)| least)
    }

    /// Adds the least that one of the variants costs.
    pub fn add_least(&mut self, record: RecordId, variant: usize, least: Least) {
        self.facts[record.0].1[variant] = self.leasts.push((least, NONE));
    }

    /// What else is known of one of the variants.
    pub fn offer(&self, record: RecordId, variant: usize) -> Option<&Offer> {
        let &(_, offer) = self.leasts.get(self.facts[record.0].1[variant])?;
        self.offers.get(offer)
    }

    /// Whether one of the variants was found not to fit.
    pub fn is_too_large(&self, record: RecordId, variant: usize) -> bool {
        let outcome = self.offer(record, variant).and_then(|offer| offer.outcome.as_ref());
        matches!(outcome, Some(Outcome::TooLarge))
    }

    /// Adds the least bytes that one of the variants moves, whose least cost is known, with its tiles and with smaller ones,
    /// and whether it is known not to fit.
    pub fn add_offer(
        &mut self,
        record: RecordId,
        variant: usize,
        (moved, moved_by_smaller): (i64, Option<i64>),
        is_too_large: bool,
    ) {
        let number = self.facts[record.0].1[variant];
        let offer = Offer { moved, moved_by_smaller, is_too_large, outcome: None, made: None };
        self.leasts[number].1 = self.offers.push(offer);
    }

    /// The offer of one of the variants, to be added to; none if there is none.
    pub fn offer_mut(&mut self, record: RecordId, variant: usize) -> Option<&mut Offer> {
        let &(_, offer) = self.leasts.get(self.facts[record.0].1[variant])?;
        self.offers.get_mut(offer)
    }
}
