"""Structured operations on whole arrays at once, where each element gets the same bits.

The loops that lead to elements of their own in the outputs become dimensions of arrays; the others
run in their order, so that sums are added up as they are one by one. What does not depend on the
outputs, as the products of a sum, is computed for many steps of those loops at once.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.interpreter import Interpreter
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.utils.comparisons import to_signed

from xdsl_memplan.interpreter.arrays import Array, element_dtype, is_array
from xdsl_memplan.interpreter.scalar_functions import rounded

_FEWEST = 4
"""Runs of a body that are worth it."""

_MOST = 1 << 16
"""Elements at once, or those of one step if they are more."""


def _extreme(pick: Callable[[Any, Any], Any], of_zeros: Callable[[Any, Any], Any]) -> Any:
    """A minimum or maximum: NaN where one is, and zeros by their signs."""
    choose: Callable[..., Any] = np.where

    def compute(a: Any, b: Any) -> Any:
        found = choose((a == 0) & (b == 0), of_zeros(a, b), pick(a, b))
        return choose(np.isnan(a) | np.isnan(b), np.nan, found)

    return compute


def _shifted(number: Any, by: Any) -> Any:
    assert np.all(np.asarray(by) >= 0)
    return np.right_shift(number, by)


_COMPUTE_INTEGERS: Mapping[type[Operation], Callable[..., Any]] = {
    arith.AddiOp: np.add,
    arith.ExtSIOp: np.positive,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.MuliOp: np.multiply,
    arith.ShRSIOp: _shifted,
    arith.SubiOp: np.subtract,
    arith.TruncIOp: np.positive,
}
"""What signed numbers of up to 32 bits compute, in 64 bits, before it is cut to the result's."""

