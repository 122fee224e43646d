//! Layouts in which each buffer of an order stands upon those before it, changed again and again.
//!
//! An order says the layout, and every layout without room to sink has one. Unlike first fit nothing goes below what is there,
//! so that a buffer costs a look at its sections only, and what is wasted at a section stays wasted: where its last buffer will
//! end at least is known from the first buffer on, and most changes are given up long before the last is placed.

use crate::place::instance::{Instance, Span};

/// Positions between two skylines that are kept.
const STRIDE: usize = 8;

/// What the sum over sections of all that ends above the target counts beside the peak.
const SUM: f64 = 0.02;

/// Looks at sections that a buffer costs beside those at its own.
const OVERHEAD: u64 = 4;

/// A buffer as a step looks at it.
#[derive(Clone, Copy, Debug)]
struct Block {
    size: u64,
    alignment: u64,
    /// Its pieces are so many of all, from here on.
    pieces: (u32, u32),
}

/// How high a layout of the first buffers of an order is.
#[derive(Clone, Debug, Default)]
struct Skyline {
    /// By section: where the next buffer may start, and where the last one will end at least.
    sections: Vec<(u64, u64)>,
    /// The largest of what ends above the target, and the sum over sections.
    highest: u64,
    sum: u64,
}

/// A layout in which each buffer stands upon those before it, and one that is tried instead. Addresses, not offsets.
#[derive(Debug)]
pub struct Tower<'a> {
    instance: &'a Instance,
    /// Address at which all may end.
    target: u64,
    blocks: Vec<Block>,
    pieces: Vec<Span>,
    /// Start, end and buffer of what is fixed, by start.
    fixed: Vec<(u64, u64, u32)>,
    addresses: Vec<u64>,
    tried: Vec<u64>,
    /// Skylines before every `STRIDE`-th position, of the layout and of what is tried.
    kept: Vec<Skyline>,
    fresh: Vec<Skyline>,
    /// What stands so far.
    skyline: Skyline,
    visited: u64,
}

impl<'a> Tower<'a> {
    /// A plan with a peak to reach; `None` if addresses might not fit 64 bits. The instance is temporal.
    pub fn new(instance: &'a Instance, offsets: &[u64], target: u64) -> Option<Self> {
        let base = instance.base_address();
        let mut loads = instance.section_loads();
        // All upon each other, each wasting its alignment, above all that is fixed.
        let mut highest = base.checked_add(target)?;
        let mut fixed = Vec::new();
        for &(buffer, offset) in instance.fixed() {
            let size = instance.sizes()[buffer as usize];
            let start = base.checked_add(offset)?;
            let end = start.checked_add(size)?;
            highest = highest.max(end);
            fixed.push((start, end, buffer));
            for piece in instance.pieces(buffer as usize) {
                let loads = &mut loads[piece.start as usize..piece.end as usize];
                loads.iter_mut().for_each(|load| *load -= size);
            }
        }
        fixed.sort_unstable();
        let (mut blocks, mut pieces) = (Vec::new(), Vec::new());
        for (buffer, &size) in instance.sizes().iter().enumerate() {
            let first = pieces.len() as u32;
            pieces.extend_from_slice(instance.pieces(buffer));
            let alignment = instance.alignments().map_or(1, |all| all[buffer]);
            highest = highest.checked_add(size)?.checked_add(alignment)?;
            blocks.push(Block { size, alignment, pieces: (first, pieces.len() as u32) });
        }
        let target = base + target;
        let addresses: Option<Vec<u64>> = offsets.iter().map(|&o| base.checked_add(o)).collect();
        let addresses = addresses?;
        let sections: Vec<(u64, u64)> = loads.iter().map(|&load| (base, base + load)).collect();
        let above = || sections.iter().map(|&(_, level)| level.saturating_sub(target));
        let (highest, sum) = (above().max().unwrap_or(0), above().sum());
        let skyline = Skyline { highest, sum, sections };
        let skylines = vec![skyline.clone(); instance.len() / STRIDE + 1];
        Some(Self {
            instance,
            target,
            blocks,
            pieces,
            fixed,
            tried: addresses.clone(),
            addresses,
            kept: skylines.clone(),
            fresh: skylines,
            skyline,
            visited: 0,
        })
    }

