//! Bytes that a group moves, and the work that it does.

use super::graph::Access;
use super::layout::{External, Layout, Residency, level_of};
use super::machine::Cost;

impl Layout<'_, '_> {
    /// Multiplications and additions of all tiles.
    pub fn work(&self) -> i64 {
        let of = |&op: &usize| {
            let spans = self.sweep.loop_spans[op].as_deref().unwrap_or(&[]);
            let repeats = self.repeats(spans, level_of(spans));
            self.graph.operators[op].work * self.sum(spans) * repeats
        };
        self.sequence.iter().map(of).sum()
    }

    /// Multiplications and additions that are needed, each once.
    pub fn least_work(&self) -> i64 {
        let of = |&op: &usize| {
            let spans = self.sweep.loop_spans[op].as_deref().unwrap_or(&[]);
            self.graph.operators[op].work * self.union_elements(spans)
        };
        self.sequence.iter().map(of).sum()
    }

    /// Bytes and moves of a tensor from outside.
    pub(super) fn fetch_cost(&self, external: &External, residency: Residency) -> (i64, i64) {
        match (residency, external.in_slices) {
            (Residency::Fetched, _) => external.cost_if_fetched,
            (Residency::Streamed { .. }, Some((slices, cost))) if slices == residency => cost,
            _ => self.cost_of_fetching(external, residency),
        }
    }

    /// The same, counted anew.
    pub(super) fn cost_of_fetching(&self, external: &External, residency: Residency) -> (i64, i64) {
        let once = external.bytes_summed;
        let cuts = |level: usize| (0..level).map(|cut| self.tiles(cut)).product::<i64>();
        match residency {
            Residency::Fetched => {
                (once * self.repeats(&external.spans, external.level), cuts(external.level))
            }
            Residency::Kept => (external.bytes_in_all, 1),
            Residency::Streamed { reader, slices, .. } => {
                let spans = self.sweep.loop_spans[reader].as_deref().unwrap_or(&[]);
                let level = level_of(spans);
                let read = external.bytes_streamed;
                (read * self.repeats(&external.spans, level), cuts(level) * slices)
            }
            Residency::Resident => (0, 0),
        }
    }

    /// Bytes moved and number of moves.
    pub fn traffic(&self) -> (i64, i64) {
        if !self.machine.is_staged {
            return (0, 0);
        }
        let (mut bytes, mut transfers) = (0, 0);
        for external in &self.externals {
            let (b, t) = self.fetch_cost(external, external.residency);
            bytes += b;
            transfers += t;
        }
        for &op in &self.sequence {
            let op_data = &self.graph.operators[op];
            for &tensor in &op_data.results {
                let stays = self.keeps_result && op == self.sweep.last;
                if self.is_output[tensor] && !stays {
                    bytes += self.graph.tensors[tensor].bytes();
                    let level = self.spans(tensor).map_or(0, level_of);
                    transfers += (0..level).map(|cut| self.tiles(cut)).product::<i64>();
                }
            }
            if op_data.operands.iter().any(|(_, access)| *access == Access::Indirect) {
                let spans = self.sweep.loop_spans[op].as_deref().unwrap_or(&[]);
                let level = level_of(spans);
                for (tensor, _) in op_data.operands.iter().filter(|(_, a)| *a == Access::Indirect) {
                    bytes += self.sum(spans)
                        * self.repeats(spans, level)
                        * self.graph.tensors[*tensor].element_bytes;
                }
                transfers += (0..level).map(|cut| self.tiles(cut)).product::<i64>();
            }
        }
        (bytes, transfers)
    }

    /// The least bytes that fetching the elements of a tensor can take, whatever is kept.
    pub fn least_fetch(&self, source: usize) -> i64 {
        let parts = self.externals.iter().filter(|e| e.source == source);
        parts.map(|e| self.least_fetch_of(e)).sum()
    }

    fn least_fetch_of(&self, external: &External) -> i64 {
        let now = self.fetch_cost(external, external.residency).0;
        let all = self.fetch_cost(external, Residency::Kept).0;
        if all > self.machine.capacity { now } else { now.min(all) }
    }

    /// The least bytes that the group can move, whatever is kept.
    pub fn least_traffic(&self) -> i64 {
        let fetched: i64 = self
            .externals
            .iter()
            .map(|e| self.fetch_cost(e, e.residency).0 - self.least_fetch_of(e))
            .sum();
        self.traffic().0 - fetched
    }

    /// All costs; the peak is that of all tiles if `exactly`.
    pub fn cost(&self, exactly: bool) -> Cost {
        let (traffic, transfers) = self.traffic();
        let tiles = (0..self.sweep.loops.len()).map(|cut| self.tiles(cut)).product();
        let settled = self.settled_peak.filter(|_| !exactly);
        let peak = settled.unwrap_or_else(|| self.peak_of(exactly));
        Cost { traffic, peak, work: self.work(), transfers, tiles }
    }
}
