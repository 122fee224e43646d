//! Free address ranges by size, found in constant time.

use crate::problem::MAX_BYTES;

/// Bins for each power of two.
const FINENESS: u32 = 3;
const BINS: usize = 64 << FINENESS;
/// Blocks of the bin of a size itself that are looked at; any block of a higher bin fits.
const LOOKS: usize = 8;
const NONE: u32 = u32::MAX;

/// A range `[start, end)`, in two lists: by address, and while it is free of those of nearly its length.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: u64,
    end: u64,
    below: u32,
    above: u32,
    previous: u32,
    next: u32,
    is_free: bool,
}

/// Takes and gives back ranges of addresses in the manner of a good fit.
///
/// Masmano, Ripoll, Crespo, Real: TLSF, a new dynamic memory allocator for real-time systems, ECRTS 2004: bins by size
/// with bitmaps over them, neighbours merged at once. All operations are `O(1)`.
#[derive(Clone, Debug)]
pub struct FreeBlocks {
    blocks: Vec<Block>,
    spare: Vec<u32>,
    bins: Vec<u32>,
    occupied: [u64; BINS / 64],
    /// The block with the highest addresses.
    last: u32,
    /// Nothing at or above this address was ever taken.
    peak: u64,
}

impl FreeBlocks {
    /// All addresses from `base` are free.
    pub fn new(base: u64) -> Self {
        Self {
            blocks: Vec::new(),
            spare: Vec::new(),
            bins: vec![NONE; BINS],
            occupied: [0; BINS / 64],
            last: NONE,
            peak: base,
        }
    }

    /// The end of the highest range taken so far, or the base.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// Takes `size` bytes (not 0): start and handle; `None` if addresses run out.
    pub fn take(&mut self, size: u64) -> Option<(u64, u32)> {
        let Some(block) = self.fitting(size) else { return self.grow(size) };
        self.unlink(block);
        let Block { start, end, above, .. } = self.blocks[block as usize];
        if end - start > size {
            let rest = self.add(start + size, end, block, above);
            self.blocks[block as usize].end = start + size;
            self.link(rest);
        }
        self.blocks[block as usize].is_free = false;
        Some((start, block))
    }

    /// Gives a range back.
    pub fn give_back(&mut self, block: u32) {
        let Block { below, above, .. } = self.blocks[block as usize];
        if below != NONE && self.blocks[below as usize].is_free {
            self.unlink(below);
            self.blocks[block as usize].start = self.blocks[below as usize].start;
            self.drop_from_addresses(below);
        }
        if above != NONE && self.blocks[above as usize].is_free {
            self.unlink(above);
            self.blocks[block as usize].end = self.blocks[above as usize].end;
            self.drop_from_addresses(above);
        }
        self.blocks[block as usize].is_free = true;
        self.link(block);
    }

    /// Above everything, from where the topmost free range starts.
    fn grow(&mut self, size: u64) -> Option<(u64, u32)> {
        let last = self.last;
        if last != NONE && self.blocks[last as usize].is_free {
            let Block { start, end, .. } = self.blocks[last as usize];
            // It may hold the size already and not have been looked at.
            let end = start.checked_add(size).filter(|&top| top <= MAX_BYTES)?.max(end);
            self.unlink(last);
            self.blocks[last as usize].end = end;
            self.blocks[last as usize].is_free = false;
            self.peak = end;
            return Some((start, last));
        }
        let start = self.peak;
        let end = start.checked_add(size).filter(|&end| end <= MAX_BYTES)?;
        self.peak = end;
        let block = self.add(start, end, last, NONE);
        self.blocks[block as usize].is_free = false;
        Some((start, block))
    }

