"""The part of `memplan-verify` that looks at regions: their bounds, and the bytes moved off chip.

Nothing is shared with what wrote the record: bytes are counted from the copies that are there, and
how often a loop runs is read off its bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias, cast

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    ShapedType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.memplan import ArenaOp, BufferOp
from xdsl_memplan.dialects.memref_size import element_size_bytes
from xdsl_memplan.dialects.off_chip import CAPACITY_FLOOR, FLOOR, LOOKUPS, MOVE, TOTAL, TRAFFIC
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.transforms.verify_lookups import lookups_off_chip
from xdsl_memplan.transforms.verify_loops import iterations_of
from xdsl_memplan.transforms.verify_subview_types import check_subview_type


def verify_regions(function: FuncOp, module: ModuleOp) -> None:
    """Check every subview of a function, and the bytes it says it moves; linear.

    Where no `total` is recorded, the copies may move no more than the `bytes` recorded besides what
    reaches a returned buffer. Raises PassFailedException for a region that is outside of its
    memref or has another type, and for a record of bytes that the copies do not bear out or that
    contradicts itself.
    """
    on_chip = next((op.sym_name.data for op in module.body.ops if isinstance(op, ArenaOp)), None)
    total, promised = _recorded(function, TOTAL), _recorded(function, "bytes")
    looked_up = _recorded(function, LOOKUPS) or 0
    returned = _returned_buffers(function)
    indices = _Indices()
    moved = compulsory = 0
    for op in operations_in(function):
        if isinstance(op, memref.SubviewOp):
            check_subview_type(op)
            _check_bounds(op, indices)
        elif total is not None or promised is not None:
            ends = _ends(op)
            size = _bytes_off_chip(op, ends, on_chip) if ends else 0
            if size:
                moved += size * _executions(op, function)
                compulsory += size if _buffer(ends[-1]) in returned else 0
    if total is not None and total != moved + looked_up:
        besides = f" besides the {looked_up} looked up" if looked_up else ""
        raise PassFailedException(
            f"{describe_op(function)}: {TRAFFIC} says that {total} bytes move in all, its "
            f"copies move {moved}{besides}"
        )
    if total is not None and (found := lookups_off_chip(function, module, on_chip)) > looked_up:
        raise PassFailedException(
            f"{describe_op(function)}: {TRAFFIC} says that {looked_up} bytes are looked up off "
            f"chip, its operations look up {found}"
        )
    for name in (FLOOR, CAPACITY_FLOOR):
        least = _recorded(function, name)
        if total is not None and least is not None and total < least:
            raise PassFailedException(
                f"{describe_op(function)}: {TRAFFIC} says that {total} bytes move in all, and that "
                f"no fewer than {least} can ({name})"
            )
    if total is None and promised is not None and promised < moved - compulsory:
        raise PassFailedException(
            f"{describe_op(function)}: {TRAFFIC} says that {promised} bytes move besides the "
            f"compulsory, its copies move {moved - compulsory}"
        )


def _recorded(function: FuncOp, name: str) -> int | None:
    attribute = function.attributes.get(TRAFFIC)
    entry = attribute.data.get(name) if isinstance(attribute, DictionaryAttr) else None
    return entry.value.data if isinstance(entry, IntegerAttr) else None


def _returned_buffers(function: FuncOp) -> set[BufferOp]:
    """The buffers that a function returns, from where they are."""
    last = function.body.blocks[-1].last_op if function.body.blocks else None
    found = (_buffer(value) for value in (last.operands if last is not None else ()))
    return {buffer for buffer in found if buffer is not None}


def _ends(op: Operation) -> list[SSAValue]:
    """Where a copy reads and writes, where a fill that is a move writes; none for the others."""
    match op:
        case memref.CopyOp():
            return [op.source, op.destination]
        case Operation(name="linalg.fill") if MOVE in op.attributes:
            return [op.operands[-1]]  # By name: the class has moved between versions of xDSL.
        case memref.StoreOp() if MOVE in op.attributes:
            return [op.memref]
        case _:
            return []


def _bytes_off_chip(op: Operation, ends: Sequence[SSAValue], on_chip: str | None) -> int:
    """Bytes read from memories other than the on-chip one, and bytes written to them.

    What comes from an argument or a constant counts if the copy is marked as a move; otherwise it
    is an operation of the engine, which may read them where they are.
    """
    marked = MOVE in op.attributes
    off_chip = [a != on_chip if a is not None else marked for a in map(_arena, ends)]
    type_ = ends[-1].type
    assert isinstance(type_, MemRefType)
    memory = cast("MemRefType[Attribute]", type_)
    # Not the span of a strided layout: what lies between the elements does not move.
    element = element_size_bytes(memory.element_type) or 0
    return prod(memory.get_shape()) * element * sum(off_chip)


def _arena(value: SSAValue) -> str | None:
    """The arena that a memref is in; None for an argument, a global, or what is not known."""
    buffer = _buffer(value)
    return None if buffer is None else buffer.arena.string_value()


def _buffer(value: SSAValue) -> BufferOp | None:
    """The buffer that a memref is in, or a view of."""
    while isinstance(value, OpResult):
        if isinstance(value.op, BufferOp):
            return value.op
        if not value.op.operands or isinstance(value.op, memref.GetGlobalOp):
            return None
        value = value.op.operands[0]
    return None


def _executions(op: Operation, function: FuncOp) -> int:
    """How often an operation runs when the function does."""
    count = 1
    parent = op.parent_op()
    while parent is not None and parent is not function:
        values = iterations_of(parent) if isinstance(parent, scf.ForOp) else None
        if values is None:
            raise PassFailedException(
                f"{describe_op(parent)}: how often it runs is not known, so the bytes that move "
                f"cannot be counted; leave '{TOTAL}' out of {TRAFFIC}"
            )
        count *= len(values)
        parent = parent.parent_op()
    return count


_Chosen: TypeAlias = arith.MaxSIOp | arith.MinSIOp
"""The larger or the smaller of two indices."""


@dataclass
class _Linear:
    """A constant plus multiples of loop indices, and of indices that are kept between ends."""

    constant: int
    loops: dict[scf.ForOp | _Chosen, int] = field(default_factory=dict[scf.ForOp | _Chosen, int])
    limits: dict[_Chosen, tuple[int, int]] = field(default_factory=dict[_Chosen, tuple[int, int]])
    """The least and the greatest value of each that is kept between ends."""

    def plus(self, other: "_Linear", times: int = 1) -> "_Linear":
        loops = dict(self.loops)
        for loop, factor in other.loops.items():
            loops[loop] = loops.get(loop, 0) + times * factor
        limits = {**self.limits, **other.limits}
        return _Linear(self.constant + times * other.constant, loops, limits)

    def times(self, other: "_Linear") -> "_Linear | None":
        if self.loops and other.loops:
            return None
        one, factor = (other, self) if other.loops else (self, other)
        return _Linear(0).plus(one, factor.constant)

    def ends(self) -> tuple[int, int] | None:
        """The least and the greatest value; None if they are not known.

        Not where a loop has other bounds, or never runs, nor of a sum with what is kept between
        ends: that may depend on the other terms.
        """
        low = high = self.constant
        if self.limits and len(self.loops) > 1:
            return None
        for loop, factor in self.loops.items():
            values = iterations_of(loop) if isinstance(loop, scf.ForOp) else self.limits[loop]
            if not values:
                return None
            found = (factor * values[0], factor * values[-1])
            low, high = low + min(found), high + max(found)
        return low, high


_DEEPEST = 64
"""Operations that an index may be computed by, one from the other."""


class _Indices:
    """Index values of one function as sums of loop indices; every answer is kept."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, _Linear | None] = {}

    def of(self, value: SSAValue, depth: int = 0) -> _Linear | None:
        """The sum; None if the value is none."""
        if value not in self._known:
            self._known[value] = self._find(value, depth) if depth < _DEEPEST else None
        return self._known[value]

    def _find(self, value: SSAValue, depth: int) -> _Linear | None:
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if isinstance(loop, scf.ForOp) and value.index == 0:
                return _Linear(0, {loop: 1})
            return None
        assert isinstance(value, OpResult)
        op = value.op
        if isinstance(op, arith.ConstantOp):
            return _Linear(op.value.value.data) if isinstance(op.value, IntegerAttr) else None
        if not isinstance(op, _ARITHMETIC):
            return None
        terms = [self.of(operand, depth + 1) for operand in op.operands]
        known = [term for term in terms if term is not None]
        if len(known) < len(terms):
            return None
        match op:
            case arith.AddiOp():
                return known[0].plus(known[1])
            case arith.SubiOp():
                return known[0].plus(known[1], -1)
            case arith.MuliOp():
                return known[0].times(known[1])
            case arith.IndexCastOp():
                return known[0]
            case arith.MaxSIOp() | arith.MinSIOp():
                ends = [term.ends() for term in known]
                if None in ends:
                    return None
                pick = max if isinstance(op, arith.MaxSIOp) else min
                low, high = (pick(end) for end in zip(*filter(None, ends), strict=True))
                return _Linear(0, {op: 1}, {op: (low, high)})
            case affine.ApplyOp():
                [expression] = op.map.data.results
                return _apply(expression, known, op.map.data.num_dims)


