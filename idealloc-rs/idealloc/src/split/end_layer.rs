//! A layer that groups end with: the graph around it, the grids that are tried, and the least that a group costs.

use std::sync::Arc;

use super::external::External;
use super::graph::{Operator, SplitGraph};
use super::layer_grids::LayerGrids;
use super::layers::{Layers, Window};
use super::least::Least;
use super::likeness::Likeness;
use super::machine::{Length, Machine};
use super::rounded_loops::is_rounded;
use super::shifted_pad::is_padding;
use super::surely_read::{SurelyRead, leaves_gaps};
use super::sweep::Sweep;
use super::tally::{Neighbours, Tally};
use crate::parallel;

/// What is on chip before and after a group: the newest tensor, its own result.
pub(super) const VARIANTS: [(bool, bool); 4] =
    [(false, false), (false, true), (true, false), (true, true)];

/// The number of the variant with nothing on chip, and of that with nothing but the result.
pub(super) const ALONE: usize = 0;
pub(super) const WITH_RESULT: usize = 1;

/// A layer that groups end with. Nothing here depends on what code costs, nor on the way to the group.
pub(super) struct EndLayer {
    /// The layer, by its number in the whole graph.
    pub layer: usize,
    /// It and the layers before it.
    pub window: Window,
    /// The operator whose result is cut, in the window.
    pub last: usize,
    /// What is tried.
    pub grids: Arc<LayerGrids>,
    /// By number of layers, less one, and variant: the least that a group costs whatever its grid; none where there is none.
    pub bounds: Vec<[Option<Bound>; 4]>,
    /// By number of layers, less one: a number for each group, the same for those that look alike.
    pub looks: Vec<u32>,
    /// By number of layers, less one: multiplications and additions of all of them.
    pub work: Vec<i64>,
    /// Groups of more layers read something rounded, so that larger tiles may need less room.
    pub exact: usize,
}

/// The least that a group costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// But for its code.
    pub least: Least,
    /// How long its code is.
    pub code: Length,
}

impl Bound {
    /// The bound with the price of the code.
    pub fn with_code(self, machine: Machine) -> Least {
        Least { price: self.least.price + machine.code_price(self.code), ..self.least }
    }
}

impl EndLayer {
    /// All layers of a graph; `likeness` knows what other graphs look like.
    pub fn of_all(
        graph: &SplitGraph,
        layers: &Layers,
        machine: Machine,
        (threads, likeness): (usize, &mut Likeness),
    ) -> Vec<Self> {
        let window_of = |layer| Self::window_of(graph, layers, layer);
        let windows = parallel::map(threads, layers.count(), window_of);
        let looks = likeness.of_windows(graph, layers, windows.iter().zip(0..));
        let alone: Vec<u32> = looks.iter().map(|looks| looks[0]).collect();
        let grids_of = |layer| LayerGrids::of(graph, layers, layer);
        let grids = likeness.grids_of(&alone, threads, grids_of);
        let parts = windows.into_iter().zip(looks).zip(grids).enumerate();
        let mut ends: Vec<Self> = parts
            .map(|(layer, ((window, looks), grids))| Self::new(layers, layer, window, looks, grids))
            .collect();
        let bounds =
            parallel::map(threads, ends.len(), |layer| ends[layer].bounds(layers, machine));
        for (end, bounds) in ends.iter_mut().zip(bounds) {
            end.bounds = bounds;
        }
        ends
    }

    /// Cuts the window out of the graph, and bounds all groups in it. No two of them count as alike.
    pub fn of(graph: &SplitGraph, layers: &Layers, layer: usize, machine: Machine) -> Self {
        let window = Self::window_of(graph, layers, layer);
        let looks = (0..=(layer - window.first_layer) as u32).collect();
        let grids = Arc::new(LayerGrids::of(graph, layers, layer));
        let mut end = Self::new(layers, layer, window, looks, grids);
        end.bounds = end.bounds(layers, machine);
        end
    }

    fn window_of(graph: &SplitGraph, layers: &Layers, layer: usize) -> Window {
        Window::new(graph, layers, (layer + 1).saturating_sub(layers.longest_group()), layer)
    }

    /// Without bounds.
    fn new(
        layers: &Layers,
        layer: usize,
        window: Window,
        looks: Vec<u32>,
        grids: Arc<LayerGrids>,
    ) -> Self {
        let last = layers.target[layer] - window.first_op;
        let work = Vec::new();
        let mut end =
            Self { layer, window, last, grids, bounds: Vec::new(), looks, work, exact: 0 };
        end.work = end.work_of_groups(layers);
        end.exact = end.window.layers_without(layers, last, is_rounded);
        end
    }

    fn work_of_groups(&self, layers: &Layers) -> Vec<i64> {
        let work_of = |op: &Operator| op.work * op.loops.iter().product::<i64>();
        let (mut work, mut later) = (0, self.last + 1);
        let mut with_layer = |first_layer: usize| {
            let first = self.first_op(layers, first_layer);
            work += self.window.graph.operators[first..later].iter().map(work_of).sum::<i64>();
            later = first;
            work
        };
        (self.window.first_layer..=self.layer).rev().map(&mut with_layer).collect()
    }

