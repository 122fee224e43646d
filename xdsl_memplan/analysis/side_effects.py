"""Which operations must stay in their order: those that do more than compute tensors.

A failed assertion ends the program, whatever else would have failed after it. So where a function
has no other effects its assertions may change places: what differs is which of several that fail is
the one reported. torch-mlir puts one beside every batch normalization; kept in order they would tie
hundreds of otherwise independent operations to one another.
"""

from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Operation
from xdsl.traits import IsTerminator, RecursiveMemoryEffect

from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.purity import ARITHMETIC, only_computes
from xdsl_memplan.dialects.queries import effects_of

# Asked of every value of a program, and isinstance is slow where a class has an ABC.
_MEMREFS = frozenset({MemRefType, UnrankedMemRefType})
_ASSERT = "cf.assert"
_NONE_OF_ITS_OWN = (IsTerminator, RecursiveMemoryEffect)
_COMPUTES = ("linalg.", "tensor.", "bufferization.alloc_tensor")


def must_keep_order(op: Operation) -> bool:
    """Tell whether `op` or an operation in its regions touches memory, fails, calls or is unknown.

    Such operations keep their order among themselves; all others only follow their operands.
    Linear in the size of the regions.
    """
    return any(map(_has_effect, operations_in(op)))


def only_asserts(op: Operation) -> bool:
    """Tell whether `op` and the operations in its regions compute and assert, and no more.

    Linear in the size of the regions.
    """
    return not any(inner.name != _ASSERT and _has_effect(inner) for inner in operations_in(op))


def _has_effect(op: Operation) -> bool:
    if any(type(value.type) in _MEMREFS for value in (*op.operands, *op.results)):
        return True
    if op.name.startswith(ARITHMETIC):
        return False  # What most bodies are made of.
    if any(op.has_trait(t, value_if_unregistered=False) for t in _NONE_OF_ITS_OWN):
        return False
    if op.name == "func.call":
        return True
    if op.name.startswith(_COMPUTES) and effects_of(op) is not None:
        return False
    return not only_computes(op)
