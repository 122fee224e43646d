"""How often a contraction can use what is on chip: a matmul, a convolution, and their like.

Each point of its loops multiplies an element of the input by one of the weights and adds that to an
element of the result. With `a`, `b` and `c` elements of those there are at most
`sqrt(reuse * a * b * c)` such points: for a matrix product `reuse` is 1 (Loomis and Whitney, Bull.
AMS 55, 1949; of loops that each occur in two of the three: Finner, Ark. Mat. 30, 1992). A window
is a matrix product for each of its positions, whose weights are different ones: the sum of the
square roots is at most that of all weights times the positions that share inputs (Cauchy).
"""

from dataclasses import dataclass
from math import gcd, prod

from xdsl_memplan.model.origins import Origin
from xdsl_memplan.model.split_graph import Affine, Box, SplitGraph, SplitOp


@dataclass(frozen=True, slots=True)
class Contraction:
    """What a contraction reads and makes, and how often it can use it."""

    inputs: tuple[int, ...]
    """Origins of the input: arguments, constants and results of contractions."""
    weights: int
    """An argument or a constant."""
    result: int
    points: int
    """Multiply-adds that read an element of `inputs` and are surely needed."""
    reuse: int
    """Positions of a window that share an element of the input."""

    @property
    def tensors(self) -> set[int]:
        """Everything whose elements it needs on chip."""
        return {*self.inputs, self.weights, self.result}


def contraction_of(
    op: SplitOp, loops: Box, graph: SplitGraph, origins: dict[int, Origin]
) -> Contraction | None:
    """Return an operation as a contraction, in the box `loops` of all that is needed.

    Of two operands that may be the weights those with more points are, then the smaller ones.
    Returns None if there is none whose origin is an argument or a constant, or if loops or indices
    are of a kind that no rule is known for.
    """
    best: Contraction | None = None
    for weights in range(len(op.operands)):
        if not _can_be_weights(op, weights, graph, origins):
            continue
        for inputs in range(len(op.operands)):
            found = _contraction(op, loops, inputs, weights, origins)
            if found is not None and (best is None or _rank(found, graph) > _rank(best, graph)):
                best = found
    return best


def _rank(contraction: Contraction, graph: SplitGraph) -> tuple[float, int]:
    size = graph.tensors[contraction.weights].size_bytes
    return contraction.points / contraction.reuse**0.5, -size


def _can_be_weights(
    op: SplitOp, position: int, graph: SplitGraph, origins: dict[int, Origin]
) -> bool:
    """Tell whether each index of an operand is one loop, and it is one tensor from outside."""
    operand = op.operands[position]
    origin = origins.get(operand.tensor)
    if origin is None or len(origin.tensors) != 1 or not isinstance(operand.access, Affine):
        return False
    if graph.tensors[origin.tensors[0]].kind == "value":
        return False
    return all(
        (not index.terms or (len(index.terms) == 1 and index.terms[0][1] == 1))
        and index.constant == 0
        and (index.divisor, index.reach) == (1, 0)
        and kept == (0, extent)
        for index, extent, kept in zip(
            operand.access.indices, operand.shape, origin.box, strict=True
        )
    )


def _contraction(
    op: SplitOp, loops: Box, inputs: int, weights: int, origins: dict[int, Origin]
) -> Contraction | None:
    operand, other = op.operands[inputs], op.operands[weights]
    origin, weights_access = origins.get(operand.tensor), other.access
    if origin is None or not isinstance(operand.access, Affine):
        return None
    assert isinstance(weights_access, Affine)
    [weights_tensor] = origins[other.tensor].tensors
    if weights_tensor in origin.tensors:
        return None
    moving = {loop for loop, (start, stop) in enumerate(loops) if stop - start > 1}
    of_weights = {loop for index in weights_access.indices for loop, _ in index.terms}
    of_result = {loop for loop in op.result_access if loop is not None}
    seen = _Inputs(loops, of_weights | of_result)
    for index, kept in zip(operand.access.indices, origin.box, strict=True):
        terms = [term for term in index.terms if term[0] in moving]
        at_start = sum(factor * loops[loop][0] for loop, factor in index.terms)
        is_one_element = (index.divisor, index.reach) == (1, 0)
        if not is_one_element or not seen.add(terms, index.constant + at_start, kept):
            return None
    # With a position of each window fixed, each loop must be seen in two of the three.
    for loop in moving:
        if (loop in seen.loops) + (loop in of_weights) + (loop in of_result) < 2:
            return None
    rest = prod(loops[loop][1] - loops[loop][0] for loop in moving - seen.loops)
    return Contraction(
        origin.tensors, weights_tensor, op.results[0], seen.points * rest, seen.reuse
    )


class _Inputs:
    """The indices of an input, one after the other."""

    def __init__(self, loops: Box, elsewhere: set[int]) -> None:
        self.extents = [stop - start for start, stop in loops]
        self.elsewhere = elsewhere
        """Loops whose positions differ in the weights or the result."""
        self.loops: set[int] = set()
        self.points = 1
        """Positions of `loops` that read what is kept."""
        self.reuse = 1

    def add(self, terms: list[tuple[int, int]], constant: int, kept: tuple[int, int]) -> bool:
        """Count an index that is a sum; False if no rule is known for it."""
        if len(terms) > 2 or any(loop in self.loops for loop, _ in terms):
            return False
        low, high = kept[0] - constant, kept[1] - constant
        self.loops.update(loop for loop, _ in terms)
        if len(terms) < 2:
            extent, factor = (self.extents[terms[0][0]], terms[0][1]) if terms else (1, 1)
            self.points *= _positions(extent, factor, low, high)
            return True
        terms = sorted(terms, key=lambda term: term[1])
        (inner, step), (outer, stride) = terms
        self.points *= sum(
            _positions(self.extents[outer], stride, low - step * position, high - step * position)
            for position in range(self.extents[inner])
        )
        if stride > step * (self.extents[inner] - 1):
            return True  # No two positions read the same.
        # One of both is the position in the window. Those that are a multiple of the other's step
        # apart share inputs.
        shared = [
            -(-self.extents[fixed] // (others_step // gcd(others_step, own_step)))
            for (fixed, own_step), (_, others_step) in (terms, terms[::-1])
            if fixed in self.elsewhere
        ]
        self.reuse *= min(shared, default=1)
        return bool(shared)


def _positions(extent: int, factor: int, low: int, high: int) -> int:
    """Count the positions below `extent` whose multiple is at least `low` and below `high`."""
    return max(0, min(extent, -(-high // factor)) - max(0, -(-low // factor)))
