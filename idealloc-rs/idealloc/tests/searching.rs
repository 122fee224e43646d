//! What every searching planner promises, on random and on adversarial problems.

use std::time::Duration;

use idealloc::{
    Control, Effort, Lifetime, Options, Plan, Problem, StopReason, generate, load, plan, planners,
};
use proptest::prelude::*;

const SEARCHING: &[&str] = &["auto", "idealloc"];

type Row = (u64, i64, i64, u64);

fn problem(rows: &[Row], capacity: Option<u64>) -> Problem {
    let mut builder = Problem::builder();
    for &(size, start, life, alignment) in rows {
        let buffer = builder.buffer(size, start, start + life);
        builder.align(buffer, alignment);
    }
    builder.memory(capacity, 0);
    builder.build().expect("valid by construction")
}

fn run(problem: &Problem, name: &str, options: &Options) -> Plan {
    plan(problem, name, options, &Control::default()).expect("a valid plan")
}

fn low(seed: u64) -> Options {
    Options { seed, effort: Effort::Low, ..Options::default() }
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((1_u64..200, 0_i64..60, 0_i64..20, 1_u64..5), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn plans_are_valid_and_above_the_bound(rows in rows(), seed in any::<u64>()) {
        let problem = problem(&rows, None);
        for name in SEARCHING {
            let plan = run(&problem, name, &low(seed));
            prop_assert!(plan.peak >= plan.bound);
            prop_assert!(plan.bound >= load(&problem));
            prop_assert_eq!(plan.stop == StopReason::Optimal, plan.peak == plan.bound);
        }
    }

    #[test]
    fn auto_is_never_above_a_rule_of_one_pass(rows in rows(), seed in any::<u64>()) {
        let problem = problem(&rows, None);
        let auto = run(&problem, "auto", &low(seed)).peak;
        let searches = ["auto", "exact", "idealloc", "minimalloc", "telamalloc"];
        for planner in planners().iter().filter(|one| !searches.contains(&one.name)) {
            // What it cannot honour it refuses.
            let Ok(other) = plan(&problem, planner.name, &low(seed), &Control::default()) else { continue };
            let climbs = planner.name.ends_with("hill-climb");
            prop_assert!(auto <= other.peak || climbs, "{} has {}", planner.name, other.peak);
        }
    }

    #[test]
    fn threads_do_not_change_a_byte(rows in rows(), seed in any::<u64>()) {
        let problem = problem(&rows, None);
        for name in SEARCHING {
            let one = run(&problem, name, &low(seed));
            let three = run(&problem, name, &Options { threads: 3, ..low(seed) });
            prop_assert_eq!(one, three);
        }
    }

    #[test]
    fn the_order_of_the_buffers_and_when_time_starts_change_nothing_proved(
        rows in rows(),
        shift in -1000_i64..1000,
        rotate in 0_usize..60,
    ) {
        let there = problem(&rows, None);
        let mut moved: Vec<Row> = rows.iter().map(|&(z, s, l, a)| (z, s + shift, l, a)).collect();
        let middle = if moved.is_empty() { 0 } else { rotate % moved.len() };
        moved.rotate_left(middle);
        let here = problem(&moved, None);
        prop_assert_eq!(
            run(&there, "idealloc", &low(1)).bound,
            run(&here, "idealloc", &low(1)).bound
        );
        // `auto` also searches, so that how far it gets within its work depends on the order; what it proves holds
        // for both.
        let (one, other) = (run(&there, "auto", &low(1)), run(&here, "auto", &low(1)));
        prop_assert!(one.bound <= other.peak && other.bound <= one.peak);
    }

    #[test]
    fn scaled_sizes_give_a_scaled_plan(rows in rows(), factor in 1_u64..1000) {
        let plain: Vec<Row> = rows.iter().map(|&(z, s, l, _)| (z, s, l, 1)).collect();
        let scaled: Vec<Row> = rows.iter().map(|&(z, s, l, _)| (z * factor, s, l, factor)).collect();
        let bound = run(&problem(&plain, None), "auto", &low(1)).bound;
        prop_assert_eq!(run(&problem(&scaled, None), "auto", &low(1)).bound, bound * factor);
    }

    #[test]
    fn fitting_stops_at_the_capacity(rows in rows(), spare in 0_u64..500) {
        let free = run(&problem(&rows, None), "auto", &low(1));
        let capacity = free.peak + spare;
        let fit = Options { minimize: false, ..low(1) };
        let plan = run(&problem(&rows, Some(capacity)), "auto", &fit);
        prop_assert!(plan.peak <= capacity);
        prop_assert!(matches!(plan.stop, StopReason::Fits | StopReason::Optimal));
        if plan.bound > 0 {
            let tight = run(&problem(&rows, Some(plan.bound - 1)), "auto", &fit);
            prop_assert_ne!(tight.stop, StopReason::Fits);
            prop_assert!(tight.peak >= tight.bound);
        }
    }
}

fn adversarial(rows: Vec<Row>) -> Plan {
    let problem = problem(&rows, None);
    let plan = run(&problem, "auto", &low(0));
    assert!(plan.peak >= plan.bound);
    plan
}

#[test]
fn nothing_at_all() {
    assert_eq!(adversarial(Vec::new()).peak, 0);
}

#[test]
fn all_alive_at_once() {
    let plan = adversarial((0..20_000).map(|i| (1 + i % 977, 0, 10, 1)).collect());
    assert_eq!(plan.stop, StopReason::Optimal);
}

#[test]
fn staircase() {
    adversarial((0..3000).map(|i| (1 + (i as u64) % 64, i, 40, 1)).collect());
}

#[test]
fn comb() {
    // Long thin teeth with short thick ones between them.
    let tooth = |i: i64| if i % 2 == 0 { (3, 0, 4000, 1) } else { (1000, i, 1, 1) };
    assert_eq!(adversarial((0..2000).map(tooth).collect()).stop, StopReason::Optimal);
}

#[test]
fn one_byte_among_gigabytes() {
    let mut rows: Vec<Row> = (0..200).map(|i| (1 << 32, 3 * i, 10, 1)).collect();
    rows.push((1, 0, 600, 1));
    adversarial(rows);
}

#[test]
fn sizes_near_the_largest() {
    let plan = adversarial(vec![(i64::MAX as u64 - 2, 0, 1, 1), (1, 0, 1, 1), (1, 5, 9, 1)]);
    assert_eq!(plan.peak, i64::MAX as u64 - 1);
}

#[test]
fn alignment_above_everything() {
    let plan = adversarial(vec![(8, 0, 4, 1 << 40), (8, 0, 4, 1), (8, 2, 4, 1 << 40)]);
    assert_eq!(plan.peak, (1 << 40) + 8);
}

#[test]
fn lifetimes_without_ticks() {
    assert_eq!(adversarial((0..1_000_000).map(|i| (1 + i % 5, 7, 0, 1)).collect()).peak, 5);
}

#[test]
fn times_far_apart() {
    let far = i64::MAX / 2;
    let mut builder = Problem::builder();
    builder.arrays(
        vec![5, 6, 7],
        vec![Lifetime::new(-far, far), Lifetime::new(far, far + 1), Lifetime::new(-far, 1 - far)],
        None,
    );
    let problem = builder.build().expect("valid");
    assert_eq!(run(&problem, "auto", &low(0)).peak, 12);
}

#[test]
fn buffers_that_nobody_meets_lie_at_the_lowest_aligned_offset() {
    let mut builder = Problem::builder();
    for i in 0..60_000 {
        let buffer = builder.buffer(1 + i % 7, i as i64, i as i64 + 1);
        builder.align(buffer, [1, 8][i as usize % 2]);
    }
    builder.memory(None, 4);
    let plan = run(&builder.build().expect("valid"), "auto", &low(0));
    assert_eq!((plan.peak, plan.stop), (4 + 7, StopReason::Optimal));
    assert!(plan.offsets.iter().enumerate().all(|(i, &at)| at == [0, 4][i % 2]));
}

#[test]
fn one_meeting_is_enough_to_plan() {
    let plan = adversarial((0..100).map(|i| (8, i, 1 + i64::from(i == 50), 1)).collect());
    assert_eq!((plan.peak, plan.stop), (16, StopReason::Optimal));
}

#[test]
fn a_time_limit_is_kept_and_told() {
    let problem = generate::mixed_lifetimes(20_000, 1).expect("valid");
    let options = Options {
        effort: Effort::Max,
        time_limit: Some(Duration::from_millis(300)),
        ..Options::default()
    };
    let started = std::time::Instant::now();
    let plan = run(&problem, "auto", &options);
    assert!(matches!(plan.stop, StopReason::TimeLimit | StopReason::Optimal));
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_cancelled_run_returns_soon() {
    let problem = generate::mixed_lifetimes(20_000, 1).expect("valid");
    let control = Control::default();
    let options = Options { effort: Effort::Max, ..Options::default() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while control.progress().incumbent == 0 {
                std::thread::yield_now();
            }
            control.cancel();
        });
        let plan = plan(&problem, "auto", &options, &control).expect("an incumbent");
        assert!(matches!(plan.stop, StopReason::Cancelled | StopReason::Optimal));
    });
}

