//! Which buffers are live when, for queries by time.

use crate::place::instance::{Instance, Span};

/// Blocks of the finest level, at most.
const BLOCKS: u32 = 512;

/// A buffer where it is filed.
#[derive(Clone, Copy, Debug)]
struct Entry {
    span: Span,
    buffer: u32,
}

/// Buffers whose lives are about equally long, by the block of time in which they start.
#[derive(Clone, Debug)]
struct Level {
    /// Blocks are `2^shift` sections long, no life of the level is longer.
    shift: u32,
    /// Where the entries of each block start.
    first: Vec<u32>,
    entries: Vec<Entry>,
}

/// All buffers of an instance, filed by the length of their lives and by their start. Linear memory.
#[derive(Clone, Debug)]
pub struct Calendar {
    levels: Vec<Level>,
}

impl Calendar {
    /// Files all buffers that take bytes. Complexity: `O((n + blocks) log sections)`.
    pub fn new(instance: &Instance) -> Self {
        let sections = (instance.sections() as u32).max(1);
        let finest = (sections / BLOCKS).max(1).next_power_of_two().trailing_zeros();
        let coarsest = sections.next_power_of_two().trailing_zeros().max(finest);
        let level_of = |span: Span| span.len().next_power_of_two().trailing_zeros().max(finest);
        let levels = (finest..=coarsest).map(|shift| {
            let mut first = vec![0_u32; (sections >> shift) as usize + 2];
            let members = || {
                (0_u32..).zip(instance.spans()).filter(|&(buffer, &span)| {
                    instance.sizes()[buffer as usize] > 0
                        && !span.is_empty()
                        && level_of(span) == shift
                })
            };
            for (_, span) in members() {
                first[(span.start >> shift) as usize + 1] += 1;
            }
            for block in 1..first.len() {
                first[block] += first[block - 1];
            }
            let mut next = first.clone();
            let none = Entry { span: Span { start: 0, end: 0 }, buffer: 0 };
            let mut entries = vec![none; first[first.len() - 1] as usize];
            for (buffer, &span) in members() {
                let place = &mut next[(span.start >> shift) as usize];
                entries[*place as usize] = Entry { span, buffer };
                *place += 1;
            }
            Level { shift, first, entries }
        });
        Self { levels: levels.collect() }
    }

    /// Calls `visit` for every buffer that takes bytes and whose life, from first to last section, overlaps `span`. Returns how
    /// many were looked at.
    pub fn overlapping(&self, span: Span, mut visit: impl FnMut(u32)) -> usize {
        if span.is_empty() {
            return 0;
        }
        let mut looked = 0;
        for level in self.levels.iter().filter(|level| !level.entries.is_empty()) {
            let longest = (1_u32 << level.shift) - 1;
            let from = (span.start.saturating_sub(longest) >> level.shift) as usize;
            let to = ((span.end - 1) >> level.shift) as usize;
            let entries = &level.entries[level.first[from] as usize..level.first[to + 1] as usize];
            looked += entries.len();
            for entry in entries {
                if entry.span.overlaps(span) {
                    visit(entry.buffer);
                }
            }
        }
        looked
    }
}
