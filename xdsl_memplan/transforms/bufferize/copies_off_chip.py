"""Copies that bufferization makes between memories: of what loops and branches hand on off chip."""

from math import prod
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from xdsl_memplan.analysis.executions import executions
from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.dialects.memref_size import element_size_bytes
from xdsl_memplan.dialects.off_chip import MOVE, TOTAL, TRAFFIC
from xdsl_memplan.dialects.operations_in import operations_in


def note_copies_off_chip(function: FuncOp, on_chip: str) -> None:
    """Mark copies and fills off chip as moves, and add their bytes to `total`; linear.

    What is read and what is written counts, each as often as the loops around it run. Where that is
    not known nobody knows how many bytes move, and `total` goes.
    """
    moved: int | None = 0
    for op in operations_in(function):
        if MOVE in op.attributes:
            continue
        if isinstance(op, memref.CopyOp):
            ends = [op.source, op.destination]
        elif op.name == "linalg.fill":
            ends = [op.operands[-1]]
        else:
            continue
        if not _is_off_chip(ends[-1], on_chip) and _buffer_of(ends[0]) is None:
            continue  # An operation of the engine, which may read an argument where it is.
        if not any(_is_off_chip(end, on_chip) for end in ends):
            continue
        op.attributes[MOVE] = UnitAttr()
        times = executions(op, function)
        bytes_ = _bytes(ends[-1]) * sum(_is_off_chip(end, on_chip) for end in ends)
        moved = None if times is None or moved is None else moved + times * bytes_
    traffic = function.attributes.get(TRAFFIC)
    if isinstance(traffic, DictionaryAttr) and TOTAL in traffic.data:
        entries = dict(traffic.data)
        total = cast("IntegerAttr", entries.pop(TOTAL)).value.data
        if moved is not None:
            entries[TOTAL] = IntegerAttr(total + moved, i64)
        function.attributes[TRAFFIC] = DictionaryAttr(entries)


def _is_off_chip(value: SSAValue, on_chip: str) -> bool:
    """Tell whether a memref is in another memory: the function was given it, or it is there."""
    buffer = _buffer_of(value)
    return buffer is None or buffer.arena.string_value() != on_chip


def _buffer_of(value: SSAValue) -> BufferOp | None:
    """The buffer that a memref shows; None for what the function was given, and for constants."""
    while isinstance(op := value.owner, Operation):
        if isinstance(op, BufferOp):
            return op
        if not op.operands:
            break
        value = op.operands[0]
    return None


def _bytes(value: SSAValue) -> int:
    memory = cast("MemRefType[Attribute]", value.type)
    return prod(memory.get_shape()) * (element_size_bytes(memory.element_type) or 0)
