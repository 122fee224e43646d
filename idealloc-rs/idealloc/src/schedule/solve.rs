//! The ways into scheduling: least peak, least traffic, least traffic in a given order.

use super::baseline::{Replacement, replace_online};
use super::beam;
use super::check::check_schedule;
use super::downsets::{MAX_LIVE, TooWide};
use super::graph::{Graph, OpIdx, topological_order};
use super::options::SearchOptions;
use super::pack::{pack, pack_exactly, pack_least};
use super::path::{Path, residencies, spell_out};
use super::reduce::Reduced;
use super::residency::{Residency, Schedule, load};
use super::traffic::Found;
use super::{peak, traffic};
use crate::control::{Control, Effort};
use crate::error::Error;
use crate::plan::StopReason;

/// Other best schedules, and other capacities, that are tried where the first schedule cannot be packed.
const VARIANTS: u64 = 8;

/// Widths of the beams that are tried, the later ones where the exact search was cut short.
const BEAMS: &[usize] = &[64, 1024, 8192];

/// The order of least peak, without moving anything (COSMA's MPMF, III-E1).
///
/// Where the search gives up, the order of the caller with the bound reached. `Schedule::bound` is of the peak.
///
/// # Errors
/// [`Error::InvalidGraph`] if more tensors are live at once than the search can follow.
pub fn least_peak(
    graph: &Graph,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Error> {
    let reduced = Reduced::new(graph, options.reductions.glue);
    let found = peak::search(&reduced, options, control).map_err(too_wide)?;
    let order = match &found.path {
        Some(path) => spell_out(&reduced, path).0,
        None => topological_order(graph)?,
    };
    let mut residencies = residencies(graph, &order, &[]);
    let load = load(graph, &residencies);
    pack_least(graph, &mut residencies, load, options.seed, control);
    let stop = if found.stop == StopReason::Infeasible { StopReason::Complete } else { found.stop };
    finish(graph, None, order, residencies, &reduced, &found, found.bound, stop)
}

/// Order, evictions and addresses of least traffic under a capacity in bytes (COSMA III-B..D).
///
/// Starts from the better of two replacement rules in the order of the caller, so there is a schedule whenever the
/// search ends. `Schedule::bound` is of the traffic; the schedule is optimal if they are equal. Addresses are looked
/// for at the optimum of capacity alone, which is a bound; where none are found, in other schedules of the same cost
/// and under smaller capacities.
///
/// # Errors
/// As [`least_peak`], and [`Error::InvalidGraph`] naming the operator that does not fit the capacity.
pub fn least_traffic(
    graph: &Graph,
    capacity: u64,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Error> {
    let needed = check_capacity(graph, capacity)?;
    let reduced = Reduced::new(graph, options.reductions.glue);
    let mut best = incumbent(graph, capacity)?;
    let upper = best.traffic;
    let mut found =
        traffic::search(&reduced, capacity, upper, 0, options, control).map_err(too_wide)?;
    // The incumbent is as good as any schedule that the search left out.
    if found.stop == StopReason::Infeasible {
        found.bound = upper;
        found.stop = StopReason::Optimal;
    }
    let bound = found.bound;
    best.improve(&reduced, &found.path, Effort::Medium, options, control)?;
    let is_open = |best: &Incumbent<'_>| best.traffic > bound && !control.is_cancelled();
    let is_cut_short = found.path.is_none();
    let widths: &[usize] = if is_cut_short { BEAMS } else { &BEAMS[..1] };
    for &width in widths {
        if is_open(&best) {
            let path = beam::search(&reduced, capacity, width, control).map_err(too_wide)?;
            best.improve(&reduced, &path, Effort::Low, options, control)?;
        }
    }
    let mut variant = 1;
    while !is_cut_short && is_open(&best) && variant <= VARIANTS {
        let tie_break = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(variant) | 1;
        let mut options = options.clone();
        options.reductions.glue &= variant % 2 == 0;
        let reduced = Reduced::new(graph, options.reductions.glue);
        let again = traffic::search(&reduced, capacity, bound, tie_break, &options, control)
            .map_err(too_wide)?;
        let path = &again.path;
        best.improve(&reduced, path, Effort::Low, &options, control)?;
        // Less capacity leaves room to place what is there.
        let less = capacity - (capacity - needed) / (VARIANTS + 1) * variant;
        let upper = best.traffic - 1;
        if is_open(&best) && less < capacity {
            let again =
                traffic::search(&reduced, less, upper, 0, &options, control).map_err(too_wide)?;
            let path = &again.path;
            best.improve(&reduced, path, Effort::Low, &options, control)?;
        }
        variant += 1;
    }
    let stop = match found.stop {
        StopReason::Optimal if best.traffic > bound => StopReason::Complete,
        _ if best.traffic == bound => StopReason::Optimal,
        stop => stop,
    };
    finish(graph, Some(capacity), best.order, best.residencies, &reduced, &found, bound, stop)
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
    check_order(graph, order)?;
    let edges: Vec<(OpIdx, OpIdx)> = order.windows(2).map(|pair| (pair[0], pair[1])).collect();
    least_traffic(&graph.with_order(&edges)?, capacity, options, control)
}

/// What a replacement rule makes of an order: a schedule without proof.
///
/// # Errors
/// [`Error::InvalidGraph`] if `order` is not an order of the graph, or an operator does not fit the capacity.
pub fn replacement(
    graph: &Graph,
    order: &[OpIdx],
    capacity: u64,
    rule: Replacement,
) -> Result<Schedule, Error> {
    check_order(graph, order)?;
    check_capacity(graph, capacity)?;
    let residencies = replace_online(graph, order, capacity, rule);
    let (traffic, peak) = check_schedule(graph, order, &residencies, Some(capacity))?;
    Ok(Schedule {
        order: order.to_vec(),
        load: load(graph, &residencies),
        residencies,
        peak,
        traffic,
        bound: 0,
        stop: if traffic == 0 { StopReason::Optimal } else { StopReason::Complete },
        statistics: Vec::new(),
    })
}

fn check_order(graph: &Graph, order: &[OpIdx]) -> Result<(), Error> {
    let mut has_run = vec![false; graph.ops().len()];
    for op in order {
        match has_run.get_mut(op.get()) {
            Some(flag) if !*flag => *flag = true,
            _ => {
                return Err(Error::InvalidGraph(format!(
                    "the order names operator {} twice, or there is no such operator",
                    op.get()
                )));
            }
        }
        let late = graph.predecessors(*op).find(|before| !has_run[before.get()]);
        if let Some(before) = late {
            return Err(Error::InvalidGraph(format!(
                "the order runs operator '{}' before '{}', which it needs",
                graph.ops()[op.get()].name,
                graph.ops()[before.get()].name
            )));
        }
    }
    if order.len() != graph.ops().len() {
        return Err(Error::InvalidGraph(format!(
            "the order has {} operators, the graph {}",
            order.len(),
            graph.ops().len()
        )));
    }
    Ok(())
}

/// The least capacity at which every operator fits, in bytes.
fn check_capacity(graph: &Graph, capacity: u64) -> Result<u64, Error> {
    match graph.largest_footprint() {
        Some((op, needed)) if needed > capacity => Err(Error::InvalidGraph(format!(
            "operator '{}' reads and makes {needed} bytes, which must be on chip at once; the \
             capacity is {capacity}",
            graph.ops()[op.get()].name
        ))),
        Some((_, needed)) => Ok(needed),
        None => Ok(0),
    }
}

fn too_wide(TooWide: TooWide) -> Error {
    Error::InvalidGraph(format!(
        "more than {MAX_LIVE} tensors can be live at once, which the exact search cannot follow"
    ))
}

/// The best schedule with addresses so far.
struct Incumbent<'a> {
    graph: &'a Graph,
    capacity: u64,
    order: Vec<OpIdx>,
    residencies: Vec<Residency>,
    traffic: u64,
}

impl Incumbent<'_> {
    /// Takes what a search found, if it is better and addresses are found for it.
    fn improve(
        &mut self,
        reduced: &Reduced,
        path: &Option<Path>,
        effort: Effort,
        options: &SearchOptions,
        control: &Control,
    ) -> Result<(), Error> {
        let Some(path) = path else { return Ok(()) };
        let (graph, capacity) = (self.graph, self.capacity);
        if path.cost >= self.traffic {
            return Ok(());
        }
        let (order, evictions) = spell_out(reduced, path);
        let mut residencies = residencies(graph, &order, &evictions);
        let is_packed = pack(graph, &mut residencies, capacity, options.seed, control)
            || (effort > Effort::Low
                && pack_exactly(graph, &mut residencies, capacity, options.seed, control));
        if is_packed {
            let (traffic, _) = check_schedule(graph, &order, &residencies, Some(capacity))?;
            self.order = order;
            self.residencies = residencies;
            self.traffic = traffic;
        }
        Ok(())
    }
}

