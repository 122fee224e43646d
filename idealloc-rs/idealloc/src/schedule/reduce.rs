//! From operators to macros: what the searches step over.
//!
//! Two lossless reductions. *Workspace*: a tensor without producer that one operator reads, and a result that nobody
//! reads, are on chip only while that operator runs. *Glue*: on a chain in which each operator reads only the result
//! of the one before, a segment is run in one go when one of its operators has the highest footprint of the segment,
//! the level (bytes between two operators) at its start is no higher than any level before that operator, and the
//! level at its end is no higher than any level after it (hill-valley, Liu 1987, restricted to chains): any schedule
//! can gather the segment around that operator without holding more bytes or moving more.

use super::graph::{Graph, OpIdx, TensorIdx};

/// Longest segment that is looked for; longer ones are found in pieces.
const LONGEST_SEGMENT: usize = 48;

/// Operators that are run in one go.
#[derive(Clone, Debug, Default)]
pub(super) struct Macro {
    /// The operators, in order.
    pub ops: Vec<OpIdx>,
    /// Items read, by the first operator only; ascending.
    pub inputs: Vec<u32>,
    /// Items made, by the last operator only; ascending.
    pub outputs: Vec<u32>,
    /// Bytes the first operator needs besides its inputs, if none of `overwritten` may go.
    pub enter: u64,
    /// Those of `inputs` that its results may be written over; ascending.
    pub overwritten: Vec<u32>,
    /// Bytes of `enter` that find room there at most.
    pub overwriting_bytes: u64,
    /// Whether that needs them to be loaded for the first operator, which is the only one then.
    pub reloads: bool,
    /// Bytes the later operators need, all their tensors included; 0 if there are none.
    pub hill: u64,
    /// Bytes of `outputs`.
    pub made_bytes: u64,
    /// Whether all of `outputs` are clean from the start.
    pub makes_clean: bool,
    /// Macros that must have run before.
    pub predecessors: Vec<u32>,
    /// Macros that must run later; the mirror image.
    pub successors: Vec<u32>,
    /// Needs nothing that another macro makes, and never more room than any macro that reads its results: it can
    /// wait, without loss, until one of those waits for nothing else.
    pub can_wait: bool,
}

/// A tensor that lives between macros.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The tensor.
    pub tensor: TensorIdx,
    /// Its size in bytes, positive.
    pub bytes: u64,
    /// The macro that makes it, `None` for graph inputs.
    pub producer: Option<u32>,
    /// The macros that read it, ascending, at least one.
    pub consumers: Vec<u32>,
    /// True if a copy is, or anyway will be, off chip: evicting it writes nothing.
    pub is_clean: bool,
}

/// A graph after workspace and glue.
#[derive(Clone, Debug, Default)]
pub(super) struct Reduced {
    pub macros: Vec<Macro>,
    pub items: Vec<Item>,
}

impl Reduced {
    /// Reduces a graph; without `glue` every operator is a macro. O(operators · 48²) at worst.
    pub fn new(graph: &Graph, glue: bool) -> Self {
        let chains = chains(graph);
        let mut groups: Vec<Vec<OpIdx>> = Vec::new();
        for chain in chains {
            let cuts = if glue { segments(graph, &chain) } else { (1..=chain.len()).collect() };
            let mut start = 0;
            for end in cuts {
                groups.push(chain[start..end].to_vec());
                start = end;
            }
        }
        // The order of the caller is a good tie-breaker: keep it.
        groups.sort_by_key(|ops| ops[0]);
        let mut reduced = Self::gather(graph, groups);
        reduced.link(graph);
        reduced
    }

    /// A graph whose operators run in one order only, which is an order of the graph. O(operators + uses).
    pub fn in_order(graph: &Graph, order: &[OpIdx]) -> Self {
        let mut reduced = Self::gather(graph, order.iter().map(|&op| vec![op]).collect());
        reduced.chain(0..order.len() as u32);
        reduced
    }

