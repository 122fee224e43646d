//! Operator graphs: what is to be put in order.

use crate::error::Error;
use crate::problem::MAX_BYTES;

/// Position of an operator in its [`Graph`]: the order in which the caller gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpIdx(u32);

/// Position of a tensor in its [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorIdx(u32);

macro_rules! index {
    ($name:ident) => {
        impl $name {
            /// Wraps a position. Graphs hold at most `u32::MAX` of each kind, which the builder checks.
            #[must_use]
            pub const fn new(position: u32) -> Self {
                Self(position)
            }

            /// The position as an array index.
            #[must_use]
            pub const fn get(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Wraps an array index that is known to be in range.
            fn from(position: usize) -> Self {
                debug_assert!(u32::try_from(position).is_ok());
                Self(position as u32)
            }
        }
    };
}
index!(OpIdx);
index!(TensorIdx);

/// One operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Op {
    /// Name for messages.
    pub name: String,
    /// Tensors read, each once, ascending.
    pub inputs: Vec<TensorIdx>,
    /// Tensors made, ascending.
    pub outputs: Vec<TensorIdx>,
    /// Operators that must run before for another reason than a tensor, ascending.
    pub after: Vec<OpIdx>,
    /// Inputs that results may be written over, if they are not needed on chip any more; ascending.
    pub overwritten: Vec<TensorIdx>,
    /// Results that may be written over one of those; ascending.
    pub overwriting: Vec<TensorIdx>,
    /// Whether only what comes back for this operator can be written over: it is put where it will be a part of a
    /// result. What was on chip before is copied there.
    pub reloads: bool,
}

/// One tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Name for messages.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// True if its contents must reach off-chip memory in any case: the write is compulsory.
    pub is_output: bool,
    /// The operator that makes it; `None` for inputs and parameters, which are off chip at first.
    pub producer: Option<OpIdx>,
    /// Operators that read it, ascending.
    pub consumers: Vec<OpIdx>,
}

/// Operators and the tensors between them. Acyclic; made and checked by [`GraphBuilder`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub(super) ops: Vec<Op>,
    pub(super) tensors: Vec<Tensor>,
}

impl Graph {
    /// Starts an empty graph.
    #[must_use]
    pub fn builder() -> GraphBuilder {
        GraphBuilder::default()
    }

    /// All operators.
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// All tensors.
    #[must_use]
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Bytes of the tensors that one operator reads and makes.
    #[must_use]
    pub fn footprint(&self, op: OpIdx) -> u64 {
        let op = &self.ops[op.get()];
        self.sum(op.inputs.iter().chain(&op.outputs))
    }

    /// The footprint where all that may be written over is: so many bytes must be on chip at once.
    #[must_use]
    pub fn least_footprint(&self, op: OpIdx) -> u64 {
        self.footprint(op) - self.shared_bytes(op, |_| true)
    }

    /// The footprint where inputs are written over that no other operator reads.
    pub(super) fn sure_footprint(&self, op: OpIdx) -> u64 {
        let is_sure = |t: TensorIdx| self.tensors[t.get()].consumers.len() == 1;
        let shared = self.shared_bytes(op, is_sure);
        self.footprint(op) - if self.ops[op.get()].reloads { 0 } else { shared }
    }

    /// Bytes that an operator saves by writing over those of its inputs of which `ends` says that they may go.
    pub(super) fn shared_bytes(&self, op: OpIdx, ends: impl Fn(TensorIdx) -> bool) -> u64 {
        let op = &self.ops[op.get()];
        let gone = self.sum(op.overwritten.iter().filter(|t| ends(**t)));
        // What comes back inside of a result takes no room of its own.
        if op.reloads { gone } else { gone.min(self.sum(op.overwriting.iter())) }
    }

    fn sum<'a>(&self, tensors: impl Iterator<Item = &'a TensorIdx>) -> u64 {
        tensors.map(|t| self.tensors[t.get()].bytes).sum()
    }

    /// The operator with the largest [`Self::least_footprint`] and its bytes: below it nothing can run.
    #[must_use]
    pub fn largest_footprint(&self) -> Option<(OpIdx, u64)> {
        (0..self.ops.len())
            .map(|i| (OpIdx::from(i), self.least_footprint(OpIdx::from(i))))
            .max_by_key(|&(op, bytes)| (bytes, std::cmp::Reverse(op)))
    }

    /// Operators that must have run before `op`: its producers and those it is explicitly after.
    pub fn predecessors(&self, op: OpIdx) -> impl Iterator<Item = OpIdx> + '_ {
        let op = &self.ops[op.get()];
        let producers = op.inputs.iter().filter_map(|t| self.tensors[t.get()].producer);
        producers.chain(op.after.iter().copied())
    }
}

/// Collects a graph and checks it as a whole.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    graph: Graph,
    made_by: Vec<Vec<OpIdx>>,
    is_source: Vec<bool>,
    edges: Vec<(OpIdx, OpIdx)>,
    overwrites: Vec<(OpIdx, TensorIdx, TensorIdx)>,
}

