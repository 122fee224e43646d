//! The highest end over spans of time.

use crate::place::instance::Span;

/// A segment tree over sections of time with the highest value entered so far.
#[derive(Clone, Debug)]
pub struct Skyline {
    leaves: usize,
    /// Highest value entered for a time that meets a node's.
    meets: Vec<u64>,
    /// Highest value entered for a time that covers a node's.
    covers: Vec<u64>,
}

impl Skyline {
    /// 0 in all of `sections`.
    pub fn new(sections: usize) -> Self {
        let leaves = sections.max(1).next_power_of_two();
        Self { leaves, meets: vec![0; 2 * leaves], covers: vec![0; 2 * leaves] }
    }

    /// Enters a value for the sections of a span. Complexity: `O(log T)`.
    pub fn raise(&mut self, span: Span, value: u64) {
        let mut nodes = [0_usize; 128];
        let count = canonical(self.leaves, span, &mut nodes);
        for &node in &nodes[..count] {
            self.covers[node] = self.covers[node].max(value);
            let mut above = node;
            while above >= 1 && self.meets[above] < value {
                self.meets[above] = value;
                above /= 2;
            }
        }
    }

    /// The highest value entered for a section of a span. Complexity: `O(log^2 T)`.
    pub fn highest(&self, span: Span) -> u64 {
        let mut nodes = [0_usize; 128];
        let count = canonical(self.leaves, span, &mut nodes);
        let mut highest = 0;
        for &node in &nodes[..count] {
            highest = highest.max(self.meets[node]);
            let mut above = node / 2;
            while above >= 1 {
                highest = highest.max(self.covers[above]);
                above /= 2;
            }
        }
        highest
    }
}

/// The nodes that make up a span; returns how many.
fn canonical(leaves: usize, span: Span, nodes: &mut [usize; 128]) -> usize {
    let (mut low, mut high) = (span.start as usize + leaves, span.end as usize + leaves);
    let mut count = 0;
    while low < high {
        if low % 2 == 1 {
            nodes[count] = low;
            count += 1;
            low += 1;
        }
        if high % 2 == 1 {
            high -= 1;
            nodes[count] = high;
            count += 1;
        }
        low /= 2;
        high /= 2;
    }
    count
}
