//! Orders in which the layers of a graph may run, besides that of the file.
//!
//! What a branch needs later stays somewhere meanwhile, and layers that read the same tensor go together only if they are
//! neighbours: a branch that reduces all of a tensor to one element of each feature, last of five that end in one
//! concatenation, keeps the other four from going together with it.

use super::graph::SplitGraph;
use super::layers::starts_of_layers;
use super::least_together::MOST_TOGETHER;

/// Graphs of more layers have the order of the file alone: rules take the square of their number.
const MOST_LAYERS: usize = 2_000;

/// So many layers of a chain are followed.
const FOLLOWED: usize = 64;

/// A tensor between layers.
pub(super) struct Held {
    pub bytes: i64,
    pub maker: usize,
    /// Layers that read it.
    pub readers: usize,
    pub is_returned: bool,
}

/// Layers, and the tensors between them. Views are part of what they show.
#[derive(Default)]
pub(super) struct LayerGraph {
    pub tensors: Vec<Held>,
    /// For each layer the tensors that it makes for others, and those that it reads of others.
    pub made: Vec<Vec<usize>>,
    pub read: Vec<Vec<usize>>,
    /// For each layer those that run before it, and behind it.
    pub before: Vec<Vec<usize>>,
    pub behind: Vec<Vec<usize>>,
}

/// Orders of the layers, each once: that of the graph first.
///
/// The others: of layers that may run next one that leaves no more on chip than before, if there is one; that which leaves
/// the least; what a result needs, the dearest first; and each layer as early as it may run.
pub fn orders(graph: &SplitGraph) -> Vec<Vec<usize>> {
    several(graph, |_| None)
}

/// The same orders, and last one by traffic alone, where there are few layers: those that shrink with all that they need.
///
/// By peak each order takes the time of a search, and by traffic only while there was little work.
pub fn orders_by_traffic(graph: &SplitGraph) -> Vec<Vec<usize>> {
    several(graph, |layers| (layers.made.len() <= MOST_TOGETHER).then(|| layers.least_together()))
}

