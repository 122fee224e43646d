//! Python's view of scheduling.

use std::time::Duration;

use idealloc::schedule::{
    Graph, OpIdx, Reductions, Replacement, Residency, Schedule, SearchOptions, TensorIdx,
    check_schedule as check_in_core, least_peak, least_traffic, least_traffic_in_order,
    replacement,
};
use pyo3::prelude::*;

use crate::error::{InvalidGraphError, InvalidOptionError, to_python};
use crate::gate;

/// Tensor, start, end, offset, loaded, spilled.
type ResidencyTuple = (u32, usize, usize, u64, bool, bool);

/// Order, stays, (load, peak, traffic, bound), stop reason, statistics, parts.
type ScheduleTuple = (
    Vec<u32>,
    Vec<ResidencyTuple>,
    (u64, u64, u64, u64),
    &'static str,
    Vec<(&'static str, u64)>,
    Vec<Vec<u32>>,
);

/// A graph as Python hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct GraphArrays {
    op_names: Vec<String>,
    op_inputs: Vec<Vec<u32>>,
    op_outputs: Vec<Vec<u32>>,
    tensor_names: Vec<String>,
    tensor_bytes: Vec<i64>,
    is_source: Vec<bool>,
    is_output: Vec<bool>,
    edges: Vec<(u32, u32)>,
    /// Operator, result, input that the result may be written over.
    overwrites: Vec<(u32, u32, u32)>,
    /// Operators that write only over what comes back for them.
    reloads: Vec<u32>,
}

impl GraphArrays {
    fn into_graph(self) -> PyResult<Graph> {
        let tensors = self.tensor_names.len();
        let ops = self.op_names.len();
        let same = [self.tensor_bytes.len(), self.is_source.len(), self.is_output.len()];
        if same.iter().any(|&n| n != tensors)
            || self.op_inputs.len() != ops
            || self.op_outputs.len() != ops
        {
            return Err(InvalidGraphError::new_err("the arrays of a graph differ in length"));
        }
        let mut builder = Graph::builder();
        for (i, name) in self.tensor_names.into_iter().enumerate() {
            let bytes = u64::try_from(self.tensor_bytes[i]).map_err(|_| {
                InvalidGraphError::new_err(format!(
                    "tensor '{name}': size {} is negative",
                    self.tensor_bytes[i]
                ))
            })?;
            builder.tensor(name, bytes, self.is_source[i], self.is_output[i]);
        }
        let indices = |list: &[u32]| list.iter().map(|&t| TensorIdx::new(t)).collect::<Vec<_>>();
        for (i, name) in self.op_names.into_iter().enumerate() {
            builder.op(name, &indices(&self.op_inputs[i]), &indices(&self.op_outputs[i]));
        }
        for &(before, after) in &self.edges {
            builder.edge(OpIdx::new(before), OpIdx::new(after));
        }
        for &(op, output, input) in &self.overwrites {
            builder.overwrite(OpIdx::new(op), TensorIdx::new(output), TensorIdx::new(input));
        }
        for &op in &self.reloads {
            builder.reload(OpIdx::new(op));
        }
        builder.build().map_err(to_python)
    }
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(schedule, module)?)?;
    module.add_function(wrap_pyfunction!(check_graph, module)?)?;
    module.add_function(wrap_pyfunction!(replace, module)?)?;
    module.add_function(wrap_pyfunction!(check_schedule, module)?)
}

/// Raises an error that names what is wrong with a graph.
#[pyfunction]
fn check_graph(graph: GraphArrays) -> PyResult<()> {
    graph.into_graph().map(drop)
}

/// Runs a replacement rule over an order.
#[pyfunction]
fn replace(
    py: Python<'_>,
    graph: GraphArrays,
    order: Vec<u32>,
    capacity: u64,
    rule: &str,
) -> PyResult<ScheduleTuple> {
    let rule = match rule {
        "belady" => Replacement::Belady,
        "greedy" => Replacement::Greedy,
        other => {
            return Err(InvalidOptionError::new_err(format!(
                "unknown replacement rule '{other}'; known: belady, greedy"
            )));
        }
    };
    let graph = graph.into_graph()?;
    let order: Vec<OpIdx> = order.into_iter().map(OpIdx::new).collect();
    let found = py.detach(|| replacement(&graph, &order, capacity, rule)).map_err(to_python)?;
    Ok(to_tuple(&found))
}

