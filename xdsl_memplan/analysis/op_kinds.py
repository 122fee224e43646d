"""How operations take part in time: which hold code that runs in order, or again and again.

What an operation does with the contents of tensors and memrefs is asked of `dialects.queries`. This
table only knows control flow.
"""

from enum import Enum, auto

from xdsl.ir import Operation


class Kind(Enum):
    """The part an operation has in the order of execution."""

    PLAIN = auto()
    """Anything else: one tick if it touches contents, itself or in its regions."""
    CONSTANT = auto()
    """Contents that are there from the beginning."""
    ADDRESS = auto()
    """Results are addresses; whoever has one may use it, so they are followed like views."""
    SELECT = auto()
    """The result is one of several operands."""
    SEQUENCE = auto()
    """Regions that run at most once each; they are numbered one after another."""
    LOOP = auto()
    """Regions that run again and again, in order."""
    PARALLEL_LOOP = auto()
    """A loop whose iterations may run at the same time."""
    FORWARD = auto()
    """A terminator that hands values on."""
    CALL = auto()
    """Runs another function: one tick."""


_KINDS: dict[str, Kind] = {
    "arith.constant": Kind.CONSTANT,
    "memref.get_global": Kind.CONSTANT,
    "memref.extract_aligned_pointer_as_index": Kind.ADDRESS,
    "arith.select": Kind.SELECT,
    "affine.if": Kind.SEQUENCE,
    "memref.alloca_scope": Kind.SEQUENCE,
    "scf.execute_region": Kind.SEQUENCE,
    "scf.if": Kind.SEQUENCE,
    "scf.index_switch": Kind.SEQUENCE,
    "affine.for": Kind.LOOP,
    "scf.for": Kind.LOOP,
    "scf.while": Kind.LOOP,
    "affine.parallel": Kind.PARALLEL_LOOP,
    "scf.parallel": Kind.PARALLEL_LOOP,
    "affine.yield": Kind.FORWARD,
    "func.return": Kind.FORWARD,
    "memref.alloca_scope.return": Kind.FORWARD,
    "scf.condition": Kind.FORWARD,
    "scf.reduce.return": Kind.FORWARD,
    "scf.yield": Kind.FORWARD,
    "func.call": Kind.CALL,
}

INITIAL_VALUES: dict[str, int] = {"scf.for": 3, "scf.while": 0}
"""Position of the first operand that is carried into the first iteration; else they are last."""


def kind_of(op: Operation) -> Kind:
    """Return the kind of an operation."""
    return _KINDS.get(op.name, Kind.PLAIN)
