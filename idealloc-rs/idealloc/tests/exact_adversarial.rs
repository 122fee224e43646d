//! Inputs that have broken other allocators: no panic, no overflow, no hang.

use idealloc::{
    BufferIdx, Conflicts, Control, Effort, Error, Options, Plan, Problem, ProblemBuilder,
    StopReason, plan,
};

fn run(problem: &Problem, planner: &str) -> Plan {
    let options = Options { effort: Effort::Low, ..Options::default() };
    plan(problem, planner, &options, &Control::default()).expect("a plan")
}

/// Plans with both planners; both must come to this peak and prove it.
fn optimal(builder: ProblemBuilder, peak: u64) {
    let problem = builder.build().expect("a problem");
    for planner in ["exact", "minimalloc"] {
        let found = run(&problem, planner);
        assert_eq!(
            (found.peak, found.bound, found.stop),
            (peak, peak, StopReason::Optimal),
            "{planner}"
        );
    }
}

#[test]
fn empty() {
    optimal(Problem::builder(), 0);
}

#[test]
fn all_alive_at_once() {
    let mut builder = Problem::builder();
    (1..=2000).for_each(|i| _ = builder.buffer(i, 0, 5));
    optimal(builder, 2000 * 2001 / 2);
}

#[test]
fn nothing_overlaps() {
    let mut builder = Problem::builder();
    (0..10_000).for_each(|i| _ = builder.buffer(1 + i as u64 % 7, i, i + 1));
    optimal(builder, 7);
}

#[test]
fn a_million_empty_lifetimes() {
    let mut builder = Problem::builder();
    (0..1_000_000).for_each(|i| _ = builder.buffer(3, i, i));
    optimal(builder, 3);
}

#[test]
fn staircase() {
    // Each buffer meets the next only: the two largest in a row set the load.
    let mut builder = Problem::builder();
    (0..500).for_each(|i| _ = builder.buffer(1 + i as u64, i, i + 2));
    optimal(builder, 499 + 500);
}

#[test]
fn equal_sizes_are_coloured() {
    let mut builder = Problem::builder();
    (0..5000).for_each(|i| _ = builder.buffer(64, i % 977, i % 977 + 1 + i % 13));
    let problem = builder.build().expect("a problem");
    let found = run(&problem, "exact");
    assert_eq!((found.peak, found.stop), (found.load, StopReason::Optimal));
    assert_eq!(found.statistics[0], ("nodes", 0));
}

#[test]
fn comb() {
    // One long buffer over many short ones.
    let mut builder = Problem::builder();
    builder.buffer(1, 0, 3000);
    (0..1000).for_each(|i| _ = builder.buffer(1 + i as u64 % 5, 3 * i, 3 * i + 2));
    optimal(builder, 6);
}

#[test]
fn one_byte_among_gigabytes() {
    let mut builder = Problem::builder();
    builder.buffer(1, 0, 4);
    (0..4).for_each(|i| _ = builder.buffer(8 << 30, i, i + 1));
    (0..3).for_each(|i| _ = builder.buffer((8 << 30) - 3, i, i + 2));
    let problem = builder.build().expect("a problem");
    assert!(run(&problem, "exact").peak >= problem_load(&problem));
}

/// Asks only whether it fits.
fn fit(problem: &Problem, planner: &str) -> Plan {
    let options = Options { minimize: false, ..Options::default() };
    plan(problem, planner, &options, &Control::default()).expect("a plan")
}

fn problem_load(problem: &Problem) -> u64 {
    idealloc::load(problem)
}

#[test]
fn sizes_near_the_limit() {
    let mut builder = Problem::builder();
    builder.buffer((1 << 62) - 1, 0, 2);
    builder.buffer(1 << 61, 1, 3);
    builder.buffer(1 << 60, 2, 4);
    optimal(builder, (1 << 62) - 1 + (1 << 61));
}

#[test]
fn disjoint_buffers_of_the_largest_size() {
    let mut builder = Problem::builder();
    (0..8).for_each(|i| _ = builder.buffer(i64::MAX as u64, i, i + 1));
    optimal(builder, i64::MAX as u64);
}

