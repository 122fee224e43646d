//! Ejection: plans are valid whatever it is given, fit where it says so, and do not depend on anything but the seed.

use idealloc::auto::ejection::{Ejection, Next, Run};
use idealloc::place::blend::Blend;
use idealloc::place::calendar::Calendar;
use idealloc::place::engine::{Engine, Rule};
use idealloc::place::instance::Instance;
use idealloc::place::order::Orders;
use idealloc::random::Random;
use idealloc::{Control, Problem, check, generate, load};
use proptest::prelude::*;

/// Buffers with alignment, gaps and fixed offsets from rows of size, start, life, alignment, and whether there is a gap.
fn problem(rows: &[(u64, i64, i64, u64, bool)], fixed: u64) -> Problem {
    let mut builder = Problem::builder();
    for (i, &(size, start, life, alignment, gap)) in rows.iter().enumerate() {
        let buffer = builder.buffer(size, start, start + life);
        if i == 0 {
            builder.fix(buffer, fixed);
            continue;
        }
        builder.align(buffer, alignment);
        if gap && life > 4 {
            builder.gap(buffer, start + 1, start + life - 1);
        }
    }
    builder.build().expect("valid by construction")
}

/// All on top of each other, fixed ones where they must be and what is next above them: valid, and far too high.
fn tower(instance: &Instance) -> Vec<u64> {
    let mut offsets = vec![0; instance.len()];
    let mut top = 0;
    for &(buffer, offset) in instance.fixed() {
        offsets[buffer as usize] = offset;
        top = offset + instance.sizes()[buffer as usize];
    }
    for (buffer, offset) in offsets.iter_mut().enumerate() {
        if instance.fixed().iter().all(|&(other, _)| other as usize != buffer) {
            *offset = instance.aligner(buffer).up(top);
            top = *offset + instance.sizes()[buffer];
        }
    }
    offsets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn plans_are_valid_and_fit_where_it_says_so(
        rows in prop::collection::vec((0_u64..300, 0_i64..90, 0_i64..30, 1_u64..7, any::<bool>()), 1..60),
        fixed in 0_u64..400,
        above in 0_u64..200,
        rule in 0_usize..2,
        seed in any::<u64>(),
    ) {
        let problem = problem(&rows, fixed);
        let instance = Instance::new(&problem);
        let start = tower(&instance);
        let limit = (load(&problem) + above).max(fixed + rows[0].0);
        let run = Run { limit, next: Next::ALL[rule], work: 3000, seed };
        let ejection = Ejection::new(&instance);
        let ejected = ejection.run(&start, run, &Control::default());
        prop_assert_eq!(&ejected.plan, &ejection.run(&start, run, &Control::default()).plan);
        if let Some((offsets, peak)) = ejected.plan {
            prop_assert_eq!(check(&problem, &offsets, &[]).expect("valid"), peak);
        }
    }

    #[test]
    fn the_calendar_finds_all_that_is_live_at_the_same_time(
        rows in prop::collection::vec((0_u64..3, 0_i64..5000, 0_i64..2000), 1..80),
    ) {
        let mut builder = Problem::builder();
        for &(size, start, life) in &rows {
            builder.buffer(size, start, start + life);
        }
        let instance = Instance::new(&builder.build().expect("valid by construction"));
        let calendar = Calendar::new(&instance);
        for span in instance.spans().iter().filter(|span| !span.is_empty()) {
            let mut found = Vec::new();
            calendar.overlapping(*span, |buffer| found.push(buffer));
            found.sort_unstable();
            let meets = |&i: &u32| {
                instance.sizes()[i as usize] > 0 && instance.spans()[i as usize].overlaps(*span)
            };
            prop_assert_eq!(found, (0..rows.len() as u32).filter(meets).collect::<Vec<_>>());
        }
    }
}

/// Two small buffers in the middle keep a large one out; one has to go up for it.
#[test]
fn what_is_in_the_way_goes_elsewhere() {
    let mut builder = Problem::builder();
    builder.buffer(10, 0, 4);
    builder.buffer(2, 0, 2);
    builder.buffer(2, 2, 4);
    let instance = Instance::new(&builder.build().expect("valid"));
    let run = Run { limit: 12, next: Next::Heaviest, work: 100, seed: 0 };
    let ejected = Ejection::new(&instance).run(&[9, 1, 5], run, &Control::default());
    assert_eq!(ejected.plan, Some((vec![0, 10, 10], 12)));
}

/// First fit of an order with the peak first ends at 1.06 times the load; ejection fits all of it under the load.
#[test]
fn ejection_reaches_the_load_from_an_order_with_the_peak_first() {
    let problem = generate::mixed_lifetimes(10_000, 0).expect("valid");
    let instance = Instance::new(&problem);
    let blend = Blend::FIRST[2].peak_first(&mut Random::new(0));
    let order = blend.sorted(&mut Orders::new(&instance), &vec![0; instance.len()]);
    let mut engine = Engine::new(&instance);
    engine.run(&order, Rule::FirstFit, u64::MAX >> 1, &Control::default());
    let target = load(&problem);
    assert!(engine.peak() > target + target / 50);
    let run = Run { limit: target, next: Next::Heaviest, work: 100_000, seed: 0 };
    let ejected = Ejection::new(&instance).run(engine.offsets(), run, &Control::default());
    let (offsets, peak) = ejected.plan.expect("a plan");
    assert_eq!((peak, check(&problem, &offsets, &[]).expect("valid")), (target, target));
}
