//! The search in several orders of the layers against the search in all of them.

mod split_graphs;

use std::sync::Arc;

use idealloc::split::graph::{Access, Operator, SplitGraph};
use idealloc::split::group::Group;
use idealloc::split::layer_orders::orders_by_traffic;
use idealloc::split::machine::Machine;
use idealloc::split::search::{Found, Objective, Reordering, search, search_order};
use proptest::prelude::*;
use split_graphs::{contraction, index, machine, tensor};

/// What a layer makes: of a matrix a product with weights, or the sum of its rows; of a matrix and a second tensor, a matrix
/// or a row, their sum.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Product,
    SumOfRows,
    Sum,
}

const ROWS: usize = 0;
const FEATURES: usize = 1;
const TERMS: usize = 2;

fn loops_of(loops: &[usize]) -> Access {
    Access::Affine(loops.iter().map(|&l| index(&[(l, 1)], 0)).collect())
}

/// A graph that grows layer by layer: each operator is one.
struct Builder {
    graph: SplitGraph,
    /// Matrices and rows that were made, and the argument.
    matrices: Vec<usize>,
    rows: Vec<usize>,
    shape: [i64; 2],
}

impl Builder {
    fn new(shape: [i64; 2]) -> Self {
        let mut builder =
            Self { graph: SplitGraph::default(), matrices: Vec::new(), rows: Vec::new(), shape };
        let argument = builder.tensor(&shape, true);
        builder.matrices.push(argument);
        builder
    }

    fn tensor(&mut self, shape: &[i64], is_argument: bool) -> usize {
        self.graph.tensors.push(tensor(shape, is_argument));
        self.graph.tensors.len() - 1
    }

    fn layer(&mut self, kind: Kind, first: usize, second: usize) {
        let [rows, features] = self.shape;
        let matrix = self.matrices[first % self.matrices.len()];
        let (loops, operands, result_loops) = match kind {
            Kind::Product => {
                let weights = self.tensor(&[features, features], true);
                let operands = vec![
                    (matrix, loops_of(&[ROWS, TERMS])),
                    (weights, loops_of(&[TERMS, FEATURES])),
                ];
                (vec![rows, features, features], operands, vec![ROWS, FEATURES])
            }
            Kind::SumOfRows => {
                (vec![rows, features], vec![(matrix, loops_of(&[ROWS, FEATURES]))], vec![FEATURES])
            }
            Kind::Sum => {
                let all = self.matrices.len() + self.rows.len();
                let other = match second % all {
                    at if at < self.matrices.len() => {
                        (self.matrices[at], loops_of(&[ROWS, FEATURES]))
                    }
                    at => (self.rows[at - self.matrices.len()], loops_of(&[FEATURES])),
                };
                let operands = vec![(matrix, loops_of(&[ROWS, FEATURES])), other];
                (vec![rows, features], operands, vec![ROWS, FEATURES])
            }
        };
        let shape: Vec<i64> = result_loops.iter().map(|&l| loops[l]).collect();
        let result = self.tensor(&shape, false);
        let nest = contraction(self.graph.operators.len(), loops, &result_loops);
        self.graph.operators.push(Operator { nest: nest.into(), results: vec![result], operands });
        if shape.len() == 1 { self.rows.push(result) } else { self.matrices.push(result) }
    }

    /// The graph, which returns what nobody reads.
    fn finish(mut self) -> SplitGraph {
        for number in 0..self.graph.operators.len() {
            let result = self.graph.operators[number].results[0];
            let reads = |op: &Operator| op.operands.iter().any(|(t, _)| *t == result);
            if !self.graph.operators.iter().any(reads) {
                Arc::make_mut(&mut self.graph.tensors[result]).is_returned = true;
            }
        }
        self.graph
    }
}

fn graphs(most_layers: usize) -> impl Strategy<Value = SplitGraph> {
    let kind = prop_oneof![Just(Kind::Product), Just(Kind::SumOfRows), Just(Kind::Sum)];
    let layers = proptest::collection::vec((kind, 0_usize..8, 0_usize..8), 1..=most_layers);
    (2_i64..12, 1_i64..6, layers).prop_map(|(rows, features, layers)| {
        let mut builder = Builder::new([rows, features]);
        for (kind, first, second) in layers {
            builder.layer(kind, first, second);
        }
        builder.finish()
    })
}

