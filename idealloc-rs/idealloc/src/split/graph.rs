//! Operators with the regions that they read: what splitting works on.

use std::ops::Deref;
use std::sync::Arc;

use super::slices::Slice;
use super::terms::Terms;
use crate::error::Error;

/// How one dimension of an operand follows from the loops of an operator: a sum of loops times coefficients, plus a constant,
/// over a divisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Loop and its coefficient, which is positive.
    pub terms: Terms,
    /// Added to the sum.
    pub constant: i64,
    /// The sum is divided by it; where it is no multiple, the operand has no element.
    pub divisor: i64,
    /// How much more the sum may be, by values that are looked up.
    pub reach: i64,
}

impl Expression {
    /// Whether the index moves with a loop.
    pub(super) fn follows(&self, l: usize) -> bool {
        self.terms.iter().any(|&(term, _)| term == l)
    }
}

/// Which elements of an operand a box of the loops reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// One expression per dimension; what lies outside of the operand is not read.
    Affine(Arc<[Expression]>),
    /// The same elements in another shape: groups of dimensions of the result, and of the operand.
    Reshape(Arc<[(Vec<usize>, Vec<usize>)]>),
    /// All of them.
    Whole,
    /// Elements that are looked up: as many bytes as the result has; the operand stays where it is.
    Indirect,
}

impl Access {
    /// The index of each dimension; none where there are no such indices.
    pub(super) fn indices(&self) -> &[Expression] {
        match self {
            Self::Affine(indices) => indices,
            _ => &[],
        }
    }
}

/// A tensor.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Elements per dimension.
    pub shape: Vec<i64>,
    /// Bytes of one element.
    pub element_bytes: i64,
    /// Made outside of the function: its home is off chip.
    pub is_argument: bool,
    /// Made again wherever it is needed, at no cost.
    pub is_constant: bool,
    /// Computed from an argument, element by element, wherever it is needed.
    pub is_changed: bool,
    /// A result of the function.
    pub is_returned: bool,
}

impl Tensor {
    /// Bytes of the whole tensor.
    pub fn bytes(&self) -> i64 {
        self.shape.iter().product::<i64>() * self.element_bytes
    }
}

/// An operator with one loop nest. Each part of the graph that is searched has a copy with tensors numbered anew.
#[derive(Clone, Debug)]
pub struct Operator {
    /// What copies share.
    pub nest: Arc<Nest>,
    /// Tensors it makes.
    pub results: Vec<usize>,
    /// Tensors it reads, and how.
    pub operands: Vec<(usize, Access)>,
}

impl Deref for Operator {
    type Target = Nest;

    fn deref(&self) -> &Nest {
        &self.nest
    }
}

/// All that an operator is but for the tensors that it reads and makes.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Iterations of each loop.
    pub loops: Vec<i64>,
    /// Loops whose iterations are summed up.
    pub is_reduction: Vec<bool>,
    /// Reduction loops that may be cut without changing a bit of the result: the last of each list into any parts, where
    /// those before it, outermost first, are cut into single iterations.
    pub cuttable: Vec<Vec<usize>>,
    /// The loop that each dimension of each result is; none where there is one element.
    pub result_loops: Vec<Vec<Option<usize>>>,
    /// Operands that the first result may be written over.
    pub in_place: Vec<usize>,
    /// Operands that are part of the first result, element for element.
    pub parts: Vec<usize>,
    /// Of these the ones that are made elsewhere and copied.
    pub copied_parts: Vec<usize>,
    /// The result is (part of) the storage of the first operand, and takes no time.
    pub is_view: bool,
    /// Multiplications and additions per iteration.
    pub work: i64,
    /// Operations that it is written down in, those in bodies among them.
    pub operations: i64,
    /// Operations that tiles of one shape share: room for results, constants of their size.
    pub rooms: i64,
    /// The layer; ascending, unless layers were brought into another order.
    pub layer: usize,
    /// Whether a part of the result can be computed.
    pub is_splittable: bool,
    /// Its place in a chain that may run slice by slice.
    pub slice: Option<Slice>,
}

/// Operators in the order in which they run.
#[derive(Clone, Debug, Default)]
pub struct SplitGraph {
    /// All tensors; parts of a graph share them.
    pub tensors: Vec<Arc<Tensor>>,
    /// All operators, in order.
    pub operators: Vec<Operator>,
}

