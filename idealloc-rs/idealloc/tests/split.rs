//! The programme over groups against all ways to group and to cut.

mod split_graphs;

use std::sync::Arc;

use idealloc::split::cut::{Cut, Halo};
use idealloc::split::families::families_of_layer;
use idealloc::split::graph::{Access, Nest, Operator, SplitGraph};
use idealloc::split::grids::{Grid, runs_of};
use idealloc::split::layout::Layout;
use idealloc::split::machine::Machine;
use idealloc::split::search::{Objective, search};
use idealloc::split::settle::Settled;
use idealloc::split::sweep::{CutLoop, Sweep};
use idealloc::split::tally::{Neighbours, Tally};
use idealloc::split::tracks::{Asked, Line, Strides, Tracks};
use proptest::prelude::*;
use split_graphs::{contraction, index, machine, tensor};

/// A layer of a chain: taps along `rows`, from one window to the next, and whether it adds the tensor before its source.
#[derive(Clone, Copy, Debug)]
struct Step {
    taps: i64,
    stride: i64,
    skips: bool,
}

/// Convolutions along `rows`, one per layer. Where the stride is longer than the window rows are left out; where it is one,
/// there are as many rows as before.
fn chain(rows: i64, features: i64, steps: &[Step]) -> SplitGraph {
    let mut graph = SplitGraph::default();
    graph.tensors.push(tensor(&[rows, features], true));
    let mut made = vec![0];
    let mut rows = rows;
    for (layer, &Step { taps, stride, skips }) in steps.iter().enumerate() {
        let (weight, result) = (graph.tensors.len(), graph.tensors.len() + 1);
        let windows = (rows - taps).max(0) / stride + 1;
        let (out, padding) = if stride == 1 { (rows, taps / 2) } else { (windows, 0) };
        let keeps_rows = out == rows;
        rows = out;
        graph.tensors.push(tensor(&[features, features, taps], true));
        graph.tensors.push(tensor(&[rows, features], false));
        let read = vec![index(&[(0, stride), (3, 1)], -padding), index(&[(2, 1)], 0)];
        let weights = vec![index(&[(2, 1)], 0), index(&[(1, 1)], 0), index(&[(3, 1)], 0)];
        let mut operands = vec![
            (made[layer], Access::Affine(read.into())),
            (weight, Access::Affine(weights.into())),
        ];
        let before = layer.checked_sub(1).map(|before| made[before]);
        if let Some(before) =
            before.filter(|&t| skips && keeps_rows && graph.tensors[t].shape[0] == rows)
        {
            let same = vec![index(&[(0, 1)], 0), index(&[(1, 1)], 0)];
            operands.push((before, Access::Affine(same.into())));
        }
        let loops = vec![rows, features, features, taps];
        let nest = Nest { cuttable: vec![vec![2]], ..contraction(layer, loops, &[0, 1]) };
        graph.operators.push(Operator { nest: nest.into(), results: vec![result], operands });
        made.push(result);
    }
    Arc::make_mut(&mut graph.tensors[made[steps.len()]]).is_returned = true;
    graph
}

/// The layer after which nobody reads the result of `layer`; each operator is a layer.
fn last_read(graph: &SplitGraph, layer: usize) -> usize {
    let result = graph.operators[layer].results[0];
    let reads = |op: &Operator| op.operands.iter().any(|(t, _)| *t == result);
    if graph.tensors[result].is_returned {
        return usize::MAX;
    }
    graph.operators.iter().rposition(reads).unwrap_or(layer)
}

