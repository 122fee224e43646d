//! Gluing: whatever is glued is valid when it comes apart, steps can be taken back, and tilings end at their load.

use std::cell::Cell;

use idealloc::glue::forest::Forest;
use idealloc::glue::gluer::{Gluer, LEVELS};
use idealloc::glue::ruin;
use idealloc::glue::tile::Tile;
use idealloc::glue::tiling::Tiling;
use idealloc::place::chains::{Gain, chains};
use idealloc::place::instance::Instance;
use idealloc::random::Random;
use idealloc::{Control, Effort, Options, Problem, check, plan};
use proptest::prelude::*;

/// Left and right in ticks, bottom and top in bytes.
type Rectangle = [i64; 4];

/// A rectangle of so many ticks and bytes cut at random; some cuts make pinwheels.
fn cut(wanted: usize, ticks: i64, bytes: i64, seed: u64) -> Vec<Rectangle> {
    let mut random = Random::new(seed);
    let mut tiles = vec![[0, ticks, 0, bytes]];
    for _ in 0..20 * wanted {
        if tiles.len() >= wanted {
            break;
        }
        let at = random.below(tiles.len() as u64) as usize;
        let [left, right, bottom, top] = tiles[at];
        let kind = random.below(4);
        let mut between =
            |low: i64, high: i64| low + 1 + random.below((high - low - 1) as u64) as i64;
        let parts = if right - left > 3 && top - bottom > 3 && kind == 0 {
            let (a, c) = (between(left, right - 1), between(bottom, top - 1));
            let (b, d) = (between(a, right), between(c, top));
            vec![
                [left, b, bottom, c],
                [b, right, bottom, d],
                [a, right, d, top],
                [left, a, c, top],
                [a, b, c, d],
            ]
        } else if right - left > 1 && (top - bottom < 2 || kind.is_multiple_of(2)) {
            let a = between(left, right);
            vec![[left, a, bottom, top], [a, right, bottom, top]]
        } else if top - bottom > 1 {
            let c = between(bottom, top);
            vec![[left, right, bottom, c], [left, right, c, top]]
        } else {
            continue;
        };
        tiles.swap_remove(at);
        tiles.extend(parts);
    }
    tiles
}

fn problem(tiles: &[Rectangle]) -> Problem {
    let mut builder = Problem::builder();
    for &[left, right, bottom, top] in tiles {
        builder.buffer((top - bottom) as u64, left, right);
    }
    builder.build().expect("valid by construction")
}

fn tiling(problem: &Problem) -> Tiling {
    Tiling::of(&Instance::new(problem)).expect("it was cut from a rectangle")
}

fn glued(tiling: &Tiling, seed: u64) -> Forest {
    let mut forest = tiling.forest();
    let mut gluer = Gluer::new(seed, 4);
    (0..tiling.tiles.len() as u32).for_each(|tile| gluer.offer(&forest, tile));
    gluer.run(&mut forest, &LEVELS, &|| false);
    forest.keep();
    forest
}

/// Roots one upon another are apart; what they are made of must be too.
fn is_valid(problem: &Problem, tiling: &Tiling, forest: &Forest) -> bool {
    let mut top = 0;
    let roots: Vec<u64> = forest
        .roots()
        .iter()
        .map(|&root| {
            top += forest.tile(root).size;
            top - forest.tile(root).size
        })
        .collect();
    check(problem, &tiling.offsets(forest, &roots, problem.len()), &[]).is_ok()
}

