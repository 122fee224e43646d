//! Sums of what lives alike: what stacks of a few tiles could be as high as.

use std::cmp::Ordering;

use super::forest::Forest;
use super::index::Edge;
use super::tile::Tile;

/// Items of a sum at most.
const MOST_PARTS: usize = 3;

/// Items of one lifetime of which sums are made, the first ones,
const MOST_ALIKE: usize = 64;

/// of which pairs are added up if there are no more than so many,
const FEW_FOR_PAIRS: usize = 40;

/// and triples.
const FEW_FOR_TRIPLES: usize = 14;

/// A root, or two of the same size of which one ends where the other starts.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub tile: Tile,
    roots: [u32; 2],
}

impl Item {
    fn root(forest: &Forest, id: u32) -> Self {
        Self { tile: forest.tile(id), roots: [id; 2] }
    }

    fn pair(forest: &Forest, before: u32, after: u32) -> Self {
        let tile = Tile { end: forest.tile(after).end, ..forest.tile(before) };
        Self { tile, roots: [before, after] }
    }

    /// One root, or two.
    pub fn roots(&self) -> &[u32] {
        let [first, second] = self.roots;
        if first == second { &self.roots[..1] } else { &self.roots }
    }
}

/// Items of the same lifetime, one upon the other.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Bytes of all.
    pub size: u64,
    items: [u32; MOST_PARTS],
    count: u8,
}

impl Sum {
    fn of(items: &[Item], parts: &[u32]) -> Self {
        let mut padded = [0; MOST_PARTS];
        padded[..parts.len()].copy_from_slice(parts);
        let size = parts.iter().map(|&part| items[part as usize].tile.size).sum();
        Self { size, items: padded, count: parts.len() as u8 }
    }

    /// Numbers of its items.
    pub fn items(&self) -> &[u32] {
        &self.items[..usize::from(self.count)]
    }
}

/// What lives alike.
#[derive(Debug)]
pub struct Group {
    pub start: u32,
    pub end: u32,
    /// In the order of sizes, of equal ones that of the fewest items first.
    pub sums: Vec<Sum>,
    /// How many sums there are of one item, of at most two, and so on.
    counts: [usize; MOST_PARTS],
}

impl Group {
    fn of(items: &[Item], alike: &[u32]) -> Self {
        let Tile { start, end, .. } = items[alike[0] as usize].tile;
        let alike = &alike[..alike.len().min(MOST_ALIKE)];
        let mut sums: Vec<Sum> = alike.iter().map(|&a| Sum::of(items, &[a])).collect();
        let mut counts = [sums.len(); MOST_PARTS];
        if alike.len() <= FEW_FOR_PAIRS {
            for (at, &a) in alike.iter().enumerate() {
                sums.extend(alike[..at].iter().map(|&b| Sum::of(items, &[a, b])));
            }
            counts[1..].fill(sums.len());
        }
        if alike.len() <= FEW_FOR_TRIPLES {
            for (at, &a) in alike.iter().enumerate() {
                for (of_b, &b) in alike[..at].iter().enumerate() {
                    sums.extend(alike[..of_b].iter().map(|&c| Sum::of(items, &[a, b, c])));
                }
            }
            counts[2] = sums.len();
        }
        sums.sort_by_key(|sum| (sum.size, sum.count));
        Self { start, end, sums, counts }
    }

    /// How many sums of no more items there are.
    pub fn as_simple_as(&self, sum: &Sum) -> f64 {
        self.counts[sum.items().len() - 1] as f64
    }

    /// Two sums, of which that of the first group is so many bytes more: those least likely to be there by chance, and how likely
    /// that is. Counts comparisons as `looks`.
    ///
    /// Complexity: `O(sums)` of both.
    pub fn differing(&self, other: &Self, more: u64, looks: &mut u64) -> Option<([Sum; 2], f64)> {
        let (mut of_self, mut of_other) = (0, 0);
        let mut best: Option<([Sum; 2], f64)> = None;
        while let (Some(high), Some(low)) = (self.sums.get(of_self), other.sums.get(of_other)) {
            *looks += 1;
            // All bytes together fit an `i64`, so that two sums fit a `u64` even if they share items.
            match high.size.cmp(&(low.size + more)) {
                Ordering::Less => of_self += 1,
                Ordering::Greater => of_other += 1,
                Ordering::Equal => {
                    let tries = self.as_simple_as(high) * other.as_simple_as(low);
                    let chance = tries / high.size as f64;
                    if best.as_ref().is_none_or(|&(_, least)| chance < least) {
                        best = Some(([*high, *low], chance));
                    }
                    // The first one of a size is of the fewest items.
                    let size = low.size;
                    while other.sums.get(of_other).is_some_and(|low| low.size == size) {
                        of_other += 1;
                    }
                }
            }
        }
        best
    }
}

