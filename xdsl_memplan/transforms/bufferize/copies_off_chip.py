"""Copies that bufferization makes between memories: of what loops and branches hand on off chip."""

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, MemRefType, ModuleOp, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from xdsl_memplan.analysis.executions import executions, guessed_executions
from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.dialects.memref_size import element_size_bytes
from xdsl_memplan.dialects.off_chip import LOOKUPS, MOVE, TOTAL, TRAFFIC
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import shown_by


def note_copies_off_chip(function: FuncOp, on_chip: str) -> None:
    """Mark copies and fills off chip as moves, and write down what all moves move; linear.

    What is read off chip and what is written there counts, each as often as the loops around it
    run, and so does what is looked up. Where it is not known how often, no `total` is left.
    """
    moved: int | None = 0
    for op in operations_in(function):
        ends = _ends(op)
        if not ends or not (MOVE in op.attributes or _is_between_memories(ends, on_chip)):
            continue
        op.attributes[MOVE] = UnitAttr()
        times = executions(op, function)
        bytes_ = _bytes(ends[-1]) * sum(_is_off_chip(end, on_chip) for end in ends)
        moved = None if times is None or moved is None else moved + times * bytes_
    traffic = function.attributes.get(TRAFFIC)
    if isinstance(traffic, DictionaryAttr) and TOTAL in traffic.data:
        entries = dict(traffic.data)
        del entries[TOTAL]
        if moved is not None:
            looked_up = entries.get(LOOKUPS)
            more = looked_up.value.data if isinstance(looked_up, IntegerAttr) else 0
            entries[TOTAL] = IntegerAttr(moved + more, i64)
        function.attributes[TRAFFIC] = DictionaryAttr(entries)


def guessed_moves(module: ModuleOp) -> int:
    """The bytes that all moves move, with a guess where it is not known how often they run.

    What is looked up is left out. Linear.
    """
    return sum(
        guessed_executions(op, module) * _bytes(ends[-1])
        for op in operations_in(module)
        if MOVE in op.attributes and (ends := _ends(op))
    )


def _ends(op: Operation) -> Sequence[SSAValue]:
    """Where an operation that moves reads and writes."""
    match op:
        case memref.CopyOp():
            return op.source, op.destination
        case memref.StoreOp():
            return (op.memref,) if MOVE in op.attributes else ()
        case Operation(name="linalg.fill"):
            return (op.operands[-1],)
        case _:
            return ()


def _is_between_memories(ends: Sequence[SSAValue], on_chip: str) -> bool:
    """Tell whether off chip something is written, or read that is in a buffer.

    An argument that is copied on chip is read by the engine, which may do so where it is.
    """
    return _is_off_chip(ends[-1], on_chip) or (
        _buffer_of(ends[0]) is not None and _is_off_chip(ends[0], on_chip)
    )


def _is_off_chip(value: SSAValue, on_chip: str) -> bool:
    """Tell whether a memref is in another memory: the function was given it, or it is there."""
    buffer = _buffer_of(value)
    return buffer is None or buffer.arena.string_value() != on_chip


def _buffer_of(value: SSAValue) -> BufferOp | None:
    """The buffer that a memref shows; None for what the function was given, and for constants."""
    owner = shown_by(value).owner
    return owner if isinstance(owner, BufferOp) else None


def _bytes(value: SSAValue) -> int:
    memory = cast("MemRefType[Attribute]", value.type)
    return prod(memory.get_shape()) * (element_size_bytes(memory.element_type) or 0)
