//! All schedules that move no more than a given number of bytes, depth first, until one can be packed.

use super::super::bit_set::BitSet;
use super::super::budget::Budget;
use super::super::downsets::TooWide;
use super::super::graph::{Graph, OpIdx};
use super::super::options::Reductions;
use super::super::pack::pack_exactly;
use super::super::path::{Eviction, residencies, spell_out};
use super::super::reduce::Reduced;
use super::super::residency::Residency;
use super::super::step::{State, Stepper};
use super::super::traffic::Search;
use super::ahead::Ahead;
use super::failures::{Failures, PastOverlap, PastStay};
use super::hint::Hint;
use super::no_goods::NoGoods;
use super::overlaps::{Label, Overlaps};
use super::packing::{Packed, Packing};
use crate::control::Control;
use crate::plan::StopReason;

/// Conflicts that may be spent on the packing of one schedule before another method has its turn, and after that.
const SOME_CONFLICTS: u64 = 2_000;
const MANY_CONFLICTS: u64 = 60_000;

/// Schedules whose packing may stay open before the search gives up.
const MOST_UNKNOWN: u32 = 2;

/// Conflicts that may be spent to leave one stay out of a clash.
const FEW_CONFLICTS: u64 = 300;

/// How a search for one value ended.
pub(super) enum End {
    /// With order and stays, addresses included.
    Found(Vec<OpIdx>, Vec<Residency>),
    /// There is no schedule of this value; the next that there could be is `next`.
    Nothing { next: u64 },
    /// Before it was known.
    Stopped(StopReason),
}

/// How the search below a state ended.
enum Below {
    Found,
    /// `next` is the least value left out; `because` are the overlaps that it depends on.
    Failed {
        next: u64,
        because: Vec<(Label, Label)>,
    },
    Stopped(StopReason),
}

/// One way to go on from a state: an operator, and what leaves the chip right after it.
#[derive(Clone, Copy, Debug)]
struct Way<const W: usize> {
    by: usize,
    state: State<W>,
    /// As bits of the new downset.
    evicted: BitSet<W>,
}

/// The search, with all it has learned.
pub(super) struct Tree<'a, const W: usize> {
    graph: &'a Graph,
    capacity: u64,
    seed: u64,
    ahead: Ahead<'a, W>,
    failures: Failures<W>,
    no_goods: NoGoods,
    overlaps: Overlaps,
    /// The pairs of `overlaps`, as they came.
    pairs: Vec<(Label, Label)>,
    packing: Packing,
    /// By tensor: the label of its first stay.
    first_label: Vec<Label>,
    /// By tensor: how many stays of it have begun.
    stays: Vec<u32>,
    order: Vec<OpIdx>,
    evictions: Vec<Eviction>,
    /// Plans that were neither packed nor refuted: from the first on, what fails is not proved any more.
    unknown: u32,
    found: Option<Vec<Residency>>,
    most: u64,
}

impl<'a, const W: usize> Tree<'a, W> {
    pub fn new(
        graph: &'a Graph,
        reduced: &'a Reduced,
        capacity: u64,
        seed: u64,
        reductions: Reductions,
    ) -> Result<Self, TooWide> {
        let mut sizes = Vec::new();
        let mut first_label = Vec::with_capacity(graph.tensors().len());
        for tensor in graph.tensors() {
            first_label.push(sizes.len() as Label);
            sizes.resize(sizes.len() + tensor.consumers.len() + 1, tensor.bytes);
        }
        Ok(Self {
            graph,
            capacity,
            seed,
            ahead: Ahead::new(Search::new(reduced, capacity, reductions)?),
            failures: Failures::default(),
            no_goods: NoGoods::default(),
            overlaps: Overlaps::new(sizes.len()),
            pairs: Vec::new(),
            packing: Packing::new(sizes, capacity),
            first_label,
            stays: vec![0; graph.tensors().len()],
            order: Vec::new(),
            evictions: Vec::new(),
            unknown: 0,
            found: None,
            most: 0,
        })
    }

    /// How many no-goods were learned.
    pub fn clashes(&self) -> u64 {
        self.no_goods.len() as u64
    }

