"""What a sum reads repeated along a loop is read where it is, once."""

from math import prod

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import BroadcastOp, GenericOp, YieldOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from xdsl_memplan.analysis.storage_type import is_static_tensor
from xdsl_memplan.dialects.linalg_additions.indexing import map_without
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import shape_of
from xdsl_memplan.transforms.as_generic import structured_as_generic

_NAMED = "linalg.batch_matmul"
"""The named operation whose operands may lack a loop once it has no name. A weight has no batch."""


def read_unrepeated(op: Operation) -> Operation:
    """Let a sum read what is repeated along its loops, and not the tensor of all repetitions.

    Before, the weights are there once for each image of a batch:

    ```mlir
    %b = linalg.broadcast ins(%w : tensor<8x16xf32>) outs(%e : tensor<4x8x16xf32>) dimensions = [0]
    %y = linalg.batch_matmul ins(%x, %b : tensor<4x5x8xf32>, tensor<4x8x16xf32>) outs(%z : ...)
    ```

    After, a `linalg.generic` with the same loops and body reads `%w` at `(k, n)`, whatever the
    image: the result is the same bit for bit. A `linalg.generic` that does no more than a broadcast
    is looked through like one. What other readers there are keep the repetitions. Returns what has
    become of ``op``; that is ``op`` itself where it reads nothing repeated, or adds nothing up.
    """
    if type(op) is not GenericOp and op.name != _NAMED:
        return op
    assert isinstance(op, LinalgStructuredOperation)
    if isinstance(op, GenericOp) and op.library_call is not None:
        return op
    if all(kind.data != IteratorType.REDUCTION for kind in op.get_iterator_types()):
        return op
    reader: LinalgStructuredOperation = op
    for number in range(input_count(reader)):
        while (found := repeated(reader.operands[number])) is not None:
            source, read = found
            maps = [attribute.data for attribute in reader.get_indexing_maps()]
            maps[number] = read.compose(maps[number])
            if not _tell_all_loops(maps):
                break
            reader = structured_as_generic(reader)
            reader.operands[number] = source
            reader.indexing_maps = ArrayAttr(AffineMapAttr(map_) for map_ in maps)
    return reader


def repeated(value: SSAValue) -> tuple[SSAValue, AffineMap] | None:
    """The tensor whose elements are repeated in ``value``, and where an index finds them.

    None where ``value`` is not made of repetitions alone.
    """
    if not is_static_tensor(value):
        return None
    match value.owner:
        case BroadcastOp() as op:
            source = op.input
            read = map_without(len(shape_of(value)), op.dimensions.get_values())
        case GenericOp() as op if _only_copies(op):
            source = op.inputs[0]
            read = op.indexing_maps.data[0].data
        case _:
            return None
    if not is_static_tensor(source) or prod(shape_of(source)) >= prod(shape_of(value)):
        return None
    return source, read


def _only_copies(op: GenericOp) -> bool:
    """Tell whether each element of the one result is that of the one input, as for a broadcast."""
    body = op.body.block
    return (
        len(op.inputs) == len(op.results) == 1
        and op.library_call is None
        and all(
            isinstance(place, AffineDimExpr) or place == AffineExpr.constant(0)
            for place in op.indexing_maps.data[0].data.results
        )
        and isinstance(body.first_op, YieldOp)
        and body.first_op.operands[0] is body.args[0]
        and op.indexing_maps.data[1].data == AffineMap.identity(len(op.iterator_types))
    )


def _tell_all_loops(maps: list[AffineMap]) -> bool:
    """Tell whether each loop is as long as a dimension of some operand."""
    results = (result for map_ in maps for result in map_.results)
    told = {result.position for result in results if isinstance(result, AffineDimExpr)}
    return len(told) == maps[0].num_dims
