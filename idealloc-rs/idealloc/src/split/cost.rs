//! Bytes that a group moves, and the work that it does.

use super::layout::Layout;
use super::machine::Cost;

impl Layout<'_, '_> {
    /// Bytes moved and number of moves.
    pub fn traffic(&self) -> (i64, i64) {
        if !self.machine.is_staged {
            return (0, 0);
        }
        let (mut bytes, mut transfers) = self.tally.moved(self.keeps_result);
        for external in &self.externals {
            let (b, t) = external.cost(self.sweep, external.residency);
            bytes += b;
            transfers += t;
        }
        (bytes, transfers)
    }

    /// All costs; the peak is that of all tiles if `exactly`.
    pub fn cost(&self, exactly: bool) -> Cost {
        let (traffic, transfers) = self.traffic();
        let tiles = (0..self.sweep.loops.len()).map(|cut| self.sweep.tiles(cut)).product();
        let known = self.known_peak.filter(|_| !exactly);
        let peak = known.unwrap_or_else(|| self.peak_of(exactly));
        Cost { traffic, peak, work: self.tally.work, transfers, tiles }
    }
}