/// The least that a group moves, over all grids of the search; none if it does not fit.
fn least_of_group(
    graph: &SplitGraph,
    machine: Machine,
    (first, last): (usize, usize),
    (starts, ends): (bool, bool),
) -> Option<i64> {
    let mut grids = vec![Grid::default()];
    for run in runs_of(graph, last, last, false) {
        grids.extend(run.plain);
        grids.extend(run.ahead);
    }
    if first == last {
        for family in families_of_layer(graph, last, last) {
            grids.extend(family.sizes.iter().map(|&size| family.grid(size)));
        }
    }
    let outlives = |op: &Operator, number: usize| {
        number <= last && last_read(graph, number) > last && !op.is_view
    };
    let mut is_output = vec![false; graph.tensors.len()];
    for (number, op) in graph.operators.iter().enumerate() {
        is_output[op.results[0]] = outlives(op, number);
    }
    let newest = first.checked_sub(1).map(|before| graph.operators[before].results[0]);
    let mut least = None;
    for grid in grids {
        let mut sweep = Sweep::new(graph, last, grid.loops, grid.cuts, &is_output);
        sweep.extend(first);
        let tally = Tally::new(sweep, machine, true);
        if starts && !newest.is_some_and(|newest| tally.reads(newest)) {
            return None;
        }
        let neighbours = Neighbours { newest: newest.filter(|_| starts), keeps_result: ends };
        let mut layout = Layout::new(&tally);
        layout.start_over(neighbours);
        if layout.resident_bytes > machine.capacity || !tally.can_keep() {
            continue;
        }
        let bound = tally.least_before_storages(neighbours);
        if layout.settle(|_| true) != Settled::Fits {
            continue;
        }
        assert!(!tally.is_too_large(neighbours), "what fits was found too large");
        let cost = layout.cost(false);
        assert!(bound <= cost.traffic, "the bound {bound} is above {cost:?}");
        layout.assign();
        assert_eq!(layout.peak_of(false), cost.peak, "the peak that settling left is not so");
        if tally.recomputes_too_much() {
            continue;
        }
        let mut traffic = cost.traffic;
        if starts && last_read(graph, first - 1) > last {
            traffic += graph.tensors[newest?].bytes();
        }
        least = Some(least.map_or(traffic, |known: i64| known.min(traffic)));
    }
    least
}

/// The least that all layers from `first` on move, over all ways to group them.
fn least_of_all(graph: &SplitGraph, machine: Machine, first: usize, starts: bool) -> Option<i64> {
    let count = graph.operators.len();
    if first == count {
        return (!starts).then_some(0);
    }
    let mut least = None;
    for last in first..count {
        for ends in [false, true] {
            if ends && last + 1 == count {
                continue;
            }
            let rest = least_of_all(graph, machine, last + 1, ends);
            let group = least_of_group(graph, machine, (first, last), (starts, ends));
            if let (Some(rest), Some(group)) = (rest, group) {
                least = Some(least.map_or(rest + group, |known: i64| known.min(rest + group)));
            }
        }
    }
    least
}

