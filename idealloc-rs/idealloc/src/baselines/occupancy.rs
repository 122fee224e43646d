//! Which addresses are taken at which time.

use crate::baselines::ranges::{Range, RangeUnion};

/// A segment tree over sections of time whose nodes hold unions of address ranges.
///
/// With `T` sections, a stretch of time falls apart into at most `2 log T` canonical nodes. Everything that was added
/// for a time that meets the stretch is found in at most `4 log T` unions: at a canonical node all that meets its
/// time, and at each ancestor of one what covers the ancestor's whole time. Unions high in the tree and in crowded
/// memories are short, as ranges that touch become one; so a search looks at few gaps, not at all placed buffers.
#[derive(Clone, Debug)]
pub struct Occupancy {
    /// Number of leaves, a power of two; node 1 is the root, node `leaves + t` is section `t`.
    leaves: usize,
    /// What meets the time of each node, except for what covers an ancestor.
    meets: Vec<RangeUnion>,
    /// What covers the time of each inner node, and not that of its parent.
    covers: Vec<RangeUnion>,
}

impl Occupancy {
    /// Nothing is taken in any of `sections`.
    pub fn new(sections: usize) -> Self {
        let leaves = sections.max(1).next_power_of_two();
        Self {
            leaves,
            meets: vec![RangeUnion::default(); 2 * leaves],
            covers: vec![RangeUnion::default(); leaves],
        }
    }

    /// Takes an address range in the sections `[from, to)`. Complexity: `O(log T)` insertions into unions.
    pub fn take(&mut self, (from, to): (u32, u32), range: Range) {
        let mut low = from as usize + self.leaves;
        let mut high = to as usize + self.leaves;
        while low < high {
            if low % 2 == 1 {
                self.take_node(low, range);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                self.take_node(high, range);
            }
            low /= 2;
            high /= 2;
        }
    }

    fn take_node(&mut self, node: usize, range: Range) {
        if node < self.leaves {
            self.covers[node].insert(range);
        }
        let mut node = node;
        // What a node has, its ancestors have.
        while node >= 1 && self.meets[node].insert(range) {
            node /= 2;
        }
    }

    /// Appends the unions that together hold all that is taken at some time in `[from, to)`; the longest time first.
    pub fn unions<'t>(&'t self, (from, to): (u32, u32), out: &mut Vec<&'t [Range]>) {
        let mut low = from as usize + self.leaves;
        let mut high = to as usize + self.leaves;
        let (mut lowest, mut highest) = (0, 0);
        let begin = out.len();
        let mut add = |union: &'t RangeUnion| {
            if !union.ranges().is_empty() {
                out.push(union.ranges());
            }
        };
        while low < high {
            if low % 2 == 1 {
                add(&self.meets[low]);
                if lowest == 0 {
                    lowest = low;
                }
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                add(&self.meets[high]);
                if highest == 0 {
                    highest = high;
                }
            }
            low /= 2;
            high /= 2;
        }
        // Each canonical node's parent holds the first or the last section of the stretch.
        let mut left = if lowest == 0 { 0 } else { lowest / 2 };
        let mut right = if highest == 0 { 0 } else { highest / 2 };
        while left != right {
            let deeper = if left > right { &mut left } else { &mut right };
            add(&self.covers[*deeper]);
            *deeper /= 2;
        }
        while left > 0 {
            add(&self.covers[left]);
            left /= 2;
        }
        out[begin..].reverse();
    }
}
