//! Why nothing fits.

use super::end_layer::EndLayer;
use super::ending::ways_to;
use super::graph::SplitGraph;
use super::layers::Layers;
use super::machine::Machine;
use super::ways::{Reached, Ways};

/// Why nothing fits: a layer that takes more room than there is, however it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The operator whose result the layer hands on.
    pub operator: usize,
    /// The least capacity that would do for the layer, as the search counts; none if no cut helps.
    pub smallest_capacity: Option<i64>,
    /// The least that would do for each layer alone; none if no cut helps one of them.
    pub smallest_for_all: Option<i64>,
}

impl Misfit {
    /// The first layer that does not fit alone.
    pub(super) fn of(graph: &SplitGraph, layers: &Layers, machine: Machine) -> Self {
        let mut stuck = (0..layers.count()).filter(|&layer| !fits(graph, layers, layer, machine));
        let layer = stuck.next().unwrap_or(0);
        let smallest = smallest_capacity(graph, layers, layer, machine);
        let smallest_for_all = smallest.and_then(|found| {
            (layer + 1..layers.count()).try_fold(found, |capacity, other| {
                let machine = Machine { capacity, ..machine };
                if fits(graph, layers, other, machine) {
                    return Some(capacity);
                }
                smallest_capacity(graph, layers, other, machine)
            })
        });
        let operator = layers.target[layer];
        Self { operator, smallest_capacity: smallest, smallest_for_all }
    }
}

/// Whether a layer fits alone.
fn fits(graph: &SplitGraph, layers: &Layers, layer: usize, machine: Machine) -> bool {
    let mut reached: Vec<Ways> = vec![[None, None]; layer];
    reached.push([Some(Reached::default()), None]);
    let end = EndLayer::of(graph, layers, layer, machine);
    let ways =
        ways_to(layers, &end, &[], machine, (&reached, [None, None]), (1, &mut Default::default()));
    ways.iter().any(Option::is_some)
}

/// The least capacity above the machine's for which a layer fits alone; none if it does not fit into its own tensors' bytes.
fn smallest_capacity(
    graph: &SplitGraph,
    layers: &Layers,
    layer: usize,
    machine: Machine,
) -> Option<i64> {
    let ops = &graph.operators[layers.start[layer]..layers.start[layer + 1]];
    let bytes = |tensor: usize| graph.tensors[tensor].bytes() + machine.alignment;
    let all = |op: &super::graph::Operator| -> i64 {
        let read: i64 = op.operands.iter().map(|(tensor, _)| bytes(*tensor)).sum();
        read + op.results.iter().map(|&tensor| bytes(tensor)).sum::<i64>()
    };
    // Rooms are multiples of the alignment, so no capacity between two of them is the least.
    let in_bytes = |units: i64| units.saturating_mul(machine.alignment);
    let fits_in =
        |units: i64| fits(graph, layers, layer, Machine { capacity: in_bytes(units), ..machine });
    let most: i64 = ops.iter().map(all).sum();
    let (mut low, mut high) =
        (machine.capacity / machine.alignment, machine.align(most) / machine.alignment);
    if !fits_in(high) {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits_in(middle) { high = middle } else { low = middle }
    }
    Some(in_bytes(high))
}