    /// What is neither fixed nor without room, from the lowest offset to the highest: an order in which nothing stands higher
    /// than it does in the plan.
    pub fn order(&self) -> Vec<u32> {
        let (instance, fixed) = (self.instance, self.instance.fixed());
        let moves = |&id: &u32| {
            let takes_room = self.blocks[id as usize].size > 0;
            takes_room
                && !instance.spans()[id as usize].is_empty()
                && fixed.iter().all(|f| f.0 != id)
        };
        let mut order: Vec<u32> = (0..self.blocks.len() as u32).filter(moves).collect();
        order.sort_by_key(|&buffer| self.addresses[buffer as usize]);
        order
    }

    /// Sections looked at.
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// Offset at which what was placed last ends, or the target if it ends below that.
    pub fn end(&self) -> u64 {
        self.target - self.instance.base_address() + self.skyline.highest
    }

    /// Puts each buffer of an order as low as it can stand upon all before it; before position `first` nothing has changed.
    /// What it costs, if that is no more than `most`.
    pub fn place(&mut self, order: &[u32], first: usize, most: f64) -> Option<f64> {
        let known = first / STRIDE;
        self.skyline.clone_from(&self.kept[known]);
        let mut cost = 0.0;
        for (at, &buffer) in order.iter().enumerate().skip(known * STRIDE) {
            if at % STRIDE == 0 {
                self.fresh[at / STRIDE].clone_from(&self.skyline);
            }
            let Block { size, alignment, pieces } = self.blocks[buffer as usize];
            let pieces = &self.pieces[pieces.0 as usize..pieces.1 as usize];
            let address = if at < first {
                self.addresses[buffer as usize]
            } else {
                let tops = |piece: &Span| {
                    let sections = &self.skyline.sections[piece.start as usize..piece.end as usize];
                    sections.iter().map(|&(top, _)| top).max().unwrap_or(0)
                };
                let top = pieces.iter().map(tops).max().unwrap_or(0);
                self.above_fixed(buffer, up(top, alignment))
            };
            let end = address + size;
            self.tried[buffer as usize] = address;
            let skyline = &mut self.skyline;
            for piece in pieces {
                self.visited += u64::from(piece.len()) + OVERHEAD;
                for (top, level) in &mut skyline.sections[piece.start as usize..piece.end as usize]
                {
                    let before = level.saturating_sub(self.target);
                    *level += address - *top;
                    *top = end;
                    let above = level.saturating_sub(self.target);
                    skyline.sum += above - before;
                    skyline.highest = above.max(skyline.highest);
                }
            }
            cost = skyline.highest as f64 + SUM * skyline.sum as f64;
            if cost > most {
                return None;
            }
        }
        Some(cost)
    }

    /// The lowest address from `address` on at which a buffer meets nothing that is fixed.
    fn above_fixed(&self, buffer: u32, mut address: u64) -> u64 {
        let (instance, block) = (self.instance, self.blocks[buffer as usize]);
        for &(start, end, other) in &self.fixed {
            if start >= address + block.size {
                break;
            }
            let (a, b) = (buffer as usize, other as usize);
            let meets = instance.spans()[a].overlaps(instance.spans()[b]) && instance.meet(a, b);
            if end > address && meets {
                address = up(end, block.alignment);
            }
        }
        address
    }

    /// Takes what was placed last, of which nothing changed before position `first`.
    pub fn keep(&mut self, order: &[u32], first: usize) {
        for &buffer in &order[first..] {
            self.addresses[buffer as usize] = self.tried[buffer as usize];
        }
        let known = first / STRIDE;
        self.kept[known..].swap_with_slice(&mut self.fresh[known..]);
    }

    /// The layout, in bytes.
    pub fn offsets(&self) -> Vec<u64> {
        let base = self.instance.base_address();
        self.addresses.iter().map(|address| address - base).collect()
    }
}