/// A machine with so many 16ths of the room of all tensors.
fn machine_with(graph: &SplitGraph, room: i64) -> Machine {
    let all: i64 = graph.tensors.iter().map(|tensor| tensor.bytes()).sum();
    machine(all * room / 16)
}

/// Whether every layer comes once, and behind all that it reads.
fn is_order(graph: &SplitGraph, order: &[usize]) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    let mut is_made: Vec<bool> = graph.tensors.iter().map(|tensor| tensor.is_argument).collect();
    let is_complete = sorted.into_iter().eq(0..graph.operators.len());
    is_complete
        && order.iter().all(|&layer| {
            let op = &graph.operators[layer];
            let is_ready = op.operands.iter().all(|&(tensor, _)| is_made[tensor]);
            is_made[op.results[0]] = true;
            is_ready
        })
}

fn all_orders(graph: &SplitGraph) -> Vec<Vec<usize>> {
    let count = graph.operators.len();
    let mut orders = vec![Vec::new()];
    for _ in 0..count {
        let longer = |order: Vec<usize>| {
            let next = (0..count).filter(|layer| !order.contains(layer)).collect::<Vec<_>>();
            next.into_iter().map(move |layer| [&order[..], &[layer]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    orders.retain(|order| is_order(graph, order));
    orders
}

fn traffic(groups: &[Group]) -> i64 {
    groups.iter().map(|group| group.cost.traffic).sum()
}

fn peak(groups: &[Group]) -> i64 {
    groups.iter().map(|group| group.cost.peak).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn orders_run_every_layer_behind_what_it_reads(graph in graphs(24)) {
        let orders = orders_by_traffic(&graph);
        prop_assert!(orders[0].iter().copied().eq(0..graph.operators.len()));
        for (number, order) in orders.iter().enumerate() {
            prop_assert!(is_order(&graph, order), "{order:?}");
            prop_assert!(!orders[..number].contains(order));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn an_order_is_no_worse_than_that_of_the_graph_and_costs_what_it_is_said_to(
        graph in graphs(5),
        room in 2_i64..16,
    ) {
        prop_assert!(graph.validate().is_ok());
        for (objective, cost) in [
            (Objective::Traffic, traffic as fn(&[Group]) -> i64),
            (Objective::Peak, peak),
        ] {
            let mut machine = machine_with(&graph, room);
            if objective == Objective::Peak {
                (machine.is_staged, machine.stages_arguments) = (false, false);
                machine.capacity = i64::MAX / 4;
            }
            let find = |order: &[usize]| search(&graph.in_order(order), machine, objective, 1).ok();
            let Some(kept) = search(&graph, machine, objective, 1).ok() else { continue };
            let all = all_orders(&graph).into_iter().filter_map(|order| find(&order));
            let least = all.map(|groups| cost(&groups)).min();
            for (reordering, threads) in
                [(Reordering::Optimize, 1), (Reordering::Thorough, 1), (Reordering::Thorough, 2)]
            {
                let found = search_order(&graph, machine, objective, reordering, threads);
                let Found { order, groups, .. } = found.expect("the order of the graph fits");
                prop_assert!(is_order(&graph, &order), "{order:?}");
                prop_assert!(cost(&groups) <= cost(&kept));
                prop_assert!(least.is_some_and(|least| least <= cost(&groups)));
                let again = find(&order).map(|groups| cost(&groups));
                prop_assert_eq!(again, Some(cost(&groups)));
            }
            let Found { order, groups, .. } =
                search_order(&graph, machine, objective, Reordering::Keep, 1).expect("it fits");
            prop_assert!(order.into_iter().eq(0..graph.operators.len()));
            prop_assert_eq!(cost(&groups), cost(&kept));
        }
    }
}

/// Branches that end in one sum: the last one sums up all rows before it is added.
fn branches() -> SplitGraph {
    let mut builder = Builder::new([128, 8]);
    for _ in 0..3 {
        builder.layer(Kind::Product, 0, 0);
    }
    builder.layer(Kind::SumOfRows, 0, 0);
    builder.layer(Kind::Sum, 1, 2);
    builder.layer(Kind::Sum, 4, 3);
    builder.layer(Kind::Sum, 5, 6);
    builder.finish()
}

#[test]
fn what_needs_all_of_a_tensor_runs_before_branches_that_go_together() {
    let graph = branches();
    let machine = machine(2048);
    let kept = search(&graph, machine, Objective::Traffic, 1).expect("it fits");
    let Found { order, groups, .. } =
        search_order(&graph, machine, Objective::Traffic, Reordering::Optimize, 1)
            .expect("it fits");
    // The sum of all rows reads the argument, the branches read it again, and the result is stored.
    let (matrix, weights) = (128 * 8 * 4, 8 * 8 * 4);
    assert_eq!((order[0], traffic(&groups)), (3, 3 * matrix + 3 * weights));
    assert!(traffic(&kept) >= 4 * matrix, "{}", traffic(&kept));
}

/// Parts like that in a row, each of so many branches.
fn parts(shape: [i64; 2], branches: impl Iterator<Item = usize>) -> SplitGraph {
    let mut builder = Builder::new(shape);
    for count in branches {
        let source = builder.matrices.len() - 1;
        for _ in 0..count {
            builder.layer(Kind::Product, source, 0);
        }
        let row = builder.rows.len();
        builder.layer(Kind::SumOfRows, source, 0);
        builder.layer(Kind::Sum, source + 1, source + 2);
        for branch in 3..=count {
            builder.layer(Kind::Sum, builder.matrices.len() - 1, source + branch);
        }
        let row = builder.matrices.len() + row;
        builder.layer(Kind::Sum, builder.matrices.len() - 1, row);
    }
    builder.finish()
}

#[test]
fn a_long_graph_has_its_best_order_without_a_thorough_search() {
    // Parts that do not look alike, so that there is no time for a full search in a second order.
    let graph = parts([512, 48], (0..160).map(|part| 2 + part * part % 7 + part % 3));
    let machine = machine(16_384);
    let find = |reordering| {
        let found = search_order(&graph, machine, Objective::Traffic, reordering, 2);
        traffic(&found.expect("it fits").groups)
    };
    let (kept, found) = (find(Reordering::Keep), find(Reordering::Optimize));
    let thorough = find(Reordering::Thorough);
    assert!(thorough < kept - kept / 8, "{thorough} {kept}");
    assert!(found <= thorough + thorough / 64, "{found} {thorough}");
}

#[test]
fn parts_of_a_graph_each_have_their_best_order() {
    // Of two parts like that in a row, each alone gains as much.
    let graph = parts([128, 8], [3, 3].into_iter());
    let machine = machine(2048);
    let Found { order, groups, .. } =
        search_order(&graph, machine, Objective::Traffic, Reordering::Thorough, 1)
            .expect("it fits");
    assert!(is_order(&graph, &order));
    let all = all_orders_of_parts(&graph, 7);
    let least = all
        .iter()
        .filter_map(|order| search(&graph.in_order(order), machine, Objective::Traffic, 1).ok())
        .map(|groups| traffic(&groups))
        .min();
    assert_eq!(Some(traffic(&groups)), least);
}

/// All ways to have the sum of all rows, which is the fourth layer of each part, at any of the first places of its part.
fn all_orders_of_parts(graph: &SplitGraph, part: usize) -> Vec<Vec<usize>> {
    let moved = |start: usize, to: usize| {
        let mut layers: Vec<usize> = (start..start + part).filter(|&l| l != start + 3).collect();
        layers.insert(to, start + 3);
        layers
    };
    let pairs = (0..6).flat_map(|one| (0..6).map(move |two| (one, two)));
    let orders = pairs.map(|(one, two)| [moved(0, one), moved(part, two)].concat());
    orders.filter(|order| is_order(graph, order)).collect()
}
