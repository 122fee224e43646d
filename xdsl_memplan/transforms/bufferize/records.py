"""What bufferization knows of an operation: one record per kind, one registry, open to anybody.

| field | question |
|-|-|
| `place` | where do the results go, and what places does it offer to what it reads? |
| `emit` | what replaces it once every tensor has a place? |
| `check` | what must be so for both to work? |
| `writes_anywhere` | can its results be written to any place, such as a slice? |
| `reads` | of which operands do the contents count, and not only the shape? |
| `needs_dense` | must what it reads lie densely in memory, as it leaves the function? |
| `assembles` | does it put what it reads into something larger? |

What an operation writes in place, and over what, is not said here but by the traits of
`dialects.interfaces`, which the order search reads too. An operation without a record is handled by
its traits; see `stock_records.py`, which has the records of xDSL's own operations.

    register(MyConcatOp, OperationRecord(place=place_my_concat, emit=emit_my_concat))
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Operation

if TYPE_CHECKING:
    from xdsl_memplan.transforms.bufferize.emission import Emitter
    from xdsl_memplan.transforms.bufferize.placement import Placement

Place = Callable[["Placement", Operation], None]
Emit = Callable[["Emitter", Operation], bool]


def writes_nothing(placement: "Placement", op: Operation) -> None:
    """Nothing to place: views, reads, and what is made where it is needed."""


def no_check(op: Operation) -> None:
    """Nothing to check."""


def emit_nothing(emitter: "Emitter", op: Operation) -> bool:
    """The operation goes: its result is made where it is needed."""
    return True


@dataclass(frozen=True)
class OperationRecord:
    """How one kind of operation is bufferized."""

    place: Place = writes_nothing
    """Visited after all that uses its results; see `placement`."""
    emit: Emit | None = emit_nothing
    """Inserts what replaces it and tells whether it is to be erased; None if it stays as it is."""
    check: Callable[[Operation], None] = no_check
    """Raises PassFailedException before anything is changed."""
    writes_anywhere: bool | Callable[[Operation], bool] = False
    reads: Callable[[Operation], tuple[bool, ...]] | None = None
    """One answer per operand; None: what its effects say if it has destinations, else all."""
    needs_dense: bool = False
    assembles: bool = False


_RECORDS: dict[type[Operation], OperationRecord | None] = {}


def register(op_class: type[Operation], record: OperationRecord | None) -> None:
    """Say how the operations of a class are bufferized; the last word counts.

    None: it has nothing to do with tensors, or is refused where it has.
    """
    _RECORDS[op_class] = record


def registered(op: Operation) -> OperationRecord | None:
    """The record of an operation's class, if somebody gave one."""
    return _RECORDS.get(type(op))
