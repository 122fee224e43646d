"""What differs between the versions of xDSL that we run on, in one file.

Lifetimes, offsets, verification and the dialect run on xDSL 0.57 to 0.75; all passes on 0.72 to
0.75 (`universe.py` says which passes there are). Between them linalg was split into modules
(0.66), operations got a source location, and classes appeared: `memref.ViewOp` and the operations
of `tensor` (before 0.60), `memref.AssumeAlignmentOp` and `LinalgStructuredOperation` (0.72). Where
a class is missing, a placeholder that no operation is an instance of stands for it, and operations
whose model would need it are taken to read and write all that they are given.
"""

from typing import TYPE_CHECKING, Any

from xdsl.dialects import linalg, memref, tensor
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Attribute, Operation, OpTraits

if TYPE_CHECKING:
    from xdsl.dialects.linalg import ops as linalg_ops
    from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation, NamedOperation
    from xdsl.dialects.linalg.attrs import IteratorType
    from xdsl.dialects.memref import AssumeAlignmentOp, ViewOp
    from xdsl.dialects.tensor import PadOp
    from xdsl.dialects.tensor import YieldOp as TensorYieldOp

__all__ = [
    "AssumeAlignmentOp",
    "IteratorType",
    "LinalgStructuredOperation",
    "NamedOperation",
    "PadOp",
    "TensorYieldOp",
    "ViewOp",
    "has_structured_operations",
    "linalg_ops",
    "location_of",
]


def _class(module: Any, name: str) -> Any:
    found: Any = getattr(module, name, None)
    body = {"name": f"missing.{name}", "traits": OpTraits(lambda: ()), "__module__": __name__}
    return found or type(name, (Operation,), body)


if not TYPE_CHECKING:
    try:
        from xdsl.dialects.linalg import abstract_ops, attrs
        from xdsl.dialects.linalg import ops as linalg_ops
    except ImportError:
        abstract_ops = attrs = linalg_ops = linalg
    IteratorType = attrs.IteratorType
    LinalgStructuredOperation = _class(abstract_ops, "LinalgStructuredOperation")
    NamedOperation = abstract_ops.NamedOperation
    AssumeAlignmentOp = _class(memref, "AssumeAlignmentOp")
    ViewOp = _class(memref, "ViewOp")
    PadOp = _class(tensor, "PadOp")
    TensorYieldOp = _class(tensor, "YieldOp")


def has_structured_operations() -> bool:
    """Tell whether linalg is as our additions to it expect: one base class, in a package."""
    return LinalgStructuredOperation.__module__ == "xdsl.dialects.linalg.abstract_ops"


def location_of(op: Operation) -> Attribute:
    """Return the source location of an operation; unknown where xDSL keeps none."""
    return getattr(op, "location", UnknownLoc())
