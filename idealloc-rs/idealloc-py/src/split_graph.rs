//! Reads a split graph from the objects that Python has of it (`xdsl_memplan/model/split_graph.py`).
//!
//! Python builds nothing to hand it over: arrays of all that is in a large graph made its garbage collector walk the whole
//! module once more.

use std::collections::HashMap;
use std::sync::Arc;

use idealloc::split::graph::{Access, Expression, Nest, Operator, SplitGraph, Tensor};
use idealloc::split::slices::Slice;
use pyo3::prelude::*;

use crate::error::to_python;

/// Chain, loop, iterations of a slice, is the last of the chain.
pub type SliceTuple = (usize, usize, i64, bool);

#[derive(FromPyObject)]
struct GraphFields<'py> {
    tensors: Vec<TensorFields>,
    ops: Vec<OpFields<'py>>,
}

#[derive(FromPyObject)]
struct TensorFields {
    shape: Vec<i64>,
    element_bytes: i64,
    kind: String,
    returned: bool,
}

#[derive(FromPyObject)]
struct OpFields<'py> {
    loops: Vec<i64>,
    iterators: Vec<String>,
    cuttable: Vec<Vec<usize>>,
    results: Vec<usize>,
    result_access: Vec<Option<usize>>,
    operands: Vec<OperandFields<'py>>,
    in_place: Vec<usize>,
    parts: Vec<usize>,
    copied_parts: Vec<usize>,
    view: bool,
    work_per_point: i64,
    operations: i64,
    rooms: i64,
    layer: i64,
    splittable: bool,
}

#[derive(FromPyObject)]
struct OperandFields<'py> {
    tensor: usize,
    access: Bound<'py, PyAny>,
}

#[derive(FromPyObject)]
struct IndexFields {
    terms: Vec<(usize, i64)>,
    constant: i64,
    divisor: i64,
    reach: i64,
}

/// The graph; `slices` are the places of operations in chains that may run slice by slice.
pub fn read_graph(
    graph: &Bound<'_, PyAny>,
    slices: &HashMap<usize, SliceTuple>,
) -> PyResult<SplitGraph> {
    let GraphFields { tensors, ops } = graph.extract()?;
    let tensors: Vec<Arc<Tensor>> = tensors.into_iter().map(tensor).map(Arc::new).collect();
    let mut accesses = Accesses::default();
    let mut operators = Vec::with_capacity(ops.len());
    for (number, op) in ops.into_iter().enumerate() {
        operators.push(operator(op, &tensors, slices.get(&number), &mut accesses)?);
    }
    let graph = SplitGraph { tensors, operators };
    graph.validate().map_err(to_python)?;
    Ok(graph)
}

fn tensor(fields: TensorFields) -> Tensor {
    Tensor {
        shape: fields.shape,
        element_bytes: fields.element_bytes,
        is_argument: matches!(fields.kind.as_str(), "argument" | "constant"),
        is_constant: fields.kind == "fill",
        is_changed: false,
        is_returned: fields.returned,
    }
}

fn operator<'py>(
    fields: OpFields<'py>,
    tensors: &[Arc<Tensor>],
    slice: Option<&SliceTuple>,
    accesses: &mut Accesses<'py>,
) -> PyResult<Operator> {
    let loops_of = |&result: &usize| {
        if fields.splittable {
            fields.result_access.clone()
        } else {
            vec![None; tensors.get(result).map_or(0, |tensor| tensor.shape.len())]
        }
    };
    let operands = fields.operands.iter().map(|operand| {
        let access = accesses.read(&operand.access)?;
        Ok((operand.tensor, access))
    });
    let nest = Nest {
        result_loops: fields.results.iter().map(loops_of).collect(),
        loops: fields.loops,
        is_reduction: fields.iterators.iter().map(|kind| kind == "reduction").collect(),
        cuttable: fields.cuttable,
        in_place: fields.in_place,
        parts: fields.parts,
        copied_parts: fields.copied_parts,
        is_view: fields.view,
        work: fields.work_per_point,
        operations: fields.operations,
        rooms: fields.rooms,
        // Those without a number are before all others.
        layer: usize::try_from(fields.layer).unwrap_or(0),
        is_splittable: fields.splittable,
        slice: slice.map(|&(chain, along, size, is_last)| Slice { chain, along, size, is_last }),
    };
    let operands = operands.collect::<PyResult<_>>()?;
    Ok(Operator { nest: Arc::new(nest), results: fields.results, operands })
}

/// Accesses that were read, by their object: operations of one kind share it.
#[derive(Default)]
struct Accesses<'py>(HashMap<usize, (Bound<'py, PyAny>, Access)>);

impl<'py> Accesses<'py> {
    fn read(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Access> {
        // The object is kept, so that no other one can come to lie at its address.
        let key = object.as_ptr() as usize;
        if let Some((_, access)) = self.0.get(&key) {
            return Ok(access.clone());
        }
        let access = access(object)?;
        self.0.insert(key, (object.clone(), access.clone()));
        Ok(access)
    }
}

fn access(object: &Bound<'_, PyAny>) -> PyResult<Access> {
    Ok(match object.get_type().name()?.to_string().as_str() {
        "Affine" => {
            let indices: Vec<IndexFields> = object.getattr("indices")?.extract()?;
            Access::Affine(indices.into_iter().map(expression).collect())
        }
        "Reshape" => {
            let groups: Vec<(Vec<usize>, Vec<usize>)> = object.getattr("groups")?.extract()?;
            Access::Reshape(groups.into())
        }
        "Indirect" => Access::Indirect,
        _ => Access::Whole,
    })
}

fn expression(fields: IndexFields) -> Expression {
    let IndexFields { terms, constant, divisor, reach } = fields;
    Expression { terms: terms.into(), constant, divisor, reach }
}
