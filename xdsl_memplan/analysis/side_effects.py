"""Which operations must stay in their order: those that do more than compute tensors.

A failed assertion ends the program, whatever else would have failed after it. So where a function
has no other effects its assertions may change places: what differs is which of several that fail is
the one reported. torch-mlir puts one beside every batch normalization; kept in order they would tie
hundreds of otherwise independent operations to one another.
"""

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Operation
from xdsl.traits import IsTerminator, RecursiveMemoryEffect

from xdsl_memplan.dialects.interfaces import Effects
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.purity import ARITHMETIC, only_computes
from xdsl_memplan.dialects.queries import effects_of, trait_of

# Asked of every value of a program, and isinstance is slow where a class has an ABC.
_MEMREFS = frozenset({MemRefType, UnrankedMemRefType})
_ASSERT = "cf.assert"
_SELECT = "arith.select"
_COMPUTES = ("linalg.", "tensor.", "bufferization.alloc_tensor")

_EffectsOf: TypeAlias = Callable[[Operation], Effects | None]


def must_keep_order(op: Operation, effects: _EffectsOf = effects_of) -> bool:
    """Tell whether `op` or an operation in its regions touches memory, fails, calls or is unknown.

    Such operations keep their order among themselves; all others only follow their operands.
    Linear in the size of the regions. `effects`: as `queries.effects_of`, from whoever has asked.
    """
    if not op.regions:
        return _has_effect(op, effects)
    return any(_has_effect(inner, effects) for inner in operations_in(op))


def only_asserts(op: Operation, effects: _EffectsOf = effects_of) -> bool:
    """Tell whether `op` and the operations in its regions compute and assert, and no more.

    Linear in the size of the regions. `effects`: as `queries.effects_of`, from whoever has asked.
    """
    inside = operations_in(op) if op.regions else (op,)
    return not any(inner.name != _ASSERT and _has_effect(inner, effects) for inner in inside)


def _has_effect(op: Operation, effects: _EffectsOf) -> bool:
    name = op.name
    if name.startswith(ARITHMETIC) and name != _SELECT:
        return False  # What most bodies are made of; only a selection may be of memrefs.
    for type_ in (*op.operand_types, *op.result_types):
        if type(type_) in _MEMREFS:
            return True
    if trait_of(op, IsTerminator) is not None or trait_of(op, RecursiveMemoryEffect) is not None:
        return False
    if name == "func.call":
        return True
    if name.startswith(_COMPUTES) and effects(op) is not None:
        return False
    return not only_computes(op)
