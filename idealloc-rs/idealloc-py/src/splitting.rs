//! Python's view of splitting.

use std::collections::HashMap;

use idealloc::split::compress::{Compressed, compress};
use idealloc::split::cut::{Cut, Halo};
use idealloc::split::external::Residency;
use idealloc::split::given::{Given, lay_out_given};
use idealloc::split::group::Group;
use idealloc::split::layout::Layout;
use idealloc::split::machine::{Cost, Machine};
use idealloc::split::search::{Found, Misfit, Objective, Reordering, search_order};
use idealloc::split::sweep::{CutLoop, Span, Sweep};
use idealloc::split::tally::Tally;
use pyo3::prelude::*;

use crate::error::InvalidOptionError;
use crate::split_graph::{SliceTuple, read_graph};

/// Kind, operator (or, found by the search, the tensor that is cut), loop or dimension, iterations per tile, tiles that run
/// ahead, what happens to the halo, tiles at the start that are one, and at the end.
type CutTuple = (String, usize, usize, i64, i64, String, usize, usize);
/// Traffic, peak, work, transfers, tiles.
type CostTuple = (i64, i64, i64, i64, i64);
/// Tensor, kind, slices.
type ResidencyTuple = (usize, String, i64);
/// First layer, last layer, cuts, starts on chip, ends on chip, residencies, cost, whether chains run slice by slice, views of
/// tensors from outside that are part of the group.
type GroupTuple =
    (usize, usize, Vec<CutTuple>, bool, bool, Vec<ResidencyTuple>, CostTuple, bool, Vec<usize>);
/// Start and end, or cut and track.
type SpanTuple = (bool, i64, i64);
/// New ranges, and what is kept.
type TrackTuple = (Vec<(i64, i64)>, Vec<i64>);

/// The machine as Python hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct MachineFields {
    capacity: Option<i64>,
    alignment: i64,
    is_staged: bool,
    stages_arguments: bool,
    joins_slices: bool,
    max_recompute: f64,
    transfer_bytes: i64,
    code_bytes: i64,
    most_code: i64,
    most_operations: i64,
}

impl MachineFields {
    fn machine(&self) -> PyResult<Machine> {
        if self.alignment < 1
            || self.capacity.is_some_and(|c| c < 0)
            || self.transfer_bytes < 0
            || self.code_bytes < 0
            || self.most_code < 0
            || self.most_operations < 0
        {
            return Err(InvalidOptionError::new_err(
                "capacity, transfer-cost, code-cost and max-code are at least 0, alignment at least 1",
            ));
        }
        Ok(Machine {
            capacity: self.capacity.unwrap_or(i64::MAX / 4).min(i64::MAX / 4),
            alignment: self.alignment,
            is_staged: self.is_staged,
            stages_arguments: self.stages_arguments,
            joins_slices: self.joins_slices,
            max_recompute: self.max_recompute,
            transfer_bytes: self.transfer_bytes,
            code_bytes: self.code_bytes,
            shifts: false,
            most_code: self.most_code,
            most_operations: self.most_operations,
            operation_bytes: 0,
        })
    }
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(split_groups, module)?)?;
    module.add_function(wrap_pyfunction!(split_given, module)?)?;
    module.add_function(wrap_pyfunction!(split_layout, module)?)
}

fn cost_tuple(cost: Cost) -> CostTuple {
    (cost.traffic, cost.peak, cost.work, cost.transfers, cost.tiles)
}

/// Groups and the argument that each tensor stands for; or the operator that does not fit and the capacity that would do.
type FoundTuple =
    (Option<(Vec<GroupTuple>, Vec<usize>)>, Option<(usize, Option<i64>, Option<i64>)>);

/// Searches for groups of layers and their grids, in the order of the graph or in the best of several. Returns the order of
/// the layers, too: the numbers of those of which something is left to be computed.
#[pyfunction]
fn split_groups(
    py: Python<'_>,
    graph: &Bound<'_, PyAny>,
    slices: HashMap<usize, SliceTuple>,
    machine: MachineFields,
    objective: &str,
    order: &str,
    threads: usize,
) -> PyResult<(Vec<usize>, FoundTuple)> {
    let objective = match objective {
        "traffic" => Objective::Traffic,
        "peak" => Objective::Peak,
        other => {
            return Err(InvalidOptionError::new_err(format!(
                "unknown objective '{other}'; known: traffic, peak"
            )));
        }
    };
    let order = match order {
        "keep" => Reordering::Keep,
        "optimize" => Reordering::Optimize,
        "thorough" => Reordering::Thorough,
        other => {
            return Err(InvalidOptionError::new_err(format!(
                "unknown order '{other}'; known: keep, optimize, thorough"
            )));
        }
    };
    let machine = machine.machine()?;
    let graph = read_graph(graph, &slices)?;
    Ok(py.detach(|| {
        let compressed = compress(&graph, machine.joins_slices);
        match search_order(&compressed.graph, machine, objective, order, threads) {
            Ok(Found { order, groups }) => {
                let compressed = compressed.in_order(&order);
                let layers = compressed.graph.operators.iter().map(|op| op.layer);
                let mut layers: Vec<usize> = layers.collect();
                layers.dedup();
                (layers, found_tuple(&compressed, Ok(groups)))
            }
            Err(misfit) => (Vec::new(), found_tuple(&compressed, Err(misfit))),
        }
    }))
}

