//! Every placing planner against a plain quadratic restatement of its rule.

use idealloc::place::engine::{Engine, Outcome, Rule};
use idealloc::place::instance::Instance;
use idealloc::place::lowest_first::{is_plain, lowest_first};
use idealloc::{BufferIdx, Conflicts, Control, Lifetime, Options, Problem, check, plan};
use proptest::prelude::*;

/// Problems with everything that one memory can ask for.
fn problems() -> impl Strategy<Value = Problem> {
    let buffer = (0_u64..20, 0_i64..25, 0_i64..12, 1_u64..9);
    (
        prop::collection::vec(buffer, 0..30),
        prop::collection::vec((0_usize..30, 0_usize..30), 0..6),
        prop::collection::vec((0_usize..30, 1_i64..6, 1_i64..6), 0..6),
        0_u64..3,
        0_u64..50,
    )
        .prop_map(|(buffers, pairs, gaps, fixed, base)| {
            let n = buffers.len();
            let mut builder = Problem::builder();
            for &(size, start, life, alignment) in &buffers {
                let buffer = builder.buffer(size, start, start + life);
                builder.align(buffer, alignment);
            }
            builder.memory(None, base);
            let mut gapped = vec![false; n];
            for (i, after, length) in gaps {
                let Some(&(_, start, life, _)) = buffers.get(i) else { continue };
                if !gapped[i] && after + length < life {
                    gapped[i] = true;
                    builder.gap(BufferIdx::from(i), start + after, start + after + length);
                }
            }
            let pairs: Vec<_> = pairs
                .into_iter()
                .filter(|&(a, b)| a != b && a < n && b < n)
                .map(|(a, b)| (BufferIdx::from(a), BufferIdx::from(b)))
                .collect();
            if !pairs.is_empty() {
                builder.conflicts(Conflicts::LifetimesAnd(pairs));
            }
            // Fixed buffers one above the other, far enough apart to be aligned.
            for (i, &(_, _, _, alignment)) in buffers.iter().enumerate().take(fixed as usize) {
                let offset = (base + 40 * i as u64).next_multiple_of(alignment) - base;
                builder.fix(BufferIdx::from(i), offset);
            }
            builder.build().expect("valid by construction")
        })
}

fn conflict(problem: &Problem, a: usize, b: usize) -> bool {
    let pieces = |i: usize| {
        let mut from = problem.lifetimes()[i].start;
        let mut all = Vec::new();
        for (_, gap) in problem.gaps().iter().filter(|(buffer, _)| buffer.get() == i) {
            all.push(Lifetime::new(from, gap.start));
            from = gap.end;
        }
        all.push(Lifetime::new(from, problem.lifetimes()[i].end));
        all
    };
    let pair = (BufferIdx::from(a.min(b)), BufferIdx::from(a.max(b)));
    let listed = match problem.conflicts() {
        Conflicts::Lifetimes => false,
        Conflicts::LifetimesAnd(pairs) | Conflicts::Pairs(pairs) => pairs.contains(&pair),
    };
    listed || pieces(a).iter().any(|x| pieces(b).iter().any(|y| x.overlaps(*y)))
}

/// Holes between placed conflicting buffers, lowest first; the last has no end.
fn holes(problem: &Problem, buffer: usize, placed: &[(usize, u64)]) -> Vec<(u64, u64)> {
    let mut taken: Vec<(u64, u64)> = placed
        .iter()
        .filter(|&&(other, _)| problem.sizes()[other] > 0 && conflict(problem, buffer, other))
        .map(|&(other, offset)| (offset, offset + problem.sizes()[other]))
        .collect();
    taken.sort_unstable();
    let mut holes = Vec::new();
    let mut from = 0;
    for (start, end) in taken {
        if start > from {
            holes.push((from, start));
        }
        from = from.max(end);
    }
    holes.push((from, u64::MAX));
    holes
}

fn plainly(problem: &Problem, order: &[u32], rule: Rule) -> Vec<u64> {
    let mut offsets = vec![0; problem.len()];
    let mut placed: Vec<(usize, u64)> = Vec::new();
    for &(buffer, offset) in problem.fixed() {
        offsets[buffer.get()] = offset;
        placed.push((buffer.get(), offset));
    }
    for &i in order {
        let i = i as usize;
        if placed.iter().any(|&(other, _)| other == i) {
            continue;
        }
        let size = problem.sizes()[i];
        let alignment = problem.alignment(BufferIdx::from(i));
        let up = |offset: u64| {
            (problem.base_address() + offset).next_multiple_of(alignment) - problem.base_address()
        };
        let fitting = holes(problem, i, &placed)
            .into_iter()
            .filter(|&(start, end)| up(start).saturating_add(size) <= end);
        let hole = match rule {
            Rule::FirstFit => fitting.min_by_key(|&(start, _)| start),
            Rule::BestFit => fitting.min_by_key(|&(start, end)| (end - start, start)),
        };
        offsets[i] = if size == 0 { 0 } else { up(hole.expect("the last hole has no end").0) };
        placed.push((i, offsets[i]));
    }
    offsets
}

