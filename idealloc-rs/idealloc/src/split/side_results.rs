//! Results that leave a group and are read by nothing in it, such as the gradient of a weight beside that of the input.

use super::graph::{Access, Expression, Operator};
use super::sweep::{Demand, Sweep};

/// The cut that tiles of a tensor follow along a dimension.
#[derive(Clone, Copy)]
pub(super) struct Followed {
    pub cut: usize,
    /// What tiles have of it; none if the result that follows has other indices.
    pub request: Option<u32>,
    /// The operator that a group must have, if any, so that its tiles tell this.
    pub needed: Option<usize>,
}

impl Sweep<'_> {
    /// Asks for a result that nothing in the group reads tile by tile, if what its layer is made of is there tile by tile: along
    /// each of its dimensions that follows one of a tensor of which later operators need tiles. Tiles are those of the result
    /// that is cut, where that has as many indices, else those of the tensor.
    ///
    /// As it is read outside, all of it is made in the end, whatever is asked for. What no tile asks for is made as a whole.
    pub(super) fn follow_operands(&mut self, op: usize) {
        let graph = self.graph;
        let Operator { nest, results, .. } = &graph.operators[op];
        let Some(number) = results.iter().position(|&tensor| self.is_output[tensor]) else {
            return;
        };
        let shape = &graph.tensors[results[number]].shape;
        let mut wanted: Vec<Demand> = shape.iter().map(|&n| Demand::Fixed(0, n)).collect();
        let mut follows = vec![false; self.loops.len()];
        let mut first_needed = self.first_needed;
        for ((demand, &size), l) in wanted.iter_mut().zip(shape).zip(&nest.result_loops[number]) {
            let Some(Followed { cut, request, needed }) = l.and_then(|l| self.followed(op, l))
            else {
                continue;
            };
            let tracks = &mut self.tracks[cut];
            let request =
                if tracks.cut.extent == size { Some(tracks.request_of_cut()) } else { request };
            if let Some(request) = request {
                *demand = Demand::Driven(cut, request);
                follows[cut] = true;
                first_needed = needed.into_iter().fold(first_needed, usize::min);
            }
        }
        // What follows a cut and none around it would be made again for each tile of those.
        let within = follows.iter().take_while(|&&is| is).count();
        if within > 0 && !follows[within..].contains(&true) {
            self.demands.set(results[number], &wanted);
            self.first_needed = first_needed;
        }
    }

    /// Whether a result follows what a view shows of a tensor that is made before the group. The view then stays there too, and
    /// tiles of the group alone do not tell what it shows.
    pub(super) fn follows_from_outside(&self) -> bool {
        self.first > self.first_needed
    }

    /// What an operand follows along the dimension that moves with this loop; where nobody has asked for it yet, and the same
    /// layer makes it, what its own operands follow.
    pub(super) fn followed(&self, op: usize, l: usize) -> Option<Followed> {
        let operator = &self.graph.operators[op];
        let along = |is_known: bool| {
            let asked = move |tensor: usize| self.demands.get(tensor).is_some() == is_known;
            let operands = operator.operands.iter().filter(move |(tensor, _)| asked(*tensor));
            operands.filter_map(move |(tensor, access)| {
                let shape = &self.graph.tensors[*tensor].shape;
                let (dimension, is_same) = along(operator, access, shape, l)?;
                Some((*tensor, dimension, is_same))
            })
        };
        let stays_outside =
            || operator.is_view && !self.graph.tensors[operator.results[0]].is_returned;
        let known = along(true).find_map(|(tensor, dimension, is_same)| {
            let Demand::Driven(cut, request) = self.demands.get(tensor)?[dimension] else {
                return None;
            };
            let needed = if stays_outside() || !self.readers(tensor).any_reads_itself {
                Some(self.maker_before(op, tensor)?)
            } else {
                None
            };
            Some(Followed { cut, request: Some(request).filter(|_| is_same), needed })
        });
        known.or_else(|| {
            along(false).find_map(|(tensor, dimension, is_same)| {
                let (maker, l) = self.made_in_layer(op, tensor, dimension)?;
                let followed = self.followed(maker, l)?;
                Some(Followed { request: followed.request.filter(|_| is_same), ..followed })
            })
        })
    }

    /// The operator of the same layer before this one that makes a tensor, and the loop that a dimension of it is.
    fn made_in_layer(&self, op: usize, tensor: usize, dimension: usize) -> Option<(usize, usize)> {
        let (maker, number) = self.maker_in_layer(op, tensor)?;
        let l = *self.graph.operators[maker].result_loops[number].get(dimension)?;
        Some((maker, l?))
    }

    /// The operator of the same layer before this one that makes a tensor, and which of its results that is.
    fn maker_in_layer(&self, op: usize, tensor: usize) -> Option<(usize, usize)> {
        let layer = self.graph.operators[op].layer;
        let before = self.graph.operators[..op].iter().enumerate().rev();
        before.take_while(|(_, other)| other.layer == layer).find_map(|(index, other)| {
            Some((index, other.results.iter().position(|&made| made == tensor)?))
        })
    }

    /// The operator before this one that makes a tensor.
    fn maker_before(&self, op: usize, tensor: usize) -> Option<usize> {
        self.graph.operators[..op].iter().rposition(|other| other.results.contains(&tensor))
    }
}

/// The dimension of an operand that moves with a loop, and whether it has the same indices.
///
/// Where the operand has another shape, that is its first dimension with more than one element, of those that hold the same
/// elements as this loop and others behind it.
fn along(op: &Operator, access: &Access, shape: &[i64], l: usize) -> Option<(usize, bool)> {
    match access {
        Access::Affine(indices) => {
            let dimension = indices.iter().position(|index| index.follows(l))?;
            let is_same = is_loop(&indices[dimension], l) && shape[dimension] == op.loops[l];
            Some((dimension, is_same))
        }
        Access::Reshape(groups) => {
            let (from, to) = groups.iter().find(|(from, _)| from.contains(&l))?;
            let first = from.iter().find(|&&d| op.loops[d] > 1)?;
            let dimension = *to.iter().find(|&&d| shape[d] > 1)?;
            (*first == l).then_some((dimension, shape[dimension] == op.loops[l]))
        }
        Access::Whole | Access::Indirect => None,
    }
}

/// Whether an index is a loop, and nothing else.
fn is_loop(index: &Expression, l: usize) -> bool {
    index.terms[..] == [(l, 1)] && (index.constant, index.divisor, index.reach) == (0, 1, 0)
}
