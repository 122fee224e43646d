//! What was found out about groups: facts that depend on nothing but the group itself, so that they hold for all groups that
//! look alike, with any price of code, and whatever ways lead to them.

use rustc_hash::FxHashMap;

use super::group::Form;
use super::least::Least;
use super::machine::Cost;
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
    /// Bytes that it and all longer groups move at the least beside each argument once.
    pub excess: i64,
    /// Operators in the code at the least.
    pub code: i64,
}

impl Facts {
    /// Facts of a group that ends a walk.
    pub fn of_the_end() -> Self {
        Self { ends_walk: true, recomputes_too_much: false, excess: 0, code: 0 }
    }
}

/// What is known of a group with something on chip before and after.
#[derive(Clone, Debug, Default)]
pub(super) struct Offer {
    /// The least that it costs but for its code.
    pub least: Option<Least>,
    /// The least bytes that it moves, by what is known before storages are.
    pub moved: Option<i64>,
    pub outcome: Option<Outcome>,
    /// Operators in the code, and its form.
    pub made: Option<Box<(i64, Form)>>,
}

/// What came of settling how tensors come to the chip.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    TooLarge,
    /// It moves so many bytes at the least; whether it fits was not looked at.
    NotWorth(i64),
    Fits(Box<Cost>),
}

/// No offer.
const NONE: u32 = u32::MAX;

/// Records of groups, by what they look like and their grid.
#[derive(Debug, Default)]
pub(super) struct Records {
    known: FxHashMap<(u32, GridNumber), u32>,
    facts: Pieces<(Facts, [u32; 4])>,
    offers: Pieces<Offer>,
}

impl Records {
    /// The record of a group.
    pub fn find(&self, run: u32, grid: GridNumber) -> Option<RecordId> {
        self.known.get(&(run, grid)).map(|&number| RecordId(number))
    }

    /// Adds a record.
    pub fn add(&mut self, run: u32, grid: GridNumber, facts: Facts) -> RecordId {
        let number = self.facts.push((facts, [NONE; 4]));
        self.known.insert((run, grid), number);
        RecordId(number)
    }

    pub fn facts(&self, record: RecordId) -> Facts {
        self.facts[record.0].0
    }

    /// What is known of one of the variants.
    pub fn offer(&self, record: RecordId, variant: usize) -> Option<&Offer> {
        self.offers.get(self.facts[record.0].1[variant])
    }

    /// The same, to be added to.
    pub fn offer_mut(&mut self, record: RecordId, variant: usize) -> &mut Offer {
        let number = &mut self.facts[record.0].1[variant];
        if *number == NONE {
            *number = self.offers.push(Offer::default());
        }
        &mut self.offers[*number]
    }
}