/// Replays a schedule; returns the bytes moved and the bytes of memory used.
#[pyfunction]
fn check_schedule(
    py: Python<'_>,
    graph: GraphArrays,
    order: Vec<u32>,
    stays: Vec<ResidencyTuple>,
    capacity: Option<u64>,
) -> PyResult<(u64, u64)> {
    let graph = graph.into_graph()?;
    let order: Vec<OpIdx> = order.into_iter().map(OpIdx::new).collect();
    let stays: Vec<Residency> = stays
        .into_iter()
        .map(|(tensor, start, end, offset, is_loaded, is_spilled)| Residency {
            tensor: TensorIdx::new(tensor),
            start,
            end,
            offset,
            is_loaded,
            is_spilled,
        })
        .collect();
    py.detach(|| check_in_core(&graph, &order, &stays, capacity)).map_err(to_python)
}

/// Searches for a schedule: of least traffic with a capacity, otherwise of least peak.
#[pyfunction]
#[pyo3(signature = (graph, *, capacity, order, seed, max_states, max_memory_bytes, time_limit_seconds, without, progress))]
#[expect(clippy::too_many_arguments, reason = "one keyword per option, as Python callers see them")]
fn schedule(
    py: Python<'_>,
    graph: GraphArrays,
    capacity: Option<u64>,
    order: Option<Vec<u32>>,
    seed: u64,
    max_states: Option<u64>,
    max_memory_bytes: Option<u64>,
    time_limit_seconds: Option<f64>,
    without: Vec<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<ScheduleTuple> {
    let options = SearchOptions {
        seed,
        max_states,
        max_memory_bytes,
        time_limit: match time_limit_seconds {
            Some(seconds) => Some(Duration::try_from_secs_f64(seconds).map_err(|_| {
                InvalidOptionError::new_err(format!(
                    "time limit {seconds} is not a number of seconds"
                ))
            })?),
            None => None,
        },
        reductions: reductions(&without)?,
    };
    let graph = graph.into_graph()?;
    let order = order.map(|order| order.into_iter().map(OpIdx::new).collect::<Vec<_>>());
    let found = gate::enter(py, progress, move |control| match (capacity, &order) {
        (None, _) => least_peak(&graph, &options, control),
        (Some(capacity), None) => least_traffic(&graph, capacity, &options, control),
        (Some(capacity), Some(order)) => {
            least_traffic_in_order(&graph, order, capacity, &options, control)
        }
    })?
    .map_err(to_python)?;
    Ok(to_tuple(&found))
}

fn to_tuple(found: &Schedule) -> ScheduleTuple {
    let stays = found
        .residencies
        .iter()
        .map(|r| (r.tensor.get() as u32, r.start, r.end, r.offset, r.is_loaded, r.is_spilled));
    let positions = |ops: &[OpIdx]| ops.iter().map(|op| op.get() as u32).collect();
    (
        positions(&found.order),
        stays.collect(),
        (found.load, found.peak, found.traffic, found.bound),
        found.stop.name(),
        found.statistics.clone(),
        found.parts.iter().map(|part| positions(part)).collect(),
    )
}

fn reductions(without: &[String]) -> PyResult<Reductions> {
    let mut on = Reductions::default();
    for name in without {
        let switch = match name.as_str() {
            "glue" => &mut on.glue,
            "free-move" => &mut on.free_move,
            "defer-sources" => &mut on.defer_sources,
            "canonical-last" => &mut on.canonical_last,
            "forced-eviction" => &mut on.forced_eviction,
            "merge-twins" => &mut on.merge_twins,
            "dominance" => &mut on.dominance,
            other => {
                return Err(InvalidOptionError::new_err(format!(
                    "unknown reduction '{other}'; known: glue, free-move, defer-sources, \
                     canonical-last, forced-eviction, merge-twins, dominance"
                )));
            }
        };
        *switch = false;
    }
    Ok(on)
}
