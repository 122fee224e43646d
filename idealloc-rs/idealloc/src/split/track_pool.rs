//! Tracks that other grids with the same cut have computed before.

use rustc_hash::FxHashMap;

use super::cut::Cut;
use super::tracks::{Table, Tracks};

/// A table that no grid of so many layers needed is given up: networks cut their images smaller and smaller, and the large
/// tables are those of the first layers.
const KEPT: u32 = 16;

/// Tables of tracks by their cut. What is in them changes how long a search takes, never what it finds.
#[derive(Debug, Default)]
pub struct TrackPool {
    /// Each with the layer for which it was last used.
    known: FxHashMap<Cut, (Table, u32)>,
    layer: u32,
}

impl TrackPool {
    /// The table of a cut; an empty one if there is none, or if it is in use.
    pub fn take(&mut self, cut: &Cut) -> Table {
        self.known.remove(cut).map_or_else(|| Box::new(Tracks::new(*cut)), |(table, _)| table)
    }

    /// Keeps tables for later.
    pub fn give_back(&mut self, tracks: Vec<Table>) {
        for table in tracks {
            self.known.insert(table.cut, (table, self.layer));
        }
    }

    /// Goes on with another layer, without tables that were not used for long.
    pub fn next_layer(&mut self) {
        self.layer += 1;
        let layer = self.layer;
        self.known.retain(|_, (_, used)| layer - *used <= KEPT);
    }
}