    /// The same macros, which may run in the given order only; it is an order of the graph.
    pub fn chained(&self, order: &[u32]) -> Self {
        let mut chained = self.clone();
        chained.chain(order.iter().copied());
        chained
    }

    /// Some of the macros, with what they make of the tensors between macros; other tensors take room, but need not be
    /// kept. Macros are numbered as in `steps`.
    ///
    /// Inputs that only these macros read stay what they are.
    pub fn part(&self, steps: &[u32]) -> Self {
        let mut number = vec![None; self.macros.len()];
        for (i, &step) in (0..).zip(steps) {
            number[step as usize] = Some(i);
        }
        let here = |all: &[u32]| -> Vec<u32> {
            let mut list: Vec<u32> = all.iter().filter_map(|&s| number[s as usize]).collect();
            list.sort_unstable();
            list
        };
        let mut part = Self { macros: Vec::new(), items: Vec::new() };
        for &step in steps {
            let body = &self.macros[step as usize];
            part.macros.push(Macro {
                inputs: Vec::new(),
                outputs: Vec::new(),
                predecessors: here(&body.predecessors),
                successors: here(&body.successors),
                can_wait: false,
                made_bytes: 0,
                enter: self.read_bytes(body) + body.enter,
                overwritten: Vec::new(),
                ..body.clone()
            });
        }
        for (item_index, item) in (0..).zip(&self.items) {
            let consumers = here(&item.consumers);
            let producer = item.producer.and_then(|from| number[from as usize]);
            let is_input = item.producer.is_none() && consumers.len() == item.consumers.len();
            if consumers.is_empty() || (producer.is_none() && !is_input) {
                continue;
            }
            let index = part.items.len() as u32;
            if let Some(from) = producer {
                part.macros[from as usize].outputs.push(index);
                part.macros[from as usize].made_bytes += item.bytes;
            }
            for &to in &consumers {
                let body = &self.macros[steps[to as usize] as usize];
                let to = &mut part.macros[to as usize];
                to.inputs.push(index);
                to.enter -= item.bytes;
                if body.overwritten.binary_search(&item_index).is_ok() {
                    to.overwritten.push(index);
                }
            }
            part.items.push(Item { producer, consumers, ..item.clone() });
        }
        for (step, &old) in part.macros.iter_mut().zip(steps) {
            // Tensors of others may go as early as can be.
            let all = self.overwritten_bytes(&self.macros[old as usize]);
            let kept: u64 = step.overwritten.iter().map(|&i| part.items[i as usize].bytes).sum();
            let saved = (all - kept).min(step.overwriting_bytes);
            step.enter -= saved;
            step.overwriting_bytes -= saved;
        }
        for step in &mut part.macros {
            step.makes_clean = step.outputs.iter().all(|&i| part.items[i as usize].is_clean);
        }
        part
    }

    /// Lets the macros run in the given order only.
    fn chain(&mut self, order: impl Iterator<Item = u32> + Clone) {
        for step in &mut self.macros {
            step.predecessors.clear();
            step.successors.clear();
            step.can_wait = false;
        }
        for (before, step) in order.clone().zip(order.skip(1)) {
            self.macros[step as usize].predecessors.push(before);
            self.macros[before as usize].successors.push(step);
        }
    }

