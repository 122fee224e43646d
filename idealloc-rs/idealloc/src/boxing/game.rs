//! The game of boxing: which critical points Theorem 2 is given, one after another.

use std::sync::Mutex;

use super::control::last_boxing;
use super::corollary_15::corollary_15;
use super::job::Job;
use super::rogue::rogue;
use super::theorem_2::{Chooser, PARTS};
use super::unbox::symbolic_offsets;
use crate::control::Control;
use crate::mcts::{Game, Play};
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::Instance;

/// The choices made, and the plan that came of them.
#[derive(Clone, Debug)]
pub struct Position {
    choices: Vec<u32>,
    /// Offset of each buffer in bytes; empty if the play was given up.
    pub offsets: Vec<u64>,
}

/// One instance with its epsilon.
pub struct Boxing<'a> {
    instance: &'a Instance,
    jobs: Vec<Job>,
    largest: u64,
    epsilon: f64,
    control: &'a Control,
    engines: Mutex<Vec<Engine<'a>>>,
}

impl<'a> Boxing<'a> {
    /// A game over these jobs, dummy included.
    pub fn new(instance: &'a Instance, jobs: Vec<Job>, epsilon: f64, control: &'a Control) -> Self {
        let largest = jobs.iter().map(|job| job.size).max().unwrap_or(1);
        Self { instance, jobs, largest, epsilon, control, engines: Mutex::new(Vec::new()) }
    }

    /// Boxes, unboxes, and returns the buffers by their symbolic offsets.
    fn order(&self, choices: &[u32], stream: u64) -> Vec<u32> {
        let mut chooser = Chooser::new(choices, stream);
        let jobs = rogue(self.jobs.clone(), self.epsilon, &mut chooser);
        let (size, mu) = last_boxing(&jobs, self.epsilon, self.largest);
        let boxes = corollary_15(jobs, size, mu, &mut chooser);
        let symbolic = symbolic_offsets(&boxes, self.instance.len());
        let mut order: Vec<u32> = (0..self.instance.len() as u32).collect();
        order.sort_by_key(|&buffer| (symbolic[buffer as usize], buffer));
        order
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
        let order = self.order(&choices, stream);
        let spare = self.engines.lock().ok().and_then(|mut engines| engines.pop());
        let mut engine = spare.unwrap_or_else(|| Engine::new(self.instance));
        let before = engine.work();
        let outcome = engine.run(&order, Rule::FirstFit, limit.saturating_sub(1), self.control);
        let (value, offsets) = match outcome {
            Outcome::Placed(peak) => (peak, engine.offsets().to_vec()),
            _ => (u64::MAX, Vec::new()),
        };
        // Boxing costs about as much as placing every buffer.
        let work = engine.work() - before + self.instance.len() as u64;
        if let Ok(mut engines) = self.engines.lock() {
            engines.push(engine);
        }
        Play { state: Position { choices, offsets }, value, work }
    }
}