fn incumbent(graph: &Graph, capacity: u64) -> Result<Incumbent<'_>, Error> {
    let order = topological_order(graph)?;
    let mut best: Option<Incumbent> = None;
    for rule in [Replacement::Belady, Replacement::Greedy] {
        let residencies = replace_online(graph, &order, capacity, rule);
        let (traffic, _) = check_schedule(graph, &order, &residencies, Some(capacity))?;
        if best.as_ref().is_none_or(|b| traffic < b.traffic) {
            best = Some(Incumbent { graph, capacity, order: order.clone(), residencies, traffic });
        }
    }
    best.ok_or(Error::Cancelled)
}

#[expect(clippy::too_many_arguments, reason = "the parts of one schedule")]
fn finish(
    graph: &Graph,
    capacity: Option<u64>,
    order: Vec<OpIdx>,
    residencies: Vec<Residency>,
    reduced: &Reduced,
    found: &Found,
    bound: u64,
    stop: StopReason,
) -> Result<Schedule, Error> {
    let (traffic, peak) = check_schedule(graph, &order, &residencies, capacity)?;
    let value = if capacity.is_some() { traffic } else { peak };
    let stop = match stop {
        StopReason::Optimal if value != bound => StopReason::Complete,
        _ if value == bound => StopReason::Optimal,
        stop => stop,
    };
    Ok(Schedule {
        load: load(graph, &residencies),
        order,
        residencies,
        peak,
        traffic,
        bound,
        stop,
        statistics: vec![
            ("macros", reduced.macros.len() as u64),
            ("states", found.expanded),
            ("downsets", found.downsets),
        ],
    })
}
