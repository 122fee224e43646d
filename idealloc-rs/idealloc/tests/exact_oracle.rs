//! `exact` and `minimalloc` against brute force on small random problems with every feature.
//!
//! `IDEALLOC_CASES` sets the number of cases (default 20 000), `IDEALLOC_SEED` the first seed.

mod small_problems;

use idealloc::{Control, Effort, Options, Problem, StopReason, check, plan};
use small_problems::{aligned_problem, brute_force, number, random_problem};

/// Compares one planner with brute force: on the optimum, and on whether the capacity suffices.
fn compare(seed: u64, problem: Option<Problem>, planner: &str) {
    let Some(problem) = problem else { return };
    let best = brute_force(&problem);
    let control = Control::default();
    for minimize in [true, false] {
        let options = Options { seed, effort: Effort::Max, minimize, ..Options::default() };
        let found = match plan(&problem, planner, &options, &control) {
            Ok(found) => found,
            Err(error) => {
                assert_eq!(best, None, "seed {seed}: {error}");
                continue;
            }
        };
        let Some(best) = best else {
            panic!("seed {seed}: a plan for contradicting fixed offsets")
        };
        let feasible = problem.capacity().is_none_or(|capacity| best <= capacity);
        // Asked for the least peak, it forgets a capacity that is too small.
        assert_eq!(
            found.stop == StopReason::Infeasible,
            !feasible && !minimize,
            "seed {seed} {minimize} {found:?}"
        );
        assert!(found.bound <= best, "seed {seed}: bound {} above {best}", found.bound);
        if feasible {
            assert!(check(&problem, &found.offsets, &[]).is_ok(), "seed {seed}: {found:?}");
        }
        if minimize || problem.capacity().is_none() {
            assert_eq!(found.peak, best, "seed {seed}: {found:?} {problem:?}");
            assert_eq!(found.stop, StopReason::Optimal, "seed {seed}: {found:?}");
        }
    }
}

#[test]
fn minimalloc_agrees_with_brute_force() {
    let first = number("IDEALLOC_SEED", 0);
    for seed in first..first + number("IDEALLOC_CASES", 20_000) / 4 {
        compare(seed, random_problem(seed), "minimalloc");
    }
}

#[test]
fn exact_agrees_with_brute_force() {
    let first = number("IDEALLOC_SEED", 0);
    for seed in first..first + number("IDEALLOC_CASES", 20_000) {
        compare(seed, random_problem(seed), "exact");
    }
}

#[test]
fn exact_agrees_with_brute_force_on_mixed_alignments() {
    let first = number("IDEALLOC_SEED", 0);
    for seed in first..first + number("IDEALLOC_CASES", 20_000) / 4 {
        compare(seed, aligned_problem(seed), "exact");
    }
}
