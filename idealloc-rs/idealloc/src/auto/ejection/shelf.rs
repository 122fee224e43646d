//! What is placed, in the order of where it starts or of where it ends.

use crate::place::instance::Span;

/// Buffers in a block at most; half as many after it was cut in two.
const BLOCK: usize = 128;

/// A placed buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The address by which rows are sorted: where it starts, or where it ends,
    pub key: u64,
    /// and the other of the two.
    pub other: u64,
    /// From its first to its last section.
    pub span: Span,
    /// What it costs to throw it out.
    pub price: u64,
    /// The buffer.
    pub buffer: u32,
}

impl Row {
    /// The same by the other address.
    pub(super) fn turned(self) -> Self {
        Self { key: self.other, other: self.key, ..self }
    }
}

/// Rows that follow each other.
#[derive(Clone, Debug, Default)]
struct Block {
    rows: Vec<Row>,
    /// No other address is higher.
    highest: u64,
}

impl Block {
    fn new(rows: Vec<Row>) -> Self {
        let highest = rows.iter().map(|row| row.other).max().unwrap_or(0);
        Self { rows, highest }
    }
}

/// Placed buffers by ascending key, in blocks.
#[derive(Clone, Debug)]
pub(super) struct Shelf {
    /// Never without a block; only a sole block is empty.
    blocks: Vec<Block>,
}

impl Shelf {
    /// Of rows by ascending key.
    pub(super) fn new(rows: &[Row]) -> Self {
        let mut blocks: Vec<Block> =
            rows.chunks(BLOCK / 2).map(|rows| Block::new(rows.to_vec())).collect();
        if blocks.is_empty() {
            blocks.push(Block::default());
        }
        Self { blocks }
    }

    /// Block that holds the first key of at least `key`, or the last one.
    fn block_of(&self, key: u64) -> usize {
        let ends_below = |block: &Block| block.rows.last().is_some_and(|last| last.key < key);
        self.blocks.partition_point(ends_below).min(self.blocks.len() - 1)
    }

    /// `O(log n)`, and half a block to move.
    pub(super) fn insert(&mut self, row: Row) {
        let number = self.block_of(row.key);
        let block = &mut self.blocks[number];
        let at = block.rows.partition_point(|other| other.key < row.key);
        block.rows.insert(at, row);
        block.highest = block.highest.max(row.other);
        if block.rows.len() > BLOCK {
            let rest = block.rows.split_off(BLOCK / 2);
            *block = Block::new(std::mem::take(&mut block.rows));
            self.blocks.insert(number + 1, Block::new(rest));
        }
    }

    /// Takes out a buffer that is there with this key. `O(log n)`, and half a block to move.
    pub(super) fn remove(&mut self, key: u64, buffer: u32) {
        let mut number = self.block_of(key);
        let mut at = self.blocks[number].rows.partition_point(|row| row.key < key);
        while self.blocks[number].rows.get(at).is_none_or(|row| row.buffer != buffer) {
            at += 1;
            if at >= self.blocks[number].rows.len() {
                (number, at) = (number + 1, 0);
            }
        }
        self.blocks[number].rows.remove(at);
        if self.blocks[number].rows.is_empty() && self.blocks.len() > 1 {
            self.blocks.remove(number);
        }
    }

    /// Calls `visit` for the rows with a key in `[from, to)` and the other address at or above `least` whose lives overlap
    /// `span`, by ascending key. Returns how many were looked at.
    pub(super) fn visit(
        &self,
        (from, to): (u64, u64),
        least: u64,
        span: Span,
        mut visit: impl FnMut(&Row),
    ) -> usize {
        let mut looked = 0;
        for block in &self.blocks[self.block_of(from)..] {
            if block.rows.first().is_none_or(|first| first.key >= to) {
                break;
            }
            looked += 1;
            if block.highest < least {
                continue;
            }
            looked += block.rows.len();
            for row in &block.rows {
                if from <= row.key && row.key < to && row.other >= least && row.span.overlaps(span)
                {
                    visit(row);
                }
            }
        }
        looked
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Row, Shelf};
    use crate::place::instance::Span;

    proptest! {
        #[test]
        fn it_holds_what_was_put_on_it_in_order(
            rows in prop::collection::vec((0_u64..50, 0_u64..20, 0_u32..90, 1_u32..9), 0..900),
            gone in prop::collection::vec(any::<prop::sample::Index>(), 0..300),
            (from, to, least) in (0_u64..50, 0_u64..60, 0_u64..60),
            (start, life) in (0_u32..90, 1_u32..40),
        ) {
            let row = |i: usize| {
                let (key, size, birth, life) = rows[i];
                let span = Span { start: birth, end: birth + life };
                Row { key, other: key + size, span, price: 1, buffer: i as u32 }
            };
            // The first half is there from the start, the others come one by one.
            let mut first: Vec<Row> = (0..rows.len() / 2).map(row).collect();
            first.sort_by_key(|row| row.key);
            let mut shelf = Shelf::new(&first);
            for i in rows.len() / 2..rows.len() {
                shelf.insert(row(i));
            }
            let mut present = vec![true; rows.len()];
            for index in gone.iter().filter(|_| !rows.is_empty()) {
                let i = index.index(rows.len());
                if std::mem::take(&mut present[i]) {
                    shelf.remove(rows[i].0, i as u32);
                }
            }
            let span = Span { start, end: start + life };
            let mut found = Vec::new();
            shelf.visit((from, to), least, span, |row| found.push((row.key, row.buffer)));
            prop_assert!(found.is_sorted_by_key(|&(key, _)| key));
            found.sort_unstable();
            let mut expected: Vec<(u64, u32)> = (0..rows.len())
                .filter(|&i| present[i])
                .map(row)
                .filter(|row| from <= row.key && row.key < to && row.other >= least && row.span.overlaps(span))
                .map(|row| (row.key, row.buffer))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
