//! Sums beside the last result that are added up tile by tile: room and bytes, by hand.

mod split_graphs;

use std::sync::Arc;

use idealloc::split::compress::compress;
use idealloc::split::cut::{Cut, Halo};
use idealloc::split::graph::{Access, Nest, Operator, SplitGraph};
use idealloc::split::layout::Layout;
use idealloc::split::sweep::{CutLoop, Span, Sweep};
use idealloc::split::tally::Tally;
use split_graphs::{contraction, index, machine, tensor};

const ROWS: i64 = 16;
const WIDE: i64 = 6;
const NARROW: i64 = 4;

/// The gradient of a weight, `x` turned times `dy`, beside that of the input, `dy` times `w` turned.
fn gradients(cuttable: Vec<Vec<usize>>) -> SplitGraph {
    let shapes = [[ROWS, WIDE], [WIDE, NARROW], [ROWS, NARROW], [WIDE, NARROW], [ROWS, WIDE]];
    let tensors = shapes.iter().enumerate().map(|(number, shape)| tensor(shape, number < 3));
    let mut graph = SplitGraph { tensors: tensors.collect(), operators: Vec::new() };
    for result in [3, 4] {
        Arc::make_mut(&mut graph.tensors[result]).is_returned = true;
    }
    let at = |loops: [usize; 2]| {
        Access::Affine(loops.iter().map(|&l| index(&[(l, 1)], 0)).collect::<Vec<_>>().into())
    };
    // Columns of `x`, columns of `dy`, rows that are added up.
    let of_weight = contraction(0, vec![WIDE, NARROW, ROWS], &[0, 1]);
    let nest = Nest { cuttable, ..of_weight };
    let operands = vec![(0, at([2, 0])), (2, at([2, 1]))];
    graph.operators.push(Operator { nest: nest.into(), results: vec![3], operands });
    let nest = contraction(1, vec![ROWS, WIDE, NARROW], &[0, 1]);
    let operands = vec![(2, at([0, 2])), (1, at([1, 2]))];
    graph.operators.push(Operator { nest: nest.into(), results: vec![4], operands });
    graph
}

/// Both under tiles of so many rows of the last result.
fn in_rows<'a>(graph: &'a SplitGraph, rows: i64, halo: Halo, is_output: &'a [bool]) -> Tally<'a> {
    let cut = Cut::even(ROWS, rows, halo);
    let mut sweep = Sweep::new(graph, 1, vec![CutLoop::Result(0)], vec![cut], is_output);
    sweep.extend(0);
    Tally::new(sweep, machine(1 << 20), true)
}

const OUTPUTS: [bool; 5] = [false, false, false, true, true];

fn is_added_up_by_tiles(tally: &Tally<'_>) -> bool {
    tally.sweep.loop_spans(0).is_some_and(|spans| matches!(spans[2], Span::Driven(0, _)))
}

#[test]
fn each_tile_adds_its_rows_to_a_sum_that_stays() {
    let graph = gradients(vec![vec![2]]);
    let tally = in_rows(&graph, 2, Halo::Cache, &OUTPUTS);
    assert!(is_added_up_by_tiles(&tally));
    assert_eq!(tally.repeated_work(), 0);
    let mut layout = Layout::new(&tally);
    layout.assign();
    let cost = layout.cost(true);
    // Everything is read, or written, once.
    assert_eq!(cost.traffic, graph.tensors.iter().map(|tensor| tensor.bytes()).sum::<i64>());
    // For all tiles `w` and the sum; two rows of `dy`; and two of `x`, or of what is made of `w`.
    assert_eq!(cost.peak, (2 * WIDE * NARROW + 2 * NARROW + 2 * WIDE) * 4);
    // `w` once, the sum once, and what comes and goes in rows.
    assert_eq!(cost.transfers, 1 + 1 + 3 * ROWS / 2);
}

#[test]
fn a_sum_whose_order_would_change_is_whole() {
    let graph = gradients(Vec::new());
    assert!(!is_added_up_by_tiles(&in_rows(&graph, 2, Halo::Cache, &OUTPUTS)));
}

#[test]
fn rows_that_two_tiles_have_are_not_added_twice() {
    let graph = gradients(vec![vec![2]]);
    // Six tiles of three rows: the last one has two of those before.
    assert!(!is_added_up_by_tiles(&in_rows(&graph, 3, Halo::Shift, &OUTPUTS)));
    assert!(is_added_up_by_tiles(&in_rows(&graph, 3, Halo::Recompute, &OUTPUTS)));
}

#[test]
fn a_sum_that_tiles_need_is_whole() {
    let mut graph = gradients(vec![vec![2]]);
    graph.operators[1].operands[1].0 = 3;
    assert!(!is_added_up_by_tiles(&in_rows(&graph, 2, Halo::Cache, &OUTPUTS)));
}

/// A view of what comes from outside is no part of the group: tiles of the rest do not tell what is read of what it shows.
#[test]
fn a_sum_of_what_others_read_through_a_view_is_whole() {
    let mut graph = gradients(vec![vec![2]]);
    graph.tensors.push(tensor(&[ROWS, NARROW], false));
    let shown = Access::Affine(vec![index(&[(0, 1)], 0), index(&[(1, 1)], 0)].into());
    let nest = Nest { is_view: true, work: 0, ..contraction(1, vec![ROWS, NARROW], &[0, 1]) };
    let view = Operator { nest: nest.into(), results: vec![5], operands: vec![(2, shown)] };
    graph.operators.insert(1, view);
    graph.operators[2].operands[0].0 = 5;
    let is_output = [false, false, false, true, true, false];
    let cut = Cut::even(ROWS, 2, Halo::Cache);
    let mut sweep = Sweep::new(&graph, 2, vec![CutLoop::Result(0)], vec![cut], &is_output);
    sweep.extend(0);
    assert!(!is_added_up_by_tiles(&Tally::new(sweep, machine(1 << 20), true)));
}

