//! The one-machine bound of every section.

use super::model::Model;
use super::state::State;

/// When each section can be complete at the earliest: its unplaced buffers as jobs of one machine, released at their
/// lowest positions, in order of release (Jackson 1955: that order ends first). At least the floor and the total.
#[derive(Debug)]
pub struct Completion {
    /// Earliest end of each section; 0 where everything is placed.
    pub ends: Vec<u64>,
    order: Vec<(u64, u32)>,
}

impl Completion {
    pub fn new(model: &Model) -> Self {
        Self { ends: vec![0; model.sections], order: Vec::with_capacity(model.n) }
    }

    /// Computes the ends of a state; false if a section cannot hold what it must.
    ///
    /// Complexity: `O(n log n)`, and one step per unplaced buffer and section.
    pub fn of(&mut self, model: &Model, state: &State) -> bool {
        self.order.clear();
        self.order.extend(state.unplaced_buffers().map(|b| (state.lowest[b], b as u32)));
        self.order.sort_unstable();
        self.ends.fill(0);
        for &(release, b) in &self.order {
            let height = model.heights[b as usize];
            for run in &model.runs[b as usize] {
                for end in &mut self.ends[run.first as usize..=run.last as usize] {
                    *end = release.max(*end) + height;
                }
            }
        }
        self.ends.iter().zip(&model.room).all(|(end, room)| end <= room)
    }
}
