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
    /// Views of tensors from outside that are part of the group.
    pub joined_views: Vec<usize>,
    /// What it costs.
    pub cost: Cost,
}

/// Bytes that groups move together, and moves.
pub(super) fn moved(groups: &[Group]) -> (i64, i64) {
    let costs = groups.iter().map(|group| group.cost);
    costs.fold((0, 0), |(bytes, moves), cost| (bytes + cost.traffic, moves + cost.transfers))
}

/// How tensors come to the chip, and what it costs: the same for groups that look alike.
#[derive(Clone, Debug)]
pub(super) struct Form {
    cost: Cost,
    is_sliced: bool,
    /// Operators before the last.
    operators: usize,
    /// Tensors by their number in a window; readers by the number of operators from them to the last.
    residencies: Vec<(usize, Residency)>,
    /// Views of tensors from outside that are part of the group, by their number in a window.
    joined_views: Vec<usize>,
}

impl Form {
    /// Bytes that are moved.
    pub fn bytes(&self) -> i64 {
        self.cost.traffic
    }

    /// The form of a group that was laid out. Chains of it run slice by slice if it needs more than `most` bytes otherwise.
    pub fn of(layout: &mut Layout<'_, '_>, cost: Cost, most: i64) -> Self {
        let whole = layout.peak_without_slices(most);
        let last = layout.last();
        let residency_of = |residency: Residency| match residency {
            Residency::Streamed { reader, along, slices } => {
                Residency::Streamed { reader: last - reader, along, slices }
            }
            other => other,
        };
        let residencies = layout.externals.iter();
        Self {
            cost: Cost { peak: whole.unwrap_or(cost.peak), ..cost },
            is_sliced: layout.has_slices() && whole.is_none(),
            operators: last - layout.first(),
            residencies: residencies.map(|e| (e.tensor, residency_of(e.residency))).collect(),
            joined_views: layout.joined_views().collect(),
        }
    }
}

impl Group {
    /// The group of a form that ends with an operator of a window, with the numbers of the whole graph.
    pub(super) fn of(
        window: &Window,
        form: &Form,
        grid: &Grid,
        last: usize,
        (first_layer, last_layer): (usize, usize),
        (starts_on_chip, ends_on_chip): (bool, bool),
    ) -> Self {
        let last_op = last + window.first_op;
        let residency_of = |residency: Residency| match residency {
            Residency::Streamed { reader, along, slices } => {
                Residency::Streamed { reader: last_op - reader, along, slices }
            }
            other => other,
        };
        let residencies = form.residencies.iter();
        Self {
            first_layer,
            last_layer,
            first_op: last_op - form.operators,
            last_op,
            grid: grid.clone().moved_by(window.first_op),
            starts_on_chip,
            ends_on_chip,
            is_sliced: form.is_sliced,
            residencies: residencies
                .map(|&(tensor, residency)| (window.tensors[tensor], residency_of(residency)))
                .collect(),
            joined_views: form.joined_views.iter().map(|&view| window.tensors[view]).collect(),
            cost: form.cost,
        }
    }

    /// The same group behind other layers: a layer, and an operator, with the number that each has there.
    pub(super) fn moved(&self, layer: (usize, usize), op: (usize, usize)) -> Self {
        let to = |(from, to): (usize, usize), number: usize| number - from + to;
        let mut group = self.clone();
        group.first_layer = to(layer, self.first_layer);
        group.last_layer = to(layer, self.last_layer);
        group.first_op = to(op, self.first_op);
        group.last_op = to(op, self.last_op);
        group.grid = self.grid.counted_from(self.last_op).counted_from(group.last_op);
        for (_, residency) in &mut group.residencies {
            if let Residency::Streamed { reader, .. } = residency {
                *reader = to(op, *reader);
            }
        }
        group
    }

    /// The same group with bytes and moves beside its own.
    pub(super) fn with_moves(mut self, bytes: i64, moves: i64) -> Self {
        self.cost.traffic += bytes;
        self.cost.transfers += moves;
        self
    }
}
