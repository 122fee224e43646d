"""The two questions that splitting asks of any operation; answers come from `TilingTrait`s.

Those of xDSL's own operations (`tiling_models/`) are attached when this module is imported.
"""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects import tiling_models
from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.dialects.interfaces import TilingTrait
from xdsl_memplan.dialects.queries import trait_of
from xdsl_memplan.dialects.tiling import Tile, TilingRule
from xdsl_memplan.dialects.tiling_models.elementwise import ElementwiseTiling

tiling_models.attach_all()


def tiling_rule_of(op: Operation) -> TilingRule | None:
    """Return which elements of its operands a part of an operation's results needs.

    Scalar operations on whole tensors are understood without a trait.

    Returns:
        None if the operation must stay whole.
    """
    trait = _trait_of(op)
    return None if trait is None else trait.rule(op)


def tile_operation(op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
    """Insert a tile of an operation that has a rule: bit for bit the elements of the whole.

    Args:
        op: the whole operation; it is left as it is.
        tile: the loops, and a tensor for each read of the rule.
        builder: where to insert.

    Returns:
        One tensor per result, of the shape of the tile, from operations at the location of `op`.

    Raises:
        ValueError: if the operation has no rule.
    """
    trait = _trait_of(op)
    if trait is None:
        raise ValueError(f"'{op.name}' has no TilingTrait")
    results = trait.tile(op, tile, builder)
    for result in results:
        if isinstance(result.owner, Operation) and isinstance(result.owner.location, UnknownLoc):
            result.owner.location = op.location
    return results


def _trait_of(op: Operation) -> TilingTrait | None:
    trait = trait_of(op, TilingTrait)
    if trait is None and is_elementwise(op):
        return ElementwiseTiling()
    return trait
