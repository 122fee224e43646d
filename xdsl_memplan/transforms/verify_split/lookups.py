"""Where bodies of the whole program look elements up: index arithmetic, one number at a time.

It shares no code with what tiles follow from, which works on all iterations at once.
"""

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from operator import add, eq, ge, gt, le, lt, mod, mul, ne, neg, sub
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, Float32Type, FloatAttr, IntegerAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, BlockArgument, OpResult, SSAValue

from xdsl_memplan.transforms.verify_split.check_errors import MismatchError, NotFollowedError
from xdsl_memplan.transforms.verify_split.computation import shape_of

Number: TypeAlias = int | float
Point: TypeAlias = tuple[int, ...]


class Lookups:
    """Evaluates scalars in bodies; every answer is kept."""

    def __init__(self) -> None:
        self._scalars: dict[tuple[SSAValue, Point], Number] = {}

    def check_inside(
        self, index: SSAValue, iterations: Sequence[tuple[int, int]], low: int, high: int
    ) -> None:
        """Check that an index stays in `[low, high)` in a box of iterations.

        Raises MismatchError if it does not, NotFollowedError if it depends on an input.
        """
        used = _loops_of(index)
        ranges = [range(*r) if loop in used else range(1) for loop, r in enumerate(iterations)]
        for point in product(*ranges):
            found = self._scalar(index, point)
            if not low <= found < high:
                raise MismatchError(f"looks up index {found} in a tile of [{low}, {high})")

    def _scalar(self, value: SSAValue, point: Point) -> Number:
        known = self._scalars.get((value, point))
        if known is None:
            try:
                known = self._find(value, point)
            except (ArithmeticError, ValueError) as error:
                raise NotFollowedError(f"looks up at an index that is none: {error}") from error
            self._scalars[value, point] = known
        return known

    def _find(self, value: SSAValue, point: Point) -> Number:
        if isinstance(value, BlockArgument):
            op = value.block.parent_op()
            if not isinstance(op, linalg.GenericOp) or value.index >= len(op.inputs):
                raise NotFollowedError("looks up at an index that is an input")
            where = op.indexing_maps.data[value.index].data.eval(point, ())
            return self._element(op.inputs[value.index], tuple(where))
        assert isinstance(value, OpResult)
        match value.op:
            case arith.ConstantOp(value=IntegerAttr() | FloatAttr() as number):
                return number.value.data
            case linalg.IndexOp() as index:
                return point[index.dim.value.data]
            case arith.CmpiOp() | arith.CmpfOp() as op:
                compare = _COMPARISONS.get((op.name, op.predicate.value.data))
                if compare is None:
                    raise NotFollowedError("looks up at an index that is compared")
                return int(compare(*(self._scalar(operand, point) for operand in op.operands)))
            case op:
                compute = _FUNCTIONS.get(op.name)
                if compute is None:
                    raise NotFollowedError(f"looks up at an index that {op.name} makes")
                found = compute(*(self._scalar(operand, point) for operand in op.operands))
                if isinstance(value.type, Float32Type):
                    return struct.unpack("f", struct.pack("f", found))[0]
                return found

    def _element(self, value: SSAValue, index: Point) -> Number:
        if not isinstance(value, OpResult):
            raise NotFollowedError("looks up at an index that is an input")
        match value.op:
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
                values = cast(Sequence[Number], dense.get_values())
                return values[0 if len(values) == 1 else _position(index, shape_of(value))]
            case linalg.FillOp() as fill:
                return self._scalar(fill.inputs[0], ())
            case tensor.ExpandShapeOp() | tensor.CollapseShapeOp() as view:
                place = _position(index, shape_of(value))
                return self._element(view.src, _index(place, shape_of(view.src)))
            case linalg.GenericOp() as op if len(op.results) == 1 and op.body.block.last_op:
                written = op.indexing_maps.data[-1].data
                if not written.is_projected_permutation() or written.num_dims != len(index):
                    raise NotFollowedError("looks up at an index that is a sum")
                point = [0] * len(index)
                for expression, number in zip(written.results, index, strict=True):
                    (loop,) = expression.used_dims()
                    point[loop] = number
                return self._scalar(op.body.block.last_op.operands[0], tuple(point))
            case op:
                raise NotFollowedError(f"looks up at an index that {op.name} makes")


def _loops_of(value: SSAValue) -> set[int]:
    """The loops that a scalar in a body depends on."""
    found: set[int] = set()
    pending, seen = [value], {value}
    while pending:
        owner = (value := pending.pop()).owner
        if isinstance(owner, Block):
            op = owner.parent_op()
            if isinstance(op, linalg.GenericOp) and isinstance(value, BlockArgument):
                found |= op.indexing_maps.data[value.index].data.used_dims()
        elif isinstance(owner, linalg.IndexOp):
            found.add(owner.dim.value.data)
        else:
            new = [operand for operand in owner.operands if operand not in seen]
            seen.update(new)
            pending += new
    return found


def _position(index: Sequence[int], shape: Sequence[int]) -> int:
    place = 0
    for number, extent in zip(index, shape, strict=True):
        place = place * extent + number
    return place


def _index(place: int, shape: Sequence[int]) -> Point:
    index: list[int] = []
    for extent in reversed(shape):
        place, number = divmod(place, extent)
        index.append(number)
    return tuple(index[::-1])


def _same(number: Any) -> Any:
    return number


def _towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rest(a: int, b: int) -> int:
    return a - b * _towards_zero(a, b)


def _down(a: int, b: int) -> int:
    return a // b


def _quotient(a: float, b: float) -> float:
    return a / b


def _up(a: int, b: int) -> int:
    return -(-a // b)


def _choose(chosen: int, a: Any, b: Any) -> Any:
    return a if chosen else b


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "arith.addi": add,
    "arith.subi": sub,
    "arith.muli": mul,
    "arith.divsi": _towards_zero,
    "arith.divui": _down,
    "arith.floordivsi": _down,
    "arith.ceildivsi": _up,
    "arith.remsi": _rest,
    "arith.remui": mod,
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.minui": min,
    "arith.maxui": max,
    "arith.select": _choose,
    "arith.index_cast": _same,
    "arith.index_castui": _same,
    "arith.extsi": _same,
    "arith.extui": _same,
    "arith.trunci": _same,
    "arith.sitofp": float,
    "arith.uitofp": float,
    "arith.fptosi": int,
    "arith.extf": _same,
    "arith.truncf": _same,
    "arith.addf": add,
    "arith.subf": sub,
    "arith.mulf": mul,
    "arith.divf": _quotient,
    "arith.negf": neg,
    "arith.maximumf": max,
    "arith.minimumf": min,
    "arith.maxnumf": max,
    "arith.minnumf": min,
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "math.trunc": math.trunc,
    "math.absf": abs,
}

_KINDS: Sequence[Callable[[Any, Any], bool]] = (eq, ne, lt, le, gt, ge)
_COMPARISONS: Mapping[tuple[str, int], Callable[[Any, Any], bool]] = {
    **{("arith.cmpi", number): kind for number, kind in enumerate(_KINDS)},
    **{
        ("arith.cmpf", number + unordered): _KINDS[kind]
        for unordered in (0, 7)
        for number, kind in {1: 0, 2: 4, 3: 5, 4: 2, 5: 3, 6: 1}.items()
    },
}
"""By the number of the predicate; unordered ones are like ordered ones, as all are numbers."""
