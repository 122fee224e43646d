"""Structured operations on whole arrays at once, where each element gets the same bits.

The loops that lead to elements of their own in the outputs become dimensions of arrays; the others
run in their order, so that sums are added up as they are one by one.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.interpreter import Interpreter
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from xdsl_memplan.interpreter.arrays import is_array
from xdsl_memplan.interpreter.scalar_functions import rounded

_FEWEST = 4
"""Elements at once that are worth it."""


def _extreme(pick: Callable[[Any, Any], Any], of_zeros: Callable[[Any, Any], Any]) -> Any:
    """A minimum or maximum: NaN where one is, and zeros by their signs."""
    choose: Callable[..., Any] = np.where

    def compute(a: Any, b: Any) -> Any:
        found = choose((a == 0) & (b == 0), of_zeros(a, b), pick(a, b))
        return choose(np.isnan(a) | np.isnan(b), np.nan, found)

    return compute


_COMPUTE: Mapping[type[Operation], Callable[..., Any]] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.NegfOp: np.negative,
    arith.MaximumfOp: _extreme(np.maximum, lambda a, b: a + b),
    arith.MinimumfOp: _extreme(np.minimum, lambda a, b: -(-a + -b)),
}
"""What scalars compute, in 64 bits, as `scalar_functions` and xDSL do, before it is rounded."""


def run_whole(
    interpreter: Interpreter,
    body: Block,
    arrays: Sequence[Any],
    maps: Sequence[AffineMap],
    loops: Sequence[int],
    first_output: int,
) -> bool:
    """Write the outputs, `arrays` from `first_output` on; false, and nothing is done, if it cannot.

    Arrays and scalars are one for each map and each argument of the body.
    """
    at_once = _loops_at_once(maps[first_output:])
    if (
        at_once is None
        or np.prod([loops[loop] for loop in at_once]) < _FEWEST
        or not all(type(op) in _COMPUTE or _is_known(op) for op in body.ops)
        or not all(_is_float(array) for array in arrays)
        or _is_entangled(arrays, maps, first_output)
    ):
        return False
    # Expressions compute with arrays of indices as with one.
    ranges: dict[int, Any] = {}
    for axis, loop in enumerate(at_once):
        ranges[loop] = np.arange(loops[loop]).reshape([-1] + [1] * (len(at_once) - axis - 1))
    one_by_one = [loop for loop in range(len(loops)) if loop not in ranges]
    with np.errstate(all="ignore"):
        for index in np.ndindex(*(loops[loop] for loop in one_by_one)):
            indices = ranges | dict(zip(one_by_one, index, strict=True))
            dims = [indices[loop] for loop in range(len(loops))]
            places = [tuple(e.eval(dims, ()) for e in map.results) for map in maps]
            elements = [
                array[at].astype(np.float64) if is_array(array) else array
                for array, at in zip(arrays, places, strict=True)
            ]
            new = _run(interpreter, body, elements)
            outputs = zip(arrays[first_output:], places[first_output:], new, strict=True)
            for array, at, value in outputs:
                array[at] = value
    return True


def _loops_at_once(maps: Sequence[AffineMap]) -> list[int] | None:
    """The loops that lead to elements of their own in all outputs; None if there are none."""
    found: list[set[int]] = []
    for map in maps:
        loops = [e.position for e in map.results if isinstance(e, AffineDimExpr)]
        if len(loops) < len(map.results) or len(set(loops)) < len(loops):
            return None
        found.append(set(loops))
    return sorted(found[0]) if found and all(loops == found[0] for loops in found) else None


def _is_known(op: Operation) -> bool:
    if isinstance(op, arith.ConstantOp):
        return isinstance(op.value, FloatAttr)
    return isinstance(op, linalg_ops.YieldOp)


def _is_float(value: object) -> bool:
    return value.dtype.kind == "f" if is_array(value) else isinstance(value, float)


def _is_entangled(arrays: Sequence[Any], maps: Sequence[AffineMap], first_output: int) -> bool:
    """Whether an element that is written may be read for another one, or written for it too."""
    for i, j in combinations(range(len(arrays)), 2):
        one, other = arrays[i], arrays[j]
        if j < first_output or not (is_array(one) and is_array(other)):
            continue
        is_same = (
            i < first_output
            and maps[i] == maps[j]
            and one.__array_interface__ == other.__array_interface__
        )
        if not is_same and np.may_share_memory(one, other):
            return True
    return False


def _run(interpreter: Interpreter, body: Block, elements: Sequence[Any]) -> list[Any]:
    """What the body yields."""
    known: dict[SSAValue, Any] = dict(zip(body.args, elements, strict=True))

    def value_of(value: SSAValue) -> Any:
        if value in known:
            return known[value]
        (scalar,) = interpreter.get_values((value,))
        return scalar

    for op in body.ops:
        if isinstance(op, linalg_ops.YieldOp):
            return [value_of(value) for value in op.operands]
        if isinstance(op, arith.ConstantOp):
            assert isinstance(op.value, FloatAttr)
            known[op.result] = op.value.value.data
        else:
            exact = _COMPUTE[type(op)](*map(value_of, op.operands))
            known[op.results[0]] = rounded(exact, op.results[0].type)
    return []