    /// Macros of the given operators, and the tensors between them; nothing is said about order yet.
    fn gather(graph: &Graph, groups: Vec<Vec<OpIdx>>) -> Self {
        let macro_of = macro_of(graph, groups.iter().map(Vec::as_slice));
        let mut reduced = Self { macros: vec![Macro::default(); groups.len()], items: Vec::new() };
        for (index, tensor) in graph.tensors.iter().enumerate() {
            if tensor.bytes == 0 || is_workspace(graph, index) {
                continue;
            }
            let producer = tensor.producer.map(|op| macro_of[op.get()]);
            let mut consumers: Vec<u32> =
                tensor.consumers.iter().map(|op| macro_of[op.get()]).collect();
            consumers.sort_unstable();
            consumers.dedup();
            if producer == consumers.first().copied() {
                continue;
            }
            let item = reduced.items.len() as u32;
            if let Some(from) = producer {
                reduced.macros[from as usize].outputs.push(item);
            }
            for &to in &consumers {
                reduced.macros[to as usize].inputs.push(item);
            }
            reduced.items.push(Item {
                tensor: TensorIdx::from(index),
                bytes: tensor.bytes,
                producer,
                consumers,
                is_clean: tensor.producer.is_none() || tensor.is_output,
            });
        }
        for (i, ops) in groups.into_iter().enumerate() {
            let step = &mut reduced.macros[i];
            let read: u64 =
                step.inputs.iter().map(|&item| reduced.items[item as usize].bytes).sum();
            step.enter = graph.footprint(ops[0]) - read;
            let first = &graph.ops[ops[0].get()];
            let is_overwritten = |item: &&u32| {
                let tensor = reduced.items[**item as usize].tensor;
                first.overwritten.binary_search(&tensor).is_ok()
            };
            step.reloads = first.reloads;
            step.overwritten = step.inputs.iter().filter(is_overwritten).copied().collect();
            // Workspace goes for certain.
            let gone = graph.shared_bytes(ops[0], |t| is_workspace(graph, t.get()));
            let all = graph.shared_bytes(ops[0], |_| true);
            step.enter -= gone;
            step.overwriting_bytes = all - gone;
            let made = step.outputs.iter().map(|&item| &reduced.items[item as usize]);
            step.made_bytes = made.clone().map(|item| item.bytes).sum();
            step.makes_clean = made.clone().all(|item| item.is_clean);
            step.hill = ops[1..].iter().map(|&op| graph.sure_footprint(op)).max().unwrap_or(0);
            step.ops = ops;
        }
        reduced
    }

    /// Says which macros come before which, and which of them can wait.
    fn link(&mut self, graph: &Graph) {
        let macro_of = macro_of(graph, self.macros.iter().map(|step| step.ops.as_slice()));
        for (i, step) in self.macros.iter_mut().enumerate() {
            let before = step.ops.iter().flat_map(|&op| graph.predecessors(op));
            let mut before: Vec<u32> = before.map(|op| macro_of[op.get()]).collect();
            before.retain(|&from| from != i as u32);
            before.sort_unstable();
            before.dedup();
            step.predecessors = before;
        }
        for i in 0..self.macros.len() {
            for from in self.macros[i].predecessors.clone() {
                self.macros[from as usize].successors.push(i as u32);
            }
        }
        for i in 0..self.macros.len() {
            self.macros[i].can_wait = self.can_wait(i);
        }
    }

    /// The order of macros in an order of the graph: by their first operators, as far as that is an order of macros.
    pub fn macro_order(&self, order: &[OpIdx]) -> Vec<u32> {
        let mut position = vec![0; order.len()];
        for (i, op) in order.iter().enumerate() {
            position[op.get()] = i;
        }
        let mut macros: Vec<u32> = (0..self.macros.len() as u32).collect();
        macros.sort_by_key(|&step| position[self.macros[step as usize].ops[0].get()]);
        macros
    }

    /// An order in which every macro comes after those it needs.
    pub fn topological_order(&self) -> Vec<u32> {
        let macros = &self.macros;
        let mut waits: Vec<usize> = macros.iter().map(|m| m.predecessors.len()).collect();
        let mut order: Vec<u32> =
            (0..macros.len() as u32).filter(|&i| waits[i as usize] == 0).collect();
        let mut next = 0;
        while next < order.len() {
            for &s in &macros[order[next] as usize].successors {
                waits[s as usize] -= 1;
                if waits[s as usize] == 0 {
                    order.push(s);
                }
            }
            next += 1;
        }
        order
    }

