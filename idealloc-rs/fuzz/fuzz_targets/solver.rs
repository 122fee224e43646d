//! Any problem of up to 32 buffers: planners that search return plans that pass the checker, and never contradict each
//! other.

#![no_main]

use arbitrary::Arbitrary;
use idealloc::{Conflicts, Control, Effort, Error, Options, Problem, StopReason, plan};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Buffer {
    size: u64,
    start: i8,
    width: u8,
    alignment: Option<u16>,
    offset: Option<u16>,
    gap: Option<(u8, u8)>,
}

#[derive(Debug, Arbitrary)]
struct Input {
    buffers: Vec<Buffer>,
    pairs: Vec<(u8, u8)>,
    capacity: Option<u64>,
    base_address: u32,
    minimize: bool,
}

fn problem(input: &Input) -> Result<Problem, Error> {
    let mut builder = Problem::builder();
    let mut indices = Vec::new();
    for buffer in input.buffers.iter().take(32) {
        let start = i64::from(buffer.start);
        let index = builder.buffer(buffer.size, start, start + i64::from(buffer.width));
        if let Some(alignment) = buffer.alignment {
            builder.align(index, u64::from(alignment));
        }
        if let Some(offset) = buffer.offset {
            builder.fix(index, u64::from(offset));
        }
        if let Some((from, width)) = buffer.gap {
            let from = start + i64::from(from);
            builder.gap(index, from, from + i64::from(width));
        }
        indices.push(index);
    }
    let pairs: Vec<_> = input
        .pairs
        .iter()
        .filter_map(|&(a, b)| Some((*indices.get(a as usize)?, *indices.get(b as usize)?)))
        .collect();
    if !pairs.is_empty() {
        builder.conflicts(Conflicts::LifetimesAnd(pairs));
    }
    builder.memory(input.capacity, u64::from(input.base_address));
    builder.build()
}

const PLANNERS: [&str; 4] = ["auto", "exact", "minimalloc", "idealloc"];

fuzz_target!(|input: Input| {
    let Ok(problem) = problem(&input) else { return };
    let options =
        Options { effort: Effort::Low, minimize: input.minimize, ..Options::default() };
    let fits = |peak: u64| problem.capacity().is_none_or(|capacity| peak <= capacity);
    let mut plans = Vec::new();
    for name in PLANNERS {
        match plan(&problem, name, &options, &Control::default()) {
            Ok(found) => plans.push(found),
            // Fixed offsets and alignments may leave no room below 2^63.
            Err(Error::InvalidProblem { .. }) => assert!(!problem.fixed().is_empty()),
            Err(other) => panic!("{name}: {other}"),
        }
    }
    for one in &plans {
        assert!(one.bound <= one.peak);
        for other in &plans {
            // A plan found is above every bound proved, and fits nowhere that was proved too small.
            assert!(one.bound <= other.peak);
            assert!(one.stop != StopReason::Infeasible || !fits(other.peak));
        }
    }
});