impl SplitGraph {
    /// Whether a view, or what it is a view of, shows a part of a tensor only.
    pub(super) fn shows_part(&self, view: &Operator) -> bool {
        let Some((source, access)) = view.operands.first() else { return false };
        let makes = |op: &&Operator| op.is_view && op.results.contains(source);
        matches!(access, Access::Affine(_))
            || self.operators.iter().find(makes).is_some_and(|op| self.shows_part(op))
    }

    /// Checks every index and size.
    ///
    /// # Errors
    /// `InvalidGraph` names the operator or tensor that is wrong.
    pub fn validate(&self) -> Result<(), Error> {
        let mut bytes = 0_i64;
        for (index, tensor) in self.tensors.iter().enumerate() {
            let size = tensor.shape.iter().try_fold(tensor.element_bytes, |product, &extent| {
                if extent < 0 { None } else { product.checked_mul(extent) }
            });
            let sum = size.filter(|_| tensor.element_bytes >= 0).and_then(|b| bytes.checked_add(b));
            let Some(sum) = sum.filter(|&sum| sum < i64::MAX / 64) else {
                return invalid(format!("tensor {index}: its size is out of range"));
            };
            bytes = sum;
        }
        let mut made = vec![false; self.tensors.len()];
        let mut layer = 0;
        for (index, op) in self.operators.iter().enumerate() {
            let wrong = |what: &str| invalid(format!("operator {index}: {what}"));
            if op.layer < layer {
                return wrong("layers do not ascend");
            }
            layer = op.layer;
            if op.is_reduction.len() != op.loops.len() || op.result_loops.len() != op.results.len()
            {
                return wrong("its arrays differ in length");
            }
            if op.results.is_empty() {
                return wrong("it has no result");
            }
            for (&tensor, access) in op.operands.iter().map(|(t, a)| (t, a)) {
                let Some(shape) = self.tensors.get(tensor).map(|t| &t.shape) else {
                    return wrong("it reads a tensor that does not exist");
                };
                let fits = match access {
                    Access::Affine(dims) => {
                        dims.len() == shape.len()
                            && dims.iter().all(|e| {
                                e.divisor > 0
                                    && e.reach >= 0
                                    && e.terms.iter().all(|&(l, c)| l < op.loops.len() && c > 0)
                            })
                    }
                    Access::Reshape(groups) => {
                        let rank = op.results.first().and_then(|&r| self.tensors.get(r));
                        let rank = rank.map_or(0, |t| t.shape.len());
                        groups.iter().all(|(from, to)| {
                            from.iter().all(|&d| d < rank) && to.iter().all(|&d| d < shape.len())
                        })
                    }
                    Access::Whole | Access::Indirect => true,
                };
                if !fits {
                    return wrong("an access does not fit its operand");
                }
                if !self.tensors[tensor].is_argument
                    && !self.tensors[tensor].is_constant
                    && !made[tensor]
                {
                    return wrong("it reads a tensor before it is made");
                }
            }
            let mut held = op.in_place.iter().chain(&op.parts).chain(&op.copied_parts);
            if held.any(|&k| k >= op.operands.len()) {
                return wrong("it has no such operand to write over");
            }
            if op.cuttable.iter().flatten().any(|&l| op.is_reduction.get(l) != Some(&true)) {
                return wrong("what may be cut is no reduction of it");
            }
            for (&tensor, loops) in op.results.iter().zip(op.result_loops.iter()) {
                let Some(shape) = self.tensors.get(tensor).map(|t| &t.shape) else {
                    return wrong("it makes a tensor that does not exist");
                };
                if made[tensor] || self.tensors[tensor].is_argument {
                    return wrong("it makes a tensor that is made elsewhere");
                }
                made[tensor] = true;
                let fits = loops.len() == shape.len()
                    && loops.iter().zip(shape).all(|(l, &extent)| match l {
                        Some(l) => op.loops.get(*l) == Some(&extent),
                        None => true,
                    });
                if !fits {
                    return wrong("the loops of a result do not fit its shape");
                }
            }
        }
        Ok(())
    }
}

fn invalid<T>(reason: String) -> Result<T, Error> {
    Err(Error::InvalidGraph(reason))
}
