//! Extreme and wrong problems through every planner: a clear error, or a plan that the checker accepts.

use idealloc::{
    Conflicts, Control, Effort, Error, Lifetime, Options, Planner, Pool, Problem, baselines, check,
    plan, planners,
};
use proptest::prelude::*;

fn options() -> Options {
    Options { effort: Effort::Low, ..Options::default() }
}

/// Plans; a defect of the planner fails the test, any other error is returned.
fn run(problem: &Problem, planner: &Planner) -> Result<u64, Error> {
    let made = match plan(problem, planner.name, &options(), &Control::default()) {
        Err(error @ Error::InvalidPlan { .. }) => panic!("{}: {error}", planner.name),
        other => other?,
    };
    let checked = check(problem, &made.offsets, &made.pools);
    assert_eq!(checked, Ok(made.peak), "{}", planner.name);
    assert!(made.peak >= made.bound, "{}", planner.name);
    Ok(made.peak)
}

/// Sizes, alignments and times at both ends of what is possible, seldom in between.
fn extreme_problems() -> impl Strategy<Value = Result<Problem, Error>> {
    let size = prop_oneof![Just(0), 1_u64..5, Just(1 << 61), Just(i64::MAX as u64 - 70)];
    let time = prop_oneof![Just(i64::MIN), -3_i64..3, Just(i64::MAX - 1), Just(i64::MAX)];
    let alignment = prop_oneof![Just(1_u64), 2_u64..9, Just(1 << 40), Just((1 << 61) - 1), Just(0)];
    let fixed = prop_oneof![
        4 => Just(None),
        1 => (0_u64..20).prop_map(Some),
        1 => Just(Some(1 << 62)),
        1 => Just(Some(i64::MAX as u64)),
    ];
    let buffer = (size, time.clone(), time, alignment, fixed);
    let base = prop_oneof![Just(0), 1_u64..9, Just(i64::MAX as u64)];
    (prop::collection::vec(buffer, 0..7), base, 0_u8..3).prop_map(|(buffers, base, kind)| {
        let mut builder = Problem::builder();
        builder.memory(None, base);
        for &(size, start, end, alignment, fixed) in &buffers {
            let buffer = builder.buffer(size, start.min(end), start.max(end));
            if kind > 0 {
                builder.align(buffer, alignment);
            }
            if let (Some(offset), 2) = (fixed, kind) {
                builder.fix(buffer, offset);
            }
        }
        builder.build()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn extremes_give_an_error_or_a_right_answer(problem in extreme_problems()) {
        if let Ok(problem) = problem {
            for planner in baselines::PLANNERS {
                let _ = run(&problem, planner);
            }
        }
    }
}

#[test]
fn an_empty_problem_has_an_empty_plan() {
    let problem = Problem::builder().build().expect("nothing is wrong");
    for planner in baselines::PLANNERS {
        assert_eq!(run(&problem, planner), Ok(0), "{}", planner.name);
    }
}

#[test]
fn one_buffer_goes_to_the_bottom() {
    let mut builder = Problem::builder();
    builder.buffer(100, 3, 9);
    let problem = builder.build().expect("nothing is wrong");
    for planner in baselines::PLANNERS {
        assert_eq!(run(&problem, planner), Ok(100), "{}", planner.name);
    }
}

#[test]
fn buffers_that_are_never_live_or_have_no_bytes_take_no_room() {
    let mut builder = Problem::builder();
    builder.buffer(8, 0, 4);
    builder.buffer(0, 0, 4);
    builder.buffer(8, 2, 2);
    let problem = builder.build().expect("nothing is wrong");
    // The naive planner shares nothing.
    for planner in baselines::PLANNERS.iter().filter(|planner| planner.name != "naive") {
        assert_eq!(run(&problem, planner), Ok(8), "{}", planner.name);
    }
}

#[test]
fn fixed_offsets_that_contradict_each_other_are_no_problem_to_plan() {
    let mut builder = Problem::builder();
    let first = builder.buffer(8, 0, 4);
    let second = builder.buffer(8, 3, 5);
    builder.fix(first, 0).fix(second, 4);
    let error = builder.build().expect_err("they share bytes");
    assert_eq!(
        error.to_string(),
        "buffers 0 and 1 conflict and share bytes: their offsets are fixed"
    );
    let mut builder = Problem::builder();
    let only = builder.buffer(8, 0, 4);
    builder.align(only, 16).fix(only, 8);
    let error = builder.build().expect_err("it is misaligned");
    assert_eq!(
        error.to_string(),
        "buffer 0: fixed offset 8 at base address 0 is not aligned to 16"
    );
}

#[test]
fn the_fixed_offset_of_no_bytes_needs_no_alignment() {
    let mut builder = Problem::builder();
    let empty = builder.buffer(0, 0, 4);
    builder.buffer(8, 0, 4);
    builder.align(empty, 16).fix(empty, 8);
    let problem = builder.build().expect("no bytes are in nobody's way");
    let knows = |p: &&Planner| p.features.fixed && p.features.alignment;
    for planner in baselines::PLANNERS.iter().filter(knows) {
        assert_eq!(run(&problem, planner), Ok(8), "{}", planner.name);
    }
}

#[test]
fn alignments_of_no_bytes_waste_nothing() {
    let mut builder = Problem::builder();
    builder.memory(None, 3);
    let (empty, other) = (builder.buffer(0, 0, 4), builder.buffer(0, 1, 3));
    builder.buffer(8, 0, 4);
    builder.align(empty, i64::MAX as u64).align(other, i64::MAX as u64 - 1);
    let problem = builder.build().expect("eight bytes are not too many");
    for planner in planners() {
        assert_eq!(run(&problem, &planner), Ok(8), "{}", planner.name);
    }
}

/// A feature, whether a planner has it, and a problem that uses it.
type Use = (&'static str, fn(&Planner) -> bool, fn() -> Result<Problem, Error>);

#[test]
fn what_a_planner_cannot_honour_it_refuses_by_name() {
    let uses: [Use; 5] = [
        (
            "alignment above 1",
            |p| p.features.alignment,
            || {
                let mut builder = Problem::builder();
                let buffer = builder.buffer(8, 0, 4);
                builder.align(buffer, 4).build_copy()
            },
        ),
        (
            "fixed offsets",
            |p| p.features.fixed,
            || {
                let mut builder = Problem::builder();
                let buffer = builder.buffer(8, 0, 4);
                builder.fix(buffer, 4).build_copy()
            },
        ),
        (
            "gaps in lifetimes",
            |p| p.features.gaps,
            || {
                let mut builder = Problem::builder();
                let buffer = builder.buffer(8, 0, 4);
                builder.gap(buffer, 1, 2).build_copy()
            },
        ),
        (
            "extra conflicts",
            |p| p.features.conflicts,
            || {
                let mut builder = Problem::builder();
                let pair = (builder.buffer(8, 0, 4), builder.buffer(8, 4, 5));
                builder.conflicts(Conflicts::LifetimesAnd(vec![pair])).build_copy()
            },
        ),
        (
            "several pools",
            |p| p.features.pools,
            || {
                let mut builder = Problem::builder();
                builder.buffer(8, 0, 4);
                builder.pools(vec![Pool::default(), Pool::default()]).build_copy()
            },
        ),
    ];
    for (feature, honours, problem) in uses {
        let problem = problem().expect("nothing is wrong");
        for planner in baselines::PLANNERS {
            let result = run(&problem, planner);
            if honours(planner) {
                assert!(result.is_ok(), "{}: {feature}", planner.name);
            } else {
                assert_eq!(result, Err(Error::Unsupported { planner: planner.name, feature }));
            }
        }
    }
}

trait BuildCopy {
    fn build_copy(&mut self) -> Result<Problem, Error>;
}

impl BuildCopy for idealloc::ProblemBuilder {
    fn build_copy(&mut self) -> Result<Problem, Error> {
        std::mem::take(self).build()
    }
}

#[test]
fn several_pools_in_order_of_preference() {
    let pool = |capacity| Pool { capacity, ..Pool::default() };
    let mut builder = Problem::builder();
    builder.pools(vec![pool(Some(10)), pool(None)]);
    let first = builder.buffer(8, 0, 4);
    let second = builder.buffer(6, 0, 4);
    let third = builder.buffer(6, 4, 5);
    for buffer in [first, second, third] {
        builder.candidate(buffer, 0).candidate(buffer, 1);
    }
    let problem = builder.build().expect("nothing is wrong");
    for name in ["tvm-by-size", "tvm-by-conflicts", "tvm-hill-climb"] {
        let made = plan(&problem, name, &options(), &Control::default()).expect(name);
        assert_eq!(made.pools.iter().sum::<u32>(), 1, "{name}: one of the first two has to leave");
        assert_eq!(made.pools[third.get()], 0, "{name}");
    }
}

#[test]
fn a_buffer_that_fits_no_pool_is_an_error() {
    let mut builder = Problem::builder();
    builder.pools(vec![Pool { capacity: Some(4), ..Pool::default() }, Pool::default()]);
    let buffer = builder.buffer(8, 0, 4);
    builder.candidate(buffer, 0);
    let problem = builder.build().expect("nothing is wrong");
    for name in ["tvm-by-size", "tvm-by-conflicts", "tvm-hill-climb"] {
        let error = plan(&problem, name, &options(), &Control::default()).expect_err(name);
        assert!(matches!(error, Error::InvalidProblem { .. }), "{name}: {error}");
    }
}

#[test]
fn unknown_settings_are_errors() {
    let problem = Problem::builder().build().expect("nothing is wrong");
    for planner in baselines::PLANNERS {
        let parameters = vec![("colour".to_owned(), "red".to_owned())];
        let options = Options { parameters, ..options() };
        let error = plan(&problem, planner.name, &options, &Control::default());
        assert!(matches!(error, Err(Error::InvalidOption(_))), "{}", planner.name);
    }
}

#[test]
fn only_pairs_conflict_if_the_problem_says_so() {
    let mut builder = Problem::builder();
    let a = builder.buffer(8, 0, 4);
    let b = builder.buffer(8, 0, 4);
    let c = builder.buffer(8, 9, 10);
    builder.conflicts(Conflicts::Pairs(vec![(a, c)]));
    let problem = builder.build().expect("nothing is wrong");
    for planner in baselines::PLANNERS.iter().filter(|p| p.features.conflicts) {
        let made = plan(&problem, planner.name, &options(), &Control::default());
        let offsets = made.expect(planner.name).offsets;
        assert_ne!(offsets[a.get()], offsets[c.get()], "{}", planner.name);
        if planner.name != "naive" {
            assert_eq!(offsets[b.get()], 0, "{}", planner.name);
        }
    }
}

/// Planners whose rule is quadratic or worse when all buffers are alive at once, and for how many they are tried.
const SLOW: &[(&str, usize)] = &[
    ("tflite-gpu-by-size-objects", 2_000),
    ("tflite-gpu-min-cost-flow", 300),
    ("tvm-hill-climb", 500),
    ("triton", 2_000),
    ("vela-hill-climb", 500),
];

/// `n` buffers of 1 to 1000 bytes that are all alive at tick 0.
fn alive_at_once(n: usize) -> Problem {
    let sizes = (0..n as u64).map(|i| 1 + i * 7919 % 1000).collect();
    let lifetimes = (0..n as i64).map(|i| Lifetime::new(-i, 1 + i)).collect();
    let mut builder = Problem::builder();
    builder.arrays(sizes, lifetimes, None);
    builder.build().expect("nothing is wrong")
}

#[test]
fn very_many_buffers_alive_at_once() {
    let most = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };
    for planner in baselines::PLANNERS {
        let slow = SLOW.iter().find(|(name, _)| *name == planner.name);
        let problem = alive_at_once(slow.map_or(most, |&(_, n)| n));
        let total = problem.sizes().iter().sum();
        match planner.name {
            // Sizes are rounded up to 512 bytes.
            "somas" => assert!(run(&problem, planner).expect("somas") >= total),
            _ => assert_eq!(run(&problem, planner), Ok(total), "{}", planner.name),
        }
    }
}

/// A list in which ids are names only: nothing hinges on them, so equal buffers are just that.
#[test]
fn equal_buffers_are_apart() {
    let mut builder = Problem::builder();
    for _ in 0..50 {
        builder.buffer(3, 0, 2);
    }
    let problem = builder.build().expect("nothing is wrong");
    for planner in baselines::PLANNERS.iter().filter(|planner| planner.name != "somas") {
        assert_eq!(run(&problem, planner), Ok(150), "{}", planner.name);
    }
}

#[test]
fn more_buffers_than_can_be_counted_are_an_error() {
    // Memory for them was asked for first, which aborted.
    let made = idealloc::generate::mixed_lifetimes(99_999_999_999_999, 0);
    assert!(matches!(made, Err(Error::InvalidProblem { .. })));
}
