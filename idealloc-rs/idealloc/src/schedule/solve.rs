//! The ways into scheduling: least peak, least traffic, least traffic in a given order.

use super::anytime::Anytime;
use super::baseline::{Replacement, replace_online};
use super::budget::Budget;
use super::check::check_schedule;
use super::graph::{Graph, OpIdx, topological_order};
use super::incumbent::Incumbent;
use super::joint;
use super::lattice::Lattice;
use super::options::SearchOptions;
use super::pack::pack_least;
use super::parts::Parts;
use super::path::{residencies, spell_out};
use super::peak;
use super::peak_bound::moved_by_peak;
use super::reduce::Reduced;
use super::residency::{Schedule, load};
use super::step::Stepper;
use super::traffic::Search;
use super::widening::{Failure, in_words};
use crate::control::{Control, Effort};
use crate::error::Error;
use crate::plan::StopReason;

/// Other best schedules, and other capacities, that are tried where the first schedule cannot be packed and the graph is
/// too large for order and addresses to be searched together.
const VARIANTS: u64 = 8;

/// Parts into which the room above the largest operator is cut for the other capacities.
const PARTS: u64 = VARIANTS + 1;

/// States from which on no further variant is tried.
const VARIANT_STATES: u64 = 1_000_000;

/// Widths of the beams that are tried, the later ones where the exact search was cut short.
const BEAMS: &[usize] = &[64, 1024, 8192];

/// States after which the exact search waits for a good schedule before it starts over: at most, and as a share of
/// those that it may expand. Networks of the paper need fewer.
const FIRST_STATES: u64 = 250_000;
const FIRST_SHARE: u64 = 8;

/// Sets of tensors to evict for one macro that are listed at once where dearer ones can wait for their turn.
const FEW_CHOICES: usize = 1 << 12;

/// States that may be spent on looking whether some schedule moves no more than the bound by parts.
const HASTY_STATES: u64 = 100_000;

/// States that may be spent on the bound by least peak.
const PEAK_STATES: u64 = 100_000;

