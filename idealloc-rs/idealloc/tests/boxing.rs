//! Boxing as a game: a draw made anew leaves the others as they are, and plays are worth something however high they end.

use std::collections::BTreeMap;

use idealloc::boxing::Boxed;
use idealloc::boxing::game::Boxing;
use idealloc::boxing::theorem_2::Draw;
use idealloc::mcts::{Game, Limits, Play, Policy, search};
use idealloc::place::instance::Instance;
use idealloc::{Control, Options, generate, plan};

fn by_key(drawn: &[Draw]) -> BTreeMap<u64, u32> {
    drawn.iter().map(|draw| (draw.key, draw.at)).collect()
}

#[test]
fn one_draw_made_anew_leaves_the_others_that_still_happen() {
    let instance = Instance::new(&generate::mixed_lifetimes(400, 3).expect("a problem"));
    let boxed = Boxed::new(&instance, 0, &Control::default());
    let (order, drawn) = boxed.order(5, &[]);
    assert_eq!(boxed.order(5, &[]).0, order, "the same seed gives the same order");
    let old = by_key(&drawn);
    assert!(old.len() > 4, "there is something to choose");
    let changed = drawn.iter().max_by_key(|draw| draw.points).expect("some");
    let anew = Draw { at: changed.at ^ (1 << 31), ..*changed };
    let (other, drawn) = boxed.order(5, &[anew]);
    assert_ne!(other, order);
    let new = by_key(&drawn);
    assert_eq!(new[&changed.key], anew.at);
    let same = new.iter().filter(|&(key, _)| *key != changed.key && old.contains_key(key));
    assert!(same.clone().all(|(key, at)| old[key] == *at), "all others as they were");
    assert!(same.count() > 0);
}

#[test]
fn nothing_is_boxed_once_cancelled() {
    let instance = Instance::new(&generate::mixed_lifetimes(400, 3).expect("a problem"));
    let control = Control::default();
    control.cancel();
    let whole = Boxed::new(&instance, 0, &Control::default());
    let boxed = Boxed::new(&instance, 0, &control);
    assert!(boxed.epsilon() < whole.epsilon(), "no step is tried");
    let play = Boxing::new(&instance, boxed, &control).play(None, 0, 0, u64::MAX);
    assert_eq!((play.value, play.work), (u64::MAX, 0));
}

/// A number and the steps to it, each by one to ten; the goal is 0, and all starts are far from it.
struct Descent;

impl Game for Descent {
    type State = u64;

    const EXPLORATION: f64 = 0.15;

    fn choices(&self, state: Option<&u64>) -> usize {
        if state.is_none() { 8 } else { 64 }
    }

    fn play(&self, state: Option<&u64>, choice: usize, stream: u64, _: u64) -> Play<u64> {
        let by = stream % 10;
        let value = match state {
            None => 1_000 + stream % 100,
            Some(&at) if choice.is_multiple_of(2) => at.saturating_sub(by),
            Some(&at) => at + by,
        };
        Play { state: value, value, work: 1 }
    }
}

#[test]
fn without_a_value_to_beat_the_tree_descends_from_play_to_play() {
    let limits = Limits { target: 0, work: u64::MAX, plays: 400, threads: 1, seed: 1 };
    let least = |policy| {
        let found = search(&Descent, policy, u64::MAX, limits, &Control::default());
        found.best.expect("there were plays").value
    };
    let (tree, restarts) = (least(Policy::Uct), least(Policy::Restarts));
    assert!(restarts >= 1_000);
    assert!(tree < 985, "the tree ends at {tree}");
}

#[test]
fn a_plan_says_where_the_best_boxes_end() {
    let problem = generate::mixed_lifetimes(300, 1).expect("a problem");
    let found =
        plan(&problem, "idealloc", &Options::default(), &Control::default()).expect("a plan");
    let statistic = |name| found.statistics.iter().find(|(n, _)| *n == name).expect("known").1;
    assert_eq!(found.peak, statistic("boxed-peak").min(statistic("first-fit-peak")));
}
