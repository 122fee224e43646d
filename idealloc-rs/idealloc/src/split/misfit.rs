//! Why nothing fits.

use super::end_layer::EndLayer;
use super::ending::{Notes, ways_to};
use super::graph::SplitGraph;
use super::layers::Layers;
use super::least_traffic::{Ordered, ways_as_far_as_any};
use super::likeness::Likeness;
use super::machine::Machine;
use super::ways::{Reached, Ways};

/// Why nothing fits: a layer that takes more room than there is, however it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The operator whose result the layer hands on.
    pub operator: usize,
    /// The least capacity that would do for the layer, as the search counts; none if no cut helps.
    pub smallest_capacity: Option<i64>,
    /// The least that would do for all layers, as the search counts; none if no cut helps one of them.
    pub smallest_for_all: Option<i64>,
}

impl Misfit {
    /// The first layer that does not fit alone; if all do, the first that no groups lead to.
    pub(super) fn of(graph: &SplitGraph, layers: &Layers, machine: Machine) -> Self {
        let mut stuck = (0..layers.count()).filter(|&layer| !fits(graph, layers, layer, machine));
        let Some(layer) = stuck.next() else {
            let layer = first_not_reached(graph, machine).unwrap_or(0);
            let smallest = smallest_for_groups(graph, machine);
            let operator = layers.target[layer];
            return Self { operator, smallest_capacity: smallest, smallest_for_all: smallest };
        };
        let smallest = smallest_capacity(graph, layers, layer, machine);
        let smallest_for_each = smallest.and_then(|found| {
            (layer + 1..layers.count()).try_fold(found, |capacity, other| {
                let machine = Machine { capacity, ..machine };
                if fits(graph, layers, other, machine) {
                    return Some(capacity);
                }
                smallest_capacity(graph, layers, other, machine)
            })
        });
        let smallest_for_all = smallest_for_each.and_then(|capacity| {
            let machine = Machine { capacity, ..machine };
            match first_not_reached(graph, machine) {
                None => Some(capacity),
                Some(_) => smallest_for_groups(graph, machine),
            }
        });
        let operator = layers.target[layer];
        Self { operator, smallest_capacity: smallest, smallest_for_all }
    }
}

/// The least capacity above the machine's for which groups lead to the last layer; none if there is none.
///
/// Each layer may fit alone, but not with what must stay on chip beside it.
fn smallest_for_groups(graph: &SplitGraph, machine: Machine) -> Option<i64> {
    let in_bytes = |units: i64| units.saturating_mul(machine.alignment);
    let fits_in = |units: i64| {
        let capacity = in_bytes(units);
        first_not_reached(graph, Machine { capacity, ..machine }).is_none()
    };
    let low = machine.capacity / machine.alignment;
    let all: i64 = graph.tensors.iter().map(|tensor| machine.align(tensor.bytes())).sum();
    let mut doubled = std::iter::successors(Some(low + 1), |&high| Some(high.saturating_mul(2)))
        .take_while(|&high| high / 2 <= all / machine.alignment);
    let high = doubled.find(|&high| fits_in(high))?;
    Some(in_bytes(least_between(low.max(high / 2), high, fits_in)))
}

/// The first layer that no groups lead to; none if groups lead to the last one.
fn first_not_reached(graph: &SplitGraph, machine: Machine) -> Option<usize> {
    let ordered = Ordered::new(graph, machine, (1, &mut Likeness::default()));
    let reached = ways_as_far_as_any(&ordered, &[], machine, (1, &mut Notes::default()));
    let is_reached = |ways: &Ways| ways.iter().any(Option::is_some);
    let furthest = reached.iter().rposition(is_reached).unwrap_or(0);
    (furthest < ordered.layers.count()).then_some(furthest)
}

/// The least number above `low` that is enough, where `high` is.
fn least_between(mut low: i64, mut high: i64, is_enough: impl Fn(i64) -> bool) -> i64 {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_enough(middle) { high = middle } else { low = middle }
    }
    high
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
    let (low, high) =
        (machine.capacity / machine.alignment, machine.align(most) / machine.alignment);
    fits_in(high).then(|| in_bytes(least_between(low, high, fits_in)))
}