impl GraphBuilder {
    /// Adds a tensor. A `source` is off chip at first and has no producer: an input or a parameter.
    pub fn tensor(
        &mut self,
        name: impl Into<String>,
        bytes: u64,
        is_source: bool,
        is_output: bool,
    ) -> TensorIdx {
        let index = TensorIdx::from(self.graph.tensors.len());
        self.graph.tensors.push(Tensor {
            name: name.into(),
            bytes,
            is_output,
            producer: None,
            consumers: Vec::new(),
        });
        self.made_by.push(Vec::new());
        self.is_source.push(is_source);
        index
    }

    /// Adds an operator; a tensor that it reads twice counts once.
    pub fn op(
        &mut self,
        name: impl Into<String>,
        inputs: &[TensorIdx],
        outputs: &[TensorIdx],
    ) -> OpIdx {
        let index = OpIdx::from(self.graph.ops.len());
        let sorted = |list: &[TensorIdx]| {
            let mut all = list.to_vec();
            all.sort_unstable();
            all
        };
        let mut inputs = sorted(inputs);
        inputs.dedup();
        let outputs = sorted(outputs);
        self.graph.ops.push(Op { name: name.into(), inputs, outputs, ..Op::default() });
        index
    }

    /// Says that `op` may write its result `output` over its input `input`.
    ///
    /// It can if no operator reads the input later, or a copy is off chip. All results of an operator that may be
    /// written over something share the room of all its inputs that may be written over.
    pub fn overwrite(&mut self, op: OpIdx, output: TensorIdx, input: TensorIdx) -> &mut Self {
        self.overwrites.push((op, output, input));
        self
    }

    /// Says that `after` may only run once `before` has, whatever they read and write.
    pub fn edge(&mut self, before: OpIdx, after: OpIdx) -> &mut Self {
        self.edges.push((before, after));
        self
    }

    /// Says that `op` may write only over what comes back for it: see [`Op::reloads`].
    pub fn reload(&mut self, op: OpIdx) -> &mut Self {
        if let Some(op) = self.graph.ops.get_mut(op.get()) {
            op.reloads = true;
        }
        self
    }

    /// Checks everything and returns the graph. O(operators + uses).
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] naming the operator or tensor and what is wrong with it.
    pub fn build(mut self) -> Result<Graph, Error> {
        let (n_ops, n_tensors) = (self.graph.ops.len(), self.graph.tensors.len());
        if u32::try_from(n_ops.max(n_tensors)).is_err() {
            return Err(invalid("more than 2^32 - 1 operators or tensors".to_owned()));
        }
        for &(before, after) in &self.edges {
            if let Some(missing) = [before, after].into_iter().find(|op| op.get() >= n_ops) {
                return Err(invalid(format!(
                    "an edge names operator {}, which does not exist",
                    missing.get()
                )));
            }
            self.graph.ops[after.get()].after.push(before);
        }
        for (i, op) in self.graph.ops.iter().enumerate() {
            let index = OpIdx::from(i);
            for &t in op.inputs.iter().chain(&op.outputs) {
                if t.get() >= n_tensors {
                    return Err(invalid(format!(
                        "operator '{}' uses tensor {}, which does not exist",
                        op.name,
                        t.get()
                    )));
                }
            }
            for &t in &op.inputs {
                self.graph.tensors[t.get()].consumers.push(index);
            }
            for &t in &op.outputs {
                self.made_by[t.get()].push(index);
            }
        }
        self.check_tensors()?;
        self.enter_overwrites()?;
        for op in &mut self.graph.ops {
            for list in [&mut op.overwritten, &mut op.overwriting] {
                list.sort_unstable();
                list.dedup();
            }
            op.after.sort_unstable();
            op.after.dedup();
        }
        topological_order(&self.graph)?;
        Ok(self.graph)
    }

    fn enter_overwrites(&mut self) -> Result<(), Error> {
        for &(op, output, input) in &self.overwrites {
            let Some(op) = self.graph.ops.get_mut(op.get()) else {
                return Err(invalid(format!(
                    "operator {}, which writes over an input, does not exist",
                    op.get()
                )));
            };
            if op.inputs.binary_search(&input).is_err()
                || op.outputs.binary_search(&output).is_err()
            {
                return Err(invalid(format!(
                    "operator '{}' writes tensor {} over tensor {}, but does not make the one or read the other",
                    op.name,
                    output.get(),
                    input.get()
                )));
            }
            op.overwritten.push(input);
            op.overwriting.push(output);
        }
        Ok(())
    }

    fn check_tensors(&mut self) -> Result<(), Error> {
        let mut total: u64 = 0;
        for (i, makers) in self.made_by.iter().enumerate() {
            let tensor = &self.graph.tensors[i];
            let name = &tensor.name;
            let op_name = |op: &OpIdx| &self.graph.ops[op.get()].name;
            match (self.is_source[i], makers.as_slice()) {
                (true, [op, ..]) => {
                    return Err(invalid(format!(
                        "tensor '{name}' is an input but operator '{}' makes it",
                        op_name(op)
                    )));
                }
                (false, []) => {
                    return Err(invalid(format!(
                        "tensor '{name}' is neither an input nor made by an operator"
                    )));
                }
                (false, [a, b, ..]) => {
                    return Err(invalid(format!(
                        "tensor '{name}' is made by operator '{}' and by operator '{}'",
                        op_name(a),
                        op_name(b)
                    )));
                }
                _ => {}
            }
            // Costs are sums of at most three moves of a tensor per reader.
            total = (tensor.consumers.len() as u64 + 1)
                .checked_mul(3)
                .and_then(|moves| moves.checked_mul(tensor.bytes))
                .and_then(|moved| total.checked_add(moved))
                .filter(|&sum| sum <= MAX_BYTES)
                .ok_or_else(|| {
                    invalid(format!(
                        "tensor '{name}' of {} bytes: the bytes that could be moved add up to more \
                         than 2^63 - 1",
                        tensor.bytes
                    ))
                })?;
            let producer = makers.first().copied();
            self.graph.tensors[i].producer = producer;
        }
        Ok(())
    }
}

