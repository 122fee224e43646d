//! The highest end over stretches of time.

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

    /// Enters a value for the sections `[from, to)`. Complexity: `O(log T)`.
    pub fn raise(&mut self, stretch: (u32, u32), value: u64) {
        let mut nodes = [0_usize; 128];
        let count = canonical(self.leaves, stretch, &mut nodes);
        for &node in &nodes[..count] {
            self.covers[node] = self.covers[node].max(value);
            let mut above = node;
            while above >= 1 && self.meets[above] < value {
                self.meets[above] = value;
                above /= 2;
            }
        }
    }

    /// The highest value entered for a section in `[from, to)`. Complexity: `O(log^2 T)`.
    pub fn highest(&self, stretch: (u32, u32)) -> u64 {
        let mut nodes = [0_usize; 128];
        let count = canonical(self.leaves, stretch, &mut nodes);
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

/// The nodes that make up a stretch; returns how many.
fn canonical(leaves: usize, (from, to): (u32, u32), nodes: &mut [usize; 128]) -> usize {
    let (mut low, mut high) = (from as usize + leaves, to as usize + leaves);
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
