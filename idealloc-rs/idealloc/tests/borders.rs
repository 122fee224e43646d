//! Rows of tiles that keep what the next row needs: room and work, by hand, and the search that finds them.

mod split_graphs;

use std::sync::Arc;

use idealloc::split::bordered::bordered_grids;
use idealloc::split::cut::{Cut, Halo};
use idealloc::split::graph::{Access, Operator, SplitGraph};
use idealloc::split::grids::Grid;
use idealloc::split::layout::Layout;
use idealloc::split::machine::Machine;
use idealloc::split::search::{Objective, search};
use idealloc::split::sweep::{CutLoop, Sweep};
use idealloc::split::tally::Tally;
use proptest::prelude::*;
use split_graphs::{contraction, index, machine, tensor};

/// Convolutions of one feature over a picture, each with a window and a stride; nothing is padded.
fn pictures(rows: i64, columns: i64, steps: &[(i64, i64)]) -> SplitGraph {
    let mut graph = SplitGraph::default();
    graph.tensors.push(tensor(&[rows, columns], true));
    let (mut rows, mut columns, mut source) = (rows, columns, 0);
    for (layer, &(window, stride)) in steps.iter().enumerate() {
        (rows, columns) = ((rows - window) / stride + 1, (columns - window) / stride + 1);
        let (weight, result) = (graph.tensors.len(), graph.tensors.len() + 1);
        graph.tensors.push(tensor(&[window, window], true));
        graph.tensors.push(tensor(&[rows, columns], false));
        let read = vec![index(&[(0, stride), (2, 1)], 0), index(&[(1, stride), (3, 1)], 0)];
        let weights = vec![index(&[(2, 1)], 0), index(&[(3, 1)], 0)];
        let operands =
            vec![(source, Access::Affine(read.into())), (weight, Access::Affine(weights.into()))];
        let nest = contraction(layer, vec![rows, columns, window, window], &[0, 1]);
        graph.operators.push(Operator { nest: nest.into(), results: vec![result], operands });
        source = result;
    }
    Arc::make_mut(&mut graph.tensors[source]).is_returned = true;
    graph
}

/// A machine in which arguments are read where they are.
fn in_place() -> Machine {
    Machine { is_staged: false, stages_arguments: false, ..machine(1 << 40) }
}

/// All layers as one group under a grid.
fn whole<'a>(graph: &'a SplitGraph, grid: Grid, is_output: &'a [bool]) -> Tally<'a> {
    let last = graph.operators.len() - 1;
    let mut sweep = Sweep::new(graph, last, grid.loops, grid.cuts, is_output);
    sweep.extend(0);
    Tally::new(sweep, in_place(), true)
}

fn outputs(graph: &SplitGraph) -> Vec<bool> {
    graph.tensors.iter().map(|tensor| tensor.is_returned).collect()
}

fn grid(graph: &SplitGraph, halos: [Halo; 2]) -> Grid {
    let shape = &graph.tensors[graph.operators[graph.operators.len() - 1].results[0]].shape;
    Grid {
        loops: vec![CutLoop::Result(0), CutLoop::Result(1)],
        cuts: vec![Cut::even(shape[0], 1, halos[0]), Cut::even(shape[1], 1, halos[1])],
    }
}

#[test]
fn a_row_keeps_what_the_next_one_needs_once_for_all_of_its_tiles() {
    // 10 x 12 elements between two windows of 3 x 3: a tile has 3 x 3 of them.
    let graph = pictures(12, 14, &[(3, 1), (3, 1)]);
    let is_output = outputs(&graph);
    let tally = whole(&graph, grid(&graph, [Halo::Cache, Halo::Cache]), &is_output);
    assert!(tally.can_keep());
    // Two columns of three for the next tile, and two rows of 12 for the next row.
    assert_eq!(tally.kept_bytes, (2 * 3 + 2 * 12) * 4);
    assert_eq!(tally.repeated_work(), 0);
    let mut layout = Layout::new(&tally);
    layout.assign();
    // Besides what a tile has, and an element of the result, which is written to where it stays.
    assert_eq!(layout.peak_of(true), (2 * 3 + 2 * 12 + 3 * 3) * 4);
}

#[test]
fn rows_keep_nothing_if_their_tiles_compute_their_overlap_again() {
    let graph = pictures(12, 14, &[(3, 1), (3, 1)]);
    let is_output = outputs(&graph);
    assert!(!whole(&graph, grid(&graph, [Halo::Cache, Halo::Recompute]), &is_output).can_keep());
    let strips = whole(&graph, grid(&graph, [Halo::Recompute, Halo::Cache]), &is_output);
    assert!(strips.can_keep());
    assert_eq!(strips.kept_bytes, 2 * 3 * 4);
    assert!(strips.repeated_work() > 0);
}

#[test]
fn what_tiles_keep_of_an_argument_that_they_change_takes_room() {
    // Changed in each tile: three rows of 14 that a row of the result needs, and two of these for the next one.
    let mut graph = pictures(12, 14, &[(3, 1)]);
    Arc::make_mut(&mut graph.tensors[0]).is_changed = true;
    let is_output = outputs(&graph);
    let rows = Grid { loops: vec![CutLoop::Result(0)], cuts: vec![Cut::even(10, 1, Halo::Cache)] };
    let tally = whole(&graph, rows, &is_output);
    let mut layout = Layout::new(&tally);
    layout.assign();
    assert_eq!(layout.peak_of(true), (3 + 2) * 14 * 4);
}

proptest! {
    #[test]
    fn the_search_needs_hardly_more_than_all_layers_in_one_group(
        rows in 9_i64..24,
        columns in 9_i64..24,
        steps in prop::collection::vec((1_i64..4, 1_i64..3), 1..4),
        threads in 1_usize..3,
    ) {
        let reach: i64 = steps.iter().rev().fold(1, |n, (window, stride)| (n - 1) * stride + window);
        prop_assume!(reach + 2 < rows.min(columns));
        let graph = pictures(rows, columns, &steps);
        let machine = Machine { max_recompute: 1.0, ..in_place() };
        let groups = search(&graph, machine, Objective::Peak, threads).expect("anything fits");
        let found = groups.iter().map(|group| group.cost.peak).max().unwrap_or(0);
        let is_output = outputs(&graph);
        let last = graph.operators.len() - 1;
        let result = graph.tensors[graph.operators[last].results[0]].bytes();
        let mut least = i64::MAX;
        for grid in bordered_grids(&graph, last, last) {
            let tally = whole(&graph, grid.clone(), &is_output);
            prop_assert!(tally.can_keep());
            prop_assert_eq!(tally.repeated_work(), 0);
            let mut layout = Layout::new(&tally);
            layout.assign();
            // Less than a 32nd is not worth small tiles.
            let peak = layout.peak_of(true) + result;
            prop_assert!(found - found / 32 <= peak, "{:?}", grid);
            least = least.min(peak);
        }
        // But if nothing else fits they are.
        let machine = Machine { capacity: least, ..machine };
        prop_assert!(search(&graph, machine, Objective::Peak, threads).is_ok());
    }
}
