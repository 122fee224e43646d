"""Checks that operands which an operation wants in different banks are there."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.dialects.wishes import operands_in_different_banks
from xdsl_memplan.transforms.abstract_execution import ExecutedFunction, Instance, Place


def check_banks(executed: ExecutedFunction, arenas: Mapping[str, ArenaOp]) -> None:
    """Check every execution of an operation with `memplan.different_banks`.

    Bank ``i`` of ``n`` is the bytes from ``i`` to ``i + 1`` n-ths of the capacity of the arena.
    Buffers in different memories are apart. Linear in executions, but for pairs of operands.

    Raises PassFailedException with the operation and two buffers in one bank.
    """
    for op, operands in executed.wishes_for_banks:
        try:
            named = operands_in_different_banks(op)
        except ValueError as error:
            raise PassFailedException(f"{describe_op(op)}: {error}") from error
        for a, b in combinations([operands[i] for i in named], 2):
            for one, other in ((x, y) for x in _placed(op, a) for y in _placed(op, b)):
                _check_pair(op, one, other, arenas)


def _placed(op: Operation, operand: Sequence[Instance]) -> Sequence[Instance]:
    if not operand or any(instance.place is None for instance in operand):
        raise PassFailedException(
            f"{describe_op(op)}: wants operands in different banks, one of which is no buffer of "
            "this function"
        )
    return operand


def _check_pair(op: Operation, a: Instance, b: Instance, arenas: Mapping[str, ArenaOp]) -> None:
    assert a.place is not None
    assert b.place is not None
    if a.place.arena != b.place.arena:
        return
    arena = arenas[a.place.arena]
    banks = arena.banks.value.data if arena.banks is not None else 1
    if banks < 2 or arena.capacity is None:
        raise PassFailedException(
            f"{describe_op(op)}: wants different banks, but @{a.place.arena} has none; say so: "
            f"memplan.arena @{a.place.arena} capacity 65536 banks 4"
        )
    bank_bytes = arena.capacity.value.data // banks
    mine, other = _banks(a.place, bank_bytes), _banks(b.place, bank_bytes)
    for bank in mine:
        if bank in other:
            raise PassFailedException(
                f"{describe_op(op)}: wants different banks, but {_described(a)} and "
                f"{_described(b)} both lie in bank {bank} of the {banks} of @{a.place.arena}, "
                f"bytes [{bank * bank_bytes}, {(bank + 1) * bank_bytes})"
            )


def _banks(place: Place, bank_bytes: int) -> range:
    last = place.offset + max(place.size, 1) - 1
    return range(place.offset // bank_bytes, last // bank_bytes + 1) if bank_bytes else range(1)


def _described(instance: Instance) -> str:
    assert instance.place is not None
    assert instance.op is not None
    place = instance.place
    return f"{describe_op(instance.op)}, bytes [{place.offset}, {place.offset + place.size}),"
