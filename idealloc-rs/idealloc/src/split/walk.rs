//! The walk back from a layer under one grid: groups of more and more layers, until nothing longer can be any use.

use super::end_layer::{ALONE, VARIANTS, WITH_RESULT};
use super::ending::Ending;
use super::grids::Grid;
use super::least::Least;
use super::machine::Length;
use super::offers::{Candidate, Offered, Place};
use super::records::{Facts, GridNumber, Offer};
use super::tally::Tally;

/// Groups of more layers than these end at a first layer that is not cut, where they read nothing twice. Not so where nothing
/// is cut: what fits whole need not leave the chip, whatever is read again much later.
const UNCUT: usize = 8;

/// So many numbers of layers that do not fit, with none that does between, end a walk.
pub(super) const MISSES: usize = 4;

/// So many numbers of layers that move too much, one after another, end a walk.
const USELESS: usize = 4;

/// Numbers of layers of groups that are looked at under a grid; larger tiles have the same or lower ones.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// At the most.
    pub most: usize,
    /// At the most with the result on chip.
    pub with_result: usize,
}

impl Limits {
    /// None.
    pub const NONE: Self = Self { most: usize::MAX, with_result: usize::MAX };
}

/// What came of a walk.
#[derive(Clone, Copy)]
pub(super) struct Walked {
    /// With how many layers the grid fits.
    pub fitting: usize,
    /// The fewest layers, less one, with which the same tiles in less room may lead to something better.
    pub lacks_room_from: usize,
}

impl<'a> Ending<'a> {
    /// Whether a group of so many layers, less one, that costs so much more than its bound may be better than what is
    /// known.
    fn is_open(&self, depth: usize, excess: Least) -> bool {
        let is_open = |(variant, bound): (usize, &Option<Least>)| {
            bound.is_some_and(|bound| self.way_before(depth, variant, bound + excess).is_some())
        };
        self.bounds[depth].iter().enumerate().any(is_open)
    }

    /// The same for a group that costs no more than its bound. Once none is better for its price, none will be.
    fn is_open_at_least(&mut self, depth: usize) -> bool {
        if self.closed[depth] {
            return false;
        }
        let is_open = self.is_open(depth, Least::default());
        self.closed[depth] = !is_open && self.is_too_dear(depth);
        is_open
    }

    /// Whether what is known costs no more than a group of so many layers, less one, must.
    fn is_too_dear(&self, depth: usize) -> bool {
        let mut bounds = self.bounds[depth].iter().enumerate();
        bounds.all(|(variant, bound)| {
            bound.is_none_or(|bound| !self.is_affordable(depth, variant, bound))
        })
    }

    /// Tries one grid with more than `from` layers and as many as there may be. What is found out about numbers of layers with
    /// which larger tiles do not fit either is noted.
    pub(super) fn walk(
        &mut self,
        grid: &Grid,
        number: GridNumber,
        from: usize,
        limits: &mut Limits,
    ) -> Walked {
        let most = self.bounds.len().min(limits.most);
        let mut walked = Walked { fitting: most, lacks_room_from: most };
        let open = (from..most).rev().find(|&depth| self.is_open_at_least(depth));
        let Some(deepest) = open else { return walked };
        let mut tally = None;
        let candidate = (Candidate::Grid(grid), number);
        let lacks_room_from = &mut walked.lacks_room_from;
        let of_walk = (from, deepest);
        if let Some(fitting) =
            self.walk_back(candidate, &mut tally, of_walk, (limits, lacks_room_from))
        {
            walked.fitting = fitting;
        }
        self.end(tally);
        walked
    }

