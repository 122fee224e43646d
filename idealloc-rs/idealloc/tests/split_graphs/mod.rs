//! What graphs of the tests of splitting are made of, and the machine that they are split for.

use std::sync::Arc;

use idealloc::split::graph::{Expression, Nest, Tensor};
use idealloc::split::machine::Machine;

/// An index: a sum of loops times coefficients, and a constant.
pub fn index(terms: &[(usize, i64)], constant: i64) -> Expression {
    Expression { terms: terms.to_vec().into(), constant, divisor: 1, reach: 0 }
}

/// A tensor of elements of four bytes.
pub fn tensor(shape: &[i64], is_argument: bool) -> Arc<Tensor> {
    let tensor = Tensor {
        shape: shape.to_vec(),
        element_bytes: 4,
        is_argument,
        is_constant: false,
        is_changed: false,
        is_returned: false,
    };
    tensor.into()
}

/// A contraction over loops, of which some are the dimensions of its result, in order.
pub fn contraction(layer: usize, loops: Vec<i64>, result_loops: &[usize]) -> Nest {
    Nest {
        is_reduction: (0..loops.len()).map(|l| !result_loops.contains(&l)).collect(),
        cuttable: vec![],
        result_loops: vec![result_loops.iter().map(|&l| Some(l)).collect()],
        in_place: vec![],
        parts: vec![],
        copied_parts: vec![],
        is_view: false,
        work: 1,
        operations: 1,
        rooms: 0,
        layer,
        is_splittable: true,
        slice: None,
        loops,
    }
}

/// A machine that everything is fetched to, where moves and code cost nothing.
pub fn machine(capacity: i64) -> Machine {
    Machine {
        capacity,
        alignment: 4,
        is_staged: true,
        stages_arguments: true,
        joins_slices: false,
        max_recompute: 1.1,
        transfer_bytes: 0,
        shifts: false,
        code_bytes: 0,
        most_code: 0,
        most_operations: 0,
        operation_bytes: 0,
    }
}
