//! What is placed, in the order of where it starts or ends, for sweeps over the addresses of one span of time.

use crate::place::instance::{Instance, Span};

/// Buffers in a block at most; half as many after it is cut in two.
const BLOCK: usize = 512;

/// A placed buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Address where it starts or where it ends,
    pub key: u64,
    /// and where it ends or starts.
    pub other: u64,
    pub span: Span,
    /// What it costs to throw it out.
    pub price: u64,
    pub buffer: u32,
}

/// Rows that follow each other, in columns: a sweep reads the lives of all and the rest of few.
#[derive(Clone, Debug, Default)]
struct Block {
    keys: Vec<u64>,
    births: Vec<u32>,
    deaths: Vec<u32>,
    prices: Vec<u64>,
    others: Vec<u64>,
    buffers: Vec<u32>,
}

impl Block {
    fn insert(&mut self, at: usize, row: Row) {
        self.keys.insert(at, row.key);
        self.births.insert(at, row.span.start);
        self.deaths.insert(at, row.span.end);
        self.prices.insert(at, row.price);
        self.others.insert(at, row.other);
        self.buffers.insert(at, row.buffer);
    }

    fn remove(&mut self, at: usize) {
        self.keys.remove(at);
        self.births.remove(at);
        self.deaths.remove(at);
        self.prices.remove(at);
        self.others.remove(at);
        self.buffers.remove(at);
    }

    fn split_off(&mut self, at: usize) -> Self {
        Self {
            keys: self.keys.split_off(at),
            births: self.births.split_off(at),
            deaths: self.deaths.split_off(at),
            prices: self.prices.split_off(at),
            others: self.others.split_off(at),
            buffers: self.buffers.split_off(at),
        }
    }
}

/// Placed buffers by ascending key, in blocks. Insertion and removal take `O(log n + BLOCK)`.
#[derive(Clone, Debug)]
pub(super) struct Shelf {
    /// Never without a block; only a sole block is empty.
    blocks: Vec<Block>,
}

impl Shelf {
    /// Of rows by ascending key.
    pub(super) fn new(rows: &[Row]) -> Self {
        let block = |rows: &[Row]| Block {
            keys: rows.iter().map(|row| row.key).collect(),
            births: rows.iter().map(|row| row.span.start).collect(),
            deaths: rows.iter().map(|row| row.span.end).collect(),
            prices: rows.iter().map(|row| row.price).collect(),
            others: rows.iter().map(|row| row.other).collect(),
            buffers: rows.iter().map(|row| row.buffer).collect(),
        };
        let mut blocks: Vec<Block> = rows.chunks(BLOCK / 2).map(block).collect();
        if blocks.is_empty() {
            blocks.push(Block::default());
        }
        Self { blocks }
    }

    /// Block that holds the first key of at least `key`, or the last one.
    fn block_of(&self, key: u64) -> usize {
        let ends_below = |block: &Block| block.keys.last().is_some_and(|&last| last < key);
        self.blocks.partition_point(ends_below).min(self.blocks.len() - 1)
    }

    pub(super) fn insert(&mut self, row: Row) {
        let number = self.block_of(row.key);
        let block = &mut self.blocks[number];
        let at = block.keys.partition_point(|&key| key < row.key);
        block.insert(at, row);
        if block.keys.len() > BLOCK {
            let rest = block.split_off(BLOCK / 2);
            self.blocks.insert(number + 1, rest);
        }
    }

    /// Takes a buffer out that is there with this key.
    pub(super) fn remove(&mut self, key: u64, buffer: u32) {
        let mut number = self.block_of(key);
        let mut at = self.blocks[number].keys.partition_point(|&other| other < key);
        while self.blocks[number].buffers.get(at) != Some(&buffer) {
            at += 1;
            if at >= self.blocks[number].keys.len() {
                (number, at) = (number + 1, 0);
            }
        }
        self.blocks[number].remove(at);
        if self.blocks[number].keys.is_empty() && self.blocks.len() > 1 {
            self.blocks.remove(number);
        }
    }

    /// Calls `visit` with the buffers whose keys are in `[from, to)` and whose lives overlap `span`.
    pub(super) fn visit(&self, from: u64, to: u64, span: Span, mut visit: impl FnMut(u32)) {
        for block in &self.blocks[self.block_of(from)..] {
            if block.keys.first().is_none_or(|&first| first >= to) {
                break;
            }
            for (i, &key) in block.keys.iter().enumerate() {
                let life = Span { start: block.births[i], end: block.deaths[i] };
                if from <= key && key < to && life.overlaps(span) {
                    visit(block.buffers[i]);
                }
            }
        }
    }
}

/// Goes over what overlaps one span of time, by ascending key, as far as it is asked for.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// Block that is read next.
    next: usize,
    at: usize,
    /// Keys and prices read and not yet passed, and then one with a key of `u64::MAX`.
    rows: Vec<(u64, u64)>,
    /// Rows looked at.
    pub looked: usize,
    least: u64,
    beyond: u64,
}

const NONE: (u64, u64) = (u64::MAX, 0);

impl Sweep {
    /// From the first key of at least `least` on, only where the other key is at least `beyond`.
    pub(super) fn open(&mut self, shelf: &Shelf, least: u64, beyond: u64) {
        self.next = shelf.block_of(least);
        self.at = 0;
        self.rows.clear();
        self.rows.push(NONE);
        self.least = least;
        self.beyond = beyond;
    }

    /// Key and price of the next row; a key of `u64::MAX` if there is none.
    pub(super) fn peek(&mut self, shelf: &Shelf, instance: &Instance, buffer: usize) -> (u64, u64) {
        loop {
            let row = self.rows[self.at];
            if row.0 != u64::MAX || self.next >= shelf.blocks.len() {
                return row;
            }
            self.read(&shelf.blocks[self.next], instance, buffer);
            self.next += 1;
        }
    }

    pub(super) fn pass(&mut self) {
        self.at += 1;
    }

    fn read(&mut self, block: &Block, instance: &Instance, buffer: usize) {
        let span = instance.spans()[buffer];
        let count = block.keys.len();
        if self.rows.len() < count + 1 {
            self.rows.resize(count + 1, NONE);
        }
        let mut kept = 0;
        let lives = block.births.iter().zip(&block.deaths);
        let rows = block.keys.iter().zip(&block.prices).zip(&block.others);
        for ((&birth, &death), ((&key, &price), &other)) in lives.zip(rows) {
            self.rows[kept] = (key, price);
            kept += usize::from((birth < span.end) & (span.start < death) & (key >= self.least) & (other >= self.beyond));
        }
        if instance.has_gaps() {
            kept = 0;
            for (i, &other) in block.buffers.iter().enumerate() {
                let life = Span { start: block.births[i], end: block.deaths[i] };
                if life.overlaps(span) && block.keys[i] >= self.least && block.others[i] >= self.beyond && instance.meet(buffer, other as usize) {
                    self.rows[kept] = (block.keys[i], block.prices[i]);
                    kept += 1;
                }
            }
        }
        self.rows[kept] = NONE;
        self.at = 0;
        self.looked += count;
    }
}
