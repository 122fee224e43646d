//! What must not change the optimum: the order of the buffers, the scale of sizes, the origin of time.

use idealloc::{Control, Effort, Options, Plan, Problem, plan};
use proptest::collection::vec;
use proptest::prelude::*;

/// Sizes, starts and widths.
type Rows = Vec<(u64, i64, i64)>;

fn minimum(rows: &Rows, scale: u64, shift: i64, alignment: u64) -> Plan {
    let mut builder = Problem::builder();
    for &(size, start, width) in rows {
        let buffer = builder.buffer(size * scale, start + shift, start + shift + width);
        builder.align(buffer, alignment * scale);
    }
    let problem = builder.build().expect("a problem");
    let options = Options { effort: Effort::Max, ..Options::default() };
    plan(&problem, "exact", &options, &Control::default()).expect("a plan that passes the checker")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_optimum_is_invariant(
        rows in vec((1_u64..20, 0_i64..12, 1_i64..6), 1..10),
        turn in 0_usize..10,
        scale in 1_u64..1000,
        shift in -1000_i64..1000,
        alignment in 1_u64..5,
    ) {
        let plain = minimum(&rows, 1, 0, alignment);
        prop_assert!(plain.peak >= plain.load);
        prop_assert_eq!(plain.peak, plain.bound);
        let mut turned = rows.clone();
        turned.rotate_left(turn % rows.len());
        prop_assert_eq!(minimum(&turned, 1, 0, alignment).peak, plain.peak);
        prop_assert_eq!(minimum(&rows, 1, shift, alignment).peak, plain.peak);
        prop_assert_eq!(minimum(&rows, scale, 0, alignment).peak, scale * plain.peak);
    }
}
