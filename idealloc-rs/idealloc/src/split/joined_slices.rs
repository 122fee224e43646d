//! Views of one tensor from outside that overlap: fetched one by one, what they share comes to the chip for each of them.
//!
//! They are slices, or show all of it in another shape, and it may be read as it is besides. Where that is less, the tensor
//! itself is fetched: the box that has all of them. The views are then of what is on chip, and take no time.

use super::external::External;
use super::graph::Access;
use super::tally::Tally;

impl Tally<'_> {
    /// Takes views of a tensor from outside into the group where the box of them all is less than they are.
    pub(super) fn join_slices(&mut self) {
        if !self.machine.joins_slices || self.outer_views.is_empty() {
            return;
        }
        let mut sources: Vec<usize> =
            self.outer_views.iter().filter_map(|&view| self.source_of_view(view)).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let is_shown = |&view: &usize| self.source_of_view(view) == Some(source);
            let views: Vec<usize> = self.outer_views.iter().copied().filter(is_shown).collect();
            if self.is_less_joined(source, &views) {
                self.outer_views.retain(|view| !views.contains(view));
                self.known[source].outer_views -= views.len() as u32;
                for view in views {
                    self.joined_views.push(view);
                    self.take_in(view);
                }
            }
        }
    }

    /// The tensor from outside that a view shows.
    fn source_of_view(&self, view: usize) -> Option<usize> {
        match self.graph.operators[view].operands[..] {
            [(source, Access::Affine(_) | Access::Reshape(_)), ..] => Some(source),
            _ => None,
        }
    }

    /// Whether the box of all that is read of a tensor takes less to fetch than these views, and what else is read of it.
    fn is_less_joined(&mut self, source: usize, views: &[usize]) -> bool {
        let is_read = self.known[source].reads > 0;
        if views.len() < 2 && !is_read {
            return false;
        }
        let Some(joined) = self.price_of(source) else { return false };
        let mut apart = if is_read { joined } else { 0 };
        for &view in views {
            apart += self.price_of(self.graph.operators[view].results[0]).unwrap_or(0);
        }
        joined < apart
    }

    /// The least that fetching a tensor takes if all of it that is read is one box; none if nothing is read.
    fn price_of(&mut self, tensor: usize) -> Option<i64> {
        let mut external = External::new(tensor);
        if !self.sweep.resolve(tensor, false, &mut external.spans) {
            return None;
        }
        external.source = self.source_of(tensor);
        external.count(&self.sweep, self.machine);
        Some(self.least_moved(&external).price)
    }
}
