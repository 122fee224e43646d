"""A `linalg.generic` with another body and other operands in the place of one."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, i32
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Block, Region, SSAValue


def put_in_place(
    old: GenericOp,
    block: Block,
    operands: tuple[Sequence[SSAValue], Sequence[SSAValue]],
    maps: Sequence[Attribute],
    kept: Sequence[int],
) -> GenericOp:
    """Replace an operation by one with the same loops, attributes and location.

    ``operands`` are the new inputs and outputs, with ``maps`` for all; ``kept`` are the results of
    ``old`` that are the results of the new one, in their order. The others have no readers.
    """
    inputs, outputs = operands
    # Not by the constructor, which looks at everything and takes several times as long.
    new = GenericOp.create(
        operands=[*inputs, *outputs],
        result_types=[old.results[i].type for i in kept],
        properties={
            **old.properties,
            "indexing_maps": ArrayAttr(maps),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, (len(inputs), len(outputs))),
        },
        attributes=dict(old.attributes),
        regions=[Region(block)],
        location=old.location,
    )
    parent = old.parent
    assert parent is not None
    parent.insert_op_before(new, old)
    for i, result in zip(kept, new.results, strict=True):
        old.results[i].replace_all_uses_with(result)
        result.name_hint = old.results[i].name_hint
    old.detach()
    old.erase()
    return new