/// The next multiple of an alignment.
fn up(address: u64, alignment: u64) -> u64 {
    if alignment.is_power_of_two() {
        (address + (alignment - 1)) & !(alignment - 1)
    } else {
        address.next_multiple_of(alignment)
    }
}

#[cfg(test)]
mod tests {
    use super::Tower;
    use crate::check::check;
    use crate::index::BufferIdx;
    use crate::place::instance::Instance;
    use crate::problem::{Problem, ProblemBuilder};
    use crate::random::Random;

    fn built(rows: &[(u64, i64, i64, u64)], others: impl FnOnce(&mut ProblemBuilder)) -> Problem {
        let mut builder = Problem::builder();
        for &(size, start, end, alignment) in rows {
            let buffer = builder.buffer(size, start, end);
            builder.align(buffer, alignment);
        }
        others(&mut builder);
        builder.build().expect("is well formed")
    }

    #[test]
    fn buffers_stand_upon_those_before_them_and_around_what_is_fixed() {
        // The third is fixed from 12 to 22 and meets the last only.
        let rows = [(10, 0, 2, 1), (5, 0, 1, 8), (10, 4, 5, 1), (9, 1, 5, 4)];
        let problem = built(&rows, |builder| {
            builder.fix(BufferIdx::new(2), 12);
        });
        let instance = Instance::new(&problem);
        let mut tower = Tower::new(&instance, &[0, 16, 12, 24], 20).expect("fits");
        assert_eq!(tower.order(), [0, 1, 3]);
        let cost = tower.place(&[0, 1, 3], 0, f64::INFINITY).expect("there is no limit");
        tower.keep(&[0, 1, 3], 0);
        assert_eq!((tower.offsets(), tower.end()), (vec![0, 16, 12, 24], 33));
        assert!(cost >= 13.0, "{cost}");
        assert!(tower.place(&[0, 1, 3], 0, 12.9).is_none());
        // Below the fixed one, the first above the last.
        assert!(tower.place(&[1, 3, 0], 0, 13.0).is_some());
        tower.keep(&[1, 3, 0], 0);
        assert_eq!((tower.offsets(), tower.end()), (vec![9, 0, 12, 0], 20));
    }

    #[test]
    fn a_change_is_placed_as_if_all_were() {
        let mut random = Random::new(3);
        let rows: Vec<_> = (0..60)
            .map(|_| {
                let start = random.below(20) as i64;
                let end = start + 1 + random.below(9) as i64;
                (1 + random.below(5_000), start, end, [64, 96, 4096][random.below(3) as usize])
            })
            .collect();
        let problem = built(&rows, |builder| {
            builder.memory(None, 32);
        });
        let instance = Instance::new(&problem);
        let start = vec![0; rows.len()];
        let mut tower = Tower::new(&instance, &start, 9_000).expect("fits");
        let mut order = tower.order();
        assert!(tower.place(&order, 0, f64::INFINITY).is_some());
        tower.keep(&order, 0);
        for turn in 0..200 {
            let (a, b) = (random.below(60) as usize, random.below(60) as usize);
            let mut next = order.clone();
            next.swap(a, b);
            let cost = tower.place(&next, a.min(b), f64::INFINITY);
            let mut anew = Tower::new(&instance, &start, 9_000).expect("fits");
            assert_eq!(cost, anew.place(&next, 0, f64::INFINITY));
            // Some are not taken.
            if turn % 3 > 0 {
                order = next;
                tower.keep(&order, a.min(b));
                anew.keep(&order, 0);
                assert_eq!(tower.offsets(), anew.offsets());
                assert!(check(&problem, &tower.offsets(), &[]).is_ok());
            }
        }
    }

    #[test]
    fn addresses_that_might_not_fit_are_refused() {
        let problem = built(&[(1, 0, 1, 1)], |_| ());
        assert!(Tower::new(&Instance::new(&problem), &[0], u64::MAX).is_none());
    }
}
