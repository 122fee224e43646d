//! Placement in the order of time, as an allocator at run time would do it.

use std::ops::Range;

use crate::control::Control;
use crate::place::free_blocks::FreeBlocks;
use crate::place::instance::Instance;

/// Sections between two looks at the control.
const WATCH: usize = 4096;

/// Places `buffers` one after another by their start, each in a hole of about its size, all at or above `base`; what
/// ends gives its bytes back. Writes offsets and returns the peak in bytes, or `base`.
///
/// Only time is looked at, idle times count as used, and padding of aligned buffers is lost. `None` if addresses run out
/// or the caller asked to stop. Complexity: `O(n + sections)`.
pub fn online(
    instance: &Instance,
    buffers: &[u32],
    base: u64,
    offsets: &mut [u64],
    control: &Control,
) -> Option<u64> {
    let mut highest = base;
    let starting = by_start(instance, buffers);
    for buffer in buffers.iter().map(|&buffer| buffer as usize) {
        if instance.spans()[buffer].is_empty() && instance.sizes()[buffer] > 0 {
            offsets[buffer] = instance.aligner(buffer).up(0);
            highest = highest.max(offsets[buffer].checked_add(instance.sizes()[buffer])?);
        }
    }
    // Most lives are short: what is done in the order of starts stays in the cache.
    let ends = |turn: usize| starting.items[turn].end;
    let ending = Grouped::by(instance.sections(), starting.items.len(), ends, |turn| turn as u32);
    let mut free = FreeBlocks::new(base);
    let mut blocks = vec![0_u32; starting.items.len()];
    let mut places = vec![0_u64; starting.items.len()];
    for section in 0..instance.sections() {
        if section % WATCH == 0 && control.is_cancelled() {
            return None;
        }
        for &turn in &ending.items[ending.of(section)] {
            free.give_back(blocks[turn as usize]);
        }
        for turn in starting.of(section) {
            let Timed { size, buffer, .. } = starting.items[turn];
            let buffer = buffer as usize;
            let padding = instance.alignments().map_or(0, |all| all[buffer] - 1);
            let (start, block) = free.take(size.checked_add(padding)?)?;
            blocks[turn] = block;
            places[turn] = instance.aligner(buffer).up(start);
        }
    }
    for (timed, place) in starting.items.iter().zip(places) {
        offsets[timed.buffer as usize] = place;
    }
    Some(free.peak().max(highest))
}

/// All buffers in the order of time, once the time limit has passed: the least that makes a plan. `None` if fixed offsets
/// or other conflicts than those of time rule that out, addresses run out, or the caller asked to stop.
///
/// Complexity: as [`online`].
pub fn in_time(instance: &Instance, control: &Control) -> Option<Vec<u64>> {
    if !control.has_timed_out() || !instance.is_temporal() || !instance.fixed().is_empty() {
        return None;
    }
    let buffers: Vec<u32> = (0..instance.len() as u32).collect();
    let mut offsets = vec![0; instance.len()];
    control.overtime(|| online(instance, &buffers, 0, &mut offsets, control))?;
    Some(offsets)
}

/// A buffer with what the sweep needs of it.
#[derive(Clone, Copy, Default)]
struct Timed {
    size: u64,
    end: u32,
    buffer: u32,
}

/// By their first section; what has no bytes or no sections is left out.
fn by_start(instance: &Instance, buffers: &[u32]) -> Grouped<Timed> {
    let spans = instance.spans();
    let counts =
        |&buffer: &u32| instance.sizes()[buffer as usize] > 0 && !spans[buffer as usize].is_empty();
    let members: Vec<u32> = buffers.iter().copied().filter(counts).collect();
    let start = |k: usize| spans[members[k] as usize].start;
    Grouped::by(instance.sections(), members.len(), start, |k| {
        let buffer = members[k];
        let size = instance.sizes()[buffer as usize];
        Timed { size, end: spans[buffer as usize].end, buffer }
    })
}

/// Items grouped by a section, in two arrays.
struct Grouped<T> {
    first: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Grouped<T> {
    /// Counting sort of `item(0)` .. `item(count - 1)`.
    fn by(
        sections: usize,
        count: usize,
        section: impl Fn(usize) -> u32,
        item: impl Fn(usize) -> T,
    ) -> Self {
        let mut first = vec![0_u32; sections + 2];
        for k in 0..count {
            first[section(k) as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut items = vec![T::default(); count];
        for k in 0..count {
            let place = &mut next[section(k) as usize];
            items[*place as usize] = item(k);
            *place += 1;
        }
        Self { first, items }
    }

    fn of(&self, section: usize) -> Range<usize> {
        self.first[section] as usize..self.first[section + 1] as usize
    }
}