proptest! {
    #[test]
    fn engine_places_as_the_rule_says(problem in problems(), seed in any::<u64>()) {
        prop_assume!(check(&problem, &fixed_only(&problem), &[]).is_ok());
        let instance = Instance::new(&problem);
        let mut order: Vec<u32> = (0..problem.len() as u32).collect();
        order.sort_by_key(|&i| idealloc::random::scramble(seed ^ u64::from(i)));
        let mut engine = Engine::new(&instance);
        for rule in [Rule::FirstFit, Rule::BestFit] {
            let outcome = engine.run(&order, rule, u64::MAX, &Control::default());
            prop_assert!(matches!(outcome, Outcome::Placed(_)));
            prop_assert_eq!(engine.offsets(), plainly(&problem, &order, rule));
        }
    }

    #[test]
    fn lowest_first_never_leaves_a_buffer_that_could_drop(problem in problems()) {
        prop_assume!(check(&problem, &fixed_only(&problem), &[]).is_ok());
        for name in ["tetris-by-size", "tetris-by-area", "tetris-by-lifetime"] {
            let plan = plan(&problem, name, &Options::default(), &Control::default());
            let offsets = plan.expect("placed").offsets;
            for i in 0..problem.len() {
                if problem.fixed().iter().any(|&(buffer, _)| buffer.get() == i) {
                    continue;
                }
                let others: Vec<(usize, u64)> =
                    (0..problem.len()).filter(|&j| j != i).map(|j| (j, offsets[j])).collect();
                let alone = plainly_one(&problem, i, &others);
                prop_assert_eq!(offsets[i], alone, "buffer {} of {}", i, name);
            }
        }
    }

    #[test]
    fn the_skyline_says_the_same_as_the_search_for_the_lowest_place(
        rows in prop::collection::vec((0_u64..9, 0_i64..12, 0_i64..6), 0..40),
        gaps in prop::collection::vec(0_usize..40, 0..4),
    ) {
        let mut builder = Problem::builder();
        for (i, &(size, start, life)) in rows.iter().enumerate() {
            let buffer = builder.buffer(size, start, start + life);
            if life > 2 && gaps.contains(&i) {
                builder.gap(buffer, start + 1, start + 2);
            }
        }
        let problem = builder.build().expect("valid by construction");
        let instance = Instance::new(&problem);
        prop_assert!(is_plain(&instance));
        // Some order that is not that of the buffers.
        let order: Vec<u32> = (0..rows.len() as u32).rev().collect();
        let (offsets, outcome) = lowest_first(&instance, &order, &Control::default());
        let mut engine = Engine::new(&instance);
        let expected = engine.run_lowest_first(&order, u64::MAX, usize::MAX, &Control::default());
        prop_assert_eq!(outcome, expected);
        prop_assert_eq!(offsets, engine.offsets());
    }

    #[test]
    fn sections_keep_conflicts_and_load(problem in problems()) {
        let instance = Instance::new(&problem);
        for a in 0..problem.len() {
            for b in 0..a {
                let meet = instance.pieces(a).iter().any(|x| {
                    instance.pieces(b).iter().any(|y| x.overlaps(*y))
                });
                let listed = instance.neighbours(a).contains(&(b as u32));
                prop_assert_eq!(meet || listed, conflict(&problem, a, b));
            }
        }
        let load = instance.section_loads().into_iter().max().unwrap_or(0);
        prop_assert_eq!(load, idealloc::load(&problem));
    }
}

fn plainly_one(problem: &Problem, i: usize, others: &[(usize, u64)]) -> u64 {
    let size = problem.sizes()[i];
    let alignment = problem.alignment(BufferIdx::from(i));
    let base = problem.base_address();
    let up = |offset: u64| (base + offset).next_multiple_of(alignment) - base;
    holes(problem, i, others)
        .into_iter()
        .map(|(start, end)| (up(start), end))
        .find(|&(start, end)| size == 0 || start.saturating_add(size) <= end)
        .map_or(0, |(start, _)| if size == 0 { 0 } else { start })
}

/// Fixed buffers where they are, everything else out of the way: valid if the fixed ones do not clash.
fn fixed_only(problem: &Problem) -> Vec<u64> {
    let base = problem.base_address();
    let mut offsets = vec![0; problem.len()];
    let mut top = problem.fixed().iter().map(|&(_, offset)| offset + 20).max().unwrap_or(0);
    for (i, offset) in offsets.iter_mut().enumerate() {
        let alignment = problem.alignment(BufferIdx::from(i));
        *offset = (base + top).next_multiple_of(alignment) - base;
        top = *offset + problem.sizes()[i];
    }
    for &(buffer, offset) in problem.fixed() {
        offsets[buffer.get()] = offset;
    }
    offsets
}
