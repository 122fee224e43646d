"""Loops over tiles of which the last is smaller, as a loop over whole tiles and the rest.

MLIR's tiling writes `affine.min` where a loop does not divide what it goes along:

```mlir
scf.for %i = %c0 to %c7 step %c3 iter_args(%o = %e) -> (tensor<7x4xf32>) {
  %n = affine.min affine_map<(i) -> (7 - i, 3)>(%i)
  %s = tensor.extract_slice %x[%i, 0] [%n, 4] [1, 1] : tensor<7x4xf32> to tensor<?x4xf32>
```

Here two iterations have tiles of 3 rows, and the last one of 1. The loop ends before the last one,
which comes behind it. The same iterations run in the same order.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import cast

from xdsl.dialects import affine, arith, scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.known_numbers import KnownNumbers
from xdsl_memplan.dialects.affine_additions import MaxOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.tensor_additions import GenerateOp

_MOST_ITERATIONS = 1 << 12
"""A loop of more is not looked at."""

_MOST_RUNS = 9
"""A loop whose sizes change more often stays: it would be written out."""


def split_by_sizes(loop: scf.ForOp) -> Sequence[Operation]:
    """Replace a loop by loops in each of which all iterations have tensors of the same sizes.

    Sizes that the position in the loop tells are constants thereafter. Returns what is to be looked
    at next, in order: the new loops, and the operations of iterations that are alone. Nothing is
    returned where the bounds are not known, or no size follows from the position.
    """
    iterations = _iterations(loop)
    roots = _told_by_position(loop)
    if not iterations or not roots:
        return ()
    sizes = [_numbers(loop.body.block.args[0], at, roots) for at in iterations]
    told = [i for i in range(len(roots)) if any(of[i] is not None for of in sizes)]
    runs = [
        (known, [at for at, _ in run])
        for known, run in groupby(
            zip(iterations, sizes, strict=True), key=lambda pair: tuple(pair[1][i] for i in told)
        )
    ]
    if not told or len(runs) > _MOST_RUNS:
        return ()
    made: list[Operation] = []
    carried: Sequence[SSAValue] = loop.iter_args
    for known, positions in runs:
        values: dict[SSAValue, SSAValue] = {}
        part = loop.clone(values)
        Rewriter.insert_op(part, InsertPoint.before(loop))
        for i, number in zip(told, known, strict=True):
            if number is not None:
                _write(values[roots[i]], number)
        part.operands = [*part.operands[:3], *carried]
        if len(positions) > 1:
            part.operands[0] = _constant(part, positions[0], part.lb.type)
            part.operands[1] = _constant(part, positions[-1] + 1, part.lb.type)
            made.append(part)
            carried = part.results
        else:
            operations, carried = _alone(part, positions[0])
            made += operations
    Rewriter.replace_op(loop, (), carried)
    return made


def _iterations(loop: scf.ForOp) -> Sequence[int]:
    """The positions of a loop; none if they are not known, or too many."""
    numbers = KnownNumbers()
    bounds = [numbers.of_scalar(bound, ()) for bound in (loop.lb, loop.ub, loop.step)]
    known = [int(bound) for bound in bounds if bound is not None]
    if len(known) < len(bounds) or known[2] < 1:
        return ()
    positions = range(*known)
    return positions if len(positions) <= _MOST_ITERATIONS else ()


def _told_by_position(loop: scf.ForOp) -> list[SSAValue]:
    """What the sizes of tensors, amounts of padding and bounds in a loop are computed as."""
    inside = [op for op in operations_in(loop) if op is not loop]
    within = set(inside)
    found: dict[SSAValue, None] = {}
    for op in inside:
        for value in _sizes(op):
            made = value.owner
            if made in within and isinstance(made, Operation) and _computes_numbers(made):
                found[value] = None
    return list(found)


def _computes_numbers(op: Operation) -> bool:
    is_arith = op.dialect_name() == "arith" and not isinstance(op, arith.ConstantOp)
    return is_arith or isinstance(op, affine.ApplyOp | affine.MinOp | MaxOp)


def _sizes(op: Operation) -> Sequence[SSAValue]:
    match op:
        case tensor.ExtractSliceOp() | tensor.InsertSliceOp():
            return op.sizes
        case tensor.EmptyOp():
            return op.dynamic_sizes
        case tensor.PadOp():
            return (*op.low, *op.high)
        case tensor.ExpandShapeOp():
            return op.dynamic_output_shape
        case GenerateOp():
            return op.dynamic_extents
        case scf.ForOp():
            return (op.lb, op.ub, op.step)
        case _:
            return ()


def _numbers(position: SSAValue, at: int, values: Sequence[SSAValue]) -> tuple[int | None, ...]:
    """What values are in the iteration at a position; None where that is not known."""
    numbers = KnownNumbers()
    numbers.assume(position, at)
    found = [numbers.of_scalar(value, ()) for value in values]
    return tuple(None if number is None else int(number) for number in found)


def _write(value: SSAValue, number: int) -> None:
    """Let what reads a value read a constant."""
    op = value.owner
    assert isinstance(op, Operation)
    value.replace_all_uses_with(_constant(op, number, value.type))


def _constant(before: Operation, number: int, type_: Attribute) -> SSAValue:
    constant = arith.ConstantOp(IntegerAttr(number, cast(IndexType, type_)))
    Rewriter.insert_op(constant, InsertPoint.before(before))
    return constant.result


def _alone(loop: scf.ForOp, position: int) -> tuple[Sequence[Operation], Sequence[SSAValue]]:
    """Put the operations of one iteration in the place of a loop; they, and what they yield."""
    block = loop.body.block
    last = block.last_op
    assert isinstance(last, scf.YieldOp)
    at = _constant(loop, position, block.args[0].type)
    inside = [op for op in block.ops if op is not last]
    Rewriter.inline_block(block, InsertPoint.before(loop), [at, *loop.iter_args])
    yielded = [*last.operands]
    Rewriter.erase_op(last)
    Rewriter.erase_op(loop)
    return inside, yielded