_WIDTHS = (8, 16, 32)

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
        or math.prod(loops) < _FEWEST
        or not all(map(_is_known, body.ops))
        or not all(map(_is_number, arrays, (argument.type for argument in body.args)))
        or _is_entangled(arrays, maps, first_output)
    ):
        return False
    outputs = arrays[first_output:]
    which = [_output_of(number, arrays, first_output) for number in range(len(arrays))]
    early, late, yielded = _parted(body, which)
    needed = {operand for op in late for operand in op.operands} | set(yielded)
    one_by_one = [loop for loop in range(len(loops)) if loop not in at_once]
    counts = [loops[loop] for loop in one_by_one]
    block = max(1, _MOST // math.prod(loops[loop] for loop in at_once))
    # The elements of an output are the same in every step: they are stored after the last one.
    ends = [_places(map, loops, at_once, {}) for map in maps[first_output:]]
    now = [_wide(output[end]) for output, end in zip(outputs, ends, strict=True)]
    with np.errstate(all="ignore"):
        for first in range(0, math.prod(counts), block):
            steps = np.arange(first, min(first + block, math.prod(counts)))
            indices = dict(zip(one_by_one, _unraveled(steps, counts), strict=True))
            known: dict[SSAValue, Any] = {
                argument: _wide(array[_places(map, loops, at_once, indices)])
                if is_array(array)
                else _signed(array, argument.type)
                for argument, array, map, output in zip(body.args, arrays, maps, which, strict=True)
                if output is None
            }
            _run(interpreter, early, known)
            before = {value: known[value] for value in needed if value in known}
            for step in range(len(steps)):
                here = {value: _in_step(all, step, len(at_once)) for value, all in before.items()}
                for argument, output in zip(body.args, which, strict=True):
                    if output is not None:
                        here[argument] = now[output]
                _run(interpreter, late, here)
                new = (_value_of(interpreter, value, here) for value in yielded)
                now = [
                    _wide(np.asarray(value).astype(output.dtype))
                    for value, output in zip(new, outputs, strict=True)
                ]
    for output, end, value in zip(outputs, ends, now, strict=True):
        output[end] = value
    return True


def _places(
    map: AffineMap, loops: Sequence[int], at_once: Sequence[int], others: Mapping[int, Any]
) -> tuple[Any, ...]:
    """Indices of the elements for all of `at_once`, in each of some steps of the other loops.

    Expressions compute with arrays of indices as with one; the steps are the first dimension.
    """
    dims: list[Any] = [0] * len(loops)
    for axis, loop in enumerate(at_once):
        dims[loop] = np.arange(loops[loop]).reshape([-1] + [1] * (len(at_once) - axis - 1))
    for loop, indices in others.items():
        dims[loop] = indices.reshape([-1] + [1] * len(at_once))
    return tuple(e.eval(dims, ()) for e in map.results)


def _unraveled(steps: Array, counts: Sequence[int]) -> Sequence[Array]:
    """The indices of loops, the last of which is the innermost, in each step."""
    return np.unravel_index(steps, tuple(counts)) if counts else ()


def _wide(elements: Any) -> Any:
    """Numbers in 64 bits."""
    return elements.astype(np.int64 if elements.dtype.kind == "i" else np.float64)


def _signed(scalar: Any, type_: Attribute) -> Any:
    """A scalar, as a signed number if it is an integer."""
    return to_signed(scalar, type_.bitwidth) if isinstance(type_, IntegerType) else scalar


def _in_step(value: Any, step: int, axes: int) -> Any:
    """What a value for all steps is in one of them."""
    if not is_array(value) or value.ndim <= axes:
        return value
    return value[step if len(value) > 1 else 0]


def _output_of(number: int, arrays: Sequence[Any], first_output: int) -> int | None:
    """The output that an operand is, or whose elements it has; None for other ones."""
    if number >= first_output:
        return number - first_output
    for output, array in enumerate(arrays[first_output:]):
        if is_array(arrays[number]) and np.may_share_memory(arrays[number], array):
            return output
    return None


def _parted(
    body: Block, which: Sequence[int | None]
) -> tuple[list[Operation], list[Operation], Sequence[SSAValue]]:
    """The operations that need no output, those that do, and what is yielded."""
    depend: set[SSAValue] = {
        argument for argument, output in zip(body.args, which, strict=True) if output is not None
    }
    early: list[Operation] = []
    late: list[Operation] = []
    yielded: Sequence[SSAValue] = ()
    for op in body.ops:
        if isinstance(op, linalg_ops.YieldOp):
            yielded = op.operands
        elif depend.isdisjoint(op.operands):
            early.append(op)
        else:
            late.append(op)
            depend.update(op.results)
    return early, late, yielded


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
        return isinstance(op.value, FloatAttr) or _is_integer(op.result.type)
    if type(op) in _COMPUTE_INTEGERS:
        return all(map(_is_integer, (*op.operand_types, *op.result_types)))
    return type(op) in _COMPUTE or isinstance(op, linalg_ops.YieldOp)


def _is_integer(type_: Attribute) -> bool:
    return isinstance(type_, IntegerType) and type_.bitwidth in _WIDTHS


def _is_number(value: object, type_: Attribute) -> bool:
    if _is_integer(type_):
        return value.dtype.kind == "i" if is_array(value) else isinstance(value, int)
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


def _value_of(interpreter: Interpreter, value: SSAValue, known: Mapping[SSAValue, Any]) -> Any:
    if value in known:
        return known[value]
    (scalar,) = interpreter.get_values((value,))
    return _signed(scalar, value.type)


def _run(
    interpreter: Interpreter, operations: Sequence[Operation], known: dict[SSAValue, Any]
) -> None:
    """Add what operations compute to what is known."""
    for op in operations:
        if isinstance(op, arith.ConstantOp):
            assert isinstance(op.value, FloatAttr | IntegerAttr)
            known[op.result] = _signed(op.value.value.data, op.result.type)
            continue
        operands = (_value_of(interpreter, operand, known) for operand in op.operands)
        type_ = op.results[0].type
        if type(op) in _COMPUTE_INTEGERS:
            exact = np.asarray(_COMPUTE_INTEGERS[type(op)](*operands))
            known[op.results[0]] = exact.astype(element_dtype(type_)).astype(np.int64)
        else:
            known[op.results[0]] = rounded(_COMPUTE[type(op)](*operands), type_)
