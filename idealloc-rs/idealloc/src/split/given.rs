//! Groups that somebody else chose: which tensors stay on chip between them, and how others come there.

use super::cut::{Cut, Halo, rounded_up};
use super::graph::SplitGraph;
use super::grids::Grid;
use super::group::{Form, Group, moved};
use super::layers::{Layers, Window};
use super::layout::Layout;
use super::machine::Machine;
use super::misfit::Misfit;
use super::settle::Settled;
use super::sweep::{CutLoop, Sweep};
use super::tally::{Neighbours, Tally};

/// One cut: a dimension of a group's result, into so many parts.
pub type Parts = (usize, i64, Halo);

/// Layers that go together, and how they may be cut: the first way that fits is taken.
#[derive(Clone, Debug)]
pub struct Given {
    /// First layer, by its number in the graph.
    pub first_layer: usize,
    /// Last layer.
    pub last_layer: usize,
    /// Ways to cut, outermost cut first.
    pub ways: Vec<Vec<Parts>>,
}

/// Price and groups up to a layer, with its newest tensor off chip and on chip.
type Reached = [Option<(i64, Vec<Group>)>; 2];

/// Lays out groups that follow one another; the result of each stays on chip for the next where that moves fewer bytes.
/// Cuts of dimensions that a result does not have, and layers that are not there, are left out.
///
/// If the machine may join slices of one tensor, that is done where it moves fewer bytes in all.
///
/// # Errors
/// `Misfit` names the group that fits in none of its ways, with slices apart.
pub fn lay_out_given(
    graph: &SplitGraph,
    machine: Machine,
    given: &[Given],
) -> Result<Vec<Group>, Misfit> {
    let apart = lay_out(graph, Machine { joins_slices: false, ..machine }, given);
    if !machine.joins_slices {
        return apart;
    }
    match (apart, lay_out(graph, machine, given)) {
        (Ok(apart), Ok(joined)) if moved(&joined) < moved(&apart) => Ok(joined),
        (Err(_), Ok(joined)) => Ok(joined),
        (apart, _) => apart,
    }
}

fn lay_out(graph: &SplitGraph, machine: Machine, given: &[Given]) -> Result<Vec<Group>, Misfit> {
    let layers = Layers::of(graph, machine);
    let numbers: Vec<usize> =
        (0..layers.count()).map(|l| graph.operators[layers.start[l]].layer).collect();
    let mut reached: Reached = [Some((0, Vec::new())), None];
    for one in given {
        let first = numbers.partition_point(|&n| n < one.first_layer);
        let end = numbers.partition_point(|&n| n <= one.last_layer);
        if first < end {
            reached = after(graph, &layers, machine, (first, end - 1), &one.ways, &reached);
        }
        if reached.iter().all(Option::is_none) {
            let last = end.max(1) - 1;
            return Err(Misfit {
                operator: layers.target[last],
                smallest_capacity: None,
                smallest_for_all: None,
            });
        }
    }
    let [off_chip, _] = reached;
    Ok(off_chip.map(|(_, groups)| groups).unwrap_or_default())
}

/// The cheapest ways to have computed a group.
fn after(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    (first, last): (usize, usize),
    ways: &[Vec<Parts>],
    before: &Reached,
) -> Reached {
    let window = Window::new(graph, layers, first, last);
    let target = layers.target[last] - window.first_op;
    let result = window.graph.operators[target].results[0];
    let newest = first.checked_sub(1).and_then(|layer| {
        let tensor = graph.operators[layers.target[layer]].results[0];
        window.tensors.iter().position(|&t| t == tensor)
    });
    for way in ways {
        let grid = grid_of(way, &window.graph.tensors[result].shape);
        let (loops, cuts) = (grid.loops.clone(), grid.cuts.clone());
        let mut sweep = Sweep::new(&window.graph, target, loops, cuts, &window.is_output);
        sweep.extend(0);
        let tally = Tally::new(sweep, machine, true);
        if !tally.can_be_cut() {
            continue;
        }
        let mut layout = Layout::new(&tally);
        let mut reached: Reached = [None, None];
        for (starts, ends) in [(false, false), (false, true), (true, false), (true, true)] {
            let Some((price, groups)) = &before[usize::from(starts)] else { continue };
            if (starts || ends) && !machine.is_staged || ends && last + 1 == layers.count() {
                continue;
            }
            let on_chip = newest.filter(|&tensor| starts && tally.reads(tensor));
            if starts && on_chip.is_none() {
                continue;
            }
            layout.start_over(Neighbours { newest: on_chip, keeps_result: ends });
            if layout.settle(|_| true) != Settled::Fits {
                continue;
            }
            let mut cost = layout.cost(false);
            // What is read on chip here and again later goes off chip as well.
            if let Some(tensor) = on_chip
                && layers.last_read[window.tensors[tensor]] > last
            {
                cost.traffic += window.graph.tensors[tensor].bytes();
                cost.transfers += 1;
            }
            let price = price + cost.traffic + cost.transfers * machine.transfer_bytes;
            let best = &mut reached[usize::from(ends)];
            if best.as_ref().is_none_or(|(known, _)| price < *known) {
                let form = Form::of(&mut layout, cost, machine.capacity);
                let (run, around) = ((first, last), (starts, ends));
                let group = Group::of(&window, &form, &grid, target, run, around);
                *best = Some((price, groups.iter().cloned().chain([group]).collect()));
            }
        }
        if reached[0].is_some() {
            return reached;
        }
    }
    [None, None]
}

fn grid_of(way: &[Parts], shape: &[i64]) -> Grid {
    let mut grid = Grid::default();
    for &(dimension, parts, halo) in way {
        if let Some(&extent) = shape.get(dimension)
            && parts > 1
            && extent > 1
        {
            let size = rounded_up(extent, parts);
            grid.loops.push(CutLoop::Result(dimension));
            grid.cuts.push(Cut::even(extent, size, halo));
        }
    }
    grid
}
