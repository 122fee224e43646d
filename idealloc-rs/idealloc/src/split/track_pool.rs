//! Tracks that other grids with the same cut have computed before.

use rustc_hash::FxHashMap;

use super::cut::Cut;
use super::tracks::Tracks;

/// Tables of tracks by their cut. What is in them changes how long a search takes, never what it finds.
#[derive(Debug, Default)]
pub struct TrackPool {
    known: FxHashMap<Cut, Tracks>,
}

impl TrackPool {
    /// The table of a cut; an empty one if there is none, or if it is in use.
    pub fn take(&mut self, cut: &Cut) -> Tracks {
        self.known.remove(cut).unwrap_or_else(|| Tracks::new(*cut))
    }

    /// Keeps tables for later.
    pub fn give_back(&mut self, tracks: Vec<Tracks>) {
        for table in tracks {
            self.known.insert(table.cut, table);
        }
    }
}