    /// The operators of some macros.
    pub fn ops(&self, steps: &[u32]) -> Vec<OpIdx> {
        steps.iter().flat_map(|&step| self.macros[step as usize].ops.iter().copied()).collect()
    }

    /// Bytes that a macro needs on chip at its worst moment, besides what it does not touch.
    pub fn need(&self, step: &Macro) -> u64 {
        let saved = self.overwritten_bytes(step).min(step.overwriting_bytes);
        (self.read_bytes(step) + step.enter - saved).max(step.hill)
    }

    /// Bytes of the inputs of a macro that its results may be written over.
    fn overwritten_bytes(&self, step: &Macro) -> u64 {
        step.overwritten.iter().map(|&i| self.items[i as usize].bytes).sum()
    }

    /// Bytes of what a macro reads.
    fn read_bytes(&self, step: &Macro) -> u64 {
        step.inputs.iter().map(|&i| self.items[i as usize].bytes).sum()
    }

    /// Bytes that some macro needs: with fewer, nothing fits.
    pub fn largest_need(&self) -> u64 {
        self.macros.iter().map(|step| self.need(step)).max().unwrap_or(0)
    }
}

/// For each operator the group that it is in.
fn macro_of<'a>(graph: &Graph, groups: impl Iterator<Item = &'a [OpIdx]>) -> Vec<u32> {
    let mut macro_of = vec![0; graph.ops.len()];
    for (i, ops) in (0..).zip(groups) {
        for op in ops {
            macro_of[op.get()] = i;
        }
    }
    macro_of
}

impl Reduced {
    fn can_wait(&self, index: usize) -> bool {
        let step = &self.macros[index];
        // Results that this reader does not read take room beside it, too.
        let reads_results = |next: &u32| {
            let next = &self.macros[*next as usize];
            let read = step.outputs.iter().filter(|&item| next.inputs.contains(item));
            let bytes: u64 = read.map(|&item| self.items[item as usize].bytes).sum();
            let most = (bytes + next.enter).saturating_sub(next.overwriting_bytes);
            bytes > 0 && step.enter.max(step.hill) <= most
        };
        step.inputs.is_empty()
            && step.predecessors.is_empty()
            && !step.successors.is_empty()
            && step.successors.iter().all(reads_results)
    }
}

fn is_workspace(graph: &Graph, tensor: usize) -> bool {
    let tensor = &graph.tensors[tensor];
    tensor.consumers.is_empty() || (tensor.producer.is_none() && tensor.consumers.len() == 1)
}

/// Inputs of an operator that live before it runs.
fn live_inputs(graph: &Graph, op: OpIdx) -> impl Iterator<Item = TensorIdx> + '_ {
    graph.ops[op.get()]
        .inputs
        .iter()
        .copied()
        .filter(|t| !is_workspace(graph, t.get()) && graph.tensors[t.get()].bytes > 0)
}

/// The one tensor that an operator hands to the one operator that reads nothing else, with that operator.
fn follower(graph: &Graph, op: OpIdx, has_edges: &[bool]) -> Option<OpIdx> {
    let mut live =
        graph.ops[op.get()].outputs.iter().filter(|t| !graph.tensors[t.get()].consumers.is_empty());
    let (Some(t), None) = (live.next(), live.next()) else { return None };
    let tensor = &graph.tensors[t.get()];
    let [next] = tensor.consumers[..] else { return None };
    let only = live_inputs(graph, next).eq(std::iter::once(*t))
        && graph.predecessors(next).eq(std::iter::once(op));
    let free = !tensor.is_output && !has_edges[op.get()] && !has_edges[next.get()];
    let reloads = graph.ops[op.get()].reloads || graph.ops[next.get()].reloads;
    (only && free && !reloads).then_some(next)
}