/// First layer, last layer, ways to cut: dimension, parts, whether the halo is kept.
type GivenTuple = (usize, usize, Vec<Vec<(usize, i64, bool)>>);

/// Lays out groups that the caller chose.
#[pyfunction]
fn split_given(
    py: Python<'_>,
    graph: &Bound<'_, PyAny>,
    slices: HashMap<usize, SliceTuple>,
    machine: MachineFields,
    groups: Vec<GivenTuple>,
) -> PyResult<FoundTuple> {
    let machine = machine.machine()?;
    let graph = read_graph(graph, &slices)?;
    let halo = |cached| if cached { Halo::Cache } else { Halo::Recompute };
    let given: Vec<Given> = groups
        .into_iter()
        .map(|(first_layer, last_layer, ways)| {
            let parts = |way: Vec<(usize, i64, bool)>| {
                way.into_iter().map(|(dimension, parts, c)| (dimension, parts, halo(c))).collect()
            };
            Given { first_layer, last_layer, ways: ways.into_iter().map(parts).collect() }
        })
        .collect();
    Ok(py.detach(|| {
        let compressed = compress(&graph, machine.joins_slices);
        found_tuple(&compressed, lay_out_given(&compressed.graph, machine, &given))
    }))
}

fn found_tuple(compressed: &Compressed, found: Result<Vec<Group>, Misfit>) -> FoundTuple {
    match found {
        Ok(groups) => {
            let tuples = groups.iter().map(|group| group_tuple(compressed, group)).collect();
            (Some((tuples, compressed.stands_for.clone())), None)
        }
        Err(misfit) => {
            let operator = compressed.origin[misfit.operator];
            (None, Some((operator, misfit.smallest_capacity, misfit.smallest_for_all)))
        }
    }
}

fn group_tuple(compressed: &Compressed, group: &Group) -> GroupTuple {
    let target = compressed.graph.operators[group.last_op].results[0];
    let cuts = group.grid.loops.iter().zip(&group.grid.cuts);
    let cuts = cuts.map(|(l, cut)| {
        let (kind, op, index) = match *l {
            CutLoop::Result(dimension) => ("result", compressed.argument[target], dimension),
            CutLoop::Accumulate(op, l) => ("sum", compressed.origin[op], l),
        };
        let (head, tail) = cut.merged;
        (kind.to_string(), op, index, cut.size, cut.lead, halo_name(cut.halo), head, tail)
    });
    let residencies = group.residencies.iter().map(|&(tensor, residency)| {
        let (kind, slices) = residency_name(residency);
        (compressed.argument[tensor], kind, slices)
    });
    (
        compressed.graph.operators[group.first_op].layer,
        compressed.graph.operators[group.last_op].layer,
        cuts.collect(),
        group.starts_on_chip,
        group.ends_on_chip,
        residencies.collect(),
        cost_tuple(group.cost),
        group.is_sliced,
        group.joined_views.iter().map(|&tensor| compressed.argument[tensor]).collect(),
    )
}

fn halo_name(halo: Halo) -> String {
    let name = match halo {
        Halo::Recompute => "recompute",
        Halo::Cache => "cache",
        Halo::Shift => "shift",
    };
    name.to_string()
}

fn residency_name(residency: Residency) -> (String, i64) {
    let (kind, slices) = match residency {
        Residency::Fetched => ("fetched", 1),
        Residency::Kept => ("kept", 1),
        Residency::Streamed { slices, .. } => ("streamed", slices),
        Residency::Resident => ("resident", 1),
    };
    (kind.to_string(), slices)
}

/// A group laid out: sequence of (operator, level), ranges of their loops, ranges of tensors, tracks per cut, tensors
/// from outside with level, kind, reader, loop and slices, the cost, the operators in the code, the operations that they are
/// about, the chains that run slice by slice, and results with tensors from outside whose room they may take.
type LayoutTuple = (
    Vec<(usize, usize)>,
    Vec<Vec<SpanTuple>>,
    Vec<(usize, Vec<SpanTuple>)>,
    Vec<Vec<TrackTuple>>,
    Vec<(usize, usize, String, usize, usize, i64)>,
    CostTuple,
    i64,
    i64,
    Vec<usize>,
    Vec<(usize, usize)>,
);

