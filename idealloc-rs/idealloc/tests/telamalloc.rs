//! `telamalloc` against brute force on small random problems with every feature, and on problems of known answer.
//!
//! `IDEALLOC_CASES` sets the number of cases (default 1 500), `IDEALLOC_SEED` the first seed.

mod small_problems;

use idealloc::random::Random;
use idealloc::{
    BufferIdx, Conflicts, Control, Effort, Error, Options, Plan, Pool, Problem, StopReason, check,
    generate, plan,
};
use proptest::prelude::*;
use small_problems::{aligned_problem, brute_force, number, random_problem};

fn options(effort: Effort, parameters: &[(&str, &str)]) -> Options {
    let pair = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    Options { effort, parameters: parameters.iter().map(pair).collect(), ..Options::default() }
}

fn run(problem: &Problem, options: &Options) -> Plan {
    plan(problem, "telamalloc", options, &Control::default()).expect("a valid plan")
}

fn statistic(plan: &Plan, name: &str) -> u64 {
    plan.statistics.iter().find(|(known, _)| *known == name).expect("a known statistic").1
}

/// Settings to be tried in turn.
const SETTINGS: &[&[(&str, &str)]] = &[
    &[],
    &[("target", "paper")],
    &[("section-check", "false")],
    &[("moved", "false"), ("stuck", "2"), ("candidates", "2")],
    &[("target", "paper"), ("noise", "0"), ("phase-step", "50")],
    &[("restart", "1"), ("noise", "100"), ("candidates", "1/4")],
    &[("target", "model"), ("restart", "30")],
    &[
        ("target", "last"),
        ("order", "size"),
        ("noise", "0"),
        ("candidates", "1000"),
        ("moved", "false"),
    ],
    &[("target", "paper"), ("order", "position/lifetime"), ("restart", "2"), ("blame", "0")],
];

/// True if the optimum was found.
fn compare(seed: u64, problem: &Problem) -> bool {
    let best = brute_force(problem);
    let settings = SETTINGS[seed as usize % SETTINGS.len()];
    for minimize in [true, false] {
        let options = Options { seed, minimize, ..options(Effort::Low, settings) };
        let found = match plan(problem, "telamalloc", &options, &Control::default()) {
            Ok(found) => found,
            Err(error) => {
                assert_eq!(best, None, "seed {seed}: {error}");
                return true;
            }
        };
        let best = best.unwrap_or_else(|| panic!("seed {seed}: contradicting fixed offsets"));
        let fits = problem.capacity().is_none_or(|capacity| best <= capacity);
        assert!(found.bound <= best, "seed {seed}: bound {} above {best}", found.bound);
        assert!(found.peak >= best, "seed {seed}: {found:?}");
        if found.stop == StopReason::Infeasible {
            assert!(!fits, "seed {seed}: {found:?} {problem:?}");
        }
        if found.stop == StopReason::Optimal {
            assert_eq!(found.peak, best, "seed {seed}");
        }
        if found.stop == StopReason::Fits {
            assert!(check(problem, &found.offsets, &[]).is_ok(), "seed {seed}: {found:?}");
        }
        if minimize && fits && found.peak > best {
            return false;
        }
    }
    true
}

#[test]
fn plans_are_valid_and_proofs_are_right() {
    let first = number("IDEALLOC_SEED", 0);
    let cases = number("IDEALLOC_CASES", 1_500);
    let (mut tried, mut optimal) = (0, 0);
    for seed in first..first + cases {
        let made = if seed % 4 == 3 { aligned_problem(seed) } else { random_problem(seed) };
        let Some(problem) = made else { continue };
        tried += 1;
        optimal += u64::from(compare(seed, &problem));
    }
    assert!(tried >= cases / 2, "{tried} of {cases}");
    // The search is incomplete, but not by much on few buffers.
    assert!(optimal * 100 >= tried * 97, "{optimal} of {tried}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn plans_repeat_and_are_above_the_bound(
        rows in prop::collection::vec((1_u64..200, 0_i64..60, 0_i64..20, 1_u64..5), 0..60),
        seed in any::<u64>(),
        share in 80_u64..130,
    ) {
        let mut builder = Problem::builder();
        for &(size, start, life, alignment) in &rows {
            let buffer = builder.buffer(size, start, start + life);
            builder.align(buffer, alignment);
        }
        builder.memory(None, 0);
        let free = builder.clone().build().expect("valid by construction");
        builder.memory(Some(idealloc::load(&free) * share / 100), 0);
        let tight = builder.build().expect("valid by construction");
        for (problem, minimize) in [(&free, true), (&tight, false)] {
            let options = Options { seed, minimize, ..options(Effort::Low, &[]) };
            let found = run(problem, &options);
            prop_assert!(found.peak >= found.bound);
            prop_assert_eq!(&run(problem, &Options { threads: 2, ..options }), &found);
        }
    }
}

