//! Placement in the order of time, as an allocator at run time would do it.

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
    let spans = instance.spans();
    let starting = by_section(instance, buffers, |buffer| spans[buffer].start);
    let ending = by_section(instance, buffers, |buffer| spans[buffer].end);
    let mut highest = base;
    for buffer in buffers.iter().map(|&buffer| buffer as usize) {
        if spans[buffer].is_empty() && instance.sizes()[buffer] > 0 {
            offsets[buffer] = instance.aligner(buffer).up(0);
            highest = highest.max(offsets[buffer].checked_add(instance.sizes()[buffer])?);
        }
    }
    let mut free = FreeBlocks::new(base);
    let mut blocks = vec![0_u32; instance.len()];
    for section in 0..instance.sections() {
        if section % WATCH == 0 && control.is_cancelled() {
            return None;
        }
        for &buffer in ending.of(section) {
            free.give_back(blocks[buffer as usize]);
        }
        for &buffer in starting.of(section) {
            let buffer = buffer as usize;
            let padding = instance.alignments().map_or(0, |all| all[buffer] - 1);
            let (start, block) = free.take(instance.sizes()[buffer].checked_add(padding)?)?;
            blocks[buffer] = block;
            offsets[buffer] = instance.aligner(buffer).up(start);
        }
    }
    Some(free.peak().max(highest))
}

/// Buffers grouped by a section, in two arrays.
struct BySection {
    first: Vec<u32>,
    buffers: Vec<u32>,
}

impl BySection {
    fn of(&self, section: usize) -> &[u32] {
        &self.buffers[self.first[section] as usize..self.first[section + 1] as usize]
    }
}

/// Counting sort; what has no bytes or no sections is left out.
fn by_section(instance: &Instance, buffers: &[u32], section: impl Fn(usize) -> u32) -> BySection {
    let counts =
        |buffer: usize| instance.sizes()[buffer] > 0 && !instance.spans()[buffer].is_empty();
    let members = || buffers.iter().map(|&buffer| buffer as usize).filter(|&buffer| counts(buffer));
    let mut first = vec![0_u32; instance.sections() + 2];
    for buffer in members() {
        first[section(buffer) as usize + 1] += 1;
    }
    for i in 1..first.len() {
        first[i] += first[i - 1];
    }
    let mut next = first.clone();
    let mut sorted = vec![0; members().count()];
    for buffer in members() {
        let place = &mut next[section(buffer) as usize];
        sorted[*place as usize] = buffer as u32;
        *place += 1;
    }
    BySection { first, buffers: sorted }
}