/// All that lives alike.
#[derive(Debug)]
pub struct Groups {
    /// Roots of a forest, and what they may make beside each other.
    pub items: Vec<Item>,
    /// In the order of starts, then of ends.
    pub groups: Vec<Group>,
    /// In the order of ends.
    by_end: Vec<u32>,
}

impl Groups {
    /// Of the roots of a forest.
    ///
    /// Complexity: `O(n log n)`.
    pub fn of(forest: &Forest) -> Self {
        let roots = forest.roots();
        let pair = |&id: &u32| {
            let tile = forest.tile(id);
            let after = forest.index.with(Edge::Starts(tile.end, tile.size)).next()?;
            Some(Item::pair(forest, id, after))
        };
        let items: Vec<Item> = roots
            .iter()
            .map(|&id| Item::root(forest, id))
            .chain(roots.iter().filter_map(pair))
            .collect();
        let lifetime = |&at: &u32| {
            let tile = items[at as usize].tile;
            (tile.start, tile.end)
        };
        // Single roots before pairs: where there are many alike only the first ones count.
        let mut order: Vec<u32> = (0..items.len() as u32).collect();
        order.sort_unstable_by_key(|at| {
            (lifetime(at), items[*at as usize].roots().len(), items[*at as usize].roots)
        });
        let groups: Vec<Group> = order
            .chunk_by(|a, b| lifetime(a) == lifetime(b))
            .map(|alike| Group::of(&items, alike))
            .collect();
        let mut by_end: Vec<u32> = (0..groups.len() as u32).collect();
        by_end.sort_by_key(|&at| groups[at as usize].end);
        Self { items, groups, by_end }
    }

    /// What starts then.
    pub fn starting(&self, start: u32) -> &[Group] {
        let first = self.groups.partition_point(|group| group.start < start);
        let rest = &self.groups[first..];
        &rest[..rest.partition_point(|group| group.start == start)]
    }

    /// What ends then.
    pub fn ending(&self, end: u32) -> impl ExactSizeIterator<Item = &Group> {
        let group = |&at: &u32| &self.groups[at as usize];
        let first = self.by_end.partition_point(|at| group(at).end < end);
        let rest = &self.by_end[first..];
        rest[..rest.partition_point(|at| group(at).end == end)].iter().map(group)
    }

    /// What lives then.
    pub fn living(&self, start: u32, end: u32) -> Option<&Group> {
        let at = self.groups.binary_search_by_key(&(start, end), |group| (group.start, group.end));
        self.groups.get(at.ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tile::Tile;
    use super::{Group, Item};
    use crate::random::Random;

    /// Items that live alike, and their sums.
    fn group(random: &mut Random) -> (Vec<Item>, Group) {
        let count = 1 + random.below(6);
        let item = |id| Item {
            tile: Tile { start: 0, end: 1, size: 1 + random.below(40) },
            roots: [id as u32; 2],
        };
        let items: Vec<Item> = (0..count).map(item).collect();
        let group = Group::of(&items, &(0..count as u32).collect::<Vec<_>>());
        (items, group)
    }

    /// Sizes that one to three of them have together.
    fn sizes(items: &[Item]) -> Vec<u64> {
        let chosen = |set: u32| items.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1);
        (1_u32..1 << items.len())
            .filter(|set| set.count_ones() <= 3)
            .map(|set| chosen(set).map(|(_, item)| item.tile.size).sum())
            .collect()
    }

    #[test]
    fn two_sums_differ_by_what_is_asked_where_any_do() {
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            let ((high, of_high), (low, of_low)) = (group(&mut random), group(&mut random));
            let more = random.below(60);
            let found = of_high.differing(&of_low, more, &mut 0).map(|(pair, _)| pair);
            let (highs, lows) = (sizes(&high), sizes(&low));
            assert_eq!(found.is_some(), highs.iter().any(|&a| lows.iter().any(|&b| a == b + more)));
            if let Some([a, b]) = found {
                let size = |items: &[Item], parts: &[u32]| -> u64 {
                    parts.iter().map(|&part| items[part as usize].tile.size).sum()
                };
                assert_eq!(size(&high, a.items()), size(&low, b.items()) + more);
            }
        }
    }
}