/// Buffers of random sizes that all live at once.
fn full_overlap(n: u64) -> Problem {
    let mut random = Random::new(n);
    let mut builder = Problem::builder();
    let mut sum = 0;
    for _ in 0..n {
        let size = 1 + random.below(1 << 20);
        sum += size;
        builder.buffer(size, 0, 1);
    }
    builder.memory(Some(sum), 0);
    builder.build().expect("valid by construction")
}

#[test]
fn one_step_for_each_buffer_where_nothing_can_go_wrong() {
    let found = run(&full_overlap(300), &Options { minimize: false, ..Options::default() });
    assert_eq!((found.peak, statistic(&found, "steps")), (found.load, 300));
    assert_eq!(statistic(&found, "minor-backtracks"), 0);
}

/// A rectangle of 1000 ticks and 2^20 bytes, cut from edge to edge into tiles.
fn guillotine(n: usize, seed: u64, capacity: u64) -> Problem {
    let mut random = Random::new(seed);
    let mut tiles = vec![(0_i64, 1000_i64, 0_u64, 1_u64 << 20)];
    while tiles.len() < n {
        let k = random.below(tiles.len() as u64) as usize;
        let (left, right, bottom, top) = tiles[k];
        if random.one_in(2) && right - left > 1 {
            let at = left + 1 + random.below((right - left - 1) as u64) as i64;
            tiles[k].1 = at;
            tiles.push((at, right, bottom, top));
        } else if top - bottom > 1 {
            let at = bottom + 1 + random.below(top - bottom - 1);
            tiles[k].3 = at;
            tiles.push((left, right, at, top));
        }
    }
    let mut builder = Problem::builder();
    for (left, right, bottom, top) in tiles {
        builder.buffer(top - bottom, left, right);
    }
    builder.memory(Some(capacity), 0);
    builder.build().expect("valid by construction")
}

#[test]
fn tilings_with_a_twentieth_to_spare_are_solved() {
    let capacity = (1 << 20) + (1 << 20) / 20;
    let solved = (0..12).filter(|&seed| {
        let problem = guillotine(60, seed, capacity);
        let found = run(&problem, &Options { minimize: false, ..Options::default() });
        assert!(matches!(
            found.stop,
            StopReason::Fits | StopReason::Optimal | StopReason::WorkLimit
        ));
        found.peak <= capacity
    });
    assert!(solved.count() >= 11);
}

#[test]
fn a_table_decides_where_to_go_back_to() {
    let features = idealloc::telamalloc::FEATURES.join(" ");
    let steps = |tree: &str| {
        let table = format!("telamalloc targets 1\nfeatures {features}\ndepth 1\ntree {tree}");
        let parameters = [("target", "model"), ("table", table.as_str()), ("noise", "0")];
        let options = Options { minimize: false, ..options(Effort::Low, &parameters) };
        statistic(&run(&guillotine(100, 4, (1 << 20) + (1 << 15)), &options), "steps")
    };
    let median = Options { minimize: false, ..options(Effort::Low, &[("noise", "0")]) };
    let median = statistic(&run(&guillotine(100, 4, (1 << 20) + (1 << 15)), &median), "steps");
    // Where the trees do not tell targets apart, the rule decides.
    assert_eq!(steps("0:0 1 1"), median);
    assert_ne!(steps("15:0.2 1 0"), steps("15:0.8 0 1"));
}

