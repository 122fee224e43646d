//! Memory cut into windows, one above the other, that buffers share.

use crate::baselines::placed::{Gaps, Range};

/// Tops of consecutive windows; the first one starts at 0.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    tops: Vec<u64>,
}

impl Windows {
    /// End of the last window.
    pub fn top(&self) -> u64 {
        self.tops.last().copied().unwrap_or(0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tops.len()
    }

    /// Where a window starts and ends.
    pub fn range(&self, window: usize) -> Range {
        (if window == 0 { 0 } else { self.tops[window - 1] }, self.tops[window])
    }

    /// The first window that ends above an address, which is below [`top`](Self::top). Complexity: `O(log w)`.
    pub fn at(&self, address: u64) -> usize {
        self.tops.partition_point(|&top| top <= address)
    }

    /// Opens a window above the others, up to `top`.
    pub fn open(&mut self, top: u64) {
        self.tops.push(top);
    }

    /// Visits the pieces of ascending gaps window by window, as `(window, piece)`, until `visit` returns true.
    ///
    /// Complexity: `O(pieces + g log w)` for `g` gaps and `w` windows.
    pub fn pieces(&self, gaps: Gaps<'_>, mut visit: impl FnMut(Range, Range) -> bool) {
        gaps.visit(|(start, end)| {
            for window in self.at(start)..self.len() {
                let (bottom, top) = self.range(window);
                if bottom >= end {
                    break;
                }
                if visit((bottom, top), (start.max(bottom), end.min(top))) {
                    return true;
                }
            }
            false
        });
    }
}
