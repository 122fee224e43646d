//! Stages of `auto` that only many buffers reach, and adversarial problems of that size.

use std::time::{Duration, Instant};

use idealloc::auto::{blends, layers::layers, repair::Budget};
use idealloc::place::instance::Instance;
use idealloc::preprocess::prepare_within;
use idealloc::{Control, Effort, Options, Plan, Problem, StopReason, check, generate, load, plan};
use proptest::prelude::*;

type Row = (u64, i64, i64);

fn problem(rows: impl IntoIterator<Item = Row>) -> Problem {
    let mut builder = Problem::builder();
    for (size, start, life) in rows {
        builder.buffer(size, start, start + life);
    }
    builder.build().expect("valid by construction")
}

fn low(problem: &Problem, name: &str) -> Plan {
    let options = Options { effort: Effort::Low, ..Options::default() };
    let plan = plan(problem, name, &options, &Control::default()).expect("a valid plan");
    assert!(plan.peak >= plan.bound && plan.bound >= load(problem));
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn layers_give_a_valid_plan(
        rows in prop::collection::vec((0_u64..300, 0_i64..90, 0_i64..30, 1_u64..7), 0..400),
        base in 0_u64..40,
    ) {
        let mut builder = Problem::builder();
        for &(size, start, life, alignment) in &rows {
            let buffer = builder.buffer(size, start, start + life);
            builder.align(buffer, alignment);
        }
        builder.memory(None, base);
        let problem = builder.build().expect("valid by construction");
        let (offsets, peak) = layers(&Instance::new(&problem), &Control::default()).expect("room");
        prop_assert!(check(&problem, &offsets, &[]).expect("valid") <= peak);
    }

    #[test]
    fn a_subset_keeps_conflicts_and_load(
        rows in prop::collection::vec((1_u64..300, 0_i64..90, 0_i64..30), 0..60),
        every in 1_usize..4,
    ) {
        let whole = Instance::new(&problem(rows.iter().copied()));
        let chosen: Vec<u32> = (0..rows.len() as u32).step_by(every).collect();
        let part = whole.subset(&chosen);
        let plain = problem(rows.iter().copied().step_by(every));
        prop_assert_eq!(part.section_loads().into_iter().max().unwrap_or(0), load(&plain));
        for a in 0..chosen.len() {
            for b in 0..a {
                let here = part.spans()[a].overlaps(part.spans()[b]);
                let there = whole.spans()[chosen[a] as usize].overlaps(whole.spans()[chosen[b] as usize]);
                prop_assert_eq!(here, there);
            }
        }
    }
}

#[test]
fn blends_do_not_depend_on_threads_and_never_end_above_the_limit() {
    let problem = generate::mixed_lifetimes(3000, 4).expect("valid");
    let instance = Instance::new(&problem);
    let target = load(&problem);
    let search = |threads| {
        let budget = Budget { work: 60_000, threads, seed: 3 };
        blends::search(&instance, target, 2 * target, budget, &Control::default())
    };
    let (one, three) = (search(1), search(3));
    assert_eq!(one.plan, three.plan);
    assert_eq!(one.work, three.work);
    assert!(one.plan.is_some());
    let budget = Budget { work: 60_000, threads: 1, seed: 3 };
    let hopeless = blends::search(&instance, target, target - 1, budget, &Control::default());
    assert!(hopeless.plan.is_none());
}

#[test]
fn many_buffers_end_near_the_load_and_the_same_for_any_number_of_threads() {
    let problem = generate::mixed_lifetimes(60_000, 5).expect("valid");
    let one = low(&problem, "auto");
    assert!(one.peak <= one.bound + one.bound / 20, "{} {}", one.peak, one.bound);
    let options = Options { effort: Effort::Low, threads: 3, ..Options::default() };
    let three = plan(&problem, "auto", &options, &Control::default()).expect("a valid plan");
    assert_eq!(one.offsets, three.offsets);
}

#[test]
fn a_million_alive_at_once() {
    let plan = low(&problem((0..1_000_000).map(|i| (1 + i % 977, 0, 10))), "auto");
    assert_eq!(plan.stop, StopReason::Optimal);
}

