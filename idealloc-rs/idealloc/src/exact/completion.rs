//! The one-machine bound of every section.

use super::model::Model;
use super::state::State;

/// When each section can be complete at the earliest: its unplaced buffers as jobs of one machine, released at their
/// lowest positions, in order of release (Jackson 1955: that order ends first). At least the floor and the total.
#[derive(Debug)]
pub struct Completion {
    /// Earliest end of each section; 0 where everything is placed.
    pub ends: Vec<u64>,
    order: Vec<Release>,
    parent_ends: Vec<u64>,
    parent: Vec<Release>,
    later: Vec<Release>,
}

/// A buffer and its lowest position, which comes first.
type Release = (u64, u32);

impl Completion {
    pub fn new(model: &Model) -> Self {
        let (ends, parent_ends) = (vec![0; model.sections], vec![0; model.sections]);
        Self { ends, order: Vec::new(), parent_ends, parent: Vec::new(), later: Vec::new() }
    }

    /// Computes the ends of a state; false if a section cannot hold what it must. The state is the parent of those
    /// that [`Completion::of_child`] hears of.
    ///
    /// Complexity: `O(n log n)`, and one step per unplaced buffer and section.
    pub fn of(&mut self, model: &Model, state: &State) -> bool {
        self.parent.clear();
        self.parent.extend(state.unplaced_buffers().map(|b| (state.lowest[b], b as u32)));
        self.parent.sort_unstable();
        self.order.clone_from(&self.parent);
        self.ends.fill(0);
        let fits = self.run(model, 0, model.sections);
        self.parent_ends.clone_from(&self.ends);
        fits
    }

    /// The same for a state that the parent became by placing `placed`, from the order and the ends of the parent.
    ///
    /// Complexity: `O(n + k log k)` for `k` lifted buffers, and one step per unplaced buffer and section that one of
    /// them meets.
    pub fn of_child(&mut self, model: &Model, child: &State, placed: usize) -> bool {
        self.later.clear();
        self.order.clear();
        let hull = model.hull[placed];
        let (mut low, mut high) = (hull.first as usize, hull.last as usize + 1);
        for &(release, b) in &self.parent {
            let now = child.lowest[b as usize];
            if now > release {
                self.later.push((now, b));
                low = low.min(model.hull[b as usize].first as usize);
                high = high.max(model.hull[b as usize].last as usize + 1);
            } else if b as usize != placed {
                self.order.push((release, b));
            }
        }
        self.later.sort_unstable();
        // Merged from behind, in place.
        let (mut i, mut j) = (self.order.len(), self.later.len());
        self.order.extend_from_slice(&self.later);
        while j > 0 {
            if i > 0 && self.order[i - 1] > self.later[j - 1] {
                self.order[i + j - 1] = self.order[i - 1];
                i -= 1;
            } else {
                self.order[i + j - 1] = self.later[j - 1];
                j -= 1;
            }
        }
        self.ends.clone_from(&self.parent_ends);
        self.ends[low..high].fill(0);
        self.run(model, low, high)
    }

    /// Completes sections `low .. high`, whose ends are 0.
    fn run(&mut self, model: &Model, low: usize, high: usize) -> bool {
        for &(release, b) in &self.order {
            let height = model.heights[b as usize];
            for run in &model.runs[b as usize] {
                let (from, to) = (low.max(run.first as usize), high.min(run.last as usize + 1));
                if from < to {
                    for end in &mut self.ends[from..to] {
                        *end = release.max(*end) + height;
                    }
                }
            }
        }
        self.ends[low..high].iter().zip(&model.room[low..high]).all(|(end, room)| end <= room)
    }
}