    /// How long the code of a group of so many layers, less one, is if each operator is written down once.
    pub fn least_code(&self, depth: usize) -> Length {
        self.bounds[depth].iter().flatten().map(|bound| bound.code).next().unwrap_or_default()
    }

    /// The first operator of a layer, in the window.
    pub fn first_op(&self, layers: &Layers, first_layer: usize) -> usize {
        layers.start[first_layer] - self.window.first_op
    }

    /// The result of the layer before.
    pub fn newest(&self, layers: &Layers, first_layer: usize) -> Option<usize> {
        let target = layers.target[first_layer.checked_sub(1)?];
        let op = self.window.graph.operators.get(target.checked_sub(self.window.first_op)?)?;
        op.results.first().copied()
    }

    /// Bytes and moves that keep for later readers what the group reads on chip.
    pub fn saving_cost(&self, newest: Option<usize>) -> (i64, i64) {
        let is_read_later = |&tensor: &usize| self.window.is_output[tensor];
        let saved = newest.filter(is_read_later);
        saved.map_or((0, 0), |tensor| (self.window.graph.tensors[tensor].bytes(), 1))
    }

    /// The least that a group costs but for its code, by what is known before its storages are.
    pub fn least(&self, tally: &Tally<'_>, neighbours: Neighbours, machine: Machine) -> Least {
        let (bytes, moves) = self.saving_cost(neighbours.newest);
        let mut least = tally.least(neighbours);
        least += Least { bytes, price: bytes + moves * machine.transfer_bytes };
        least
    }

    /// Bounds of all groups: each element from outside that is surely read fetched once, each result stored, each operator
    /// written down.
    fn bounds(&self, layers: &Layers, machine: Machine) -> Vec<[Option<Bound>; 4]> {
        let window = &self.window;
        let target = window.graph.operators[self.last].results[0];
        let is_last = self.layer + 1 == layers.count();
        let bytes = |tensor: usize| window.graph.tensors[tensor].bytes();
        let sweep = Sweep::new(&window.graph, self.last, Vec::new(), Vec::new(), &window.is_output);
        let mut bare = Tally::new(sweep, machine, true);
        let has_gaps = window.graph.operators[..=self.last].iter().any(leaves_gaps);
        let mut read =
            has_gaps.then(|| SurelyRead::new(&window.graph, self.last, &window.is_output));
        let (mut operations, mut counted) = (0, self.last + 1);
        let mut bound_of = |first_layer: usize| {
            let first = self.first_op(layers, first_layer);
            bare.extend(first);
            operations += (first..counted).map(|op| least_operations(&bare.sweep, op)).sum::<i64>();
            counted = first;
            if let Some(read) = &mut read {
                read.extend(first);
            }
            let newest = self.newest(layers, first_layer).filter(|&tensor| bare.reads(tensor));
            let fetched = fetches(bare.externals(), read.as_ref());
            let on_chip = newest
                .map_or(NO_FETCHES, |newest| fetches(bare.externals_of(newest), read.as_ref()));
            VARIANTS.map(|(starts, ends)| {
                let newest = if starts { Some(newest?) } else { None };
                let resident = newest.map_or(0, bytes) + if ends { bytes(target) } else { 0 };
                let neighbours = Neighbours { newest, keeps_result: ends };
                let on_chip = if starts { on_chip } else { NO_FETCHES };
                let gaps = fetched.gaps - on_chip.gaps;
                (resident <= machine.capacity && !(ends && is_last)).then(|| Bound {
                    least: self.least(&bare, neighbours, machine).with_bytes(-gaps),
                    code: Length {
                        operators: bare.least_code(),
                        operations: operations + fetched.count - on_chip.count,
                    },
                })
            })
        };
        (window.first_layer..=self.layer).rev().map(&mut bound_of).collect()
    }
}

/// Operations that an operator is written down in at the least: none if nobody needs it. Tiles may take padding as it is.
fn least_operations(sweep: &Sweep<'_>, number: usize) -> i64 {
    let op = &sweep.graph.operators[number];
    let is_written = sweep.loop_spans(number).is_some() && !op.is_view;
    if is_written && !is_padding(sweep.graph, op) { op.operations + op.rooms } else { 0 }
}

/// What a group fetches, each tensor once.
#[derive(Clone, Copy)]
struct Fetches {
    /// Operations that fetch.
    count: i64,
    /// Bytes that count as fetched at the least, and that tiles which skip what lies between windows need not fetch.
    gaps: i64,
}

const NO_FETCHES: Fetches = Fetches { count: 0, gaps: 0 };

fn fetches<'e>(
    externals: impl Iterator<Item = &'e External>,
    read: Option<&SurelyRead<'_>>,
) -> Fetches {
    externals.fold(NO_FETCHES, |Fetches { count, gaps }, external| {
        let gap = read.map_or(0, |read| external.least.bytes - read.bytes(external.tensor));
        Fetches { count: count + 1, gaps: gaps + gap.max(0) }
    })
}
