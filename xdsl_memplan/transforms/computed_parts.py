"""What changes a concatenation element by element before it is returned, done on its parts."""

from xdsl.builder import Builder
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.dialects.tensor import ConcatOp
from xdsl.ir import OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.returned_concats import is_only_returned
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import empty, shape_of, static_shape, tile_type
from xdsl_memplan.transforms.as_generic import structured_as_generic


def compute_parts(consumer: LinalgStructuredOperation) -> list[GenericOp]:
    """Do an elementwise operation on the parts of the concatenation that it reads, if any.

    Its result is only returned, nobody else may read the concatenation or its parts, and nothing
    else that the operation reads may differ along the dimension of the parts. Then each part is
    changed where it is made, and stored where it lies in what is returned. Returns the operations
    on the parts, an empty list where nothing is done.
    """
    position = _position_of_parts(consumer)
    if position is None or not all(map(is_only_returned, consumer.results)):
        return []
    op = structured_as_generic(consumer)
    concatenation = op.operands[position].owner
    assert isinstance(concatenation, ConcatOp)
    builder = Builder(InsertPoint.before(op))
    made: list[GenericOp] = []
    for part in concatenation.inputs:
        type_ = tile_type(op.results[0].type, shape_of(part))
        new = GenericOp.create(
            operands=[*op.operands[:-1], empty(type_, builder)],
            result_types=[type_],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            regions=[op.body.clone()],
            location=op.location,
        )
        new.operands[position] = part
        made.append(builder.insert(new))
    parts = [new.results[0] for new in made]
    whole = ConcatOp.create(
        operands=parts, result_types=[op.results[0].type], properties=dict(concatenation.properties)
    )
    builder.insert(whole)
    op.results[0].replace_all_uses_with(whole.results[0])
    op.detach()
    op.erase()
    concatenation.detach()
    concatenation.erase()
    return made


def _position_of_parts(op: LinalgStructuredOperation) -> int | None:
    """Return the number of the operand whose parts may be changed one by one; None for none."""
    *maps, written = (attribute.data for attribute in op.get_indexing_maps())
    if any(isinstance(inner, IndexOp) for inner in operations_in(op)):
        return None
    for position in range(input_count(op)):
        operand = op.operands[position]
        concatenation = operand.owner
        if not isinstance(concatenation, ConcatOp) or maps[position] != written:
            continue
        loop = written.results[concatenation.dim.value.data]
        assert isinstance(loop, AffineDimExpr)
        others = [map_ for i, map_ in enumerate(maps) if i != position]
        if operand.has_one_use() and not any(_follows(map_, loop) for map_ in others):
            return position if all(map(_is_made_for_one, concatenation.inputs)) else None
    return None


def _follows(map_: AffineMap, loop: AffineDimExpr) -> bool:
    return loop.position in map_.used_dims()


def _is_made_for_one(part: SSAValue) -> bool:
    """Tell whether an operation makes a tensor of static shape that has one reader."""
    return isinstance(part, OpResult) and static_shape(part) is not None and part.has_one_use()
