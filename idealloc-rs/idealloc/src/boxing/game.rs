//! The game of boxing: which critical points Theorem 2 is given, one after another.

use super::boxed::Boxed;
use super::theorem_2::PARTS;
use crate::control::Control;
use crate::mcts::{Game, Play};
use crate::parallel::Spare;
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::Instance;

/// The choices made, and the plan that came of them.
#[derive(Clone, Debug)]
pub struct Position {
    choices: Vec<u32>,
    /// Offset of each buffer in bytes; empty if the play was given up.
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

    fn choices(&self, _: Option<&Position>) -> usize {
        PARTS as usize
    }

    fn play(
        &self,
        state: Option<&Position>,
        choice: usize,
        stream: u64,
        limit: u64,
    ) -> Play<Position> {
        let mut choices = state.map_or_else(Vec::new, |position| position.choices.clone());
        choices.push(choice as u32 % PARTS);
        let order = self.boxed.order(&choices, stream);
        let mut engine = self.engines.take().unwrap_or_else(|| Engine::new(self.instance));
        let before = engine.work();
        let outcome = engine.run(&order, Rule::FirstFit, limit.saturating_sub(1), self.control);
        let (value, offsets) = match outcome {
            Outcome::Placed(peak) => (peak, engine.offsets().to_vec()),
            _ => (u64::MAX, Vec::new()),
        };
        // Boxing costs about as much as placing every buffer.
        let work = engine.work() - before + self.instance.len() as u64;
        self.engines.give(engine);
        Play { state: Position { choices, offsets }, value, work }
    }
}
