"""Static tensors in another shape, through views that say which dimensions merge."""

from collections.abc import Sequence
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from xdsl_memplan.dialects.tiling_models.tile_values import shape_of, static_shape, tile_type
from xdsl_memplan.transforms.as_generic import hand_over
from xdsl_memplan.transforms.unit_dimensions import collapsed, expanded, reassociation


def write_as_views(op: tensor.ReshapeOp) -> None:
    """Replace ``op`` by a `collapse_shape`, an `expand_shape`, or one after the other.

    Views have tiles, which a reshape to a shape in a tensor has not. What has dynamic sizes or no
    elements is left alone.
    """
    old, new = static_shape(op.source), static_shape(op.result)
    if old is None or new is None or prod(old) != prod(new):
        return
    hand_over(op, (reshaped(op.source, new, Builder(InsertPoint.before(op))),))


def reshaped(value: SSAValue, shape: Sequence[int], builder: Builder) -> SSAValue:
    """Show a static tensor in another shape of as many elements, through as few views as can be."""
    old = shape_of(value)
    if old == tuple(shape):
        return value
    sources, results = _groups(old, shape)
    if len(sources) != len(old):
        merged = tile_type(value.type, [prod(old[d] for d in group) for group in sources])
        value = builder.insert(collapsed(value, reassociation(sources), merged)).result
    if len(results) != len(shape):
        view = expanded(value, reassociation(results), tile_type(value.type, shape))
        value = builder.insert(view).result
    return value


def _groups(old: Sequence[int], new: Sequence[int]) -> tuple[list[range], list[range]]:
    """Return the least runs of dimensions of both shapes that hold the same elements.

    None where one of them has no dimensions.
    """
    if not old or not new:
        return [], []
    sources: list[range] = []
    results: list[range] = []
    i = j = 0
    while i < len(old) and j < len(new):
        first, second = i, j
        here, there = old[i], new[j]
        i, j = i + 1, j + 1
        while here != there:
            if here < there:
                here, i = here * old[i], i + 1
            else:
                there, j = there * new[j], j + 1
        sources.append(range(first, i))
        results.append(range(second, j))
    # Only dimensions of size 1 are left.
    sources[-1] = range(sources[-1].start, len(old))
    results[-1] = range(results[-1].start, len(new))
    return sources, results
