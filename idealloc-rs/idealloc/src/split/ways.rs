//! The cheapest ways to have computed all layers before one, by traffic.

use super::group::Group;
use super::machine::{Cost, Length, Machine};

/// The cheapest way found to have computed all layers before one.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    pub traffic: i64,
    pub transfers: i64,
    pub work: i64,
    /// Bytes with moves and code, as the machine prices them.
    pub price: i64,
    /// The last group, and how long its code is.
    pub group: Option<Group>,
    pub length: Length,
}

/// The cheapest ways to a layer: with its newest tensor off chip, and on chip.
pub(super) type Ways = [Option<Reached>; 2];

impl Reached {
    /// The way that goes on with a group of so much code.
    pub fn and_then(
        &self,
        group: Option<Group>,
        (cost, length): (&Cost, Length),
        machine: Machine,
    ) -> Self {
        let moved = cost.traffic + cost.transfers * machine.transfer_bytes;
        Self {
            traffic: self.traffic + cost.traffic,
            transfers: self.transfers + cost.transfers,
            work: self.work + cost.work,
            price: self.price + moved + machine.code_price(length),
            group,
            length,
        }
    }

    /// Whether this way is better than what is known.
    pub fn is_better(&self, known: Option<&Self>) -> bool {
        let key = |way: &Self| (way.price, way.work);
        known.is_none_or(|known| key(self) < key(known))
    }
}
