"""Whether an operation only computes: xDSL 0.75 does not know it of all scalar operations."""

from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

ARITHMETIC = ("arith.", "math.")
"""How the names of operations begin that have no effects, as MLIR defines them."""


def only_computes(op: Operation) -> bool:
    """Tell whether an operation has no effect: `arith.extsi` and others lack the trait in xDSL.

    Operations of arith and math have none, as MLIR defines them.
    """
    return op.name.startswith(ARITHMETIC) or is_side_effect_free(op)
