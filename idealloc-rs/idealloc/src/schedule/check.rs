//! A replay of a schedule: what it moves, and whether it is sound.
//!
//! It shares nothing with the searches but the graph, and prices what they find, so that no search is taken at its word.
//! As it is part of how schedules are made, it is not what they are checked by in the end: that is
//! `xdsl_memplan/model/check_schedule.py`, which shares no code with this crate.

use super::graph::{Graph, OpIdx};
use super::residency::{Residency, halves};
use crate::error::Error;

/// Replays order and stays against a graph and returns the bytes moved and the bytes of memory used.
///
/// Checked: every operator runs once, after what it needs; while it runs, all it reads and makes is on chip, and what
/// it reads has been made, or loaded after it was made and, where needed, written; no two stays overlap in time and
/// address; all end at or below `capacity`. O(operators + uses + overlapping pairs).
///
/// # Errors
/// [`Error::InvalidPlan`] naming the operator or tensor and the rule.
pub fn check_schedule(
    graph: &Graph,
    order: &[OpIdx],
    residencies: &[Residency],
    capacity: Option<u64>,
) -> Result<(u64, u64), Error> {
    let position = positions(graph, order)?;
    let n = order.len();
    let mut stays: Vec<Vec<&Residency>> = vec![Vec::new(); graph.tensors().len()];
    for r in residencies {
        if r.tensor.get() >= stays.len() || r.start >= r.end || r.end > n {
            return Err(wrong(format!("a stay over [{}, {}) is out of range", r.start, r.end)));
        }
        stays[r.tensor.get()].push(r);
    }
    let mut moved = 0u64;
    for (index, tensor) in graph.tensors().iter().enumerate() {
        let name = &tensor.name;
        let mine = &mut stays[index];
        mine.sort_by_key(|r| r.start);
        if mine.windows(2).any(|pair| pair[0].end > pair[1].start) {
            return Err(wrong(format!("tensor '{name}' is on chip twice at one time")));
        }
        for op in tensor.consumers.iter().chain(&tensor.producer) {
            let at = position[op.get()];
            if !mine.iter().any(|r| r.start <= at && at < r.end) {
                return Err(wrong(format!(
                    "tensor '{name}' is not on chip while operator '{}' runs",
                    graph.ops()[op.get()].name
                )));
            }
        }
        let mut is_off_chip = tensor.producer.is_none();
        for (i, r) in mine.iter().enumerate() {
            if r.is_loaded {
                if !is_off_chip {
                    return Err(wrong(format!("tensor '{name}' is loaded but not off chip")));
                }
                moved += if tensor.producer.is_none() && i == 0 { 0 } else { tensor.bytes };
            } else if i > 0 || tensor.producer.map(|op| position[op.get()]) != Some(r.start) {
                return Err(wrong(format!("tensor '{name}' appears on chip from nowhere")));
            }
            if r.is_spilled {
                moved += if tensor.is_output { 0 } else { tensor.bytes };
                is_off_chip = true;
            }
        }
        if tensor.is_output && tensor.producer.is_some() && !is_off_chip {
            return Err(wrong(format!("output '{name}' is never written")));
        }
    }
    let peak = check_addresses(graph, order, residencies)?;
    match capacity {
        Some(capacity) if peak > capacity => {
            Err(wrong(format!("addresses end at {peak}, the capacity is {capacity}")))
        }
        _ => Ok((moved, peak)),
    }
}

fn positions(graph: &Graph, order: &[OpIdx]) -> Result<Vec<usize>, Error> {
    let mut position = vec![usize::MAX; graph.ops().len()];
    for (at, op) in order.iter().enumerate() {
        match position.get_mut(op.get()) {
            Some(slot) if *slot == usize::MAX => *slot = at,
            Some(_) => {
                let name = &graph.ops()[op.get()].name;
                return Err(wrong(format!("operator '{name}' runs twice")));
            }
            None => return Err(wrong(format!("the order names operator {}", op.get()))),
        }
    }
    for (i, op) in graph.ops().iter().enumerate() {
        if position[i] == usize::MAX {
            return Err(wrong(format!("operator '{}' never runs", op.name)));
        }
        if let Some(before) =
            graph.predecessors(OpIdx::from(i)).find(|before| position[before.get()] > position[i])
        {
            let other = &graph.ops()[before.get()].name;
            return Err(wrong(format!("operator '{}' runs before '{other}'", op.name)));
        }
    }
    Ok(position)
}

fn check_addresses(
    graph: &Graph,
    order: &[OpIdx],
    residencies: &[Residency],
) -> Result<u64, Error> {
    let bytes = |r: &Residency| graph.tensors()[r.tensor.get()].bytes;
    let taking_room = residencies.iter().filter(|r| bytes(r) > 0);
    let mut sorted: Vec<_> = taking_room.map(|r| (halves(graph, order, r), r)).collect();
    sorted.retain(|((start, end), _)| start < end);
    sorted.sort_by_key(|((start, _), _)| *start);
    let mut live: Vec<(usize, &Residency)> = Vec::new();
    let mut peak = 0u64;
    for ((start, last), r) in sorted {
        live.retain(|other| other.0 > start);
        let end = r
            .offset
            .checked_add(bytes(r))
            .ok_or_else(|| wrong("an address is above 2^64".to_owned()))?;
        let clash = |o: &&&Residency| o.offset < end && r.offset < o.offset + bytes(o);
        if let Some(other) = live.iter().map(|(_, o)| o).find(clash) {
            let name = |r: &Residency| &graph.tensors()[r.tensor.get()].name;
            return Err(wrong(format!("tensors '{}' and '{}' share bytes", name(other), name(r))));
        }
        peak = peak.max(end);
        live.push((last, r));
    }
    Ok(peak)
}

fn wrong(reason: String) -> Error {
    Error::plan(&[], reason)
}
