//! Addresses for the stays of a schedule.
//!
//! Lowest fit in several orders; what does not fit is placed earlier in the next attempt. Time is first cut where no
//! stay crosses, so that a tight place does not disturb the rest. What lowest fit cannot place goes to the exact
//! planner.

use std::cmp::Reverse;

use super::graph::{Graph, OpIdx};
use super::residency::{Residency, halves};
use crate::control::{Control, Effort, Options};
use crate::planner::plan;
use crate::problem::Problem;

/// Attempts per order and piece.
const ATTEMPTS: usize = 60;

/// One stay as a rectangle; times are halves of positions.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    index: usize,
    start: usize,
    end: usize,
    bytes: u64,
}

/// Gives every stay an offset so that all end at or below `capacity`, by lowest fit; false if none was found.
pub(super) fn pack(
    graph: &Graph,
    order: &[OpIdx],
    residencies: &mut [Residency],
    capacity: u64,
    seed: u64,
    control: &Control,
) -> bool {
    pack_by_pieces(graph, order, residencies, |piece| pack_piece(piece, capacity, seed, control))
}

/// As [`pack`], with the exact planner for what lowest fit cannot place.
pub(super) fn pack_exactly(
    graph: &Graph,
    order: &[OpIdx],
    residencies: &mut [Residency],
    capacity: u64,
    seed: u64,
    control: &Control,
) -> bool {
    pack_by_pieces(graph, order, residencies, |piece| {
        pack_piece(piece, capacity, seed, control)
            .or_else(|| plan_exactly(piece, capacity, seed, control))
    })
}

/// Cuts time where no stay crosses and packs the pieces one by one.
fn pack_by_pieces(
    graph: &Graph,
    order: &[OpIdx],
    residencies: &mut [Residency],
    pack_one: impl Fn(&[Rectangle]) -> Option<Vec<u64>>,
) -> bool {
    let mut rectangles: Vec<Rectangle> = residencies
        .iter()
        .enumerate()
        .map(|(index, r)| {
            let (start, end) = halves(graph, order, r);
            Rectangle { index, start, end, bytes: graph.tensors[r.tensor.get()].bytes }
        })
        .collect();
    rectangles.retain(|r| r.bytes > 0 && r.start < r.end);
    rectangles.sort_unstable_by_key(|r| (r.start, r.index));
    let mut from = 0;
    while from < rectangles.len() {
        let mut end = rectangles[from].end;
        let mut to = from + 1;
        while to < rectangles.len() && rectangles[to].start < end {
            end = end.max(rectangles[to].end);
            to += 1;
        }
        let piece = &rectangles[from..to];
        let Some(offsets) = pack_one(piece) else { return false };
        for (r, offset) in piece.iter().zip(offsets) {
            residencies[r.index].offset = offset;
        }
        from = to;
    }
    true
}

fn pack_piece(
    piece: &[Rectangle],
    capacity: u64,
    seed: u64,
    control: &Control,
) -> Option<Vec<u64>> {
    let neighbours = neighbours(piece);
    let keys: [fn(&Rectangle) -> u128; 3] = [
        |r| u128::from(r.bytes),
        |r| u128::from(r.bytes) * (r.end - r.start) as u128,
        |r| (r.end - r.start) as u128,
    ];
    let mut state = seed;
    for attempt in 0..ATTEMPTS {
        for key in keys {
            if control.is_cancelled() {
                return None;
            }
            let mut order: Vec<(Reverse<u128>, usize)> = piece
                .iter()
                .enumerate()
                .map(|(i, r)| {
                    // From the second attempt on, keys are blurred by up to a half.
                    let blur = if attempt == 0 { 8 } else { u128::from(8 + next(&mut state) % 8) };
                    (Reverse(key(r) * blur), i)
                })
                .collect();
            order.sort_unstable();
            let order = order.into_iter().map(|(_, i)| i).collect();
            if let Some(offsets) = repair(piece, &neighbours, capacity, order) {
                return Some(offsets);
            }
        }
    }
    None
}

