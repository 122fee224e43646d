//! Static orders in which buffers are placed.

use std::cmp::Reverse;

use crate::place::instance::Instance;
use crate::random::scramble;

/// What comes first, always the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Bytes.
    Size,
    /// Bytes times sections.
    Area,
    /// Sections.
    Lifetime,
    /// Bytes times sections squared.
    LongArea,
    /// The largest load of a section that the buffer meets.
    Contention,
    /// Power of two of the size, then contention.
    SizeClass,
    /// Power of two of the size times the eighth root of the sections, then contention: of two buffers of nearly the same
    /// size the one that is harder to place, as it needs its bytes for longer.
    LongClass,
}

/// What decides between equals; the position decides last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Nothing but the position in the problem.
    Position,
    /// Earlier start first.
    Start,
    /// Longer first.
    Longer,
    /// Larger first.
    Larger,
    /// A random permutation with this seed.
    Random(u64),
}

/// A static order: optionally the buffers of the peak first, then a key, then ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Buffers that meet a section whose load is at least this many thousandths of the greatest come first,
    /// by the key given here.
    pub peak: Option<(u32, Key)>,
    /// Key of the others.
    pub key: Key,
    /// What decides between equals.
    pub tie: Tie,
}

impl Order {
    /// By one key, ties by start.
    pub const fn by(key: Key) -> Self {
        Self { peak: None, key, tie: Tie::Start }
    }

    /// Buffers at the peak first, the rest by size.
    pub const fn peak_first(thousandths: u32, key: Key, tie: Tie) -> Self {
        Self { peak: Some((thousandths, key)), key: Key::Size, tie }
    }
}

/// At the peak, major and minor key, all descending; tie and position, ascending.
type Row = (Reverse<(bool, u64, u64)>, u64, u32);

/// Makes orders for one instance; keeps what they share.
#[derive(Debug)]
pub struct Orders<'a> {
    instance: &'a Instance,
    loads: Vec<u64>,
    /// Largest load of a section of each buffer; filled when first asked for.
    contention: Option<Vec<u64>>,
}

impl<'a> Orders<'a> {
    /// Prepares orders for an instance.
    pub fn new(instance: &'a Instance) -> Self {
        Self { instance, loads: instance.section_loads(), contention: None }
    }

    /// What the orders are of.
    pub fn instance(&self) -> &'a Instance {
        self.instance
    }

    /// Bytes live at each section.
    pub fn loads(&self) -> &[u64] {
        &self.loads
    }

    /// The load: the most bytes live at any section.
    pub fn load(&self) -> u64 {
        self.loads.iter().copied().max().unwrap_or(0)
    }

    /// All buffers in this order. Complexity: `O(n log n)`.
    pub fn sorted(&mut self, order: Order) -> Vec<u32> {
        let uses = |key| order.key == key || order.peak.is_some_and(|(_, k)| k == key);
        if [Key::Contention, Key::SizeClass, Key::LongClass].into_iter().any(uses) {
            self.fill_contention();
        }
        let hot = order.peak.map(|(thousandths, key)| (self.meets_peak(thousandths), key));
        let mut rows: Vec<Row> = (0..self.instance.len())
            .map(|i| {
                let (first, key) = match &hot {
                    Some((flags, key)) if flags[i] => (true, *key),
                    _ => (false, order.key),
                };
                let (major, minor) = self.value(key, i);
                (Reverse((first, major, minor)), self.tie(order.tie, i), i as u32)
            })
            .collect();
        rows.sort_unstable();
        rows.into_iter().map(|(_, _, i)| i).collect()
    }

    fn value(&self, key: Key, i: usize) -> (u64, u64) {
        let size = self.instance.sizes()[i];
        let length = f64::from(self.instance.spans()[i].len());
        let contention = || self.contention.as_ref().map_or(0, |all| all[i]);
        match key {
            Key::Size => (size, 0),
            // The bits of a positive float sort like the float; products of integers may not fit 64 bits.
            Key::Area => ((size as f64 * length).to_bits(), 0),
            Key::LongArea => ((size as f64 * length * length).to_bits(), 0),
            Key::Lifetime => (u64::from(self.instance.spans()[i].len()), 0),
            Key::Contention => (contention(), 0),
            Key::SizeClass => (u64::from(size.checked_ilog2().unwrap_or(0)), contention()),
            Key::LongClass => {
                let length = u64::from(self.instance.spans()[i].len());
                ((log2_in_256ths(size) + log2_in_256ths(length) / 8) / 256, contention())
            }
        }
    }

    fn tie(&self, tie: Tie, i: usize) -> u64 {
        let span = self.instance.spans()[i];
        match tie {
            Tie::Position => 0,
            Tie::Start => u64::from(span.start),
            Tie::Longer => u64::from(u32::MAX - span.len()),
            Tie::Larger => u64::MAX - self.instance.sizes()[i],
            Tie::Random(seed) => scramble(seed ^ scramble(i as u64)),
        }
    }

    /// The largest load of a section that each buffer meets, in bytes; 0 where it meets none.
    pub fn contention(&mut self) -> &[u64] {
        self.fill_contention();
        self.contention.as_deref().unwrap_or(&[])
    }

    /// Which buffers meet a section with at least so many thousandths of the load. `O(n + sections)`.
    pub fn meets_peak(&self, thousandths: u32) -> Vec<bool> {
        let least = (u128::from(self.load()) * u128::from(thousandths)).div_ceil(1000) as u64;
        let mut before = Vec::with_capacity(self.loads.len() + 1);
        let mut count = 0_u32;
        before.push(0);
        for &load in &self.loads {
            count += u32::from(load >= least);
            before.push(count);
        }
        (0..self.instance.len())
            .map(|i| {
                let meets = |piece: &crate::place::instance::Span| {
                    before[piece.end as usize] > before[piece.start as usize]
                };
                self.instance.pieces(i).iter().any(meets)
            })
            .collect()
    }

    /// Range maxima over a bottom-up tree. `O(sections + n log sections)`.
    fn fill_contention(&mut self) {
        if self.contention.is_some() {
            return;
        }
        let leaves = self.loads.len();
        let mut tree = vec![0_u64; leaves];
        tree.extend_from_slice(&self.loads);
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
        let most = |i: usize| {
            let mut most = 0;
            for piece in self.instance.pieces(i) {
                let (mut low, mut high) =
                    (piece.start as usize + leaves, piece.end as usize + leaves);
                while low < high {
                    if low % 2 == 1 {
                        most = most.max(tree[low]);
                        low += 1;
                    }
                    if high % 2 == 1 {
                        high -= 1;
                        most = most.max(tree[high]);
                    }
                    low /= 2;
                    high /= 2;
                }
            }
            most
        };
        self.contention = Some((0..self.instance.len()).map(most).collect());
    }
}

/// About 256 times the binary logarithm: linear between powers of two, and the same on every machine. 0 for 0.
pub fn log2_in_256ths(value: u64) -> u64 {
    value.checked_ilog2().map_or(0, |whole| {
        let fraction = (u128::from(value) << 8 >> whole) as u64 - 256;
        256 * u64::from(whole) + fraction
    })
}