/// The search finds what all ways to group and to cut find.
fn finds_what_all_ways_find(graph: &SplitGraph, room: i64) -> Result<(), TestCaseError> {
    prop_assert!(graph.validate().is_ok());
    let all: i64 = graph.tensors.iter().map(|tensor| tensor.bytes()).sum();
    let machine = machine(all * room / 16);
    let truth = least_of_all(graph, machine, 0, false);
    for threads in [1, 2] {
        let found = search(graph, machine, Objective::Traffic, threads).ok();
        let traffic = found.map(|groups| groups.iter().map(|g| g.cost.traffic).sum::<i64>());
        prop_assert_eq!(traffic, truth);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_programme_finds_what_all_ways_find(
        rows in 2_i64..9,
        features in 1_i64..7,
        skips in proptest::collection::vec(any::<bool>(), 1..9),
        room in 1_i64..16,
    ) {
        let steps: Vec<Step> =
            skips.into_iter().map(|skips| Step { taps: 3, stride: 1, skips }).collect();
        finds_what_all_ways_find(&chain(rows, features, &steps), room)?;
    }
}

fn step() -> impl Strategy<Value = Step> {
    (1_i64..4, 1_i64..5, any::<bool>()).prop_map(|(taps, stride, skips)| Step {
        taps,
        stride,
        skips,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn where_strides_leave_gaps_it_finds_what_all_ways_find(
        rows in 8_i64..40,
        features in 1_i64..7,
        steps in proptest::collection::vec(step(), 1..5),
        room in 1_i64..17,
    ) {
        finds_what_all_ways_find(&chain(rows, features, &steps), room)?;
    }
}

/// Bytes that the groups found for a machine move.
fn traffic(graph: &SplitGraph, machine: Machine) -> Option<i64> {
    let found = search(graph, machine, Objective::Traffic, 1).ok()?;
    Some(found.iter().map(|group| group.cost.traffic).sum())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Groups of least price may move more bytes in more room, in fewer moves and less code.
    #[test]
    fn bytes_never_rise_with_the_room(
        rows in 8_i64..40,
        features in 1_i64..7,
        steps in proptest::collection::vec(step(), 1..5),
        transfer_bytes in 0_i64..400,
        code_bytes in 0_i64..400,
    ) {
        let graph = chain(rows, features, &steps);
        let rooms = (6..14).map(|doubled| 1 << doubled);
        let found: Vec<i64> = rooms
            .filter_map(|room| traffic(&graph, Machine { transfer_bytes, code_bytes, ..machine(room) }))
            .collect();
        prop_assert!(found.is_sorted_by(|less, more| less >= more), "{found:?}");
    }
}

/// The same, but the first layer reads its argument as if so many rows less one were inserted behind each of its rows.
fn chain_of_spread_rows(rows: i64, features: i64, steps: &[Step], times: i64) -> SplitGraph {
    let mut graph = chain(rows, features, steps);
    graph.tensors[0] = tensor(&[(rows + times - 1) / times, features], true);
    let access = &mut graph.operators[0].operands[0].1;
    if let Access::Affine(indices) = &*access {
        let mut indices = indices.to_vec();
        indices[0].divisor = times;
        *access = Access::Affine(indices.into());
    }
    graph
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Tiles of which each begins with a row of the argument may read less than smaller and than larger ones.
    #[test]
    fn where_rows_are_spread_it_finds_what_all_ways_find(
        rows in 8_i64..40,
        features in 1_i64..7,
        steps in proptest::collection::vec(step(), 1..4),
        times in 2_i64..5,
        room in 1_i64..17,
    ) {
        finds_what_all_ways_find(&chain_of_spread_rows(rows, features, &steps, times), room)?;
    }
}

/// A product, what it made in another shape with numbers added, and a product of that along its last dimension. The rows of
/// the first product become blocks, or its columns heads.
fn products_in_two_shapes([blocks, size, other]: [i64; 3], splits_rows: bool) -> SplitGraph {
    let cut = blocks * size;
    let (flat, shape, groups) = if splits_rows {
        ([cut, other], [blocks, size, other], vec![(vec![0, 1], vec![0]), (vec![2], vec![1])])
    } else {
        ([other, cut], [other, blocks, size], vec![(vec![0], vec![0]), (vec![1, 2], vec![1])])
    };
    let ([rows, columns], [outer, inner, depth]) = (flat, shape);
    let access = |loops: &[usize]| {
        Access::Affine(loops.iter().map(|&l| index(&[(l, 1)], 0)).collect::<Vec<_>>().into())
    };
    let first = Nest { cuttable: vec![vec![2]], ..contraction(0, vec![rows, columns, 5], &[0, 1]) };
    let second = contraction(1, shape.to_vec(), &[0, 1, 2]);
    let loops = vec![outer, inner, 6, depth];
    let third = Nest { cuttable: vec![vec![3]], ..contraction(2, loops, &[0, 1, 2]) };
    let mut graph = SplitGraph {
        tensors: vec![
            tensor(&[rows, 5], true),
            tensor(&[5, columns], true),
            tensor(&flat, false),
            tensor(&[inner, depth], true),
            tensor(&shape, false),
            tensor(&[depth, 6], true),
            tensor(&[outer, inner, 6], false),
        ],
        operators: vec![
            (first, 2, vec![(0, access(&[0, 2])), (1, access(&[2, 1]))]),
            (second, 4, vec![(2, Access::Reshape(groups.into())), (3, access(&[1, 2]))]),
            (third, 6, vec![(4, access(&[0, 1, 3])), (5, access(&[3, 2]))]),
        ]
        .into_iter()
        .map(|(nest, made, operands)| Operator { nest: nest.into(), results: vec![made], operands })
        .collect(),
    };
    Arc::make_mut(&mut graph.tensors[6]).is_returned = true;
    graph
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Tiles of whole blocks may read less than smaller and than larger ones; along other dimensions nothing is rounded.
    #[test]
    fn where_shapes_change_it_finds_what_all_ways_find(
        blocks in 1_i64..5,
        size in 1_i64..7,
        other in 1_i64..9,
        splits_rows in any::<bool>(),
        room in 1_i64..17,
    ) {
        finds_what_all_ways_find(&products_in_two_shapes([blocks, size, other], splits_rows), room)?;
    }
}

/// With arguments read where they are, a part of one that another layer shows takes nothing: it is counted until the layer
/// that shows it is added, and not after that.
#[test]
fn a_part_of_an_argument_that_is_read_in_place_costs_nothing() {
    let (rows, features) = (8, 4);
    let same = |constant| [index(&[(0, 1)], constant), index(&[(1, 1)], 0)].into();
    let operator = |layer: usize, is_view: bool, constant: i64| {
        let nest = Nest {
            loops: vec![rows, features],
            is_reduction: vec![false, false],
            cuttable: vec![],
            result_loops: vec![vec![Some(0), Some(1)]],
            in_place: vec![],
            parts: vec![],
            copied_parts: vec![],
            is_view,
            work: 0,
            operations: 1,
            rooms: 0,
            layer,
            is_splittable: true,
            slice: None,
        };
        let operands = vec![(layer, Access::Affine(same(constant)))];
        Operator { nest: nest.into(), results: vec![layer + 1], operands }
    };
    let mut graph = SplitGraph {
        tensors: vec![
            tensor(&[2 * rows, features], true),
            tensor(&[rows, features], false),
            tensor(&[rows, features], false),
        ],
        operators: vec![operator(0, true, rows), operator(1, false, 0)],
    };
    Arc::make_mut(&mut graph.tensors[2]).is_returned = true;
    let machine = Machine { stages_arguments: false, transfer_bytes: 64, ..machine(1 << 20) };
    let is_output = [false, false, true];
    let sweep = Sweep::new(&graph, 1, Vec::new(), Vec::new(), &is_output);
    let mut tally = Tally::new(sweep, machine, true);
    let result = graph.tensors[2].bytes();
    tally.extend(1);
    assert_eq!(tally.least(Neighbours::default()).bytes, 2 * result);
    tally.extend(0);
    assert_eq!(tally.least(Neighbours::default()).bytes, result);
}

#[test]
fn tiles_that_stand_for_all_depend_on_the_tracks_that_are_asked_for_alone() {
    // Tiles of two rows of 112; windows of seven rows, of which some tiles need two.
    let mut tracks = Tracks::new(Cut::even(112, 2, Halo::Cache));
    let rows = tracks.root();
    let even = tracks.sample([rows].into_iter());
    let strides = Strides { outer: 0, inner: 1, stride: 7, extent: 16 };
    let (Asked::Request(request), _) = tracks.request_through(rows, strides) else {
        panic!("tiles need different windows");
    };
    let windows = tracks.resolve(request, 16, false);
    let widest = |tiles: &[usize]| tiles.iter().map(|&tile| tracks.get(windows).size(tile)).max();
    assert_eq!(widest(&even), Some(1));
    assert_eq!(widest(&tracks.sample([rows, windows].into_iter())), Some(2));
    assert_eq!(tracks.sample([rows].into_iter()), even);
}

#[test]
fn shifted_tiles_compute_as_much_as_any_other() {
    // Tiles of 5 of 20 columns, which need two more on both sides; and of 3, the last of which begins one earlier.
    let mut tracks = Tracks::new(Cut::even(20, 5, Halo::Shift));
    let columns = tracks.root();
    let line = Line { coefficient: 1, low: -2, high: 2, divisor: 1 };
    let request = tracks.request(columns, line, 20);
    let wider = tracks.resolve(request, 20, false);
    assert!(tracks.get(columns).ranges().eq([(0, 5), (5, 10), (10, 15), (15, 20)]));
    assert!(tracks.get(wider).ranges().eq([(0, 9), (3, 12), (8, 17), (11, 20)]));
    assert_eq!(tracks.get(wider).kinds(), 1);

    let mut tracks = Tracks::new(Cut::even(20, 3, Halo::Shift));
    let columns = tracks.root();
    assert!(tracks.get(columns).ranges().skip(5).eq([(15, 18), (17, 20)]));
    assert_eq!(tracks.get(columns).total(), 21);
}

#[test]
fn what_one_tile_alone_needs_of_a_reshaped_tensor_is_there_for_that_tile() {
    let part_of = |size: i64, part: i64| {
        // The last `part` of 40 rows are those of another tensor, whose numbers are reshaped.
        let mut tracks = Tracks::new(Cut::even(40, size, Halo::Recompute));
        let rows = tracks.root();
        let line = Line { coefficient: 1, low: part - 40, high: part - 40, divisor: 1 };
        let request = tracks.request(rows, line, part);
        let of_part = tracks.resolve(request, part, false);
        let strides = Strides { outer: 0, inner: 1, stride: 1, extent: part };
        let (asked, _) = tracks.request_through(of_part, strides);
        match asked {
            Asked::Request(request) => {
                let numbers = tracks.resolve(request, part, false);
                Some(tracks.get(numbers).ranges().collect::<Vec<_>>())
            }
            Asked::Same(..) => None,
        }
    };
    assert_eq!(part_of(10, 8), Some(vec![(0, 0), (0, 0), (0, 0), (0, 8)]));
    assert_eq!(part_of(4, 8).map(|tiles| tiles[8..].to_vec()), Some(vec![(0, 4), (4, 8)]));
}

#[test]
fn no_loop_is_cut_into_more_tiles_than_there_is_time_for() {
    let mut graph = SplitGraph::default();
    let extent = 6_400_000;
    graph.tensors.extend([tensor(&[extent], true), tensor(&[extent], false)]);
    let same = Access::Affine(vec![index(&[(0, 1)], 0)].into());
    let nest = Nest { cuttable: Vec::new(), ..contraction(0, vec![extent], &[0]) };
    graph.operators.push(Operator {
        nest: nest.into(),
        results: vec![1],
        operands: vec![(0, same)],
    });
    let grids = |of: &[Grid]| of.iter().flat_map(|grid| grid.cuts.iter().map(Cut::tiles)).max();
    let families = families_of_layer(&graph, 0, 0);
    let sized = families.iter().flat_map(|f| f.sizes.iter().map(|&size| f.grid(size)));
    let most = grids(&sized.collect::<Vec<_>>());
    assert!(most.is_some_and(|most| (1 << 12..=1 << 16).contains(&most)), "{most:?}");
    for run in runs_of(&graph, 0, 0, false) {
        assert!(grids(&run.plain).is_some_and(|most| most <= 1 << 16));
    }
}

/// A product is written to the result that stays on chip, through a view: its tiles take no room beside that.
#[test]
fn what_lies_in_a_result_that_stays_is_not_counted_beside_it() {
    let (rows, features) = (8, 64);
    let alone = |loops: Vec<i64>, layer: usize| {
        let dimensions: Vec<usize> = (0..loops.len()).collect();
        Nest { work: 0, ..contraction(layer, loops, &dimensions) }
    };
    let product = vec![
        (0, Access::Affine([index(&[(0, 1)], 0), index(&[(2, 1)], 0)].into())),
        (1, Access::Affine([index(&[(2, 1)], 0), index(&[(1, 1)], 0)].into())),
    ];
    let shown = [index(&[(1, 1)], 0), index(&[(2, 1)], 0)].into();
    let same = [index(&[(0, 1)], 0), index(&[(1, 1)], 0), index(&[(2, 1)], 0)].into();
    let whole = vec![1, rows, features];
    let graph = SplitGraph {
        tensors: vec![
            tensor(&[rows, 1], true),
            tensor(&[1, features], true),
            tensor(&[rows, features], false),
            tensor(&[1, rows, features], false),
            tensor(&[1, rows, features], false),
        ],
        operators: vec![
            Operator {
                nest: contraction(0, vec![rows, features, 1], &[0, 1]).into(),
                results: vec![2],
                operands: product,
            },
            Operator {
                nest: Nest { is_view: true, ..alone(whole.clone(), 0) }.into(),
                results: vec![3],
                operands: vec![(2, Access::Affine(shown))],
            },
            Operator {
                nest: Nest { in_place: vec![0], ..alone(whole, 0) }.into(),
                results: vec![4],
                operands: vec![(3, Access::Affine(same))],
            },
        ],
    };
    let is_output = [false, false, false, false, true];
    let neighbours = Neighbours { newest: None, keeps_result: true };
    let is_found_too_large = |capacity: i64| {
        let loops = vec![CutLoop::Result(1)];
        let cuts = vec![Cut::even(rows, 4, Halo::Recompute)];
        let mut sweep = Sweep::new(&graph, 2, loops, cuts, &is_output);
        sweep.extend(0);
        let tally = Tally::new(sweep, machine(capacity), true);
        let mut layout = Layout::new(&tally);
        layout.start_over(neighbours);
        let settled = layout.settle(|_| true);
        (settled, tally.is_too_large(neighbours))
    };
    // The result, four rows and the weights; the least room is a little less.
    let room = 4 * (rows * features + 4 + features);
    let mut fitting = (1..=room).map(is_found_too_large).filter(|found| found.0 == Settled::Fits);
    assert_eq!(fitting.next(), Some((Settled::Fits, false)));
}
