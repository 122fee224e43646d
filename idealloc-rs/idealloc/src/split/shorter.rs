//! Less code for groups that were found: tiles of other sizes, and as one those tiles at the ends of a row that look like no
//! other.

use rustc_hash::FxHashMap;

use super::cut::{Cut, Halo};
use super::grids::Grid;
use super::group::{Form, Group};
use super::machine::{Length, Machine};
use super::sweep::CutLoop;
use crate::parallel;

/// Sizes of tiles up to so many times as large or as small are tried.
const FACTOR: i64 = 4;

/// The highest price of an operation; nothing else counts then.
const HIGHEST_PRICE: i64 = 1 << 40;

/// A way to cut a group, and what it costs.
pub(super) struct Choice {
    /// Operators are counted from the last one back.
    pub grid: Grid,
    pub form: Form,
    /// What is to be small: bytes with moves, or work.
    pub price: i64,
    /// How long its code is.
    pub length: Length,
}

/// What was found out about a grid.
pub(super) struct Look {
    /// None if it does not fit, or computes too much again.
    pub choice: Option<Choice>,
    /// The cuts with the ends of their rows of tiles as one. None if it does not fit: these take more room.
    pub merged: Option<Vec<Cut>>,
}

impl Look {
    /// What there is to find out where a grid does not fit.
    pub const NO_ROOM: Self = Self { choice: None, merged: None };
}

/// What is the same for groups of which the same is found out: how they look, what is around them, and the grid.
pub(super) type Key = (u32, [i64; 2], Grid);

/// What groups are laid out for.
pub(super) trait Goal: Sync {
    /// How a group looks, what is around it, and its grid with operators counted from the last one back.
    fn key(&self, group: &Group) -> Key;

    /// Finds out about another grid for a group.
    fn look(&self, group: &Group, grid: &Grid) -> Look;

    /// The group with another grid.
    fn with(&self, group: &Group, choice: &Choice) -> Group;
}

/// Finds ways to compute groups in less code.
pub(super) struct Shorter<G> {
    goal: G,
    machine: Machine,
    threads: usize,
    lengths: FxHashMap<Key, Length>,
    choices: FxHashMap<Key, Vec<Choice>>,
}

/// Groups and how long their code is.
pub(super) struct Shortened {
    pub groups: Vec<Group>,
    pub length: Length,
}

/// Which of the choices are wanted.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// The cheapest whose code is short enough, or the fewest operations.
    Short,
    /// The fewest operations for so many 32nds more than the least price.
    Share(i64),
}

impl<G: Goal> Shorter<G> {
    pub fn new(goal: G, machine: Machine, threads: usize) -> Self {
        Self {
            goal,
            machine,
            threads,
            lengths: FxHashMap::default(),
            choices: FxHashMap::default(),
        }
    }

    /// How long the code of groups is.
    pub fn length(&mut self, groups: &[Group]) -> Length {
        let mut sum = Length::default();
        for group in groups {
            let key = self.goal.key(group);
            sum += match self.lengths.get(&key) {
                Some(&known) => known,
                None => {
                    let look = self.goal.look(group, &key.2);
                    let length = look.choice.map_or(Length::ENDLESS, |choice| choice.length);
                    self.lengths.insert(key, length);
                    length
                }
            };
        }
        sum
    }

    /// The same groups in other tiles.
    pub fn of(&mut self, groups: &[Group], wanted: Wanted) -> Shortened {
        let keys: Vec<Key> = groups.iter().map(|group| self.goal.key(group)).collect();
        let mut unknown: Vec<usize> = Vec::new();
        for (number, key) in keys.iter().enumerate() {
            let is_new = !self.choices.contains_key(key);
            if is_new && !unknown.iter().any(|&other| keys[other] == *key) {
                unknown.push(number);
            }
        }
        let goal = &self.goal;
        let found = parallel::map(self.threads, unknown.len(), |index| {
            let number = unknown[index];
            choices_like(&keys[number].2, |grid| goal.look(&groups[number], grid))
        });
        for (number, choices) in unknown.into_iter().zip(found) {
            self.choices.insert(keys[number].clone(), choices);
        }
        let all: Vec<&[Choice]> = keys.iter().map(|key| self.choices[key].as_slice()).collect();
        let picked = pick(&all, self.machine, wanted);
        let with = |(group, choice): (&Group, &Option<&Choice>)| match choice {
            Some(choice) => goal.with(group, choice),
            None => group.clone(),
        };
        let new = groups.iter().zip(&picked).map(with);
        Shortened { groups: new.collect(), length: length_of(&picked) }
    }
}

/// Ways to cut a group that is cut by a grid, itself first. `look` finds out about a grid.
fn choices_like(grid: &Grid, look: impl Fn(&Grid) -> Look) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    let mut without_room: Vec<Vec<Cut>> = Vec::new();
    for sized in grids_like(grid) {
        if without_room.iter().any(|cuts| are_smaller(cuts, &sized.cuts)) {
            continue;
        }
        let Look { choice, merged } = look(&sized);
        found.extend(choice);
        let Some(merged) = merged else {
            without_room.retain(|cuts| !are_smaller(&sized.cuts, cuts));
            without_room.push(sized.cuts);
            continue;
        };
        let mut seen = vec![sized.cuts.clone()];
        let ends = |is_head: bool, is_tail: bool| -> Vec<Cut> {
            let cuts = sized.cuts.iter().zip(&merged);
            cuts.map(|(plain, merged)| {
                let head = if is_head { merged.merged.0 } else { plain.merged.0 };
                let tail = if is_tail { merged.merged.1 } else { plain.merged.1 };
                plain.with_merged(head, tail)
            })
            .collect()
        };
        for cuts in [ends(true, true), ends(false, true), ends(true, false)] {
            if !seen.contains(&cuts) {
                seen.push(cuts.clone());
                found.extend(look(&Grid { loops: sized.loops.clone(), cuts }).choice);
            }
        }
    }
    found
}

