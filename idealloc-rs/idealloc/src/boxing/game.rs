//! The game of boxing: which critical points Theorem 2 draws.
//!
//! The first choice draws all of them. Every further choice draws one of them anew, and keeps the others as far as they are
//! still asked for, so that what comes of a good layout is much like it.

use super::boxed::Boxed;
use super::theorem_2::Draw;
use crate::control::Control;
use crate::mcts::{Game, Play};
use crate::parallel::Spare;
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::Instance;
use crate::problem::MAX_BYTES;
use crate::random::Random;

/// First choices of the tree.
const STARTS: usize = 16;

/// Choices after a layout.
const MOVES: usize = 64;

/// The points drawn, and the plan that came of them.
#[derive(Clone, Debug)]
pub struct Position {
    seed: u64,
    redrawn: Vec<Draw>,
    /// What is drawn anew next, one by each choice.
    moves: Vec<Draw>,
    /// Offset of each buffer in bytes; empty if they end no lower than the best before.
    pub offsets: Vec<u64>,
}

/// Boxing of one instance.
pub struct Boxing<'a> {
    instance: &'a Instance,
    boxed: Boxed,
    control: &'a Control,
    engines: Spare<Engine<'a>>,
}

impl<'a> Boxing<'a> {
    /// A game over what has been prepared of this instance.
    pub fn new(instance: &'a Instance, boxed: Boxed, control: &'a Control) -> Self {
        Self { instance, boxed, control, engines: Spare::default() }
    }
}

impl Game for Boxing<'_> {
    type State = Position;

    const EXPLORATION: f64 = 0.15;

    fn choices(&self, state: Option<&Position>) -> usize {
        state.map_or(STARTS, |position| position.moves.len())
    }

    fn play(
        &self,
        state: Option<&Position>,
        choice: usize,
        stream: u64,
        limit: u64,
    ) -> Play<Position> {
        let (seed, mut redrawn) =
            state.map_or((stream, Vec::new()), |from| (from.seed, from.redrawn.clone()));
        if let Some(&draw) = state.and_then(|from| from.moves.get(choice)) {
            redrawn.retain(|one| one.key != draw.key);
            redrawn.push(draw);
        }
        if self.control.is_cancelled() {
            let state = Position { seed, redrawn, moves: Vec::new(), offsets: Vec::new() };
            return Play { state, value: u64::MAX, work: 0 };
        }
        let (order, drawn) = self.boxed.order(seed, &redrawn);
        let mut engine = self.engines.take().unwrap_or_else(|| Engine::new(self.instance));
        let before = engine.work();
        // To the end, however high: a layout that is no better than the best is still worth more than a worse one.
        let value = match engine.run(&order, Rule::FirstFit, MAX_BYTES, self.control) {
            Outcome::Placed(peak) => peak,
            _ => u64::MAX,
        };
        let offsets = if value < limit { engine.offsets().to_vec() } else { Vec::new() };
        // Boxing costs about as much as placing every buffer.
        let work = engine.work() - before + self.instance.len() as u64;
        self.engines.give(engine);
        let moves = moves(&drawn, &mut Random::new(stream));
        Play { state: Position { seed, redrawn, moves, offsets }, value, work }
    }
}

/// Draws as they could be made anew, from many points likelier than from few.
fn moves(drawn: &[Draw], random: &mut Random) -> Vec<Draw> {
    let sums: Vec<u64> = drawn
        .iter()
        .scan(0, |sum, draw| {
            *sum += draw.points as u64;
            Some(*sum)
        })
        .collect();
    let Some(&total) = sums.last() else { return Vec::new() };
    let anew = |_| {
        let at = random.below(total);
        let draw = drawn[sums.partition_point(|&sum| sum <= at)];
        Draw { at: random.next() as u32, ..draw }
    };
    (0..MOVES).map(anew).collect()
}