/// Maximal chains; every operator is in exactly one.
fn chains(graph: &Graph) -> Vec<Vec<OpIdx>> {
    let n = graph.ops.len();
    let mut has_edges = vec![false; n];
    for (i, op) in graph.ops.iter().enumerate() {
        for before in &op.after {
            has_edges[i] = true;
            has_edges[before.get()] = true;
        }
    }
    let next: Vec<Option<OpIdx>> =
        (0..n).map(|i| follower(graph, OpIdx::from(i), &has_edges)).collect();
    let mut is_head = vec![true; n];
    for op in next.iter().flatten() {
        is_head[op.get()] = false;
    }
    let heads = (0..n).filter(|&i| is_head[i]);
    heads
        .map(|head| {
            let mut chain = vec![OpIdx::from(head)];
            while let Some(op) = chain.last().and_then(|last| next[last.get()]) {
                chain.push(op);
            }
            chain
        })
        .collect()
}

/// Cuts a chain into as few runnable segments as there can be; returns the end of each.
fn segments(graph: &Graph, chain: &[OpIdx]) -> Vec<usize> {
    let n = chain.len();
    let profile = Profile::new(graph, chain);
    let mut fewest = vec![(0usize, 0usize); n + 1];
    for end in 1..=n {
        fewest[end] = (end.saturating_sub(LONGEST_SEGMENT)..end)
            .filter(|&start| profile.is_segment(start, end))
            .map(|start| (fewest[start].0 + 1, start))
            .min()
            .unwrap_or((fewest[end - 1].0 + 1, end - 1));
    }
    let mut cuts = Vec::new();
    let mut end = n;
    while end > 0 {
        cuts.push(end);
        end = fewest[end].1;
    }
    cuts.reverse();
    cuts
}

/// Levels and hills along a chain, in bytes.
struct Profile {
    /// `levels[i]`: bytes of the chain held before operator `i`; `levels[n]` after the last.
    levels: Vec<u64>,
    /// Footprint of each operator.
    hills: Vec<u64>,
    /// Footprint of the first operator without inputs that others read too.
    first_hill: u64,
    /// Whether the first operator may be delayed: it reads one tensor at most.
    first_may_wait: bool,
}

impl Profile {
    fn new(graph: &Graph, chain: &[OpIdx]) -> Self {
        let bytes = |t: &TensorIdx| graph.tensors[t.get()].bytes;
        let live_out = |op: &OpIdx| -> u64 {
            let outputs = graph.ops[op.get()].outputs.iter();
            outputs.filter(|t| !graph.tensors[t.get()].consumers.is_empty()).map(bytes).sum()
        };
        let first = chain[0];
        let start: u64 = live_inputs(graph, first).map(|t| bytes(&t)).sum();
        let shared: u64 = live_inputs(graph, first)
            .filter(|t| graph.tensors[t.get()].consumers.len() > 1)
            .map(|t| bytes(&t))
            .sum();
        let hills: Vec<u64> = chain.iter().map(|&op| graph.sure_footprint(op)).collect();
        Self {
            levels: std::iter::once(start).chain(chain.iter().map(live_out)).collect(),
            first_hill: graph.least_footprint(first).saturating_sub(shared),
            hills,
            first_may_wait: live_inputs(graph, first).count() <= 1,
        }
    }

    /// Whether operators `start..end` can be run in one go without loss.
    fn is_segment(&self, start: usize, end: usize) -> bool {
        (start..end).any(|top| {
            let before = start..top;
            let after = top + 1..end;
            let height = if top == 0 { self.first_hill } else { self.hills[top] };
            let waits = start > 0 || top == 0 || self.first_may_wait;
            waits
                && before.clone().chain(after.clone()).all(|i| self.hills[i] <= height)
                && before.map(|i| self.levels[i + 1]).all(|level| self.levels[start] <= level)
                && after.map(|i| self.levels[i]).all(|level| self.levels[end] <= level)
        })
    }
}
