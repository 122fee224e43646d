//! The cheapest ways to have computed all layers before one, by traffic.

use super::group::Group;
use super::machine::{Cost, Machine};

/// The cheapest way found to have computed all layers before one.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    pub traffic: i64,
    pub transfers: i64,
    pub work: i64,
    /// Operators in the code.
    pub code: i64,
    pub group: Option<Group>,
}

/// The cheapest ways to a layer: with its newest tensor off chip, and on chip.
pub(super) type Ways = [Option<Reached>; 2];

impl Reached {
    pub fn price(&self, machine: Machine) -> i64 {
        self.traffic + self.transfers * machine.transfer_bytes + self.code * machine.code_bytes
    }

    /// The way that goes on with a group of so much code.
    pub fn and_then(&self, group: Option<Group>, cost: &Cost, code: i64) -> Self {
        Self {
            traffic: self.traffic + cost.traffic,
            transfers: self.transfers + cost.transfers,
            work: self.work + cost.work,
            code: self.code + code,
            group,
        }
    }

    /// Whether this way is better than what is known.
    pub fn is_better(&self, known: Option<&Self>, machine: Machine) -> bool {
        let key = |way: &Self| (way.price(machine), way.work);
        known.is_none_or(|known| key(self) < key(known))
    }
}
