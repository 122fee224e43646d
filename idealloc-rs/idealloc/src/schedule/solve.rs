//! The ways into scheduling: least peak, least traffic, least traffic in a given order.

use super::downsets::{MAX_LIVE, TooWide};
use super::graph::{Graph, OpIdx};
use super::options::SearchOptions;
use super::pack::pack;
use super::path::{residencies, spell_out};
use super::reduce::Reduced;
use super::schedule::{Schedule, load, traffic};
use super::traffic::Found;
use super::{peak, traffic as search};
use crate::control::Control;
use crate::error::Error;
use crate::plan::StopReason;

/// The order of least peak, without moving anything (COSMA's MPMF, III-E1).
///
/// # Errors
/// [`Error::Cancelled`], [`Error::InvalidGraph`] if more tensors are live at once than the search can follow.
pub fn least_peak(
    graph: &Graph,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Error> {
    let reduced = Reduced::new(graph, options.reductions.glue);
    let found = peak::search(&reduced, options, control).map_err(too_wide)?;
    schedule(graph, &reduced, found, None, options, control)
}

/// Order, evictions and addresses of least traffic under a capacity in bytes (COSMA III-B..D).
///
/// # Errors
/// As [`least_peak`], and [`Error::InvalidGraph`] naming the operator that does not fit the capacity.
pub fn least_traffic(
    graph: &Graph,
    capacity: u64,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Error> {
    check_capacity(graph, capacity)?;
    let reduced = Reduced::new(graph, options.reductions.glue);
    let found = search::search(&reduced, capacity, u64::MAX, options, control).map_err(too_wide)?;
    schedule(graph, &reduced, found, Some(capacity), options, control)
}

/// As [`least_traffic`] for a given order (COSMA III-E2).
///
/// # Errors
/// As [`least_traffic`], and [`Error::InvalidGraph`] if `order` is not an order of the graph.
pub fn least_traffic_in_order(
    graph: &Graph,
    order: &[OpIdx],
    capacity: u64,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Error> {
    if order.len() != graph.ops().len() {
        return Err(Error::InvalidGraph(format!(
            "the order has {} operators, the graph {}",
            order.len(),
            graph.ops().len()
        )));
    }
    if let Some(op) = order.iter().find(|op| op.get() >= graph.ops().len()) {
        return Err(Error::InvalidGraph(format!("the order names operator {}", op.get())));
    }
    let edges: Vec<(OpIdx, OpIdx)> = order.windows(2).map(|pair| (pair[0], pair[1])).collect();
    least_traffic(&graph.with_order(&edges)?, capacity, options, control)
}

fn check_capacity(graph: &Graph, capacity: u64) -> Result<(), Error> {
    match graph.largest_footprint() {
        Some((op, needed)) if needed > capacity => Err(Error::InvalidGraph(format!(
            "operator '{}' needs {needed} bytes on chip for what it reads and makes, the capacity is {capacity}",
            graph.ops()[op.get()].name
        ))),
        _ => Ok(()),
    }
}

fn too_wide(TooWide: TooWide) -> Error {
    Error::InvalidGraph(format!("more than {MAX_LIVE} tensors can be live at once"))
}

fn schedule(
    graph: &Graph,
    reduced: &Reduced,
    found: Found,
    capacity: Option<u64>,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Error> {
    let Some(path) = found.path else { return Err(Error::Cancelled) };
    let (order, evictions) = spell_out(reduced, &path);
    let mut residencies = residencies(graph, &order, &evictions);
    let load = load(graph, &residencies);
    let is_packed = pack(graph, &mut residencies, capacity.unwrap_or(load), options.seed, control);
    let traffic = traffic(graph, &residencies);
    let peak = residencies
        .iter()
        .map(|r| r.offset + graph.tensors()[r.tensor.get()].bytes)
        .max()
        .unwrap_or(0);
    Ok(Schedule {
        order,
        residencies,
        load,
        peak,
        traffic,
        bound: found.bound,
        stop: if is_packed { found.stop } else { StopReason::Complete },
        statistics: vec![
            ("macros", reduced.macros.len() as u64),
            ("states", found.expanded),
            ("downsets", found.downsets),
            ("packed", u64::from(is_packed)),
            ("path-cost", path.cost),
        ],
    })
}
