//! What the tree search needs to know of a game.

/// A single-player game: a path of choices leads to a value that should be small.
///
/// Everything is a function of the path: playing the same choices from the same states gives the same result.
pub trait Game: Sync {
    /// What a path of choices has led to.
    type State: Send + Sync;

    /// Weight of what is little known, where the worst play is worth 0 and the best 1.
    const EXPLORATION: f64;

    /// Number of choices after `state` (`None` at the start), at most. Restarts also make choices above those at the
    /// start, each of which must lead somewhere.
    fn choices(&self, state: Option<&Self::State>) -> usize;

    /// Makes choice number `choice` after `state` and plays on to the end. `stream` seeds what is random and differs
    /// for every path; `limit` is the value above which a play may be given up.
    fn play(
        &self,
        state: Option<&Self::State>,
        choice: usize,
        stream: u64,
        limit: u64,
    ) -> Play<Self::State>;
}

/// One play.
#[derive(Clone, Debug)]
pub struct Play<S> {
    /// Where the choice has led.
    pub state: S,
    /// Value at the end; `u64::MAX` if it was given up.
    pub value: u64,
    /// Work done.
    pub work: u64,
}
