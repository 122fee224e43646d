//! `exact` proves optima above its bound, by what a section needs by itself and by searches that end in vain.

use idealloc::{Control, Effort, Options, Problem, StopReason, plan};

/// Size, start, end and alignment.
type Row = (u64, i64, i64, u64);

/// The least peak of each, as OR-tools CP-SAT proved it, and the buffers: drawn at random, all with a load below that peak.
const PROBLEMS: &[(u64, &[Row])] = &[
    (
        47,
        &[
            (3, 7, 10, 2),
            (7, 7, 10, 8),
            (11, 2, 3, 4),
            (6, 5, 6, 8),
            (9, 5, 6, 2),
            (9, 9, 11, 4),
            (7, 4, 8, 4),
            (7, 2, 6, 8),
            (10, 5, 7, 2),
            (9, 7, 10, 1),
            (6, 9, 10, 2),
            (11, 3, 5, 3),
            (17, 3, 5, 6),
            (10, 7, 10, 1),
        ],
    ),
    (
        76,
        &[
            (7, 2, 6, 3),
            (17, 5, 6, 4),
            (17, 2, 5, 4),
            (7, 3, 4, 2),
            (8, 6, 7, 3),
            (17, 2, 6, 6),
            (11, 1, 3, 8),
            (5, 5, 7, 1),
            (4, 5, 6, 6),
            (4, 2, 3, 3),
            (9, 1, 4, 6),
            (4, 3, 6, 8),
            (13, 5, 6, 6),
            (8, 5, 7, 2),
        ],
    ),
    (
        77,
        &[
            (5, 0, 2, 8),
            (13, 2, 4, 2),
            (13, 4, 5, 8),
            (17, 1, 4, 4),
            (11, 4, 5, 4),
            (3, 4, 5, 1),
            (8, 2, 5, 4),
            (5, 3, 5, 6),
            (6, 1, 3, 1),
            (5, 1, 3, 2),
            (8, 4, 5, 6),
            (10, 4, 5, 4),
            (13, 4, 5, 3),
            (5, 2, 5, 4),
        ],
    ),
    (
        52,
        &[
            (10, 8, 10, 4),
            (10, 6, 8, 3),
            (9, 9, 12, 2),
            (3, 11, 12, 4),
            (13, 8, 11, 1),
            (11, 8, 10, 3),
            (11, 6, 8, 2),
            (7, 1, 5, 3),
            (3, 7, 10, 4),
            (8, 10, 11, 3),
            (3, 0, 2, 2),
            (9, 11, 12, 2),
            (6, 0, 4, 4),
            (5, 6, 9, 4),
            (17, 3, 5, 6),
            (10, 0, 4, 6),
            (9, 3, 5, 4),
            (8, 6, 9, 6),
        ],
    ),
    (
        67,
        &[
            (8, 2, 5, 8),
            (13, 1, 4, 4),
            (9, 0, 3, 6),
            (11, 5, 8, 4),
            (3, 6, 8, 1),
            (5, 1, 4, 1),
            (10, 2, 5, 2),
            (11, 6, 9, 3),
            (4, 2, 5, 1),
            (3, 0, 2, 2),
            (4, 4, 6, 6),
            (17, 1, 4, 8),
            (13, 0, 1, 4),
            (11, 5, 7, 8),
        ],
    ),
    (
        48,
        &[
            (10, 6, 8, 3),
            (4, 4, 7, 8),
            (10, 7, 9, 6),
            (4, 2, 6, 8),
            (5, 5, 9, 4),
            (11, 7, 9, 1),
            (9, 8, 9, 2),
            (3, 5, 6, 8),
            (10, 3, 7, 6),
            (8, 3, 7, 6),
            (6, 7, 9, 3),
            (8, 1, 3, 8),
            (4, 5, 8, 3),
            (7, 1, 4, 1),
        ],
    ),
    // Above what any section needs by itself; takes several rounds, with a long arm each.
    (
        66,
        &[
            (11, 4, 7, 3),
            (6, 6, 7, 8),
            (5, 6, 7, 2),
            (4, 6, 7, 4),
            (6, 5, 7, 6),
            (5, 4, 7, 4),
            (4, 1, 2, 4),
            (10, 0, 2, 8),
            (3, 1, 3, 8),
            (8, 4, 6, 8),
            (6, 2, 3, 3),
            (3, 2, 6, 6),
            (5, 2, 6, 3),
            (5, 5, 7, 2),
            (7, 3, 6, 1),
            (7, 2, 3, 6),
            (10, 2, 5, 8),
            (6, 0, 1, 2),
            (11, 2, 5, 8),
            (4, 2, 5, 1),
            (9, 6, 7, 4),
            (13, 2, 3, 8),
        ],
    ),
];

#[test]
fn optima_above_the_load_are_proved() {
    for &(least, rows) in PROBLEMS {
        let mut builder = Problem::builder();
        for &(size, start, end, alignment) in rows {
            let buffer = builder.buffer(size, start, end);
            builder.align(buffer, alignment);
        }
        let problem = builder.build().expect("is well formed");
        let mut nodes = Vec::new();
        for threads in [1, 3] {
            let options = Options { effort: Effort::Medium, threads, ..Options::default() };
            let found = plan(&problem, "exact", &options, &Control::default()).expect("a plan");
            assert_eq!((found.peak, found.bound, found.stop), (least, least, StopReason::Optimal));
            assert!(found.load < least);
            nodes.push(found.statistics.clone());
        }
        assert_eq!(nodes[0], nodes[1]);
    }
}