#[test]
fn scale_and_permutation_keep_what_is_optimal() {
    // Exact search proves the optimum, so that it may not depend on order, unit or origin of time.
    let mut random = idealloc::random::Random::new(11);
    for _ in 0..40 {
        let rows: Vec<Row> = (0..12)
            .map(|_| {
                (
                    1 + random.below(20),
                    random.below(10).cast_signed(),
                    1 + random.below(6).cast_signed(),
                    1,
                )
            })
            .collect();
        let mut other: Vec<Row> =
            rows.iter().rev().map(|&(z, s, l, _)| (z * 12, s - 100, l, 12)).collect();
        other.rotate_left(5);
        let medium = Options { effort: Effort::Medium, ..Options::default() };
        let (here, there) = (
            run(&problem(&rows, None), "auto", &medium),
            run(&problem(&other, None), "auto", &medium),
        );
        assert_eq!(here.stop, StopReason::Optimal);
        assert_eq!(there.peak, 12 * here.peak);
    }
}

/// About 100 of 1,000 buffers live at a time, sizes from 64 B to 1 MiB.
fn crowded() -> Problem {
    let mut random = idealloc::random::Random::new(5);
    let rows: Vec<Row> = (0..1000)
        .map(|_| {
            let life = 1 + random.below(200).min(random.below(400));
            let octave = 6 + random.below(14);
            let size = (1 << octave) + random.below(1 << octave);
            (size, random.below(1000).cast_signed(), life.cast_signed(), 1)
        })
        .collect();
    problem(&rows, None)
}

