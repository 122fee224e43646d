//! Walks that break off before they come to any group that may be of use, told by walks under other grids.
//!
//! Where all is reached that can be, or nothing, the groups that may be of use are few and long: most grids do not get there.

use super::cut::Cut;
use super::grids::Grid;

/// The loops that grids cut, each list once, with a grid of the smallest tiles that are tried for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    pub grids: Vec<Grid>,
    /// For each grid, by its number, that of its probe. The first, which cuts nothing, has none.
    of: Vec<usize>,
}

impl Probes {
    /// Those of grids in the order of their numbers, which begin with 1.
    pub fn of<'g>(grids: impl Iterator<Item = &'g Grid>) -> Self {
        let mut probes = Self { grids: Vec::new(), of: vec![usize::MAX] };
        let mut last = 0;
        for grid in grids {
            let is_same = |probe: &Grid| probe.loops == grid.loops;
            if !probes.grids.get(last).is_some_and(is_same) {
                let known = probes.grids.iter().position(is_same);
                last = known.unwrap_or_else(|| {
                    probes.grids.push(grid.clone());
                    probes.grids.len() - 1
                });
            }
            for (cut, other) in probes.grids[last].cuts.iter_mut().zip(&grid.cuts) {
                if other.size < cut.size {
                    *cut = Cut::even(cut.extent, other.size, cut.halo);
                }
            }
            probes.of.push(last);
        }
        probes
    }

    /// The number of a grid's probe.
    pub fn of_grid(&self, number: usize) -> usize {
        self.of[number]
    }
}

/// Why a walk broke off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Too much is computed again. With smaller tiles it is no less if nothing is rounded and no gaps are left.
    Repeats,
    /// There is no room. Larger tiles take no less if nothing is rounded.
    Room,
}

/// Where walks under grids of the same loops broke off.
#[derive(Clone, Default)]
pub(super) struct BrokenOff {
    /// For each probe.
    walks: Vec<Vec<(Vec<Cut>, Why, usize)>>,
}

impl BrokenOff {
    /// Notes that a walk got to groups of so many layers, less one, and no further.
    pub fn note(&mut self, grid: &Grid, probe: usize, why: Why, depth: usize) {
        if self.walks.len() <= probe {
            self.walks.resize(probe + 1, Vec::new());
        }
        self.walks[probe].push((grid.cuts.clone(), why, depth));
    }

    /// Whether a walk breaks off with no more than so many layers, less one.
    pub fn tells(&self, grid: &Grid, probe: usize, depth: usize) -> bool {
        let walks = self.walks.get(probe).into_iter().flatten();
        walks.rev().any(|(cuts, why, of_walk)| {
            *of_walk <= depth
                && cuts.iter().zip(&grid.cuts).all(|(known, cut)| {
                    let is_beyond = match why {
                        Why::Repeats => cut.size <= known.size,
                        Why::Room => cut.size >= known.size,
                    };
                    is_beyond && (cut.halo, cut.lead) == (known.halo, known.lead)
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::cut::Halo;
    use crate::split::sweep::CutLoop;

    fn grid(sizes: [i64; 2], halo: Halo) -> Grid {
        Grid {
            loops: vec![CutLoop::Result(0), CutLoop::Result(1)],
            cuts: sizes.map(|size| Cut::even(16, size, halo)).to_vec(),
        }
    }

    #[test]
    fn no_room_is_told_to_larger_tiles_that_need_more_layers() {
        let mut known = BrokenOff::default();
        known.note(&grid([4, 2], Halo::Cache), 0, Why::Room, 3);
        assert!(known.tells(&grid([4, 2], Halo::Cache), 0, 3));
        assert!(known.tells(&grid([8, 2], Halo::Cache), 0, 5));
        assert!(!known.tells(&grid([8, 2], Halo::Cache), 0, 2));
        assert!(!known.tells(&grid([8, 1], Halo::Cache), 0, 3));
        assert!(!known.tells(&grid([8, 2], Halo::Recompute), 0, 3));
        assert!(!known.tells(&grid([8, 2], Halo::Cache), 1, 3));
    }

    #[test]
    fn what_is_computed_again_is_told_to_smaller_tiles() {
        let mut known = BrokenOff::default();
        known.note(&grid([4, 2], Halo::Recompute), 0, Why::Repeats, 3);
        assert!(known.tells(&grid([4, 1], Halo::Recompute), 0, 3));
        assert!(!known.tells(&grid([8, 2], Halo::Recompute), 0, 3));
    }

    #[test]
    fn a_probe_has_the_smallest_tiles_of_its_loops() {
        let alone =
            Grid { loops: vec![CutLoop::Result(1)], cuts: vec![Cut::even(16, 8, Halo::Cache)] };
        let grids = [grid([4, 2], Halo::Cache), alone.clone(), grid([8, 1], Halo::Recompute)];
        let probes = Probes::of(grids.iter());
        assert_eq!(probes.grids, [grid([4, 1], Halo::Cache), alone]);
        assert_eq!((1..=3).map(|n| probes.of_grid(n)).collect::<Vec<_>>(), [0, 1, 0]);
    }
}