#[test]
fn sizes_that_cannot_be_addressed_are_refused() {
    let mut builder = Problem::builder();
    (0..3).for_each(|_| _ = builder.buffer(1 << 62, 0, 1));
    assert!(matches!(builder.build(), Err(Error::InvalidProblem { .. })));
}

#[test]
fn alignment_above_the_capacity() {
    for base in [0, 1] {
        let mut builder = Problem::builder();
        let buffer = builder.buffer(5, 0, 1);
        builder.align(buffer, 1 << 40).memory(Some(100), base);
        let problem = builder.build().expect("a problem");
        for planner in ["exact", "minimalloc"] {
            let infeasible = fit(&problem, planner).stop == StopReason::Infeasible;
            assert_eq!(infeasible, base == 1, "{planner} {base}");
        }
    }
}

#[test]
fn capacity_zero_is_infeasible() {
    let mut builder = Problem::builder();
    builder.buffer(5, 0, 2);
    builder.buffer(5, 1, 3);
    builder.memory(Some(0), 0);
    let problem = builder.build().expect("a problem");
    for planner in ["exact", "minimalloc", "auto"] {
        assert_eq!(fit(&problem, planner).stop, StopReason::Infeasible);
        // Asked for the least peak, they forget the capacity.
        let least = run(&problem, planner);
        assert_eq!((least.peak, least.stop), (10, StopReason::Optimal));
    }
}

#[test]
fn coprime_alignments() {
    let mut builder = Problem::builder();
    for (k, alignment) in [64, 3, 7, 5, 64, 11].into_iter().enumerate() {
        let buffer = builder.buffer(1 + k as u64, 0, 3);
        builder.align(buffer, alignment);
    }
    builder.memory(None, 13);
    let problem = builder.build().expect("a problem");
    assert_eq!(run(&problem, "exact").stop, StopReason::Optimal);
}

#[test]
fn cycle_of_extra_conflicts() {
    // An odd cycle of equal buffers needs three rows, though no three of them conflict.
    let mut builder = Problem::builder();
    (0..5).for_each(|i| _ = builder.buffer(10, i, i + 1));
    let index = BufferIdx::from;
    builder.conflicts(Conflicts::Pairs((0..5).map(|i| (index(i), index((i + 1) % 5))).collect()));
    optimal(builder, 30);
}

const J: &str = include_str!("../../../tests/data/minimalloc/J.1048576.csv");
const K: &str = include_str!("../../../tests/data/minimalloc/K.1048576.csv");

/// A problem of a CSV file, with a capacity.
fn at_capacity(text: &str, capacity: u64) -> Problem {
    let mut builder = idealloc::csv::read(text).expect("a problem").builder;
    builder.memory(Some(capacity), 0);
    builder.build().expect("a problem")
}

#[test]
fn threads_do_not_change_the_plan() {
    let problem = at_capacity(K, 1_048_576);
    let solve = |threads| {
        let options = Options { threads, minimize: false, ..Options::default() };
        plan(&problem, "exact", &options, &Control::default()).expect("a plan")
    };
    let alone = solve(1);
    assert_eq!(alone.peak, 1_048_576);
    assert_eq!(alone, solve(3));
}

#[test]
fn a_cancelled_run_still_returns_a_plan() {
    let problem = at_capacity(J, 989_184);
    let control = Control::default();
    control.cancel();
    for planner in ["exact", "minimalloc"] {
        let found = plan(&problem, planner, &Options::default(), &control).expect("a plan");
        assert_eq!(found.stop, StopReason::Cancelled, "{planner}");
    }
}

#[test]
fn a_capacity_out_of_reach_does_not_keep_the_peak_up() {
    let problem = at_capacity(J, 989_184);
    let control = Control::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let is_low = || matches!(control.progress().incumbent, 1..1_060_000);
            while !is_low() && !control.is_cancelled() {
                std::thread::yield_now();
            }
            control.cancel();
        });
        let found = plan(&problem, "exact", &Options::default(), &control);
        control.cancel();
        assert!(found.expect("a plan").peak < 1_060_000);
    });
}
