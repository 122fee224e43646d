//! Always the buffer next that can go lowest ("Tetris"), where nothing but time and size matters.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::baselines::skyline::Skyline;
use crate::control::Control;
use crate::place::engine::Outcome;
use crate::place::instance::{Instance, Span};
use crate::problem::MAX_BYTES;
use crate::radix;

/// Buffers between two looks at the control.
const WATCH: usize = 512;

/// Whether [`lowest_first`] knows all that this instance has.
pub fn is_plain(instance: &Instance) -> bool {
    instance.is_temporal() && instance.fixed().is_empty() && instance.alignments().is_none()
}

/// Offsets in bytes by buffer, and how it ended: the same as `Engine::run_lowest_first` gives.
///
/// Offsets only rise from buffer to buffer. So nothing is free at or above the next offset but what is above all that is
/// taken at a moment, a buffer goes to the highest top over its life, and its size does not matter: of those that are
/// live at the same moments the first of the order is next.
///
/// Complexity: `O(log^2 T)` per look, and two looks per buffer or more: one for each time that others were placed in its
/// way while it was next.
pub fn lowest_first(instance: &Instance, order: &[u32], control: &Control) -> (Vec<u64>, Outcome) {
    let mut offsets = vec![0; instance.len()];
    if control.is_cancelled() {
        return (offsets, Outcome::Cancelled);
    }
    let (ranks, groups) = groups(instance, order);
    if control.is_cancelled() {
        return (offsets, Outcome::Cancelled);
    }
    let mut skyline = Skyline::new(instance.sections());
    let mut heap: BinaryHeap<Reverse<(u64, u32, u32)>> =
        (0_u32..).zip(&groups).map(|(at, group)| Reverse((0, ranks[group.start], at))).collect();
    // Those of a group that are not placed.
    let mut groups = groups;
    let (mut peak, mut looks) = (0, 0);
    while let Some(Reverse((known, rank, at))) = heap.pop() {
        looks += 1;
        if looks % WATCH == 0 && control.is_cancelled() {
            return (offsets, Outcome::Cancelled);
        }
        let buffer = order[rank as usize];
        let size = instance.sizes()[buffer as usize];
        let pieces = instance.pieces(buffer as usize);
        let offset = if size == 0 { 0 } else { highest(&skyline, pieces) };
        if offset != known {
            heap.push(Reverse((offset, rank, at)));
            continue;
        }
        let Some(end) = offset.checked_add(size).filter(|&end| end <= MAX_BYTES) else {
            return (offsets, Outcome::Above(buffer));
        };
        offsets[buffer as usize] = offset;
        for &piece in pieces.iter().filter(|_| size > 0) {
            skyline.raise(piece, end);
        }
        peak = peak.max(end);
        let left = &mut groups[at as usize];
        left.start += 1;
        if left.start < left.end {
            heap.push(Reverse((known, ranks[left.start], at)));
        }
    }
    (offsets, Outcome::Placed(peak))
}

fn highest(skyline: &Skyline, pieces: &[Span]) -> u64 {
    pieces.iter().map(|&piece| skyline.highest(piece)).max().unwrap_or(0)
}

/// Ranks in the order, and which of them are of buffers that are live at the same moments, ascending; who has no bytes is
/// alone.
fn groups(instance: &Instance, order: &[u32]) -> (Vec<u32>, Vec<Range<usize>>) {
    let moments = |rank: &u32| {
        let buffer = order[*rank as usize] as usize;
        let has_bytes = instance.sizes()[buffer] > 0;
        (if has_bytes { 0 } else { 1 + rank }, instance.pieces(buffer))
    };
    let ranks = match instance.has_pieces() {
        // Stable, so that ranks ascend.
        true => {
            let mut ranks: Vec<u32> = (0..order.len() as u32).collect();
            ranks.sort_by(|a, b| moments(a).cmp(&moments(b)));
            ranks
        }
        false => radix::order(order.len(), |rank| {
            let (alone, life) = moments(&(rank as u32));
            [u64::from(alone), u64::from(life[0].start) << 32 | u64::from(life[0].end)]
        }),
    };
    let mut start = 0;
    let groups = ranks
        .chunk_by(|a, b| moments(a) == moments(b))
        .map(|group| {
            start += group.len();
            start - group.len()..start
        })
        .collect();
    (ranks, groups)
}
