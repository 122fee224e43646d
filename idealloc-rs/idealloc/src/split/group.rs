//! A group of layers with its grid and its cost.

use super::external::Residency;
use super::grids::Grid;
use super::layers::Window;
use super::layout::Layout;
use super::machine::Cost;

/// One group of a solution.
#[derive(Clone, Debug)]
pub struct Group {
    /// First layer.
    pub first_layer: usize,
    /// Last layer.
    pub last_layer: usize,
    /// First operator.
    pub first_op: usize,
    /// Last operator.
    pub last_op: usize,
    /// How it is cut.
    pub grid: Grid,
    /// Whether the result of the group before is read on chip.
    pub starts_on_chip: bool,
    /// Whether its own result stays on chip.
    pub ends_on_chip: bool,
    /// Whether chains run slice by slice.
    pub is_sliced: bool,
    /// How tensors from outside come to the chip.
    pub residencies: Vec<(usize, Residency)>,
    /// What it costs.
    pub cost: Cost,
}

impl Group {
    /// The group that was laid out in a window, with the numbers of the whole graph. Chains of it run slice by slice if it
    /// needs more than `most` bytes otherwise.
    pub(super) fn of(
        window: &Window,
        layout: &mut Layout<'_, '_>,
        grid: &Grid,
        (first_layer, last_layer): (usize, usize),
        (starts_on_chip, ends_on_chip): (bool, bool),
        mut cost: Cost,
        most: i64,
    ) -> Self {
        let whole = layout.peak_without_slices(most);
        cost.peak = whole.unwrap_or(cost.peak);
        let is_sliced = layout.has_slices() && whole.is_none();
        let mut grid = grid.clone();
        for cut in &mut grid.loops {
            cut.shift(window.first_op);
        }
        let residency_of = |residency: Residency| match residency {
            Residency::Streamed { reader, along, slices } => {
                Residency::Streamed { reader: reader + window.first_op, along, slices }
            }
            other => other,
        };
        let residencies = layout.externals.iter();
        Self {
            first_layer,
            last_layer,
            first_op: layout.first() + window.first_op,
            last_op: layout.last() + window.first_op,
            grid,
            starts_on_chip,
            ends_on_chip,
            is_sliced,
            residencies: residencies
                .map(|e| (window.tensors[e.tensor], residency_of(e.residency)))
                .collect(),
            cost,
        }
    }
}