fn invalid(reason: String) -> Error {
    Error::InvalidGraph(reason)
}

/// An order in which every operator comes after those it needs, by ascending index where free.
pub(super) fn topological_order(graph: &Graph) -> Result<Vec<OpIdx>, Error> {
    let n = graph.ops.len();
    let mut waits = vec![0usize; n];
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, wait) in waits.iter_mut().enumerate() {
        for before in graph.predecessors(OpIdx::from(i)) {
            *wait += 1;
            followers[before.get()].push(i);
        }
    }
    let mut ready: std::collections::BTreeSet<usize> = (0..n).filter(|&i| waits[i] == 0).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(i) = ready.pop_first() {
        order.push(OpIdx::from(i));
        for &next in &followers[i] {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.insert(next);
            }
        }
    }
    match waits.iter().position(|&wait| wait > 0) {
        None => Ok(order),
        Some(_) => Err(invalid(describe_cycle(graph, &waits))),
    }
}

/// Walks backwards over operators that never became ready until one repeats.
fn describe_cycle(graph: &Graph, waits: &[usize]) -> String {
    let mut path: Vec<OpIdx> = Vec::new();
    let mut at = waits.iter().position(|&wait| wait > 0).map(OpIdx::from);
    while let Some(op) = at {
        if let Some(start) = path.iter().position(|&seen| seen == op) {
            let names: Vec<&str> =
                path[start..].iter().rev().map(|op| graph.ops[op.get()].name.as_str()).collect();
            return format!("the graph has a cycle: {} -> {}", names.join(" -> "), names[0]);
        }
        path.push(op);
        at = graph.predecessors(op).find(|before| waits[before.get()] > 0);
    }
    "the graph has a cycle".to_owned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A graph in which each tensor but the first is made of two earlier ones, and the last is an output.
    pub fn of_two_reads(bytes: &[u64], reads: &[(usize, usize)]) -> Graph {
        let mut b = Graph::builder();
        let last = bytes.len() - 1;
        let tensors: Vec<_> = (0..)
            .zip(bytes)
            .map(|(i, &bytes)| b.tensor(format!("t{i}"), bytes, i == 0, i == last))
            .collect();
        for i in 1..tensors.len() {
            let (x, y) = reads[i];
            b.op(format!("op{i}"), &[tensors[x % i], tensors[y % i]], &[tensors[i]]);
        }
        b.build().expect("valid")
    }

    fn message(builder: GraphBuilder) -> String {
        builder.build().err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_cycle_is_named() {
        let mut b = Graph::builder();
        let (x, y) = (b.tensor("x", 1, false, false), b.tensor("y", 1, false, false));
        b.op("f", &[y], &[x]);
        b.op("g", &[x], &[y]);
        assert_eq!(message(b), "the graph has a cycle: g -> f -> g");
    }

    #[test]
    fn a_tensor_needs_one_maker() {
        let mut b = Graph::builder();
        b.tensor("x", 1, false, false);
        assert_eq!(message(b), "tensor 'x' is neither an input nor made by an operator");
        let mut b = Graph::builder();
        let x = b.tensor("x", 1, false, false);
        b.op("f", &[], &[x]);
        b.op("g", &[], &[x]);
        assert_eq!(message(b), "tensor 'x' is made by operator 'f' and by operator 'g'");
    }

    #[test]
    fn both_ends_of_an_edge_exist() {
        for (before, after) in [(0, 1), (1, 0)] {
            let mut b = Graph::builder();
            b.op("f", &[], &[]);
            b.edge(OpIdx::new(before), OpIdx::new(after));
            assert_eq!(message(b), "an edge names operator 1, which does not exist");
        }
    }

    #[test]
    fn huge_sizes_are_refused() {
        let mut b = Graph::builder();
        b.tensor("x", u64::MAX / 2, true, false);
        assert!(message(b).contains("2^63"));
    }

    #[test]
    fn reading_twice_counts_once() {
        let mut b = Graph::builder();
        let (x, y) = (b.tensor("x", 3, true, false), b.tensor("y", 4, false, true));
        let op = b.op("square", &[x, x], &[y]);
        let graph = b.build().expect("valid");
        assert_eq!(graph.footprint(op), 7);
    }
}