fn sorted_roots(forest: &Forest) -> Vec<(u32, u32, u64)> {
    let mut roots: Vec<_> = forest
        .roots()
        .iter()
        .map(|&root| forest.tile(root))
        .map(|Tile { start, end, size }| (start, end, size))
        .collect();
    roots.sort_unstable();
    roots
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_glued_is_valid_when_it_comes_apart(
        buffers in 2_usize..200, ticks in 4_i64..60, bytes in 4_i64..300, seed in any::<u64>(),
    ) {
        let problem = problem(&cut(buffers, ticks, bytes, seed));
        prop_assume!(Instance::new(&problem).sections() > 1);
        let tiling = tiling(&problem);
        let mut forest = glued(&tiling, seed);
        prop_assert!(is_valid(&problem, &tiling, &forest));
        let mut random = Random::new(seed);
        for _ in 0..50 {
            ruin::step(&mut forest, &mut random);
        }
        prop_assert!(is_valid(&problem, &tiling, &forest));
    }

    #[test]
    fn what_is_taken_back_was_never_done(buffers in 2_usize..120, seed in any::<u64>()) {
        let problem = problem(&cut(buffers, 40, 200, seed));
        prop_assume!(Instance::new(&problem).sections() > 1);
        let tiling = tiling(&problem);
        let mut forest = glued(&tiling, seed);
        let before = sorted_roots(&forest);
        let mut random = Random::new(seed);
        for _ in 0..10 {
            let root = forest.roots()[random.below(forest.roots().len() as u64) as usize];
            if forest.made(root).parts().is_empty() {
                continue;
            }
            forest.undo(root);
            let mut gluer = Gluer::new(random.next(), 20);
            forest.roots().to_vec().into_iter().for_each(|id| gluer.offer(&forest, id));
            gluer.run(&mut forest, &LEVELS, &|| false);
        }
        forest.take_back();
        prop_assert_eq!(sorted_roots(&forest), before);
        prop_assert!(is_valid(&problem, &tiling, &forest));
    }

    #[test]
    fn chains_are_valid(buffers in 2_usize..200, ticks in 4_i64..60, seed in any::<u64>(), kept in 1_usize..6) {
        let tiles = cut(buffers, ticks, 300, seed);
        // Without some tiles there are holes, so that plateaus rise without a buffer.
        let rest: Vec<Rectangle> =
            tiles.into_iter().enumerate().filter(|(i, _)| i % 6 < kept).map(|(_, tile)| tile).collect();
        let problem = problem(&rest);
        let instance = Instance::new(&problem);
        for gain in [Gain::Length, Gain::Square] {
            let (offsets, peak) = chains(&instance, gain, &Control::default()).expect("few looks");
            prop_assert_eq!(check(&problem, &offsets, &[]).expect("valid"), peak);
        }
    }

    #[test]
    fn plans_are_no_higher_than_those_of_one_pass(
        buffers in 2_usize..400, ticks in 4_i64..60, bytes in 4_i64..300, seed in any::<u64>(),
    ) {
        let problem = problem(&cut(buffers, ticks, bytes, seed));
        let peak = |planner: &str| {
            let options = Options { effort: Effort::Low, ..Options::default() };
            plan(&problem, planner, &options, &Control::default()).expect("valid").peak
        };
        let found = peak("auto");
        for planner in ["tetris-by-lifetime", "tetris-by-area", "tetris-by-size", "first-fit-by-area"] {
            prop_assert!(found <= peak(planner), "{planner}");
        }
    }
}

#[test]
fn hundreds_of_tiles_end_at_their_load() {
    for seed in 0..6 {
        let problem = problem(&cut(100 * (seed as usize + 1), 1_000, 1 << 20, seed));
        let found =
            plan(&problem, "auto", &Options::default(), &Control::default()).expect("valid");
        assert_eq!(found.peak, found.load, "seed {seed}");
    }
}

/// Rectangles cut by themselves, one after the other.
fn one_after_the_other(parts: impl IntoIterator<Item = Vec<Rectangle>>) -> Vec<Rectangle> {
    let mut tiles: Vec<Rectangle> = Vec::new();
    for part in parts {
        let from = tiles.iter().map(|tile| tile[1]).max().unwrap_or(0);
        tiles.extend(
            part.into_iter().map(|[start, end, low, high]| [from + start, from + end, low, high]),
        );
    }
    tiles
}

#[test]
fn tiles_that_nothing_joins_are_in_parts_of_their_own() {
    // A row above all of them joins the tiles of a rectangle.
    let whole = |tiles: usize| {
        let row = vec![[0, 100, 1 << 20, (1 << 20) + 1]];
        [row, cut(tiles, 100, 1 << 20, tiles as u64)].concat()
    };
    let rectangles = [30, 200, 7].map(whole);
    let sizes: Vec<usize> = rectangles.iter().map(Vec::len).collect();
    let parts = tiling(&problem(&one_after_the_other(rectangles))).parts();
    assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
    assert_eq!(parts.concat(), (0..sizes.iter().sum::<usize>() as u32).collect::<Vec<_>>());
}

