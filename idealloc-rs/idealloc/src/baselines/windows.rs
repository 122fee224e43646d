//! Memory cut into windows, one above the other, that buffers share.

use crate::baselines::placed::Range;

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

    /// Opens a window above the others, up to `top`.
    pub fn open(&mut self, top: u64) {
        self.tops.push(top);
    }

    /// Visits the pieces of ascending gaps window by window, as `(window, piece)`, until `visit` returns true.
    ///
    /// Complexity: `O(pieces + g log w)` for `g` gaps and `w` windows.
    pub fn pieces(
        &self,
        gaps: impl Iterator<Item = Range>,
        mut visit: impl FnMut(Range, Range) -> bool,
    ) {
        for (start, end) in gaps {
            let first = self.tops.partition_point(|&top| top <= start);
            let mut bottom = if first == 0 { 0 } else { self.tops[first - 1] };
            for &top in &self.tops[first..] {
                if bottom >= end {
                    break;
                }
                if visit((bottom, top), (start.max(bottom), end.min(top))) {
                    return;
                }
                bottom = top;
            }
        }
    }
}
