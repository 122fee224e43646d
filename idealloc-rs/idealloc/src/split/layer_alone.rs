//! The search for the best grid of one layer alone, family by family.
//!
//! A family has grids that differ in the size of one cut, so the largest tiles that fit are found by bisection, where
//! larger ones move less; else all are tried.

use super::end_layer::{ALONE, VARIANTS};
use super::ending::{Ending, set_of_family};
use super::families::Family;
use super::least::Least;
use super::offers::{Candidate, Offered, Place};
use super::records::{Facts, GridNumber};
use super::tally::Tally;

/// Of smaller tiles every size is tried if there are so many at the most, else those that differ by this fraction.
const FINENESS: usize = 64;

impl<'a> Ending<'a> {
    /// Tries every other family, numbered from `base` on.
    pub(super) fn try_families(&mut self, families: &[Family], base: usize, first: usize) {
        let mut closed: Vec<usize> = Vec::new();
        for (number, family) in families.iter().enumerate().skip(first).step_by(2) {
            if !closed.contains(&family.series)
                && !self.try_family(family, set_of_family(base + number))
                && !self.end.grids.has_gaps
            {
                closed.push(family.series);
            }
        }
    }

    /// Tries the grids of a family that may be best with anything on chip before and after; returns whether there may be any
    /// in families of the series with smaller tiles.
    fn try_family(&mut self, family: &Family, set: u32) -> bool {
        if family.sizes.is_empty() {
            return true;
        }
        let is_open = |variant: usize| {
            let bound = self.bounds[0][variant];
            bound.is_some_and(|bound| self.way_before(0, variant, bound).is_some())
        };
        if !(0..VARIANTS.len()).any(is_open) {
            return false;
        }
        let least = self.least_of(family, set);
        let mut is_any = false;
        for variant in 0..VARIANTS.len() {
            let bound = self.bounds[0][variant];
            if bound.and_then(|bound| self.way_before(0, variant, bound.max(least))).is_none() {
                continue;
            }
            is_any = true;
            if !self.try_member(family, set, 0, (variant, 0)) {
                if variant == ALONE {
                    break;
                }
            } else if family.is_rounded {
                self.try_all(family, set, variant);
            } else {
                self.try_largest(family, set, variant);
            }
        }
        // What is rounded less may be read less.
        is_any || family.is_rounded_anywhere
    }

    /// Tries all tiles of a family: where what they read is rounded, larger ones may move more, and need less room.
    fn try_all(&mut self, family: &Family, set: u32, variant: usize) {
        for index in (1..family.sizes.len()).rev() {
            self.try_member(family, set, index, (variant, 0));
        }
    }

    /// Tries the largest tiles of a family that fit: among grids of a single layer that differ in nothing but the size of
    /// one cut, the larger one moves less and needs more room. Only where weights are kept is that not so; then
    /// smaller tiles are tried. Where strides leave gaps the smallest, which was tried before, may move least.
    fn try_largest(&mut self, family: &Family, set: u32, variant: usize) {
        let (mut low, mut high) = (1, family.sizes.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.try_member(family, set, middle, (variant, 0)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut smaller = low - 1;
        let mut room = None;
        while smaller > 1 && self.may_be_best(family, set, smaller, variant) {
            smaller -= 1 + smaller / FINENESS;
            let room = *room.get_or_insert_with(|| self.least_room(family, variant));
            self.try_member(family, set, smaller, (variant, room));
        }
    }

    /// Bytes that all tiles of a family take on chip at the least.
    fn least_room(&mut self, family: &Family, variant: usize) -> i64 {
        let (_, keeps_result) = VARIANTS[variant];
        let mut tally = None;
        let smallest = Candidate::Member(family, family.sizes[0]);
        let room = self.counted(&mut tally, smallest, 0).least_room(keeps_result);
        self.end(tally);
        room
    }

    /// The least that the grids of a family move, with the newest tensor and the result on chip.
    fn least_of(&mut self, family: &Family, set: u32) -> Least {
        if family.is_rounded {
            // Any of them may move least.
            return Least::default();
        }
        let largest = self.least_of_member(family, set, family.sizes.len() - 1);
        if self.end.grids.has_gaps {
            largest.min(self.least_of_member(family, set, 0))
        } else {
            largest
        }
    }

    fn least_of_member(&mut self, family: &Family, set: u32, index: usize) -> Least {
        let variant = VARIANTS.len() - 1;
        let mut tally = None;
        let place = self.member(family, set, index, &mut tally);
        let known = self.note.records.least(place.record, variant);
        let least = known.unwrap_or_else(|| {
            let counted = self.counted(&mut tally, place.candidate, place.depth);
            let least = self.end.least(counted, self.neighbours(0, variant), self.machine);
            self.note.records.add_least(place.record, variant, least);
            least
        });
        self.end(tally);
        // Smaller tiles take more moves, but not always more code.
        let bytes = least.bytes - self.saving(0, variant).0;
        Least { bytes, price: bytes }
    }

    /// Whether a group that was tried may lead to its layer better than what is known, as far as bounds tell. Where it cannot,
    /// smaller tiles cannot either.
    fn may_be_best(&mut self, family: &Family, set: u32, index: usize, variant: usize) -> bool {
        let Place { record, .. } = self.member(family, set, index, &mut None);
        let least = self.note.records.least(record, variant);
        let (Some(least), Some(bound)) = (least, self.bounds[0][variant]) else { return true };
        let least = least.max(bound);
        let offer = self.note.records.offer(record, variant);
        // Where strides leave gaps smaller ones may read less.
        let by_smaller = offer.and_then(|offer| offer.moved_by_smaller);
        match by_smaller.filter(|_| !self.end.grids.has_gaps) {
            Some(moved) => self.is_worth(0, variant, least, moved),
            None => self.way_before(0, variant, least).is_some(),
        }
    }

    /// Tries the group of the last layer alone under a grid of a family; returns whether it fits. `room` is what smaller
    /// tiles take at the least, as far as that is known.
    fn try_member(
        &mut self,
        family: &Family,
        set: u32,
        index: usize,
        (variant, room): (usize, i64),
    ) -> bool {
        let mut tally = None;
        let place = self.member(family, set, index, &mut tally);
        let place = Place { room_of_smaller: Some(room), ..place };
        let fits = !self.note.records.facts(place.record).ends_walk
            && self.offer_one(place, variant, &mut tally) != Offered::TooLarge;
        self.end(tally);
        fits
    }

    /// The group of the last layer alone under a grid of a family.
    fn member<'g>(
        &mut self,
        family: &'g Family,
        set: u32,
        index: usize,
        tally: &mut Option<Tally<'a>>,
    ) -> Place<'g> {
        let candidate = Candidate::Member(family, family.sizes[index]);
        let number = GridNumber { set, index: index as u32 };
        let looks = self.end.looks[0];
        let known = self.note.records.find(looks, number);
        let record = known.unwrap_or_else(|| {
            let counted = self.counted(tally, candidate, 0);
            let facts = Facts {
                ends_walk: !counted.can_be_cut(),
                recomputes_too_much: counted.recomputes_too_much(),
                follows_from_outside: false,
                repeated_work: counted.repeated_work(),
                excess: 0,
                operators: counted.least_code(),
                operations_again: counted.least_operations_again(),
            };
            self.note.records.add(looks, number, facts)
        });
        Place { candidate, depth: 0, record, room_of_smaller: None, fits_with_result: true }
    }
}