#[test]
fn adversarial_shapes_through_boxing() {
    let rows: [Vec<Row>; 7] = [
        Vec::new(),
        (0..5_000).map(|i| (1 + i % 977, 0, 10)).collect(),
        (0..1_000).map(|i| (1 + (i as u64) % 64, i, 40)).collect(),
        (0..1_000).map(|i| if i % 2 == 0 { (3, 0, 2000) } else { (1000, i, 1) }).collect(),
        (0..100).map(|i| (1 << 32, 3 * i, 10)).chain([(1, 0, 300)]).collect(),
        vec![(i64::MAX as u64 - 2, 0, 1), (1, 0, 1), (1, 5, 9)],
        (0..100_000).map(|i| (1 + i % 5, 7, 0)).collect(),
    ];
    for rows in rows {
        low(&problem(rows), "idealloc");
    }
}

#[test]
fn shapes_with_many_buffers() {
    let staircase = problem((0..120_000).map(|i| (1 + (i as u64) % 64, i, 40)));
    low(&staircase, "auto");
    let comb = (0..120_000_i64).map(|i| if i % 2 == 0 { (3, 0, 240_000) } else { (1000, i, 1) });
    assert_eq!(low(&problem(comb), "auto").stop, StopReason::Optimal);
}

/// Two layers end far above the load here, and once were all that little work or time gave.
#[test]
fn lives_that_are_alike_are_no_worse_than_first_fit() {
    let rows = (0..60_000_u64).map(|i| {
        let mixed = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let size = 64 << (mixed >> 60) | (mixed >> 40 & 0xffff) >> 2;
        (size, (mixed >> 20) as i64 % 60_000, 200 + (mixed >> 33) as i64 % 300)
    });
    let problem = problem(rows);
    let first_fit = low(&problem, "first-fit-by-size");
    assert!(low(&problem, "auto").peak <= first_fit.peak);
}

#[test]
fn another_thread_stops_a_large_plan_soon() {
    let problem = generate::mixed_lifetimes(300_000, 1).expect("valid");
    let control = Control::default();
    let options = Options { effort: Effort::Max, ..Options::default() };
    std::thread::scope(|scope| {
        let stopped = scope.spawn(|| {
            while control.progress().incumbent == 0 {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(50));
            control.cancel();
            Instant::now()
        });
        let plan = plan(&problem, "auto", &options, &control).expect("an incumbent");
        let ended = Instant::now();
        assert_eq!(plan.stop, StopReason::Cancelled);
        // Generous: machines that run tests are busy, and debug builds slow.
        let asked = stopped.join().expect("no panic");
        assert!(ended.duration_since(asked) < Duration::from_secs(5));
    });
}

/// Shapes for which preparing takes its time: alike, aligned, all alive at once, one after the other, with gaps.
fn shapes(count: i64) -> Vec<Problem> {
    let mut aligned = Problem::builder();
    let mut gappy = Problem::builder();
    for i in 0..count {
        let buffer = aligned.buffer(1 + i as u64 % 977, i, i + 1 + i % 1000);
        aligned.align(buffer, if i % 8 == 0 { 4096 } else { 64 });
        let buffer = gappy.buffer(1 + i as u64 % 64, i, i + 100);
        gappy.gap(buffer, i + 40, i + 60);
    }
    vec![
        problem((0..count).map(|i| (64 + 64 * (i as u64 % 4), i, 1000))),
        aligned.build().expect("valid"),
        problem((0..count).map(|i| (1 + i as u64 % 977, i, 2 * count))),
        problem((0..count).map(|i| (1 + i as u64 % 977, i, 1))),
        gappy.build().expect("valid"),
    ]
}

#[test]
fn when_time_is_up_before_a_problem_is_prepared_there_is_a_plan_in_the_order_of_time() {
    for (shape, problem) in shapes(60_000).into_iter().enumerate() {
        let options = Options { time_limit: Some(Duration::ZERO), ..Options::default() };
        let mut plans = ["exact", "minimalloc", "telamalloc"].map(|name| {
            let found = plan(&problem, name, &options, &Control::default()).expect("a plan");
            assert!(found.bound >= load(&problem), "shape {shape}, {name}");
            let is_best = found.peak == found.bound;
            let end = if is_best { StopReason::Optimal } else { StopReason::TimeLimit };
            assert_eq!(found.stop, end, "shape {shape}, {name}");
            found.offsets
        });
        plans.sort();
        assert_eq!(plans[0], plans[2], "shape {shape}: one rule, whoever gives up");
    }
}

#[test]
fn preparing_stops_when_asked_to() {
    for problem in shapes(5_000) {
        let control = Control::default();
        assert!(prepare_within(&problem, &control).is_some());
        control.cancel();
        assert!(prepare_within(&problem, &control).is_none());
        for name in ["exact", "minimalloc", "telamalloc", "tetris-by-size"] {
            assert!(plan(&problem, name, &Options::default(), &control).is_err(), "{name}");
        }
    }
}