#[test]
fn restarts_that_blame_and_take_turns_solve_more() {
    let solved = |parameters: &[(&str, &str)]| {
        let options = Options { minimize: false, ..options(Effort::Low, parameters) };
        let fits = |seed: &u64| {
            let problem = guillotine(100, *seed, (1 << 20) + (1 << 13));
            run(&problem, &options).peak <= (1 << 20) + (1 << 13)
        };
        (0..24).filter(fits).count()
    };
    let (all, neither) = (solved(&[]), solved(&[("order", "paper"), ("blame", "0")]));
    assert!(all > neither, "{all} {neither}");
}

#[test]
fn one_order_and_back_by_one_placement_is_a_search_of_all_orders() {
    // Figure 14: nothing is left out, so an exhausted tree of few buffers has seen every order.
    for seed in 0..200 {
        let Some(problem) = random_problem(seed) else { continue };
        let (Some(best), Some(capacity)) = (brute_force(&problem), problem.capacity()) else {
            continue;
        };
        for order in ["size", "area", "lifetime", "position"] {
            let parameters = [
                ("order", order),
                ("target", "last"),
                ("noise", "0"),
                ("moved", "false"),
                ("stuck", "0"),
                ("phase-step", "100"),
                ("candidates", "1000"),
            ];
            let options = Options { minimize: false, ..options(Effort::Medium, &parameters) };
            let found = run(&problem, &options);
            if statistic(&found, "exhausted") == 0 {
                continue;
            }
            assert!(best > capacity, "seed {seed}, by {order}: {found:?}");
        }
    }
}

#[test]
fn an_exhausted_tree_is_no_proof() {
    // Five buffers in a ring of conflicts need three places. Two do not suffice, but no bound says so.
    let mut builder = Problem::builder();
    let ring: Vec<BufferIdx> = (0..5).map(|_| builder.buffer(1, 0, 1)).collect();
    builder.conflicts(Conflicts::Pairs((0..5).map(|i| (ring[i], ring[(i + 1) % 5])).collect()));
    builder.memory(Some(2), 0);
    let problem = builder.build().expect("valid");
    assert_eq!(brute_force(&problem), Some(3));
    let fit = |parameters| Options { minimize: false, ..options(Effort::Low, parameters) };
    let found = run(&problem, &fit(&[("noise", "0")]));
    assert_eq!((found.stop, statistic(&found, "exhausted")), (StopReason::WorkLimit, 1));
    let found = run(&problem, &fit(&[]));
    assert_eq!((found.stop, statistic(&found, "exhausted")), (StopReason::WorkLimit, 0));
    assert!(statistic(&found, "restarts") > 100);
}

#[test]
fn several_pools_are_refused_by_name() {
    let mut builder = Problem::builder();
    builder.buffer(1, 0, 1);
    builder.pools(vec![Pool::default(), Pool::default()]);
    let problem = builder.build().expect("valid");
    let refused = plan(&problem, "telamalloc", &Options::default(), &Control::default());
    let expected = Error::Unsupported { planner: "telamalloc", feature: "several pools" };
    assert_eq!(refused, Err(expected));
}

#[test]
fn what_is_too_large_keeps_its_first_plan() {
    let huge = 1 << 61;
    let mut builder = Problem::builder();
    for (size, start) in [(huge + 1, 0), (huge, 1), (2, 1), (huge - 2, 0)] {
        builder.buffer(size, start, 2);
    }
    let found = run(&builder.build().expect("valid"), &Options::default());
    assert!(found.peak >= found.load);
    let crowd = generate::mixed_lifetimes(8_000, 1).expect("valid");
    let found = run(&crowd, &options(Effort::Low, &[]));
    assert!(found.peak < 2 * found.load);
}

#[test]
fn a_cancelled_search_returns_a_plan() {
    let control = Control::default();
    control.cancel();
    let problem = guillotine(60, 1, 1 << 20);
    let found = plan(&problem, "telamalloc", &Options::default(), &control).expect("a plan");
    assert!(matches!(found.stop, StopReason::Cancelled | StopReason::Optimal));
}
