"""Makes a `linalg.generic`: in the place of one, in parallel loops, or with one input more."""

from collections.abc import Sequence
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, TensorType, i32
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap

from xdsl_memplan.dialects.structured_inputs import input_count


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
    new = made_like(old, block, operands, maps, kept)
    parent = old.parent
    assert parent is not None
    parent.insert_op_before(new, old)
    for i, result in zip(kept, new.results, strict=True):
        old.results[i].replace_all_uses_with(result)
        result.name_hint = old.results[i].name_hint
    old.detach()
    old.erase()
    return new


def made_like(
    old: GenericOp,
    block: Block,
    operands: tuple[Sequence[SSAValue], Sequence[SSAValue]],
    maps: Sequence[Attribute],
    kept: Sequence[int],
) -> GenericOp:
    """The operation that `put_in_place` puts there, without a place."""
    inputs, outputs = operands
    # Not by the constructor, which looks at everything and takes several times as long.
    return GenericOp.create(
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


def in_parallel(
    builder: Builder,
    inputs: Sequence[SSAValue],
    maps: Sequence[AffineMap],
    shape: Sequence[int],
    element: Attribute,
    body: Block,
) -> SSAValue:
    """Insert an operation that makes a new tensor, one element in each iteration.

    ``maps`` are those of the inputs and of the result, of which all loops are parallel.
    """
    type_ = TensorType(element, shape)
    room = builder.insert(EmptyOp((), type_))
    made = GenericOp(
        inputs,
        [room.tensor],
        Region(body),
        [AffineMapAttr(map_) for map_ in maps],
        [IteratorTypeAttr(IteratorType.PARALLEL)] * len(shape),
        [type_],
    )
    return builder.insert(made).results[0]


def add_input(op: GenericOp, value: SSAValue, map_: AffineMap) -> SSAValue:
    """Let an operation read a tensor besides, at a map; return what its body has of it."""
    inputs = input_count(op)
    outputs = len(op.operands) - inputs
    op.operands = [*op.operands[:inputs], value, *op.operands[inputs:]]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [inputs + 1, outputs])
    maps = list(op.indexing_maps)
    maps.insert(inputs, AffineMapAttr(map_))
    op.properties["indexing_maps"] = ArrayAttr(maps)
    type_ = cast(TensorType[Attribute], value.type)
    return op.body.block.insert_arg(type_.get_element_type(), inputs)
