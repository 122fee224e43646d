//! The grids of groups that end with one layer. Layers that look alike have the same.

use super::families::{Family, families_of_layer};
use super::graph::SplitGraph;
use super::grids::{Run, runs_of};
use super::layers::{Layers, Window};
use super::surely_read::leaves_gaps;

/// What is tried for groups that end with a layer. Operators are counted from the first one of the layer on.
#[derive(Debug)]
pub(super) struct LayerGrids {
    /// Grids of groups.
    pub runs: Vec<Run>,
    /// Grids of the layer alone.
    pub families: Vec<Family>,
    /// Whether strides leave gaps in what the layer reads, so that smaller tiles may move less.
    pub has_gaps: bool,
}

impl LayerGrids {
    pub fn of(graph: &SplitGraph, layers: &Layers, layer: usize) -> Self {
        let alone = Window::new(graph, layers, layer, layer).graph;
        let last = layers.target[layer] - layers.start[layer];
        Self {
            runs: runs_of(&alone, 0, last, false),
            families: families_of_layer(&alone, 0, last),
            has_gaps: alone.operators[..=last].iter().any(leaves_gaps),
        }
    }
}
