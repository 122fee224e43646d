//! Groups of least traffic: a programme over the layers that looks only at groups which may be part of a cheapest path.

use super::end_layer::EndLayer;
use super::ending::{Notes, ways_to};
use super::graph::SplitGraph;
use super::group::Group;
use super::layers::Layers;
use super::likeness::Likeness;
use super::machine::Machine;
use super::path::groups_of;
use super::ways::{Reached, Ways};

/// Groups from the first layer to the last, and what they cost together.
pub(super) struct Path {
    pub groups: Vec<Group>,
    /// Bytes moved.
    pub traffic: i64,
    /// These with moves and code, as the machine prices them.
    pub price: i64,
    /// The ways to all layers that were found.
    pub reached: Vec<Ways>,
}

/// A graph in one order of its layers.
pub(super) struct Ordered {
    pub layers: Layers,
    /// All layers, for a machine with any price of code.
    pub ends: Vec<EndLayer>,
}

impl Ordered {
    /// `likeness` knows what the same graph looks like in other orders.
    pub fn new(
        graph: &SplitGraph,
        machine: Machine,
        (threads, likeness): (usize, &mut Likeness),
    ) -> Self {
        Self::of_layers(graph, Layers::of(graph, machine), machine, (threads, likeness))
    }

    /// The same, to look for groups roughly.
    pub fn rough(
        graph: &SplitGraph,
        machine: Machine,
        (threads, likeness): (usize, &mut Likeness),
    ) -> Self {
        let layers = Layers { is_rough: true, ..Layers::of(graph, machine) };
        Self::of_layers(graph, layers, machine, (threads, likeness))
    }

    fn of_layers(
        graph: &SplitGraph,
        layers: Layers,
        machine: Machine,
        (threads, likeness): (usize, &mut Likeness),
    ) -> Self {
        let ends = EndLayer::of_all(graph, &layers, machine, (threads, likeness));
        Self { layers, ends }
    }
}

/// The cheapest ways to have computed so many layers, from none on, as far as groups lead.
///
/// For each layer in turn, groups that end there are looked at; one that cannot be cheaper than what was found is left
/// out as soon as a bound tells. `notes` are what was found out about groups for this machine with any price of code, and
/// other orders; `known` are ways found with other prices, whose groups are looked at first.
pub(super) fn ways_as_far_as_any(
    Ordered { layers, ends }: &Ordered,
    known: &[Vec<Ways>],
    machine: Machine,
    (threads, notes): (usize, &mut Notes),
) -> Vec<Ways> {
    let mut reached: Vec<Ways> = vec![[Some(Reached::default()), None]];
    for end in ends {
        let ways = ways_to(layers, end, known, machine, (&reached, [None, None]), (threads, notes));
        reached.push(ways);
        if reached.iter().rev().take(layers.longest_group()).flatten().flatten().next().is_none() {
            break;
        }
    }
    reached
}

/// The groups that move the fewest bytes, or none if a layer does not fit; `known` and `notes` as above.
pub(super) fn least_traffic(
    ordered: &Ordered,
    known: &[Vec<Ways>],
    machine: Machine,
    notes: (usize, &mut Notes),
) -> Option<Path> {
    let layers = &ordered.layers;
    let reached = ways_as_far_as_any(ordered, known, machine, notes);
    let last_group = |count: usize, is_on_chip: bool| {
        reached.get(count)?[usize::from(is_on_chip)].as_ref()?.group.as_ref()
    };
    let groups = groups_of(layers.count(), last_group);
    let all = reached.get(layers.count()).and_then(|ways| ways[0].as_ref());
    let (traffic, price) = all.map(|all| (all.traffic, all.price))?;
    Some(Path { groups: groups?, traffic, price, reached })
}