    /// Looks for a schedule that moves at most `most` bytes; what was learned for less is kept.
    ///
    /// `hint` is a way to the end for capacity alone, if one is known that moves no more.
    pub fn search(
        &mut self,
        most: u64,
        hint: Option<Hint>,
        budget: &mut Budget<'_>,
    ) -> Result<End, TooWide> {
        self.most = most;
        let first = Stepper::first();
        Ok(match self.visit(first, hint, budget)? {
            Below::Found => {
                End::Found(std::mem::take(&mut self.order), self.found.take().unwrap_or_default())
            }
            Below::Failed { .. } if self.unknown > 0 => End::Stopped(StopReason::WorkLimit),
            Below::Failed { next, .. } => End::Nothing { next },
            Below::Stopped(stop) => End::Stopped(stop),
        })
    }

    /// Searches below a state; a hint moves no more than may be moved.
    fn visit(
        &mut self,
        state: State<W>,
        mut hint: Option<Hint>,
        budget: &mut Budget<'_>,
    ) -> Result<Below, TooWide> {
        budget.hold(self.ahead.held() + self.failures.held());
        if let Some(stop) = budget.spend(self.most, self.ahead.search.held()) {
            return Ok(Below::Stopped(stop));
        }
        if self.ahead.search.stepper.downsets.lattice.is_complete(state.downset) {
            return Ok(self.pack(budget.control()));
        }
        let slack = self.most - state.cost;
        if let Some((least, past)) =
            self.failures.find(state, slack, |pair| self.overlaps.contains(self.here(pair)))
        {
            let because = past.iter().map(|&pair| self.here(pair)).collect();
            return Ok(Below::Failed { next: state.cost.saturating_add(least), because });
        }
        if hint.is_none() {
            let (least, path) = self.ahead.bound(state, slack, budget)?;
            if least > slack {
                let next = state.cost.saturating_add(least);
                return Ok(Below::Failed { next, because: Vec::new() });
            }
            hint = path.and_then(|path| {
                let reduced = self.ahead.search.stepper.downsets.reduced();
                let (order, evictions) = spell_out(reduced, &path);
                Hint::new(self.graph, &order, &evictions)
            });
        }
        let learned = self.no_goods.len();
        let (mut next, mut because) = (u64::MAX, Vec::new());
        let mut ways = self.ways(state, &mut next)?;
        let hinted = hint.as_ref().and_then(|hint| self.follow(state, &ways, hint));
        if let Some(at) = hinted {
            ways[..=at].rotate_right(1);
        }
        for (i, way) in ways.into_iter().enumerate() {
            let mark = self.pairs.len();
            self.take(state, &way);
            let violated = self.no_goods.violated(&self.overlaps, 0).map(<[_]>::to_vec);
            let below = match violated {
                Some(because) => Below::Failed { next: u64::MAX, because },
                None => {
                    let is_hinted = i == 0 && hinted.is_some();
                    let rest = hint.as_ref().filter(|_| is_hinted).map(Hint::rest);
                    self.visit(way.state, rest, budget)?
                }
            };
            if let Below::Found = below {
                return Ok(below);
            }
            self.untake(state, &way, mark);
            match below {
                Below::Failed { next: after, because: reasons } => {
                    next = next.min(after);
                    because.extend(reasons.into_iter().filter(|&p| self.is_past(state, p)));
                }
                other => return Ok(other),
            }
            if let Some(reasons) = self.no_goods.violated(&self.overlaps, learned) {
                // What was just learned is about the way here: no other way on helps.
                because = reasons.to_vec();
                next = u64::MAX;
                because.retain(|&pair| self.is_past(state, pair));
                break;
            }
        }
        because.sort_unstable();
        because.dedup();
        let least = if next == u64::MAX { next } else { next - state.cost };
        let past = because.iter().map(|&pair| self.as_past(state, pair)).collect();
        self.failures.remember(state, slack, least, past);
        Ok(Below::Failed { next, because })
    }