/// The order of least peak, without moving anything (COSMA's MPMF, III-E1).
///
/// Where the search gives up, the order of the caller with the bound reached. `Schedule::bound` is of the peak.
///
/// # Errors
/// [`Error::InvalidPlan`] never, but for mistakes of ours.
pub fn least_peak(
    graph: &Graph,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Error> {
    let reduced = Reduced::new(graph, options.reductions.glue);
    let mut budget = Budget::new(options, control);
    let found = peak::search(&reduced, options.reductions, &mut budget);
    let order = match &found.path {
        Some(path) => spell_out(&reduced, path).0,
        None => topological_order(graph)?,
    };
    let mut residencies = residencies(graph, &order, &[]);
    let load = load(graph, &order, &residencies);
    pack_least(graph, &order, &mut residencies, load, options.seed, control);
    let (traffic, peak) = check_schedule(graph, &order, &residencies, None)?;
    let stop = if peak == found.bound { StopReason::Optimal } else { complete(found.stop) };
    Ok(Schedule {
        order,
        residencies,
        load,
        peak,
        traffic,
        bound: found.bound,
        parts: Vec::new(),
        stop,
        statistics: vec![
            ("macros", reduced.macros.len() as u64),
            ("states", budget.expanded()),
            ("downsets", found.downsets),
        ],
    })
}

/// Order, evictions and addresses of least traffic under a capacity in bytes (COSMA III-B..D).
///
/// Starts from a replacement rule in the order of the caller, so there is a schedule whenever the search ends.
/// `Schedule::bound` is of the traffic; the schedule is optimal if they are equal. Addresses are looked for at the optimum
/// of capacity alone, which is a bound; where none are found, order, evictions and addresses are searched together until a
/// schedule meets the bound or the work is used up.
///
/// # Errors
/// [`Error::InvalidGraph`] if more than 2048 tensors are live at once, or naming the operator that does not fit the
/// capacity.
pub fn least_traffic(
    graph: &Graph,
    capacity: u64,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Error> {
    in_words!(search_traffic(graph, None, capacity, options, control))
}

/// With an order of the graph, nothing but that order is looked at.
fn search_traffic<const W: usize>(
    graph: &Graph,
    order: Option<&[OpIdx]>,
    capacity: u64,
    options: &SearchOptions,
    control: &Control,
) -> Result<Schedule, Failure> {
    let needed = check_capacity(graph, capacity)?;
    let seed = options.seed;
    let given = order.map_or_else(|| topological_order(graph), |order| Ok(order.to_vec()))?;
    let mut best = Incumbent::new(graph, given, capacity, seed, control)?;
    if best.traffic == 0 {
        return Ok(best.finish(0, StopReason::Optimal, statistics([0; 4])));
    }
    // In one order there is nothing to glue, and nothing for the rules about orders.
    let is_free = order.is_none();
    let mut reductions = options.reductions;
    reductions.canonical_last &= is_free;
    reductions.defer_sources &= is_free;
    let reduced = order.map_or_else(
        || Reduced::new(graph, reductions.glue),
        |order| Reduced::in_order(graph, order),
    );
    let mut budget = Budget::new(options, control);
    budget.incumbent = best.traffic;
    let mut search = Search::<W>::new(&reduced, capacity, reductions)?;
    let first = Stepper::first();
    let mut named_parts = Vec::new();
    let part = options.max_states.map_or(FIRST_STATES, |most| most / FIRST_SHARE);
    let whole = budget.narrow(part.min(FIRST_STATES));
    let mut found = search.run(first, best.traffic, 0, &mut budget)?;
    budget.widen(whole);
    if found.path.is_none() {
        best.try_rule(Replacement::Greedy)?;
    }
    if matches!(found.stop, StopReason::WorkLimit | StopReason::MemoryLimit) {
        // This takes longer: a good schedule soon, whose value keeps dearer states out. Others need the memory first.
        search = Search::<W>::new(&reduced, capacity, reductions)?;
        let whole = budget.narrow(PEAK_STATES);
        let peak = peak::search(&reduced, reductions, &mut budget);
        budget.widen(whole);
        let least = moved_by_peak(&reduced, capacity, peak.bound);
        let soon = Anytime { reduced: &reduced, capacity, reductions, seed };
        let mut orders = vec![reduced.macro_order(&best.order)];
        orders.extend(peak.path.map(|path| path.steps.iter().map(|step| step.step).collect()));
        soon.improve::<W>(&mut best, &orders, &BEAMS[..2], &mut budget)?;
        budget.incumbent = best.traffic;
        let mut bound = found.bound.max(least);
        if best.traffic > bound && is_free {
            let by_best = reduced.macro_order(&best.order);
            let given = (0..reduced.macros.len() as u32).collect();
            let mut most: Option<(u64, Parts)> = None;
            for order in [given, by_best] {
                budget.renew();
                let parts = Parts::new::<W>(&reduced, order, capacity, reductions, &mut budget)?;
                let bytes = parts.bound(&search.stepper.downsets.lattice, Lattice::FIRST);
                if most.as_ref().is_none_or(|most| bytes > most.0) {
                    most = Some((bytes, parts));
                }
            }
            budget.renew();
            if let Some((bytes, parts)) = most {
                soon.improve_by_beams::<W>(&mut best, &BEAMS[..2], Some(&parts), &budget)?;
                budget.incumbent = best.traffic;
                let ops = |part: &[u32]| reduced.ops(part);
                named_parts = parts.chosen().into_iter().map(ops).collect();
                if found.has_too_many_choices {
                    search = Search::with_choices(&reduced, capacity, reductions, FEW_CHOICES)?;
                }
                // Parts that say nothing at the start seldom do later, and each state would ask them.
                if bytes > bound || found.has_too_many_choices {
                    search = search.with_parts(parts);
                }
                bound = bound.max(bytes);
            }
        }
        if best.traffic > bound && !named_parts.is_empty() {
            // The bound may be the optimum: then whatever is worth more is in the way.
            search.is_hasty = true;
            let whole = budget.narrow(HASTY_STATES);
            found = search.run(first, bound, 0, &mut budget)?;
            budget.widen(whole);
            search.is_hasty = false;
            bound = bound.max(found.bound);
        }
        if best.traffic > bound && found.path.is_none() {
            found = search.run(first, best.traffic, 0, &mut budget)?;
        }
        found.bound = found.bound.max(bound).min(best.traffic);
    }
    if found.stop == StopReason::Infeasible {
        // The incumbent is as good as any schedule that the search left out.
        found.bound = best.traffic;
        found.stop = StopReason::Optimal;
    }
    let mut bound = found.bound;
    let mut stop = found.stop;
    best.improve(&reduced, &found.path, Effort::Medium, seed, control)?;
    if best.traffic > bound {
        best.try_rule(Replacement::Greedy)?;
    }
    let is_cut_short = found.path.is_none();
    if is_cut_short {
        search = Search::<W>::new(&reduced, capacity, reductions)?;
    }
    budget.hold(search.held());
    if best.traffic > bound {
        let widths = if is_cut_short { &BEAMS[2..] } else { &BEAMS[..1] };
        let last = Anytime { reduced: &reduced, capacity, reductions, seed };
        last.improve_by_beams::<W>(&mut best, widths, None, &budget)?;
    }
    let before = budget.expanded();
    let variants = if joint::is_possible(graph) { 0 } else { VARIANTS };
    for variant in 1..=variants {
        let is_dear = budget.expanded() - before > VARIANT_STATES;
        if is_cut_short || best.traffic == bound || is_dear || budget.is_over() {
            break;
        }
        let tie_break = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(variant) | 1;
        budget.renew();
        budget.hold(0);
        let again = search.run(first, bound, tie_break, &mut budget)?;
        best.improve(&reduced, &again.path, Effort::Low, seed, control)?;
        // Less capacity leaves room to place what is there.
        let (part, rest) = ((capacity - needed) / PARTS, (capacity - needed) % PARTS);
        let less = capacity - part * variant - rest * variant / PARTS;
        if best.traffic > bound && less < capacity {
            budget.hold(search.held());
            let mut smaller = Search::<W>::new(&reduced, less, reductions)?;
            let upper = best.traffic - 1;
            let again = smaller.run(first, upper, 0, &mut budget)?;
            best.improve(&reduced, &again.path, Effort::Low, seed, control)?;
        }
    }
    drop(search);
    budget.hold(0);
    let mut clashes = 0;
    if !is_cut_short && best.traffic > bound && !budget.is_over() {
        budget.renew();
        budget.incumbent = best.traffic;
        let apart = order
            .map_or_else(|| Reduced::new(graph, false), |order| Reduced::in_order(graph, order));
        let by_capacity = found.path.filter(|path| path.cost <= bound);
        let by_capacity = by_capacity.map(|path| spell_out(&reduced, &path));
        let known = joint::Known { lower: bound, upper: best.traffic, by_capacity };
        let closed =
            joint::close::<W>(graph, &apart, capacity, known, seed, reductions, &mut budget)?;
        bound = closed.bound;
        clashes = closed.clashes;
        stop = closed.stop;
        if let Some((order, residencies)) = closed.schedule {
            best.replace(order, residencies)?;
        }
    }
    let counts = [reduced.macros.len() as u64, budget.expanded(), found.downsets, clashes];
    let schedule = best.finish(bound, complete(stop), statistics(counts));
    Ok(Schedule { parts: named_parts, ..schedule })
}

/// The counters of a search of least traffic, by name.
fn statistics(counts: [u64; 4]) -> Vec<(&'static str, u64)> {
    ["macros", "states", "downsets", "clashes"].into_iter().zip(counts).collect()
}

/// How a search that came to its end is called where the value is not the bound.
fn complete(stop: StopReason) -> StopReason {
    match stop {
        StopReason::Optimal | StopReason::Infeasible => StopReason::Complete,
        stop => stop,
    }
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
    in_words!(search_traffic(graph, Some(order), capacity, options, control))
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
        load: load(graph, order, &residencies),
        residencies,
        peak,
        traffic,
        bound: 0,
        parts: Vec::new(),
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
            "operator '{}' reads and makes {needed} bytes (M_R), which must be on chip at once; the \
             capacity is {capacity}",
            graph.ops()[op.get()].name
        ))),
        Some((_, needed)) => Ok(needed),
        None => Ok(0),
    }
}