fn span_tuples(spans: &[Span]) -> Vec<SpanTuple> {
    let tuple = |span: &Span| match *span {
        Span::Fixed(start, end) => (false, start, end),
        Span::Driven(cut, track) => (true, cut as i64, i64::from(track)),
    };
    spans.iter().map(tuple).collect()
}

/// Lays out a graph as one group: the boxes of every tile.
#[pyfunction]
fn split_layout(
    graph: &Bound<'_, PyAny>,
    slices: HashMap<usize, SliceTuple>,
    machine: MachineFields,
    target: usize,
    cuts: Vec<CutTuple>,
    residencies: Vec<ResidencyTuple>,
    is_sliced: bool,
) -> PyResult<LayoutTuple> {
    let graph = read_graph(graph, &slices)?;
    let machine = machine.machine()?;
    let wrong = |what: String| Err(InvalidOptionError::new_err(what));
    let last = graph.operators.len().wrapping_sub(1);
    let Some(target) = graph.operators.get(target).map(|_| target) else {
        return wrong("the group has no such operator".to_string());
    };
    let (mut loops, mut even) = (Vec::new(), Vec::new());
    for (kind, op, index, size, lead, halo, head, tail) in cuts {
        let is_sum = kind == "sum";
        let owner = &graph.operators[if is_sum { op.min(last) } else { target }];
        let extent = if is_sum {
            owner.loops.get(index).copied()
        } else {
            graph.tensors[owner.results[0]].shape.get(index).copied()
        };
        let Some(extent) = extent.filter(|_| size > 0 && lead >= 0 && owner.is_splittable) else {
            return wrong(format!("cut {index} into tiles of {size}: there is no such loop"));
        };
        loops.push(if is_sum { CutLoop::Accumulate(op, index) } else { CutLoop::Result(index) });
        let halo = match halo.as_str() {
            "cache" => Halo::Cache,
            "shift" => Halo::Shift,
            _ => Halo::Recompute,
        };
        even.push(Cut::with_lead(extent, size, halo, lead).with_merged(head, tail));
    }
    let is_output: Vec<bool> = graph.tensors.iter().map(|t| t.is_returned).collect();
    let mut sweep = Sweep::new(&graph, target, loops, even, &is_output);
    sweep.extend(0);
    let tally = Tally::new(sweep, machine, false);
    let sweep = &tally.sweep;
    let mut layout = Layout::new(&tally);
    for index in 0..layout.externals.len() {
        let tensor = layout.externals[index].tensor;
        let Some((_, kind, slices)) = residencies.iter().find(|r| r.0 == tensor) else { continue };
        let found = match kind.as_str() {
            "kept" => Residency::Kept,
            "streamed" => match layout.externals[index].slicing(sweep) {
                Some((reader, along, _)) => Residency::Streamed { reader, along, slices: *slices },
                None => Residency::Fetched,
            },
            "resident" => Residency::Resident,
            _ => Residency::Fetched,
        };
        layout.externals[index].residency = found;
    }
    layout.set_slices(is_sliced);
    layout.assign();
    let cost = cost_tuple(layout.cost(true));
    let sliced = layout.sliced_chains.clone();
    let over = layout.ways_to_write_over().into_iter();
    let over = over.map(|pair| (pair.result, pair.tensor)).collect();
    let sequence: Vec<(usize, usize)> =
        layout.sequence.iter().copied().zip(layout.levels.iter().copied()).collect();
    let externals: Vec<_> = layout
        .externals
        .iter()
        .map(|e| {
            let (kind, slices) = residency_name(e.residency);
            let (reader, along) = match e.residency {
                Residency::Streamed { reader, along, .. } => (reader, along),
                _ => (0, 0),
            };
            (e.tensor, e.level, kind, reader, along, slices)
        })
        .collect();
    let mut ranges: Vec<(usize, Vec<SpanTuple>)> =
        layout.externals.iter().map(|e| (e.tensor, span_tuples(&e.spans))).collect();
    let loops: Vec<_> =
        sequence.iter().map(|&(op, _)| span_tuples(sweep.loop_spans(op).unwrap_or(&[]))).collect();
    for tensor in 0..graph.tensors.len() {
        if let Some(spans) = sweep.tensor_spans(tensor) {
            ranges.push((tensor, span_tuples(spans)));
        }
    }
    let tracks = sweep
        .tracks
        .iter()
        .map(|t| t.all().iter().map(|t| (t.ranges().collect(), t.keeps())).collect())
        .collect();
    Ok((
        sequence,
        loops,
        ranges,
        tracks,
        externals,
        cost,
        layout.code(),
        layout.operations(),
        sliced,
        over,
    ))
}
