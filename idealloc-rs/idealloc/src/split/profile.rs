//! Bytes on chip at each position of a group's sequence, tile by tile.

/// One row per tile that was looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    /// For each row, the tile of each cut.
    pub tiles: Vec<Vec<usize>>,
    /// Positions of a row.
    width: usize,
    bytes: Vec<i64>,
}

impl Profile {
    /// Forgets all rows; the new ones have `width` positions.
    pub fn clear(&mut self, width: usize) {
        self.tiles.clear();
        self.bytes.clear();
        self.width = width;
    }

    /// Adds a row.
    pub fn push(&mut self, tile: &[usize], bytes: impl Iterator<Item = i64>) {
        self.tiles.push(tile.to_vec());
        self.bytes.extend(bytes);
    }

    /// The rows, each with its tile.
    pub fn rows(&self) -> impl Iterator<Item = (&[usize], &[i64])> {
        self.tiles.iter().map(Vec::as_slice).zip(self.bytes.chunks_exact(self.width.max(1)))
    }

    /// The rows, to be changed.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = (&[usize], &mut [i64])> {
        let width = self.width.max(1);
        self.tiles.iter().map(Vec::as_slice).zip(self.bytes.chunks_exact_mut(width))
    }

    /// The most bytes of any tile at any position.
    pub fn peak(&self) -> i64 {
        self.bytes.iter().copied().max().unwrap_or(0)
    }

    /// The most bytes of any tile, for each position.
    pub fn most(&self) -> Vec<i64> {
        let mut most = vec![0; self.width];
        for (_, row) in self.rows() {
            for (known, &bytes) in most.iter_mut().zip(row) {
                *known = bytes.max(*known);
            }
        }
        most
    }
}