#[test]
fn nodes_of_large_components_leave_work_for_the_other_stages() {
    // 1,127,000 nodes of 2,000 buffers once took a minute, and tree search came after it.
    let statistics = |blends: &str| {
        let parameters = vec![("blends".to_owned(), blends.to_owned())];
        let plan = run(&crowded(), "auto", &Options { parameters, ..low(0) });
        assert_eq!(plan.stop, StopReason::WorkLimit);
        let statistic = |name| plan.statistics.iter().find(|(n, _)| *n == name).expect("known").1;
        (statistic("nodes"), statistic("placements"), statistic("plays"))
    };
    // Without crowds no component is small.
    let (nodes, placements, _) = statistics("off");
    assert!(nodes * 32 <= placements, "{nodes} {placements}");
    // A node of a crowd counts four, and crowds have an eighth of the work.
    let (nodes, placements, plays) = statistics("on");
    assert!(nodes * 12 <= placements && plays > 0, "{nodes} {placements} {plays}");
}

#[test]
fn arms_can_be_switched_for_ablation() {
    let problem = crowded();
    let with = |name: &str, value: &str| {
        let parameters = vec![(name.to_owned(), value.to_owned())];
        plan(&problem, "auto", &Options { parameters, ..low(0) }, &Control::default())
    };
    for (name, value) in [("glue", "on"), ("glue", "off"), ("without-order", "14")] {
        assert!(with(name, value).is_ok());
    }
    for (name, value) in
        [("glue", "maybe"), ("boxing", "on"), ("without-order", "15"), ("without-arm", "0")]
    {
        assert!(matches!(with(name, value), Err(idealloc::Error::InvalidOption(_))));
    }
}