    /// A free block of at least this size: the smallest of some of nearly this size, else any of the next size there is.
    fn fitting(&self, size: u64) -> Option<u32> {
        let own = bin(size);
        let (mut best, mut length) = (NONE, u64::MAX);
        let mut at = self.bins[own];
        for _ in 0..LOOKS {
            let Some(block) = self.blocks.get(at as usize) else { break };
            let free = block.end - block.start;
            if free >= size && free < length {
                (best, length) = (at, free);
            }
            at = block.next;
        }
        if best != NONE {
            return Some(best);
        }
        let first = own + 1;
        for word in first / 64..BINS / 64 {
            let from = if word == first / 64 { u64::MAX << (first % 64) } else { u64::MAX };
            let bits = self.occupied[word] & from;
            if bits != 0 {
                return Some(self.bins[64 * word + bits.trailing_zeros() as usize]);
            }
        }
        None
    }

    fn add(&mut self, start: u64, end: u64, below: u32, above: u32) -> u32 {
        let block = Block { start, end, below, above, previous: NONE, next: NONE, is_free: true };
        let index = if let Some(index) = self.spare.pop() {
            self.blocks[index as usize] = block;
            index
        } else {
            self.blocks.push(block);
            self.blocks.len() as u32 - 1
        };
        if below != NONE {
            self.blocks[below as usize].above = index;
        }
        if above == NONE {
            self.last = index;
        } else {
            self.blocks[above as usize].below = index;
        }
        index
    }

    fn drop_from_addresses(&mut self, block: u32) {
        let Block { below, above, .. } = self.blocks[block as usize];
        if below != NONE {
            self.blocks[below as usize].above = above;
        }
        if above == NONE {
            self.last = below;
        } else {
            self.blocks[above as usize].below = below;
        }
        self.spare.push(block);
    }

    fn link(&mut self, block: u32) {
        let Block { start, end, .. } = self.blocks[block as usize];
        let bin = bin(end - start);
        let next = self.bins[bin];
        self.blocks[block as usize].previous = NONE;
        self.blocks[block as usize].next = next;
        if next != NONE {
            self.blocks[next as usize].previous = block;
        }
        self.bins[bin] = block;
        self.occupied[bin / 64] |= 1 << (bin % 64);
    }

    fn unlink(&mut self, block: u32) {
        let Block { start, end, previous, next, .. } = self.blocks[block as usize];
        let bin = bin(end - start);
        if next != NONE {
            self.blocks[next as usize].previous = previous;
        }
        if previous == NONE {
            self.bins[bin] = next;
            if next == NONE {
                self.occupied[bin / 64] &= !(1 << (bin % 64));
            }
        } else {
            self.blocks[previous as usize].next = next;
        }
    }
}

/// Lengths of one bin differ by less than an eighth.
fn bin(length: u64) -> usize {
    let octave = length.max(1).ilog2();
    let fraction = if octave >= FINENESS {
        (length >> (octave - FINENESS)) & ((1 << FINENESS) - 1)
    } else {
        (length << (FINENESS - octave)) & ((1 << FINENESS) - 1)
    };
    ((octave << FINENESS) as u64 + fraction) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::FreeBlocks;

    proptest! {
        #[test]
        fn ranges_taken_are_apart_and_ranges_given_back_are_used_again(
            steps in prop::collection::vec((1_u64..3000, any::<prop::sample::Index>()), 1..200),
        ) {
            let mut free = FreeBlocks::new(5);
            let mut taken: Vec<(u64, u64, u32)> = Vec::new();
            for (size, index) in steps {
                if size % 3 == 0 && !taken.is_empty() {
                    free.give_back(taken.swap_remove(index.index(taken.len())).2);
                    continue;
                }
                let (start, block) = free.take(size).expect("there is room");
                prop_assert!(start >= 5 && start + size <= free.peak());
                for &(from, to, _) in &taken {
                    prop_assert!(start + size <= from || to <= start);
                }
                taken.push((start, start + size, block));
            }
            for (_, _, block) in taken.drain(..) {
                free.give_back(block);
            }
            let everything = free.peak() - 5;
            prop_assert_eq!(free.take(everything).map(|(start, _)| start), Some(5));
        }
    }
}
