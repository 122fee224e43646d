//! Tiles of other sizes for groups that were found: the search tries few sizes of each cut, and not all pairs of them.

use rustc_hash::FxHashMap;

use super::cut::{Cut, finest, rounded_up};
use super::grids::Grid;
use super::group::{Group, moved};
use super::machine::{Length, Machine};
use super::shorter::{Choice, Goal, Key};
use crate::parallel;

/// Sizes up to so many times as large or as small are tried,
const FACTOR: i64 = 4;

/// and numbers of tiles that differ by this fraction,
const FINENESS: i64 = 12;

/// around what is best so often.
const ROUNDS: usize = 3;

/// Groups that look alike are looked at if they move more than they must by this fraction of what all move,
const WORTH_IT: i64 = 200;

/// and so many of them, those that move most first.
const MOST_GROUPS: usize = 24;

/// The groups in tiles of which one cut is finer and another coarser, where they cost less, move no more bytes, and code stays
/// as short as it should be. `least` is what a group must move.
///
/// Each look at a group takes the time of its layout; there are some hundred for each of those that are looked at.
pub(super) fn finer<G: Goal>(
    goal: &G,
    groups: &[Group],
    least: impl Fn(&Group) -> i64,
    machine: Machine,
    threads: usize,
) -> Vec<Group> {
    let alike = alike(goal, groups);
    let (all, _) = moved(groups);
    let excess = |numbers: &[usize]| {
        let group = &groups[numbers[0]];
        (group.cost.traffic - least(group)) * numbers.len() as i64
    };
    let mut worth: Vec<usize> = (0..alike.len()).collect();
    worth.retain(|&kind| excess(&alike[kind].1) * WORTH_IT > all);
    worth.sort_by_key(|&kind| std::cmp::Reverse(excess(&alike[kind].1)));
    worth.truncate(MOST_GROUPS);
    if worth.is_empty() {
        return groups.to_vec();
    }
    let now = parallel::map(threads, alike.len(), |kind| {
        let ((.., grid), numbers) = &alike[kind];
        goal.look(&groups[numbers[0]], grid).choice
    });
    let better = parallel::map(threads, worth.len(), |index| {
        let kind = worth[index];
        let ((.., grid), numbers) = &alike[kind];
        let now = now[kind].as_ref();
        now.map_or_else(Vec::new, |now| {
            better_than(now, goal, (&groups[numbers[0]], grid), machine)
        })
    });
    let mut length = Length::default();
    for ((_, numbers), now) in alike.iter().zip(&now) {
        let of_one = now.as_ref().map_or(Length::ENDLESS, |now| now.length);
        numbers.iter().for_each(|_| length += of_one);
    }
    let mut new = groups.to_vec();
    for (&kind, choices) in worth.iter().zip(&better) {
        let Some(now) = &now[kind] else { continue };
        let numbers = &alike[kind].1;
        let then = |choice: &Choice| {
            let mut then = length;
            numbers.iter().for_each(|_| then += choice.length - now.length);
            then
        };
        let is_allowed = |choice: &&Choice| {
            let then = then(choice);
            let is_shorter =
                then.operators <= length.operators && then.operations <= length.operations;
            machine.is_short(then) || is_shorter
        };
        let allowed = choices.iter().filter(is_allowed);
        if let Some(choice) = allowed.min_by_key(|choice| score(choice, machine)) {
            length = then(choice);
            for &number in numbers {
                new[number] = goal.with(&groups[number], choice);
            }
        }
    }
    new
}

/// The numbers of the groups of which the same is found out, with what they have in common.
fn alike<G: Goal>(goal: &G, groups: &[Group]) -> Vec<(Key, Vec<usize>)> {
    let mut places: FxHashMap<Key, usize> = FxHashMap::default();
    let mut alike: Vec<(Key, Vec<usize>)> = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let key = goal.key(group);
        let place = *places.entry(key.clone()).or_insert(alike.len());
        if place == alike.len() {
            alike.push((key, Vec::new()));
        }
        alike[place].1.push(number);
    }
    alike
}

/// What a choice costs.
fn score(choice: &Choice, machine: Machine) -> i64 {
    choice.price + machine.code_price(choice.length)
}

/// Ways to cut a group that cost less and move no more bytes: those around a grid, then those around the best of these, and so
/// on.
fn better_than<G: Goal>(
    now: &Choice,
    goal: &G,
    (group, grid): (&Group, &Grid),
    machine: Machine,
) -> Vec<Choice> {
    let mut better: Vec<Choice> = Vec::new();
    let mut around = grid.clone();
    for _ in 0..ROUNDS {
        let best = better.last().unwrap_or(now);
        let (most_bytes, most) = (now.form.bytes(), score(best, machine));
        let mut found = choices_around(goal, group, &around);
        found.retain(|new| score(new, machine) < most && new.form.bytes() <= most_bytes);
        found.sort_by_key(|choice| std::cmp::Reverse(score(choice, machine)));
        let Some(last) = found.last() else { break };
        around = last.grid.clone();
        better.extend(found);
    }
    better
}

/// Ways to cut a group that fit: one cut with each size around its own, another with the largest that fits then.
fn choices_around<G: Goal>(goal: &G, group: &Group, grid: &Grid) -> Vec<Choice> {
    let is_free = |&n: &usize| grid.is_resizable(n) && grid.cuts[n].merged == (1, 1);
    let free: Vec<usize> = (0..grid.cuts.len()).filter(is_free).collect();
    let mut found: Vec<Choice> = Vec::new();
    let mut fits = |cuts: &[Cut]| {
        let sized = Grid { loops: grid.loops.clone(), cuts: cuts.to_vec() };
        let choice = goal.look(group, &sized).choice;
        let fits = choice.is_some();
        found.extend(choice);
        fits
    };
    for &one in &free {
        let mut cuts = grid.cuts.clone();
        for size in sizes(grid.cuts[one]) {
            cuts[one] = grid.cuts[one].sized(size);
            if free.len() == 1 {
                fits(&cuts);
            }
            for &other in free.iter().filter(|&&other| other != one) {
                let all = sizes(grid.cuts[other]);
                let (mut low, mut high) = (0, all.len());
                while low < high {
                    let middle = (low + high) / 2;
                    cuts[other] = grid.cuts[other].sized(all[middle]);
                    if fits(&cuts) { low = middle + 1 } else { high = middle }
                }
                cuts[other] = grid.cuts[other];
            }
        }
    }
    found
}

/// Sizes of tiles around that of a cut, ascending: for all small numbers of tiles, and some of the large ones.
fn sizes(cut: Cut) -> Vec<i64> {
    let fewest = rounded_up(cut.extent, cut.size * FACTOR).max(2);
    let most = rounded_up(cut.extent, (cut.size / FACTOR).max(finest(cut.extent)));
    let numbers =
        std::iter::successors(Some(fewest), |&tiles| Some(tiles + (tiles / FINENESS).max(1)));
    let mut sizes: Vec<i64> = numbers
        .take_while(|&tiles| tiles <= most)
        .map(|tiles| rounded_up(cut.extent, tiles))
        .chain([cut.size])
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::super::cut::Halo;
    use super::*;

    #[test]
    fn sizes_are_around_that_of_the_cut_and_leave_two_tiles_or_more() {
        let of = |extent, size| sizes(Cut::even(extent, size, Halo::Recompute));
        assert_eq!(of(12, 6), [1, 2, 3, 4, 6]);
        assert_eq!(of(2, 1), [1]);
        let many = of(1000, 10);
        assert!(many.len() < 30 && many.contains(&10));
        assert!(many.iter().all(|&size| (3..=40).contains(&size)));
    }
}
