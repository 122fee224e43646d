//! A layer that groups end with: the graph around it, the grids that are tried, and the least that a group costs.

use super::families::{Family, families_of_layer};
use super::graph::SplitGraph;
use super::grids::{Run, runs_of};
use super::layers::{Layers, Window};
use super::least::Least;
use super::likeness::looks_of_runs;
use super::machine::Machine;
use super::sweep::Sweep;
use super::tally::{Neighbours, Tally};
use crate::parallel;

/// Layers of a group at the most.
pub(super) const LONGEST: usize = 64;

/// What is on chip before and after a group: the newest tensor, its own result.
pub(super) const VARIANTS: [(bool, bool); 4] =
    [(false, false), (false, true), (true, false), (true, true)];

/// A layer that groups end with. Nothing here depends on what code costs, nor on the way to the group.
pub(super) struct EndLayer {
    /// The layer, by its number in the whole graph.
    pub layer: usize,
    /// It and the layers before it.
    pub window: Window,
    /// The operator whose result is cut, in the window.
    pub last: usize,
    /// Grids of groups.
    pub runs: Vec<Run>,
    /// Grids of the layer alone.
    pub families: Vec<Family>,
    /// By number of layers, less one, and variant: the least that a group costs whatever its grid; none where there is none.
    pub bounds: Vec<[Option<Bound>; 4]>,
    /// By number of layers, less one: a number for each group, the same for those that look alike.
    pub looks: Vec<u32>,
}

/// The least that a group costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// But for its code.
    pub least: Least,
    /// Operators in the code.
    pub code: i64,
}

impl Bound {
    /// The bound with the price of the code.
    pub fn with_code(self, machine: Machine) -> Least {
        Least { price: self.least.price + self.code * machine.code_bytes, ..self.least }
    }
}

impl EndLayer {
    /// All layers of a graph.
    pub fn of_all(
        graph: &SplitGraph,
        layers: &Layers,
        machine: Machine,
        threads: usize,
    ) -> Vec<Self> {
        let of = |layer| Self::of(graph, layers, layer, machine);
        let mut ends = parallel::map(threads, layers.count(), of);
        let windows = ends.iter().map(|end| (&end.window, end.layer));
        let looks = looks_of_runs(graph, layers, windows);
        for (end, looks) in ends.iter_mut().zip(looks) {
            end.looks = looks;
        }
        ends
    }

    /// Cuts the window out of the graph, and bounds all groups in it. No two of them count as alike.
    pub fn of(graph: &SplitGraph, layers: &Layers, layer: usize, machine: Machine) -> Self {
        let first_layer = (layer + 1).saturating_sub(LONGEST);
        let window = Window::new(graph, layers, first_layer, layer);
        let last = layers.target[layer] - window.first_op;
        let first = layers.start[layer] - window.first_op;
        let runs = runs_of(&window.graph, first, last, false);
        let families = families_of_layer(&window.graph, first, last);
        let mut end =
            Self { layer, window, last, runs, families, bounds: Vec::new(), looks: Vec::new() };
        end.bounds = end.bounds(layers, machine);
        end.looks = (0..end.bounds.len() as u32).collect();
        end
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

    /// Bounds of all groups: each element from outside fetched once, each result stored, each operator written down.
    fn bounds(&self, layers: &Layers, machine: Machine) -> Vec<[Option<Bound>; 4]> {
        let window = &self.window;
        let target = window.graph.operators[self.last].results[0];
        let is_last = self.layer + 1 == layers.count();
        let bytes = |tensor: usize| window.graph.tensors[tensor].bytes();
        let sweep = Sweep::new(&window.graph, self.last, Vec::new(), Vec::new(), &window.is_output);
        let mut bare = Tally::new(sweep, machine, true);
        let mut bound_of = |first_layer: usize| {
            bare.extend(self.first_op(layers, first_layer));
            let newest = self.newest(layers, first_layer).filter(|&tensor| bare.reads(tensor));
            VARIANTS.map(|(starts, ends)| {
                let newest = if starts { Some(newest?) } else { None };
                let resident = newest.map_or(0, bytes) + if ends { bytes(target) } else { 0 };
                let neighbours = Neighbours { newest, keeps_result: ends };
                (resident <= machine.capacity && !(ends && is_last)).then(|| Bound {
                    least: self.least(&bare, neighbours, machine),
                    code: bare.least_code(),
                })
            })
        };
        (window.first_layer..=self.layer).rev().map(&mut bound_of).collect()
    }
}