    /// The number of layers that fit; none if nothing is in the way of more. Lowers the number of layers from which on room is
    /// lacking.
    fn walk_back(
        &mut self,
        (candidate, number): (Candidate<'_>, GridNumber),
        tally: &mut Option<Tally<'a>>,
        (from, mut deepest): (usize, usize),
        (limits, lacks_room_from): (&mut Limits, &mut usize),
    ) -> Option<usize> {
        let (mut fitting, mut misses, mut useless) = (from, 0, 0);
        // The fewest layers, less one, that do not fit with nothing on chip before and after, since some did.
        let mut too_large: Option<usize> = None;
        let mut excess = Least::default();
        let mut with_result = limits.with_result;
        for depth in from..self.bounds.len() {
            if depth > deepest || useless == USELESS {
                break;
            }
            self.note.steps += 1;
            if !self.is_open_at_least(depth) {
                misses = 0;
                continue;
            }
            if !self.is_open(depth, excess) {
                useless += usize::from(!self.is_open(depth, excess.without_price()));
                continue;
            }
            let looks = self.end.looks[depth];
            let known = self.note.records.find(looks, number);
            let record = known.unwrap_or_else(|| {
                let facts = self.facts_of_walk(tally, candidate, depth);
                self.note.records.add(looks, number, facts)
            });
            let facts = self.note.records.facts(record);
            if facts.ends_walk {
                *lacks_room_from = depth.min(*lacks_room_from);
                return Some(fitting);
            }
            if self.repeats_too_much(facts, deepest) {
                return Some(fitting);
            }
            if facts.follows_from_outside {
                continue;
            }
            let more = excess.max(self.excess(facts, depth));
            if more != excess {
                excess = more;
                deepest = (depth..=deepest).rev().find(|&depth| self.is_open(depth, excess))?;
                if !self.is_open(depth, excess) {
                    useless += usize::from(!self.is_open(depth, excess.without_price()));
                    continue;
                }
            }
            let fits_with_result = depth < with_result;
            let place = Place { candidate, depth, record, room_of_smaller: None, fits_with_result };
            let offers = self.offer_all(place, tally);
            if depth < *lacks_room_from && self.lacks_room(place, offers) {
                *lacks_room_from = depth;
            }
            // Records may tell the same of what was not looked at here; what is found must not depend on them.
            let is_too_large =
                |variant: usize| offers[variant] == Offered::TooLarge && !facts.recomputes_too_much;
            // The second ends the walk: mostly a longer group does not fit either; but what two operators read through
            // views is there twice as long as its maker is outside.
            if is_too_large(ALONE) {
                if let Some(first) = too_large {
                    if depth < self.end.exact {
                        limits.most = limits.most.min(first);
                    }
                    return Some(fitting);
                }
                too_large = Some(depth);
            }
            if is_too_large(WITH_RESULT) {
                with_result = with_result.min(depth);
                if depth < self.end.exact {
                    limits.with_result = with_result;
                }
            }
            let is_unseen = offers.contains(&Offered::Unseen);
            if is_unseen {
                fitting = depth + 1;
            }
            if offers.contains(&Offered::Fits) {
                (fitting, misses, useless, too_large) = (depth + 1, 0, 0, None);
            } else if offers.contains(&Offered::NotWorth) {
                useless += 1;
            } else if !is_unseen {
                misses += 1;
                if misses == MISSES {
                    return Some(fitting);
                }
            }
        }
        None
    }

    /// Whether the same group would be better, or fit at all, if it needed less room.
    fn lacks_room(&self, Place { depth, record, .. }: Place<'_>, offers: [Offered; 4]) -> bool {
        let recomputes_too_much = self.note.records.facts(record).recomputes_too_much;
        let moves_more = |variant: usize| {
            self.note.records.offer(record, variant).is_some_and(Offer::moves_more_for_room)
        };
        (0..VARIANTS.len()).any(|variant| match offers[variant] {
            Offered::TooLarge => !recomputes_too_much && self.bounds[depth][variant].is_some(),
            Offered::NotWorth => true,
            Offered::Fits => moves_more(variant),
            Offered::Unseen => false,
        })
    }

    /// Whether a group and all that are longer, up to one of `deepest` layers, less one, compute more again than they may.
    fn repeats_too_much(&self, facts: Facts, deepest: usize) -> bool {
        let most = self.end.work[deepest] as f64 * (self.machine.max_recompute - 1.0);
        facts.repeated_work as f64 > most
    }

    /// What a group of so many layers, less one, and all that are longer cost at the least beside their bounds: what is fetched
    /// again, and what is written down for more than one kind of tile.
    fn excess(&self, facts: Facts, depth: usize) -> Least {
        let code = self.least_length(facts, depth) - self.end.least_code(depth);
        Least { bytes: facts.excess, price: facts.excess + self.machine.code_price(code) }
    }

    /// How long the code of a group is at the least.
    pub(super) fn least_length(&self, facts: Facts, depth: usize) -> Length {
        let once = self.end.least_code(depth).operations;
        Length { operators: facts.operators, operations: once + facts.operations_again }
    }

    /// What a walk must know of a group.
    fn facts_of_walk(
        &mut self,
        tally: &mut Option<Tally<'a>>,
        candidate: Candidate<'_>,
        depth: usize,
    ) -> Facts {
        let (layers, end) = (self.layers, self.end);
        let first_op = |depth: usize| end.first_op(layers, end.layer + 1 - depth);
        let tally = tally.get_or_insert_with(|| self.start(candidate));
        for longer in 0..=depth {
            if tally.sweep.first <= first_op(longer + 1) {
                continue;
            }
            tally.extend_uncounted(first_op(longer + 1));
            // What no cut reaches could as well be a group before this one, but for tensors that both read.
            let is_useless = longer >= UNCUT
                && !tally.sweep.loops.is_empty()
                && tally.is_whole(first_op(longer))
                && !tally.reads_something_twice();
            if is_useless || tally.kept_bytes > self.machine.capacity {
                return Facts::of_the_end();
            }
        }
        tally.count_anew();
        let Some(excess) = tally.excess().filter(|_| tally.can_keep()) else {
            return Facts::of_the_end();
        };
        Facts {
            ends_walk: false,
            recomputes_too_much: tally.recomputes_too_much(),
            follows_from_outside: tally.sweep.follows_from_outside(),
            repeated_work: tally.repeated_work(),
            excess,
            operators: tally.least_code(),
            operations_again: tally.least_operations_again(),
        }
    }
}