_ARITHMETIC = (
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.IndexCastOp,
    affine.ApplyOp,
)


def _apply(expression: AffineExpr, operands: Sequence[_Linear], dims: int) -> _Linear | None:
    match expression:
        case AffineConstantExpr():
            return _Linear(expression.value)
        case AffineDimExpr():
            return operands[expression.position]
        case AffineSymExpr():
            return operands[dims + expression.position]
        case AffineBinaryOpExpr():
            left = _apply(expression.lhs, operands, dims)
            right = _apply(expression.rhs, operands, dims)
            if left is None or right is None:
                return None
            if expression.kind is AffineBinaryOpKind.Add:
                return left.plus(right)
            return left.times(right) if expression.kind is AffineBinaryOpKind.Mul else None
        case _:
            return None


def _check_bounds(op: memref.SubviewOp, indices: _Indices) -> None:
    """Check that a region lies in its memref, as far as its offsets are known."""
    assert isinstance(op.source.type, ShapedType)
    numbers = (op.static_offsets, op.static_sizes, op.static_strides)
    offsets, sizes, strides = (attribute.get_values() for attribute in numbers)
    dynamic = iter(op.offsets if DYNAMIC_INDEX in offsets else ())
    shape = op.source.type.get_shape()
    for dimension, offset in enumerate(offsets):
        index = next(dynamic) if offset == DYNAMIC_INDEX else None
        found = indices.of(index) if index is not None else _Linear(offset)
        ends = found.ends() if found is not None else None
        size, stride, extent = sizes[dimension], strides[dimension], shape[dimension]
        if ends is None or DYNAMIC_INDEX in (size, stride, extent):
            continue
        low, high = ends[0], ends[1] + (size - 1) * stride + 1
        if size and (low < 0 or high > extent):
            raise PassFailedException(
                f"{describe_op(op)}: dimension {dimension} reaches [{low}, {high}), outside of "
                f"{extent}"
            )
