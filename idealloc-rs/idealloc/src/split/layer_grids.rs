//! The grids of groups that end with one layer. Layers that look alike have the same.

use super::families::{Family, blocks_of_layer, families_of_layer};
use super::graph::SplitGraph;
use super::grids::{Run, runs_of};
use super::layers::{Layers, Window};
use super::strips::has_halo;
use super::surely_read::leaves_gaps;

/// What is tried for groups that end with a layer. Operators are counted from the first one of the layer on.
#[derive(Debug)]
pub(super) struct LayerGrids {
    /// Grids of groups.
    pub runs: Vec<Run>,
    /// Grids of the layer alone; if grids are rough only for layers that fit with none of the others.
    pub families: Vec<Family>,
    /// The same that are tried with shifted tiles only: blocks of a volume.
    blocks: Vec<Family>,
    /// Dimensions of the result over which windows move.
    pub dims_with_halo: Vec<usize>,
    /// Whether strides leave gaps in what the layer reads, so that smaller tiles may move less.
    pub has_gaps: bool,
    /// Whether there are few grids of groups.
    pub is_rough: bool,
}

impl LayerGrids {
    pub fn of(graph: &SplitGraph, layers: &Layers, layer: usize) -> Self {
        let alone = Window::new(graph, layers, layer, layer).graph;
        let last = layers.target[layer] - layers.start[layer];
        let families = families_of_layer(&alone, 0, last);
        let others = families.len();
        let dims = 0..alone.operators[last].result_loops[0].len();
        Self {
            runs: runs_of(&alone, 0, last, layers.is_rough),
            families,
            blocks: blocks_of_layer(&alone, (0, last), others),
            dims_with_halo: dims.filter(|&d| has_halo(&alone, 0, last, d)).collect(),
            has_gaps: alone.operators[..=last].iter().any(leaves_gaps),
            is_rough: layers.is_rough,
        }
    }

    /// Grids of the layer alone with tiles that are shifted at the ends so that all look alike.
    pub fn shifted_families(&self) -> Vec<Family> {
        let all = self.families.iter().chain(&self.blocks);
        all.filter_map(|family| family.shifted(&self.dims_with_halo)).collect()
    }
}