/// Whether the tiles of some cuts are no larger than those of others of the same loops, and alike else: then they need no more
/// room.
fn are_smaller(cuts: &[Cut], others: &[Cut]) -> bool {
    cuts.iter().zip(others).all(|(cut, other)| {
        cut.size <= other.size
            && (cut.halo, cut.lead, cut.merged) == (other.halo, other.lead, other.merged)
    })
}

/// The same loops cut into tiles of about the same sizes, itself first.
fn grids_like(grid: &Grid) -> Vec<Grid> {
    let mut grids = vec![Grid { loops: grid.loops.clone(), cuts: Vec::new() }];
    for (number, (cut, grid_loop)) in grid.cuts.iter().zip(&grid.loops).enumerate() {
        if !grid.is_resizable(number) {
            grids.iter_mut().for_each(|grid| grid.cuts.push(*cut));
            continue;
        }
        let sizes = (cut.size / FACTOR).max(1)..=(cut.size * FACTOR).min(cut.extent - 1);
        let others = sizes.filter(|&size| size != cut.size && cut.extent % size == 0);
        let sized = others.map(|size| cut.sized(size));
        let mut like: Vec<Cut> = std::iter::once(*cut).chain(sized).collect();
        if cut.runs_ahead() {
            let plain = |cut: &Cut| Cut::even(cut.extent, cut.size, cut.halo);
            like.extend(like.iter().map(plain).collect::<Vec<_>>());
        }
        if cut.halo == Halo::Recompute && matches!(grid_loop, CutLoop::Result(_)) {
            let shifted = |cut: &Cut| Cut::even(cut.extent, cut.size, Halo::Shift);
            like.extend(like.iter().map(shifted).collect::<Vec<_>>());
        }
        let with = |grid: &Grid, cut: Cut| {
            let cuts = grid.cuts.iter().copied().chain([cut]).collect();
            Grid { loops: grid.loops.clone(), cuts }
        };
        let all = grids.iter().flat_map(|grid| like.iter().map(|&cut| with(grid, cut)));
        grids = all.collect();
    }
    grids
}

/// For each group one of its choices, none if it has none: those that are cheapest together where an operation has a price, as
/// low or as high as is wanted.
fn pick<'c>(choices: &[&'c [Choice]], machine: Machine, wanted: Wanted) -> Vec<Option<&'c Choice>> {
    let at = |price: i64| -> Vec<Option<&'c Choice>> {
        let key = |choice: &&'c Choice| {
            let operations = choice.length.operations;
            (choice.price.saturating_add(operations.saturating_mul(price)), operations)
        };
        choices.iter().map(|of| of.iter().min_by_key(key)).collect()
    };
    let price = |picked: &[Option<&Choice>]| -> i64 {
        picked.iter().flatten().map(|choice| choice.price).sum()
    };
    let least = at(0);
    let is_too_low = |picked: &[Option<&Choice>]| match wanted {
        Wanted::Short => !machine.is_short(length_of(picked)),
        Wanted::Share(share) => price(picked) <= price(&least) + price(&least) / 32 * share,
    };
    if !is_too_low(&least) {
        return least;
    }
    let (mut low, mut high) = (0, 1);
    while high < HIGHEST_PRICE && is_too_low(&at(high)) {
        (low, high) = (high, high * 2);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_too_low(&at(middle)) { low = middle } else { high = middle }
    }
    match wanted {
        Wanted::Short => at(high),
        Wanted::Share(_) => at(low),
    }
}

fn length_of(picked: &[Option<&Choice>]) -> Length {
    let mut sum = Length::default();
    picked.iter().for_each(|of| sum += of.map_or(Length::ENDLESS, |choice| choice.length));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::machine::Cost;

    const MACHINE: Machine = Machine {
        capacity: 64,
        alignment: 1,
        is_staged: true,
        stages_arguments: true,
        max_recompute: 1.1,
        transfer_bytes: 0,
        code_bytes: 1,
        operation_bytes: 0,
        shifts: false,
        joins_slices: false,
        most_code: 8,
        most_operations: 8,
    };

    /// No grid fits.
    struct Nothing;

    impl Goal for Nothing {
        fn key(&self, group: &Group) -> Key {
            (group.last_layer as u32, [0; 2], group.grid.clone())
        }

        fn look(&self, _group: &Group, _grid: &Grid) -> Look {
            Look::NO_ROOM
        }

        fn with(&self, group: &Group, _choice: &Choice) -> Group {
            group.clone()
        }
    }

    fn group(layer: usize) -> Group {
        Group {
            first_layer: layer,
            last_layer: layer,
            first_op: layer,
            last_op: layer,
            grid: Grid::default(),
            starts_on_chip: false,
            ends_on_chip: false,
            is_sliced: false,
            residencies: Vec::new(),
            joined_views: Vec::new(),
            cost: Cost::default(),
        }
    }

    #[test]
    fn groups_that_fit_no_grid_stay_as_they_are_and_are_not_short() {
        let groups = [group(0), group(1)];
        for wanted in [Wanted::Short, Wanted::Share(1)] {
            let found = Shorter::new(Nothing, MACHINE, 1).of(&groups, wanted);
            let layers: Vec<usize> = found.groups.iter().map(|group| group.last_layer).collect();
            assert_eq!(layers, [0, 1]);
            assert!(!MACHINE.is_in_limit(found.length));
        }
    }
}