/// The orders, and last what `one_more` makes of the layers.
fn several(
    graph: &SplitGraph,
    one_more: impl Fn(&LayerGraph) -> Option<Vec<usize>>,
) -> Vec<Vec<usize>> {
    let mut orders = vec![order_of(graph)];
    if orders[0].len() > MOST_LAYERS {
        return orders;
    }
    let layers = LayerGraph::of(graph);
    let least = layers.listed(|left, is_done, layer| (layers.change(layer, left, is_done), layer));
    let less =
        layers.listed(|left, is_done, layer| (layers.change(layer, left, is_done) > 0, layer));
    let rules = [less, least, layers.backwards(), layers.by_depth()];
    for order in rules.into_iter().chain(one_more(&layers)) {
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    orders
}

/// The order that the layers of a graph have.
pub(super) fn order_of(graph: &SplitGraph) -> Vec<usize> {
    (0..starts_of_layers(graph).len() - 1).collect()
}

impl SplitGraph {
    /// The same graph with its layers in another order. Linear.
    pub fn in_order(&self, order: &[usize]) -> Self {
        let operators = operators_in_order(self, order);
        let operators = operators.map(|op| self.operators[op].clone()).collect();
        Self { tensors: self.tensors.clone(), operators }
    }
}

/// The operators of a graph, with its layers in another order.
pub(super) fn operators_in_order(
    graph: &SplitGraph,
    order: &[usize],
) -> impl Iterator<Item = usize> {
    let starts = starts_of_layers(graph);
    order.iter().flat_map(move |&layer| starts[layer]..starts[layer + 1])
}

impl LayerGraph {
    fn of(graph: &SplitGraph) -> Self {
        let starts = starts_of_layers(graph);
        let count = starts.len() - 1;
        let lists = || vec![Vec::new(); count];
        let mut layers = Self {
            tensors: Vec::new(),
            made: lists(),
            read: lists(),
            before: lists(),
            behind: lists(),
        };
        // The layer that makes a tensor, and what a view shows.
        let mut maker = vec![None; graph.tensors.len()];
        let mut held = vec![None; graph.tensors.len()];
        for layer in 0..count {
            for op in &graph.operators[starts[layer]..starts[layer + 1]] {
                for &(tensor, _) in &op.operands {
                    layers.note_read(layer, maker[tensor], held[tensor].filter(|_| !op.is_view));
                }
                let shown = op.operands.first().filter(|_| op.is_view);
                for &result in &op.results {
                    maker[result] = Some(layer);
                    held[result] = match shown {
                        Some(&(source, _)) => held[source],
                        None => Some(layers.new_tensor(graph, layer, result)),
                    };
                }
            }
        }
        for (tensor, held) in layers.tensors.iter().enumerate() {
            if held.readers > 0 || held.is_returned {
                layers.made[held.maker].push(tensor);
            }
        }
        layers
    }

    fn new_tensor(&mut self, graph: &SplitGraph, maker: usize, tensor: usize) -> usize {
        let data = &graph.tensors[tensor];
        let bytes = data.bytes();
        self.tensors.push(Held { bytes, maker, readers: 0, is_returned: data.is_returned });
        self.tensors.len() - 1
    }

    /// A layer reads what another makes, and the tensor that it shows.
    fn note_read(&mut self, layer: usize, maker: Option<usize>, held: Option<usize>) {
        if let Some(maker) = maker.filter(|&maker| maker != layer)
            && !self.before[layer].contains(&maker)
        {
            self.before[layer].push(maker);
            self.behind[maker].push(layer);
        }
        if let Some(tensor) = held.filter(|&tensor| self.tensors[tensor].maker != layer)
            && !self.read[layer].contains(&tensor)
        {
            self.read[layer].push(tensor);
            self.tensors[tensor].readers += 1;
        }
    }

    /// Runs of all layers that may run next the one of least key, which is told how many layers still read each tensor, and
    /// which layers are done.
    fn listed<K: Ord>(&self, key: impl Fn(&[usize], &[bool], usize) -> K) -> Vec<usize> {
        let mut left: Vec<usize> = self.tensors.iter().map(|held| held.readers).collect();
        let mut missing: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut is_done = vec![false; missing.len()];
        let mut ready: Vec<usize> = (0..missing.len()).filter(|&l| missing[l] == 0).collect();
        let mut order = Vec::with_capacity(missing.len());
        while let Some(at) = (0..ready.len()).min_by_key(|&at| key(&left, &is_done, ready[at])) {
            let layer = ready.swap_remove(at);
            order.push(layer);
            is_done[layer] = true;
            for &tensor in &self.read[layer] {
                left[tensor] -= 1;
            }
            for &next in &self.behind[layer] {
                missing[next] -= 1;
                if missing[next] == 0 {
                    ready.push(next);
                }
            }
        }
        order
    }

    /// Bytes more on chip once a layer has run, or any first layers of the chain that it opens: the least of them.
    fn change(&self, layer: usize, left: &[usize], is_done: &[bool]) -> i64 {
        let mut run = vec![layer];
        let mut change = 0;
        let mut least = i64::MAX;
        loop {
            let layer = run[run.len() - 1];
            change +=
                self.made[layer].iter().map(|&tensor| self.tensors[tensor].bytes).sum::<i64>();
            for &tensor in &self.read[layer] {
                let readers = run.iter().filter(|&&l| self.read[l].contains(&tensor)).count();
                if left[tensor] == readers && !self.tensors[tensor].is_returned {
                    change -= self.tensors[tensor].bytes;
                }
            }
            least = least.min(change);
            let is_open =
                |&&next: &&usize| self.before[next].iter().all(|l| is_done[*l] || run.contains(l));
            let mut next = self.behind[layer].iter().filter(is_open);
            match (next.next(), next.next()) {
                (Some(&only), None) if run.len() < FOLLOWED => run.push(only),
                _ => return least,
            }
        }
    }

    /// What results need, from the last back; of what one layer needs first what takes the most room on its way, as for
    /// registers (Sethi and Ullman, The Generation of Optimal Code for Arithmetic Expressions, 1970).
    fn backwards(&self) -> Vec<usize> {
        let room = self.room();
        let count = self.made.len();
        let mut is_done = vec![false; count];
        let mut order = Vec::with_capacity(count);
        let is_result = |&layer: &usize| {
            self.made[layer].iter().any(|&tensor| self.tensors[tensor].is_returned)
        };
        let roots = (0..count).filter(is_result).chain(0..count);
        for root in roots {
            let mut pending = vec![(root, false)];
            while let Some((layer, is_ready)) = pending.pop() {
                if is_done[layer] {
                    continue;
                }
                if is_ready {
                    is_done[layer] = true;
                    order.push(layer);
                    continue;
                }
                pending.push((layer, true));
                let mut needed: Vec<usize> = self.before[layer].clone();
                needed.sort_unstable_by_key(|&l| (room[l], std::cmp::Reverse(l)));
                pending.extend(needed.into_iter().map(|l| (l, false)));
            }
        }
        order
    }

    /// First what needs no other layer, then what needs these alone, and so on: heads that are written one after another, and
    /// read the same tensor, do so side by side.
    fn by_depth(&self) -> Vec<usize> {
        let mut depth: Vec<usize> = Vec::with_capacity(self.made.len());
        for before in &self.before {
            depth.push(before.iter().map(|&l| depth[l] + 1).max().unwrap_or(0));
        }
        let mut order: Vec<usize> = (0..depth.len()).collect();
        order.sort_by_key(|&layer| depth[layer]);
        order
    }

    /// For each layer, bytes that all on the way to it take at the most, if nothing on it is read twice.
    fn room(&self) -> Vec<i64> {
        let made: Vec<i64> = self
            .made
            .iter()
            .map(|made| made.iter().map(|&tensor| self.tensors[tensor].bytes).sum())
            .collect();
        let mut room: Vec<i64> = Vec::with_capacity(made.len());
        for (layer, before) in self.before.iter().enumerate() {
            let mut before: Vec<usize> = before.clone();
            before.sort_unstable_by_key(|&l| std::cmp::Reverse(room[l]));
            let (mut most, mut held) = (0, 0);
            for l in before {
                most = most.max(held + room[l]);
                held += made[l];
            }
            room.push(most.max(held + made[layer]));
        }
        room
    }
}
