"""The iterations of loops, read off their bounds for `memplan-verify`.

Nothing is shared with what wrote the record.
"""

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr


def iterations_of(loop: scf.ForOp) -> range | None:
    """The values of a loop's index; None if its bounds are no constants."""
    bounds: list[int] = []
    for value in (loop.lb, loop.ub, loop.step):
        owner = value.owner
        if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
            return None
        bounds.append(owner.value.value.data)
    return range(*bounds) if bounds[2] > 0 else None