/// The crate's exact planner, stopped as soon as everything fits.
fn plan_exactly(
    piece: &[Rectangle],
    capacity: u64,
    seed: u64,
    control: &Control,
) -> Option<Vec<u64>> {
    let mut builder = Problem::builder();
    for r in piece {
        builder.buffer(r.bytes, r.start as i64, r.end as i64);
    }
    builder.memory(Some(capacity), 0);
    let problem = builder.build().ok()?;
    let options = Options { seed, effort: Effort::Low, minimize: false, ..Options::default() };
    // The planner's own progress is in bytes of memory; ours is in bytes moved.
    let inner = Control::default();
    if control.is_cancelled() {
        return None;
    }
    let found = plan(&problem, "exact", &options, &inner).ok()?;
    (found.peak <= capacity).then_some(found.offsets)
}

/// Places in order; what does not fit moves to the front, as often as there are attempts.
fn repair(
    piece: &[Rectangle],
    neighbours: &[Vec<u32>],
    capacity: u64,
    mut order: Vec<usize>,
) -> Option<Vec<u64>> {
    let mut offsets = vec![u64::MAX; piece.len()];
    let mut taken: Vec<(u64, u64)> = Vec::new();
    for _ in 0..ATTEMPTS {
        offsets.fill(u64::MAX);
        let failed = order.iter().position(|&i| {
            taken.clear();
            for &other in &neighbours[i] {
                let offset = offsets[other as usize];
                if offset != u64::MAX {
                    taken.push((offset, offset + piece[other as usize].bytes));
                }
            }
            taken.sort_unstable();
            let mut at = 0;
            for &(from, to) in &taken {
                if from >= at + piece[i].bytes {
                    break;
                }
                at = at.max(to);
            }
            offsets[i] = at;
            at + piece[i].bytes > capacity
        });
        match failed {
            None => return Some(offsets),
            Some(at) => order[..=at].rotate_right(1),
        }
    }
    None
}

/// For each rectangle those that share a tick with it. `piece` is sorted by start.
fn neighbours(piece: &[Rectangle]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); piece.len()];
    let mut live: Vec<usize> = Vec::new();
    for (i, r) in piece.iter().enumerate() {
        live.retain(|&other| piece[other].end > r.start);
        for &other in &live {
            all[i].push(other as u32);
            all[other].push(i as u32);
        }
        live.push(i);
    }
    all
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Gives every stay an offset so that the arena is as small as lowest fit makes it, from `load` bytes on.
///
/// Capacities between what fits and what does not are halved until they are within a thousandth of the load.
pub(super) fn pack_least(
    graph: &Graph,
    order: &[OpIdx],
    residencies: &mut [Residency],
    load: u64,
    seed: u64,
    control: &Control,
) {
    if pack(graph, order, residencies, load, seed, control) {
        return;
    }
    let mut slack = load / 64 + 1;
    while !pack(graph, order, residencies, load.saturating_add(slack), seed, control) {
        if control.is_cancelled() {
            stack(graph, residencies);
            return;
        }
        slack = slack.saturating_mul(2);
    }
    let (mut too_small, mut enough) = (load, load.saturating_add(slack));
    let mut attempt = residencies.to_vec();
    while enough - too_small > load / 1024 + 1 {
        let middle = too_small + (enough - too_small) / 2;
        if pack(graph, order, &mut attempt, middle, seed, control) {
            residencies.copy_from_slice(&attempt);
            enough = middle;
        } else {
            too_small = middle;
        }
    }
}

/// One after the other: what is left where nobody waits for better.
fn stack(graph: &Graph, residencies: &mut [Residency]) {
    let mut offset = 0;
    for r in residencies {
        r.offset = offset;
        offset += graph.tensors[r.tensor.get()].bytes;
    }
}