    /// All ways on that capacity and value allow, the cheapest first; `next` is lowered to what is left out.
    fn ways(&mut self, state: State<W>, next: &mut u64) -> Result<Vec<Way<W>>, TooWide> {
        let downsets = &mut self.ahead.search.stepper.downsets;
        downsets.expand(state.downset);
        let mut ways = Vec::new();
        for by in 0..downsets.moves(state.downset).len() {
            let to = downsets.target(state.downset, by)?;
            let moved = &downsets.moves(state.downset)[by];
            let body = &downsets.reduced().macros[moved.step as usize];
            let loaded = downsets.sum(state.downset, moved.inputs.minus(state.resident));
            if state.bytes + loaded + body.enter > self.capacity {
                continue;
            }
            let kept = State {
                downset: to,
                resident: moved.carry(state.resident | moved.inputs) | moved.made,
                dirty: moved.carry(state.dirty) | moved.made.minus(moved.made_clean),
                bytes: state.bytes + loaded - moved.dying_bytes + body.made_bytes,
                cost: state.cost,
            };
            let mut sets = vec![Way { by, state: kept, evicted: BitSet::EMPTY }];
            for bit in (moved.carry(moved.inputs) | moved.made).iter() {
                let (bytes, one) = (downsets.bytes(to, bit), BitSet::one(bit));
                let cost = if kept.dirty.contains(bit) { 2 * bytes } else { bytes };
                for i in 0..sets.len() {
                    let Way { state, evicted, .. } = sets[i];
                    let cost = state.cost + cost;
                    if cost > self.most {
                        *next = (*next).min(cost);
                        continue;
                    }
                    let state = State {
                        resident: state.resident.minus(one),
                        dirty: state.dirty.minus(one),
                        bytes: state.bytes - bytes,
                        cost,
                        ..state
                    };
                    sets.push(Way { by, state, evicted: evicted | one });
                }
            }
            ways.extend(sets);
        }
        ways.sort_by_key(|way| way.state.cost);
        Ok(ways)
    }

    /// Which of the ways a hint goes.
    fn follow(&self, state: State<W>, ways: &[Way<W>], hint: &Hint) -> Option<usize> {
        let step = hint.step()?;
        let downsets = &self.ahead.search.stepper.downsets;
        let reduced = downsets.reduced();
        ways.iter().position(|way| {
            let moved = &downsets.moves(state.downset)[way.by];
            let live = downsets.live(way.state.downset);
            let tensor = |bit: u32| reduced.items[live[bit as usize] as usize].tensor;
            reduced.macros[moved.step as usize].ops[0] == step.op
                && way.evicted.iter().map(tensor).eq(step.evicted.iter().copied())
        })
    }

    /// Goes a way.
    fn take(&mut self, state: State<W>, way: &Way<W>) {
        let stepper = &self.ahead.search.stepper;
        let reduced = stepper.downsets.reduced();
        let live = stepper.downsets.live(state.downset);
        let op = reduced.macros[stepper.downsets.moves(state.downset)[way.by].step as usize].ops[0];
        let mut here: Vec<u32> = (state.resident.iter())
            .map(|bit| reduced.items[live[bit as usize] as usize].tensor.get() as u32)
            .collect();
        let on_chip = here.len();
        let op_tensors = self.graph.ops()[op.get()].inputs.iter();
        for tensor in op_tensors.chain(&self.graph.ops()[op.get()].outputs) {
            let is_new = !here[..on_chip].contains(&(tensor.get() as u32));
            if is_new && self.graph.tensors()[tensor.get()].bytes > 0 {
                here.push(tensor.get() as u32);
                self.stays[tensor.get()] += 1;
            }
        }
        for (i, &new) in here.iter().enumerate().skip(on_chip) {
            for &other in &here[..i] {
                let pair = (self.label(new), self.label(other));
                self.overlaps.flip(pair);
                self.pairs.push(pair);
            }
        }
        self.order.push(op);
        let live = stepper.downsets.live(way.state.downset);
        for bit in way.evicted.iter() {
            let tensor = reduced.items[live[bit as usize] as usize].tensor;
            self.evictions.push(Eviction { tensor, before: self.order.len() });
        }
    }

    /// Takes it back; `mark` is how many pairs there were before.
    fn untake(&mut self, state: State<W>, way: &Way<W>, mark: usize) {
        for pair in self.pairs.drain(mark..) {
            self.overlaps.flip(pair);
        }
        let stepper = &self.ahead.search.stepper;
        let live = stepper.downsets.live(state.downset);
        let is_here = |tensor: usize| {
            state.resident.iter().any(|bit| {
                let item = live[bit as usize];
                stepper.downsets.reduced().items[item as usize].tensor.get() == tensor
            })
        };
        if let Some(op) = self.order.pop() {
            let op = &self.graph.ops()[op.get()];
            for tensor in op.inputs.iter().chain(&op.outputs) {
                if self.graph.tensors()[tensor.get()].bytes > 0 && !is_here(tensor.get()) {
                    self.stays[tensor.get()] -= 1;
                }
            }
        }
        let kept = self.evictions.len() - way.evicted.iter().count();
        self.evictions.truncate(kept);
    }