#[test]
fn rectangles_one_after_the_other_end_at_their_load() {
    // What fits by chance in another rectangle was glued to it.
    for seed in [6, 15] {
        let cuts = (0..3).map(|part| cut(350, 300, 1 << 20, 3 * seed + part));
        let problem = problem(&one_after_the_other(cuts));
        let found =
            plan(&problem, "auto", &Options::default(), &Control::default()).expect("valid");
        assert_eq!(found.peak, found.load, "seed {seed}");
    }
}

#[test]
fn a_tile_less_and_it_is_no_tiling() {
    let tiles = cut(100, 1_000, 1 << 20, 1);
    assert!(Tiling::of(&Instance::new(&problem(&tiles))).is_some());
    assert!(Tiling::of(&Instance::new(&problem(&tiles[1..]))).is_none());
}

#[test]
fn thousands_of_tiles_with_as_many_moments_as_they_like_end_next_to_their_load() {
    let problem = problem(&cut(3_000, 60_000, 1 << 40, 3));
    let found = plan(&problem, "auto", &Options::default(), &Control::default()).expect("valid");
    assert!(found.peak - found.load <= found.load / 1_000, "{} {}", found.peak, found.load);
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let problem = problem(&cut(2_000, 100, 5_000, 7));
    let offsets = |threads| {
        let options = Options { threads, effort: Effort::Low, ..Options::default() };
        plan(&problem, "auto", &options, &Control::default()).expect("valid").offsets
    };
    assert_eq!(offsets(1), offsets(3));
}

#[test]
fn what_is_opened_can_be_taken_back() {
    let tiles = cut(300, 60, 1 << 20, 7);
    let tiling = tiling(&problem(&tiles));
    let mut forest = glued(&tiling, 7);
    let before = forest.roots().to_vec();
    forest.open(0.0);
    assert!(forest.roots().len() > before.len(), "something was doubtful");
    assert!(forest.roots().iter().all(|&root| forest.worst(root) <= 0.0));
    forest.take_back();
    let (mut after, mut before) = (forest.roots().to_vec(), before);
    after.sort_unstable();
    before.sort_unstable();
    assert_eq!(after, before);
}

#[test]
fn crowded_tilings_of_many_end_no_higher_than_any_rule_of_one_pass() {
    let options = Options { effort: Effort::Low, ..Options::default() };
    for (buffers, ticks, seed) in [(10_000, 300, 1), (10_000, 900, 2), (60_000, 1_000, 3)] {
        let problem = problem(&cut(buffers, ticks, 1 << 20, seed));
        let peak = |name: &str| {
            plan(&problem, name, &options, &Control::default()).expect("it has a plan").peak
        };
        let found = peak("auto");
        for rule in ["first-fit-by-size", "first-fit-by-area", "first-fit-by-lifetime"]
            .into_iter()
            .chain(["first-fit-by-contention", "first-fit-peak-first", "best-fit-by-size"])
            .chain(["tetris-by-size", "tetris-by-area", "tetris-by-lifetime", "tflite-arena"])
        {
            assert!(
                found <= peak(rule),
                "{buffers} tiles, {ticks} ticks: {found}, {rule} is lower"
            );
        }
    }
}

#[test]
fn little_more_is_done_once_somebody_asks_to_stop() {
    let row: Vec<Rectangle> = (0..20_000).map(|at| [at, at + 1, 0, 8]).collect();
    let tiling = tiling(&problem(&row));
    let looks = Cell::new(0);
    let stop_at = |look: u32| {
        looks.set(0);
        let looks = &looks;
        move || {
            looks.set(looks.get() + 1);
            looks.get() >= look
        }
    };
    let mut gluer = Gluer::new(0, 1);
    gluer.offer_all(&tiling.forest(), &stop_at(1));
    assert_eq!(gluer.work, 0);
    gluer.offer_all(&tiling.forest(), &stop_at(4));
    assert_eq!(gluer.work, 3 * 1024);

    // Two neighbours are glued at a time, then there are wheels to be looked for around all that is new.
    let glued_by = |look: u32| {
        let (mut gluer, mut forest) = (Gluer::new(0, 1), tiling.forest());
        gluer.offer_all(&forest, &|| false);
        gluer.run(&mut forest, &LEVELS, &stop_at(look));
        row.len() - forest.roots().len()
    };
    assert_eq!(glued_by(u32::MAX), row.len() - 1);
    assert!(glued_by(1) <= 1024 && glued_by(3) <= 3 * 1024);
}