/// Two products of `x` of which the first is read by a third: `relu` of the second is made when the loop over what is added
/// up has ended, as it is where the product and `relu` are one operator.
#[test]
fn a_sum_is_done_before_others_are_read() {
    let (far, wide) = (32, 5);
    // x, three weights, the first product and what is made of it, the second and its relu.
    let shapes = [[ROWS, WIDE], [WIDE, NARROW], [NARROW, far], [WIDE, wide]];
    let results = [[ROWS, NARROW], [ROWS, far], [ROWS, wide], [ROWS, wide]];
    let arguments = shapes.iter().map(|shape| tensor(shape, true));
    let tensors = arguments.chain(results.iter().map(|shape| tensor(shape, false))).collect();
    let mut graph = SplitGraph { tensors, operators: Vec::new() };
    for result in [5, 7] {
        Arc::make_mut(&mut graph.tensors[result]).is_returned = true;
    }
    let at = |loops: [usize; 2]| {
        Access::Affine(loops.iter().map(|&l| index(&[(l, 1)], 0)).collect::<Vec<_>>().into())
    };
    let products = [(0, 0, 1, 4), (1, 4, 2, 5), (2, 0, 3, 6)];
    for (layer, left, right, result) in products {
        let extents = [ROWS, graph.tensors[right].shape[1], graph.tensors[right].shape[0]];
        let nest = contraction(layer, extents.to_vec(), &[0, 1]);
        let nest = Nest { cuttable: vec![vec![2]], ..nest };
        let operands = vec![(left, at([0, 2])), (right, at([2, 1]))];
        graph.operators.push(Operator { nest: nest.into(), results: vec![result], operands });
    }
    let relu = Nest { work: 0, in_place: vec![0], ..contraction(2, vec![ROWS, wide], &[0, 1]) };
    graph.operators.push(Operator {
        nest: relu.into(),
        results: vec![7],
        operands: vec![(6, at([0, 1]))],
    });
    let peak = |graph: &SplitGraph| {
        let is_output: Vec<bool> = graph.tensors.iter().map(|tensor| tensor.is_returned).collect();
        let (cut, last) = (Cut::even(WIDE, 1, Halo::Recompute), graph.operators.len() - 1);
        let loops = vec![CutLoop::Accumulate(2, 2)];
        let mut sweep = Sweep::new(graph, last, loops, vec![cut], &is_output);
        sweep.extend(0);
        let tally = Tally::new(sweep, machine(1 << 20), true);
        assert!(is_added_up_by_tiles(&tally));
        let mut layout = Layout::new(&tally);
        layout.assign();
        layout.cost(true).peak
    };
    let joined = compress(&graph, false).graph;
    assert_eq!(joined.operators.len(), 3);
    let whole = |tensor: usize| graph.tensors[tensor].bytes();
    assert_eq!(peak(&graph), whole(2) + whole(4) + whole(5));
    assert_eq!(peak(&joined), peak(&graph));
}

/// A product of some rows of `x`, which a view shows, beside one of all of them whose sum is cut. The view is outside of the
/// group, as `x` is, and what it shows stays for all tiles.
#[test]
fn a_sum_of_what_a_view_shows_of_a_tensor_from_outside_is_whole() {
    let (fewer, wide) = (ROWS - 2, 5);
    // x, the view, two weights, two products.
    let shapes = [[ROWS, WIDE], [fewer, WIDE], [WIDE, NARROW], [WIDE, wide]];
    let results = [[fewer, NARROW], [ROWS, wide]];
    let mut tensors: Vec<_> = shapes.iter().map(|shape| tensor(shape, true)).collect();
    tensors[1] = tensor(&shapes[1], false);
    tensors.extend(results.iter().map(|shape| tensor(shape, false)));
    for result in [4, 5] {
        Arc::make_mut(&mut tensors[result]).is_returned = true;
    }
    let at = |loops: [usize; 2]| {
        Access::Affine(loops.iter().map(|&l| index(&[(l, 1)], 0)).collect::<Vec<_>>().into())
    };
    let nest = Nest { is_view: true, work: 0, ..contraction(0, vec![fewer, WIDE], &[0, 1]) };
    let view = Operator { nest: nest.into(), results: vec![1], operands: vec![(0, at([0, 1]))] };
    let mut graph = SplitGraph { tensors, operators: vec![view] };
    for (layer, left, right, result) in [(0, 1, 2, 4), (1, 0, 3, 5)] {
        let extents = [graph.tensors[left].shape[0], graph.tensors[right].shape[1], WIDE];
        let nest = contraction(layer, extents.to_vec(), &[0, 1]);
        let nest = Nest { cuttable: vec![vec![2]], ..nest };
        let operands = vec![(left, at([0, 2])), (right, at([2, 1]))];
        graph.operators.push(Operator { nest: nest.into(), results: vec![result], operands });
    }
    let is_output: Vec<bool> = graph.tensors.iter().map(|tensor| tensor.is_returned).collect();
    let (cut, loops) = (Cut::even(WIDE, 1, Halo::Recompute), vec![CutLoop::Accumulate(2, 2)]);
    let mut sweep = Sweep::new(&graph, 2, loops, vec![cut], &is_output);
    sweep.extend(0);
    let spans = sweep.loop_spans(1).expect("it is needed");
    assert!(matches!(spans[2], Span::Fixed(0, WIDE)));
    let spans = sweep.loop_spans(2).expect("it is needed");
    assert!(matches!(spans[2], Span::Driven(0, _)));
}
