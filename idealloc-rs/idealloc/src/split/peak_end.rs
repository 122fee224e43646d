//! A layer that groups end with, for the search by peak: the graph around it, the grids that are tried, and what is on chip
//! around groups.

use super::bordered::bordered_grids;
use super::broken_off::Probes;
use super::graph::{Operator, SplitGraph};
use super::grids::{Grid, runs_of};
use super::layers::{LONG, Layers, Window};
use super::likeness::Likeness;
use super::machine::Machine;
use super::rounded_loops::is_rounded;
use super::surely_read::leaves_gaps;
use crate::parallel;

/// A layer that groups end with. Nothing here depends on the goal, nor on the way to the group.
pub(super) struct PeakEnd {
    pub last_layer: usize,
    pub window: Window,
    /// The operator whose result is cut, in the window.
    pub last: usize,
    /// A few grids, and all.
    pub coarse: Vec<Grid>,
    pub fine: Vec<Grid>,
    /// Grids that keep their halo along two cuts.
    pub bordered: Vec<Grid>,
    /// Of all of them, which are numbered in this order from 1 on.
    pub probes: Probes,
    /// By number of layers, less one: bytes of whole tensors that live across a group, and of those that it reads.
    pub before: Vec<i64>,
    /// The same, with the results that stay. Cut into tiles, a group writes them where they stay.
    pub around: Vec<i64>,
    /// The same: bytes of results that may be written over what the group reads, at the most.
    pub over: Vec<i64>,
    /// The same: operators, each of which is written down once at the least.
    pub operators: Vec<i64>,
    /// The same: multiply-adds of all operators, computed whole.
    pub work: Vec<i64>,
    /// The same: a number for each group, the same for those that look alike.
    pub looks: Vec<u32>,
    /// Groups of more layers read something rounded, so that larger tiles may need less room.
    pub exact: usize,
    /// Groups of more layers do, or leave gaps in what they read, so that smaller tiles may compute less.
    pub without_gaps: usize,
}

impl PeakEnd {
    /// All layers of a graph; `likeness` knows what other graphs look like.
    pub fn of_all(
        graph: &SplitGraph,
        layers: &Layers,
        machine: Machine,
        (threads, likeness): (usize, &mut Likeness),
    ) -> Vec<Self> {
        let of = |layer| Self::of(graph, layers, layer, machine);
        let mut ends = parallel::map(threads, layers.count(), of);
        let windows = ends.iter().map(|end| (&end.window, end.last_layer));
        let looks = likeness.of_windows(graph, layers, windows);
        for (end, looks) in ends.iter_mut().zip(looks) {
            end.looks = looks;
        }
        ends
    }

    fn of(graph: &SplitGraph, layers: &Layers, last_layer: usize, machine: Machine) -> Self {
        let first_layer = (last_layer + 1).saturating_sub(LONG);
        let window = Window::new(graph, layers, first_layer, last_layer);
        let last = layers.target[last_layer] - window.first_op;
        let first = layers.start[last_layer] - window.first_op;
        let grids = |is_coarse: bool| {
            let runs = runs_of(&window.graph, first, last, is_coarse).into_iter();
            runs.flat_map(|run| run.plain.into_iter().rev().chain(run.ahead.into_iter().rev()))
        };
        let (coarse, fine): (Vec<Grid>, Vec<Grid>) =
            (grids(true).collect(), grids(false).collect());
        let bordered = bordered_grids(&window.graph, first, last);
        let probes = Probes::of(coarse.iter().chain(&fine).chain(&bordered));
        let exact = window.layers_without(layers, last, is_rounded);
        let without_gaps = exact.min(window.layers_without(layers, last, leaves_gaps));
        let mut end = Self {
            last_layer,
            window,
            last,
            coarse,
            fine,
            bordered,
            probes,
            before: Vec::new(),
            around: Vec::new(),
            over: Vec::new(),
            operators: Vec::new(),
            work: Vec::new(),
            looks: Vec::new(),
            exact,
            without_gaps,
        };
        end.count_around(layers, machine);
        end
    }

    /// The first operator of a layer, in the window.
    pub fn first_op(&self, layers: &Layers, first_layer: usize) -> usize {
        layers.start[first_layer] - self.window.first_op
    }

    /// Counts what is around groups.
    fn count_around(&mut self, layers: &Layers, machine: Machine) {
        let window = &self.window;
        let filled = if self.last_layer + 1 == layers.count() { layers.filled } else { 0 };
        let results: Vec<(usize, usize, i64)> = window
            .tensors
            .iter()
            .enumerate()
            .filter(|&(number, _)| window.is_output[number])
            .filter_map(|(number, &tensor)| {
                let bytes = machine.align(window.graph.tensors[number].bytes());
                Some((number, layers.made[tensor]?, bytes))
            })
            .collect();
        for first_layer in (window.first_layer..=self.last_layer).rev() {
            let before = layers.live_before[first_layer] + filled;
            let made = results.iter().filter(|(_, made, _)| *made >= first_layer);
            let first = layers.start[first_layer] - window.first_op;
            let operators = &window.graph.operators[first..=self.last];
            let written = operators.iter().filter(|op| !op.is_view).count();
            self.operators.push(written as i64);
            let work = |op: &Operator| op.work.saturating_mul(op.loops.iter().product());
            self.work.push(operators.iter().map(work).fold(0, i64::saturating_add));
            let dies = |tensor: usize| {
                let made = layers.made[window.tensors[tensor]];
                !window.is_output[tensor] && made.is_some_and(|made| made < first_layer)
            };
            let mut dying: Vec<usize> = operators
                .iter()
                .flat_map(|op| &op.operands)
                .filter(|&&(tensor, _)| dies(tensor))
                .map(|&(tensor, _)| tensor)
                .collect();
            dying.sort_unstable();
            dying.dedup();
            // Each is written over by one result.
            let mut over = 0;
            for (number, _, bytes) in made.clone() {
                let found = dying.iter().position(|&tensor| {
                    let (over, made) =
                        (&window.graph.tensors[tensor], &window.graph.tensors[*number]);
                    over.shape == made.shape && over.element_bytes == made.element_bytes
                });
                if let Some(at) = found {
                    dying.swap_remove(at);
                    over += bytes;
                }
            }
            self.over.push(over);
            self.before.push(before);
            self.around.push(before + made.map(|(.., bytes)| bytes).sum::<i64>());
        }
    }
}
