//! How much a search has done, and whether it may go on.

use std::time::Instant;

use super::options::SearchOptions;
use crate::control::Control;
use crate::plan::StopReason;

/// How many expansions pass between looks at the clock and at cancellation.
const POLL: u64 = 1024;

/// Counts the states that the searches for one schedule expand.
#[derive(Debug)]
pub(super) struct Budget<'a> {
    options: &'a SearchOptions,
    control: &'a Control,
    began: Instant,
    expanded: u64,
    most: Option<u64>,
    /// Bytes that searches hold which wait for another.
    held_by_others: usize,
    /// Value of the best schedule so far, for whoever watches; 0 if there is none.
    pub incumbent: u64,
}

impl<'a> Budget<'a> {
    /// Nothing is spent yet.
    pub fn new(options: &'a SearchOptions, control: &'a Control) -> Self {
        let most = options.max_states;
        Self {
            options,
            control,
            began: Instant::now(),
            expanded: 0,
            most,
            held_by_others: 0,
            incumbent: 0,
        }
    }

    /// Allows as much again as the options do.
    pub fn renew(&mut self) {
        self.most = self.options.max_states.map(|most| self.expanded.saturating_add(most));
    }

    /// Allows at most so many states more for now; [`Self::widen`] with the result takes it back.
    pub fn narrow(&mut self, states: u64) -> Option<u64> {
        let whole = self.most;
        let part = self.expanded.saturating_add(states);
        self.most = Some(whole.map_or(part, |most| most.min(part)));
        whole
    }

    /// See [`Self::narrow`].
    pub const fn widen(&mut self, most: Option<u64>) {
        self.most = most;
    }

    /// Says how many bytes are held by searches that wait for those to come.
    pub const fn hold(&mut self, bytes: usize) {
        self.held_by_others = bytes;
    }

    /// Whether a search may hold so many bytes.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        let held = self.held_by_others.saturating_add(bytes) as u64;
        self.options.max_memory_bytes.is_none_or(|most| held <= most)
    }

    /// States expanded so far.
    pub const fn expanded(&self) -> u64 {
        self.expanded
    }

    /// What was asked for.
    pub const fn options(&self) -> &'a SearchOptions {
        self.options
    }

    /// Whether a search of so many states is in proportion to what was asked for.
    pub fn allows(&self, states: u64) -> bool {
        self.options.max_states.is_none_or(|most| states <= most)
    }

    /// Whoever may cancel.
    pub const fn control(&self) -> &'a Control {
        self.control
    }

    /// Counts one state at a proved bound; a reason if it is one too many, or if the `bytes` that the search holds are.
    pub fn spend(&mut self, bound: u64, bytes: usize) -> Option<StopReason> {
        if !self.has_room_for(bytes) {
            return Some(StopReason::MemoryLimit);
        }
        if self.most.is_some_and(|most| self.expanded >= most) {
            return Some(StopReason::WorkLimit);
        }
        self.expanded += 1;
        if !self.expanded.is_multiple_of(POLL) {
            return None;
        }
        self.control.add_work(POLL);
        self.control.publish(self.incumbent, bound);
        if self.control.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        let limit = self.options.time_limit?;
        (self.began.elapsed() >= limit).then_some(StopReason::TimeLimit)
    }

    /// Why nothing more may be done, apart from work; to be asked between searches.
    pub fn is_over(&self) -> bool {
        self.control.is_cancelled()
            || self.options.time_limit.is_some_and(|limit| self.began.elapsed() >= limit)
    }
}
