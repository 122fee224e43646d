"""What an operation does with the tensors and memrefs it touches: the one table the analyses share.

Operations of other dialects are described by the traits of `xdsl_memplan.dialects.traits`, which
an embedder attaches; an operation nobody described is taken at its worst: it takes a tick, reads
and writes all it is given, and a memref (or anything that is not plain data, say a pointer) that
it returns may be any memref it was given.
"""

from enum import Enum, auto

from xdsl.ir import Operation


class Kind(Enum):
    """How an operation takes part in time and aliasing."""

    ACCESS = auto()
    """Reads or writes contents: one tick. The default for what has tensors or memrefs."""
    CONSTANT = auto()
    """Contents that are there from the beginning; no tick."""
    ALLOCATION = auto()
    """A fresh memref without contents; no tick."""
    EMPTY = auto()
    """A tensor without contents; no tick."""
    VIEW = auto()
    """Results are the bytes of operands (`VIEW_SOURCES`); no tick."""
    QUERY = auto()
    """Shape arithmetic, deallocation: needs no contents; no tick."""
    ESCAPE = auto()
    """Results are addresses; whoever has one may use it, so they are followed like views. No tick.
    """
    SEQUENCE = auto()
    """Regions that run at most once each, one after another in time."""
    LOOP = auto()
    """Regions that run again and again, in order."""
    PARALLEL_LOOP = auto()
    """A loop whose iterations may run at the same time."""
    FORWARD = auto()
    """A terminator that hands values on; no tick."""
    CALL = auto()
    """Runs another function: one tick."""
    FUNCTION = auto()
    """A function."""


KINDS: dict[str, Kind] = {
    "arith.constant": Kind.CONSTANT,
    "memref.get_global": Kind.CONSTANT,
    "memref.alloc": Kind.ALLOCATION,
    "memref.alloca": Kind.ALLOCATION,
    "memplan.buffer": Kind.ALLOCATION,
    "tensor.empty": Kind.EMPTY,
    "bufferization.alloc_tensor": Kind.EMPTY,
    **dict.fromkeys(
        [
            "arith.select",
            "bufferization.to_buffer",
            "bufferization.to_memref",
            "bufferization.to_tensor",
            "builtin.unrealized_conversion_cast",
            "memref.assume_alignment",
            "memref.cast",
            "memref.collapse_shape",
            "memref.expand_shape",
            "memref.extract_strided_metadata",
            "memref.memory_space_cast",
            "memref.reinterpret_cast",
            "memref.reshape",
            "memref.subview",
            "memref.transpose",
            "memref.view",
            "tensor.bitcast",
            "tensor.cast",
            "tensor.collapse_shape",
            "tensor.expand_shape",
            "tensor.extract_slice",
            "tensor.reshape",
        ],
        Kind.VIEW,
    ),
    **dict.fromkeys(
        [
            "memref.dealloc",
            "memref.dim",
            "memref.rank",
            "tensor.dim",
            "tensor.rank",
            "shape.shape_of",
        ],
        Kind.QUERY,
    ),
    "memref.extract_aligned_pointer_as_index": Kind.ESCAPE,
    **dict.fromkeys(
        [
            "affine.if",
            "memref.alloca_scope",
            "scf.execute_region",
            "scf.if",
            "scf.index_switch",
        ],
        Kind.SEQUENCE,
    ),
    **dict.fromkeys(["affine.for", "scf.for", "scf.while"], Kind.LOOP),
    **dict.fromkeys(["affine.parallel", "scf.parallel"], Kind.PARALLEL_LOOP),
    **dict.fromkeys(
        [
            "affine.yield",
            "func.return",
            "memref.alloca_scope.return",
            "scf.condition",
            "scf.reduce.return",
            "scf.yield",
        ],
        Kind.FORWARD,
    ),
    "func.call": Kind.CALL,
    "func.func": Kind.FUNCTION,
}
"""Kind by operation name; all others are `Kind.ACCESS`."""

VIEW_SOURCES: dict[str, tuple[int, ...]] = {
    "arith.select": (1, 2),
    "memref.reshape": (0,),
    "tensor.reshape": (0,),
}
"""Operands that a view shares bytes with, where they are not all of its tensors and memrefs."""

INITIAL_VALUES: dict[str, int] = {"scf.for": 3, "scf.while": 0}
"""Position of the first operand that a loop carries into its first iteration."""


def kind_of(op: Operation) -> Kind:
    """Return the kind of a registered operation by its name."""
    return KINDS.get(op.name, Kind.ACCESS)
