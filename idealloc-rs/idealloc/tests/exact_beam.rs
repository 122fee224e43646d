//! What the beam and the placement engine add to `exact`.

use idealloc::{Control, Effort, Options, Problem, StopReason, csv, plan};

fn instance(name: &str, capacity: u64) -> Problem {
    let path =
        format!("{}/../../tests/data/minimalloc/{name}.1048576.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the instance is in the repository");
    let mut builder = csv::read(&text).expect("the file is valid").builder;
    builder.memory(Some(capacity), 0);
    builder.build().expect("the instance is valid")
}

#[test]
fn d_fits_its_load_for_any_number_of_threads() {
    let problem = instance("D", 986_112);
    let with = |threads: usize| {
        let options = Options {
            seed: 0,
            threads,
            effort: Effort::High,
            minimize: false,
            ..Options::default()
        };
        plan(&problem, "exact", &options, &Control::default()).expect("there is a plan")
    };
    let one = with(1);
    assert_eq!((one.peak, one.stop), (986_112, StopReason::Optimal));
    let two = with(2);
    assert_eq!((one.offsets, one.statistics), (two.offsets, two.statistics));
}

#[test]
fn a_part_too_large_to_search_gets_a_plan_of_the_placement_engine() {
    let mut builder = Problem::builder();
    for i in 0..5000_u64 {
        let start = (i % 500) as i64;
        builder.buffer(64 * (1 + i * 7919 % 97), start, start + 2 + (i % 5) as i64);
    }
    let problem = builder.build().expect("valid");
    let options = Options { effort: Effort::Low, ..Options::default() };
    let found = plan(&problem, "exact", &options, &Control::default()).expect("there is a plan");
    let first_fit = plan(&problem, "first-fit-by-size", &options, &Control::default());
    assert_eq!(found.peak, first_fit.expect("there is a plan").peak);
}
