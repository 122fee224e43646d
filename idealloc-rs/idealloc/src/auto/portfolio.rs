//! The game of the portfolio: choose an order, break its ties, then climb, segment by segment.
//!
//! The first choice is an arm: one of the orders. The second breaks its ties at random and climbs for a segment of steps.
//! Every further choice climbs another segment from where the last one ended, each time with other random moves.

use crate::auto::climb::{Layout, climb};
use crate::control::Control;
use crate::mcts::{Game, Play};
use crate::parallel::Spare;
use crate::place::engine::Engine;
use crate::place::instance::Instance;
use crate::place::order::{Order, Orders, Tie};
use crate::random::Random;

/// Steps of a climb between two choices.
pub const SEGMENT: u64 = 12;

/// Where a path of choices has led.
#[derive(Clone, Debug)]
pub struct Position {
    order: Order,
    /// `None` if the play was given up, or no ties are broken yet.
    layout: Option<Layout>,
    /// False for the arm alone.
    mixed: bool,
}

impl Position {
    /// The layout, if the play was finished.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }
}

/// The game on one instance.
pub struct Portfolio<'a> {
    instance: &'a Instance,
    target: u64,
    control: &'a Control,
    /// Engines that no play is using.
    engines: Spare<Engine<'a>>,
    is_fixed: Vec<bool>,
    arms: Vec<Order>,
}

impl<'a> Portfolio<'a> {
    /// A game with these arms, at least one, that is won at `target` bytes.
    pub fn new(
        instance: &'a Instance,
        target: u64,
        arms: Vec<Order>,
        control: &'a Control,
    ) -> Self {
        let mut is_fixed = vec![false; instance.len()];
        for &(buffer, _) in instance.fixed() {
            is_fixed[buffer as usize] = true;
        }
        Self { instance, target, control, engines: Spare::default(), is_fixed, arms }
    }

    fn engine(&self) -> Engine<'a> {
        self.engines.take().unwrap_or_else(|| Engine::new(self.instance))
    }

    /// The layout of an arm, its ties broken by chance if there is a stream.
    fn start(&self, engine: &mut Engine<'_>, order: Order, stream: Option<u64>) -> Option<Layout> {
        let tie = stream.map_or(order.tie, Tie::Random);
        let mut sorted = Orders::new(self.instance).sorted(Order { tie, ..order });
        sorted.retain(|&buffer| !self.is_fixed[buffer as usize]);
        Layout::place(engine, self.instance, sorted, u64::MAX, self.target, self.control)
    }
}

impl Game for Portfolio<'_> {
    type State = Position;

    const EXPLORATION: f64 = 0.4;

    fn choices(&self, state: Option<&Position>) -> usize {
        match state {
            None => self.arms.len(),
            Some(Position { layout: None, mixed: true, .. }) => 0,
            Some(_) => usize::MAX,
        }
    }

    fn play(&self, state: Option<&Position>, choice: usize, stream: u64, _: u64) -> Play<Position> {
        let mut engine = self.engine();
        let before = engine.work();
        let mut random = Random::new(stream);
        let (order, mut layout, is_mixed) = match state {
            None => {
                let order = self.arms[choice % self.arms.len()];
                let is_mixed = choice >= self.arms.len();
                (order, self.start(&mut engine, order, is_mixed.then_some(stream)), is_mixed)
            }
            Some(Position { order, mixed: false, .. }) if choice > 0 => {
                (*order, self.start(&mut engine, *order, Some(stream)), true)
            }
            Some(Position { order, layout, .. }) => (*order, layout.clone(), true),
        };
        if let Some(layout) = layout.as_mut().filter(|_| is_mixed) {
            let (instance, control) = (self.instance, self.control);
            climb(&mut engine, instance, layout, self.target, SEGMENT, &mut random, control);
        }
        let value = layout.as_ref().map_or(u64::MAX, |layout| layout.peak);
        let work = engine.work() - before;
        self.engines.give(engine);
        Play { state: Position { order, layout, mixed: is_mixed }, value, work }
    }
}
