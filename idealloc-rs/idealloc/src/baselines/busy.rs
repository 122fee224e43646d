//! How many are busy at once, over spans of time.

use crate::place::instance::Span;

/// A segment tree over sections of time: counts that grow over spans, and their maximum over a span.
#[derive(Clone, Debug)]
pub struct Busy {
    leaves: usize,
    /// For each node the highest count in it, less what was added to whole nodes above it.
    most: Vec<u32>,
    /// Added to all of a node.
    added: Vec<u32>,
}

impl Busy {
    /// 0 in all of `sections`.
    pub fn new(sections: usize) -> Self {
        let leaves = sections.max(1).next_power_of_two();
        Self { leaves, most: vec![0; 2 * leaves], added: vec![0; 2 * leaves] }
    }

    /// One more in every section of a span. Complexity: `O(log T)`.
    pub fn add(&mut self, span: Span) {
        self.add_within(1, 0, self.leaves as u32, span);
    }

    /// The highest count in a span; 0 if it is empty. Complexity: `O(log T)`.
    pub fn most(&self, span: Span) -> u32 {
        self.most_within(1, 0, self.leaves as u32, span)
    }

    fn add_within(&mut self, node: usize, from: u32, to: u32, span: Span) {
        if span.start >= to || span.end <= from || span.is_empty() {
            return;
        }
        if span.start <= from && to <= span.end {
            self.most[node] += 1;
            self.added[node] += 1;
            return;
        }
        let middle = from + (to - from) / 2;
        self.add_within(2 * node, from, middle, span);
        self.add_within(2 * node + 1, middle, to, span);
        self.most[node] = self.added[node] + self.most[2 * node].max(self.most[2 * node + 1]);
    }

    fn most_within(&self, node: usize, from: u32, to: u32, span: Span) -> u32 {
        if span.start >= to || span.end <= from || span.is_empty() {
            return 0;
        }
        if span.start <= from && to <= span.end {
            return self.most[node];
        }
        let middle = from + (to - from) / 2;
        let left = self.most_within(2 * node, from, middle, span);
        let right = self.most_within(2 * node + 1, middle, to, span);
        self.added[node] + left.max(right)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Busy;
    use crate::place::instance::Span;

    proptest! {
        #[test]
        fn counts_what_was_added(
            spans in prop::collection::vec((0_u32..20, 0_u32..9), 0..30),
            (start, length) in (0_u32..20, 0_u32..9),
        ) {
            let mut busy = Busy::new(30);
            let mut counts = [0_u32; 30];
            for (start, length) in spans {
                busy.add(Span { start, end: start + length });
                counts[start as usize..(start + length) as usize].iter_mut().for_each(|count| *count += 1);
            }
            let most = counts[start as usize..(start + length) as usize].iter().copied().max();
            prop_assert_eq!(busy.most(Span { start, end: start + length }), most.unwrap_or(0));
        }
    }
}