    /// The label of the present, or last, stay of a tensor.
    fn label(&self, tensor: u32) -> Label {
        self.first_label[tensor as usize] + self.stays[tensor as usize] - 1
    }

    /// Whether an overlap is there at a state and does not follow from the state alone.
    fn is_past(&self, state: State<W>, pair: (Label, Label)) -> bool {
        self.overlaps.contains(pair)
            && !(self.is_present(state, pair.0) && self.is_present(state, pair.1))
    }

    fn tensor(&self, label: Label) -> u32 {
        self.first_label.partition_point(|&first| first <= label) as u32 - 1
    }

    fn is_present(&self, state: State<W>, label: Label) -> bool {
        let tensor = self.tensor(label);
        let live = self.ahead.search.stepper.downsets.live(state.downset);
        let items = &self.ahead.search.stepper.downsets.reduced().items;
        label == self.label(tensor)
            && state
                .resident
                .iter()
                .any(|bit| items[live[bit as usize] as usize].tensor.get() == tensor as usize)
    }

    /// An overlap as any path to a state would see it.
    fn as_past(&self, state: State<W>, pair: (Label, Label)) -> PastOverlap {
        let end = |label| {
            if self.is_present(state, label) {
                PastStay::Present(self.tensor(label))
            } else {
                PastStay::Over(label)
            }
        };
        (end(pair.0), end(pair.1))
    }

    /// The mirror image.
    fn here(&self, pair: PastOverlap) -> (Label, Label) {
        let label = |end| match end {
            PastStay::Present(tensor) => self.label(tensor),
            PastStay::Over(label) => label,
        };
        (label(pair.0), label(pair.1))
    }

    /// Looks for addresses for the complete path.
    fn pack(&mut self, control: &Control) -> Below {
        let mut evictions = self.evictions.clone();
        evictions.sort_unstable();
        let mut stays = residencies(self.graph, &self.order, &evictions);
        for most_conflicts in [SOME_CONFLICTS, MANY_CONFLICTS] {
            match self.packing.solve(&self.pairs, most_conflicts, control) {
                Packed::At(positions) => {
                    self.place(&mut stays, &positions);
                    self.found = Some(stays);
                    return Below::Found;
                }
                Packed::Never(clash) => {
                    let clash = self.smaller(clash, control);
                    self.no_goods.learn(clash.clone());
                    return Below::Failed { next: u64::MAX, because: clash };
                }
                Packed::Unknown => {}
            }
            // Other methods find other packings.
            let order = &self.order;
            if pack_exactly(self.graph, order, &mut stays, self.capacity, self.seed, control) {
                self.found = Some(stays);
                return Below::Found;
            }
        }
        self.unknown += 1;
        if self.unknown >= MOST_UNKNOWN {
            return Below::Stopped(StopReason::WorkLimit);
        }
        Below::Failed { next: u64::MAX, because: Vec::new() }
    }

    /// Gives each stay the position of its label.
    fn place(&self, stays: &mut [Residency], positions: &[u64]) {
        let mut next = self.first_label.clone();
        for stay in stays {
            let tensor = stay.tensor.get();
            if self.graph.tensors()[tensor].bytes > 0 {
                stay.offset = positions[next[tensor] as usize];
            }
            next[tensor] += 1;
        }
    }

    /// Leaves stays out of a clash that it does not need.
    fn smaller(
        &mut self,
        mut clash: Vec<(Label, Label)>,
        control: &Control,
    ) -> Vec<(Label, Label)> {
        let mut stays: Vec<Label> = clash.iter().flat_map(|&(a, b)| [a, b]).collect();
        stays.sort_unstable();
        stays.dedup();
        for stay in stays.into_iter().rev() {
            let rest: Vec<(Label, Label)> =
                clash.iter().copied().filter(|&(a, b)| a != stay && b != stay).collect();
            if rest.len() < clash.len() {
                if let Packed::Never(blamed) = self.packing.solve(&rest, FEW_CONFLICTS, control) {
                    clash = blamed;
                }
            }
        }
        clash
    }
}
