"""Scalars that a function takes out of tensors become tensors of rank 0.

Networks that quantize as they run divide by the largest element of a tensor:

```mlir
%s = tensor.extract %max[] : tensor<f32>
%i = arith.divf %one, %s : f32
%y = linalg.generic ... ins(%x : tensor<8x16xf32>) ... { ... arith.mulf %e, %i ... }
```

Between operations that are tiled there are tensors only. So the scalar is computed in the body of a
`linalg.generic` without loops, and its readers take the one element of that as another input. The
same scalars are computed in the same order. Of what is returned the element is taken out at the
end. A tensor of several such scalars is joined from tensors of one.
"""

from collections.abc import Iterator
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.analysis.handed_out import is_handed_out
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.transforms.new_generic import add_input, in_parallel
from xdsl_memplan.transforms.unit_dimensions import expanded, reassociation


def put_scalars_into_tensors(block: Block) -> None:
    """Rewrite all scalars of a block that come out of its tensors, or none; linear in the block.

    None, if one is read by something else than a `linalg.generic`, a fill, a splat, a pad or the
    return: it may say where a slice starts. What is only taken out to be returned stays.
    """
    taken = _taken_out(block)
    if not taken:
        return
    _join_elements(block, taken)
    uses: list[tuple[SSAValue, list[Use]]] = []
    for op in taken:
        for result in op.results:
            read = [use for use in result.uses if _in_block(use.operation, block) not in taken]
            if not all(_may_read_tensor(use, block) for use in read):
                return
            if read:
                uses.append((result, read))
    for scalar, read in uses:
        element = _in_tensor(scalar, taken)
        for use in read:
            _read_from(use, element, block)
    for op in reversed(list(taken)):
        Rewriter.erase_op(op)


def _taken_out(block: Block) -> dict[Operation, None]:
    """The operations that take scalars out of tensors, and compute others from these."""
    taken: dict[Operation, None] = {}
    for op in block.ops:
        if (isinstance(op, tensor.ExtractOp) and not is_handed_out(op)) or (
            _computes_scalars(op) and any(value.owner in taken for value in values_used(op))
        ):
            taken[op] = None
    return taken


def _join_elements(block: Block, taken: dict[Operation, None]) -> None:
    """Join a tensor of several scalars of which one comes out of a tensor from tensors of one."""
    for op in list(block.ops):
        if isinstance(op, tensor.FromElementsOp) and len(op.elements) > 1:
            if any(scalar.owner in taken for scalar in op.elements):
                Rewriter.replace_op(op, _joined(op))


def _joined(op: tensor.FromElementsOp) -> list[Operation]:
    type_ = op.result.type
    element, shape = type_.get_element_type(), type_.get_shape()
    parts = [tensor.SplatOp(scalar, (), TensorType(element, [1])) for scalar in op.elements]
    joined = tensor.ConcatOp.build(
        operands=[[part.result for part in parts]],
        result_types=[TensorType(element, [len(parts)])],
        properties={"dim": IntegerAttr(0, i64)},
    )
    made: list[Operation] = [*parts, joined]
    if len(shape) > 1:
        made.append(expanded(joined.result, reassociation([range(len(shape))]), type_))
    made[-1].results[0].name_hint = op.result.name_hint
    return made


def _computes_scalars(op: Operation) -> bool:
    """Tell whether scalars are computed of scalars, maybe in one of two branches."""
    if op.regions and not isinstance(op, scf.IfOp):
        return False
    return all(
        (only_computes(inner) or isinstance(inner, scf.IfOp | scf.YieldOp))
        and (not inner.regions or isinstance(inner, scf.IfOp))
        and not any(map(_is_tensor, (*inner.operands, *inner.results)))
        for inner in op.walk()
    )


def _in_block(op: Operation, block: Block) -> Operation:
    """The operation of the block that is one, or has it inside."""
    while op.parent is not block:
        around = op.parent_op()
        assert around is not None
        op = around
    return op


def _is_tensor(value: SSAValue) -> bool:
    return is_tensor(value.type)


def _may_read_tensor(use: Use, block: Block) -> bool:
    match use.operation:
        case FillOp() | tensor.SplatOp() | ReturnOp():
            return use.operation.parent is block
        case tensor.FromElementsOp(elements=[_]):
            return use.operation.parent is block
        case GenericOp() if use.operation.parent is block:
            return use.index < input_count(use.operation)
        case tensor.YieldOp() if (pad := _padded_by(use.operation)) is not None:
            return pad.parent is block
        case _:
            return isinstance(_generic_around(use.operation, block), GenericOp)


def _padded_by(op: tensor.YieldOp) -> tensor.PadOp | None:
    """The pad whose borders are all what an operation yields; None if it computes something."""
    pad = op.parent_op()
    if not isinstance(pad, tensor.PadOp) or op.prev_op is not None or pad.low or pad.high:
        return None
    return pad


def _generic_around(op: Operation, block: Block) -> Operation | None:
    """The operation of the block in whose body, and no body within, an operation is."""
    parent = op.parent_op()
    return parent if parent is not None and parent.parent is block else None


def _in_tensor(scalar: SSAValue, taken: dict[Operation, None]) -> SSAValue:
    """Compute a scalar anew, in a tensor."""
    maker = cast(Operation, scalar.owner)
    builder = Builder(InsertPoint.after(maker))
    body = Block(arg_types=[scalar.type])
    copies: dict[SSAValue, SSAValue] = {}
    for op in _in_order(maker, taken):
        body.add_op(op.clone(copies))
    body.add_op(YieldOp(copies[scalar]))
    made = in_parallel(builder, (), [AffineMap(0, 0, ())], (), scalar.type, body)
    made.name_hint = scalar.name_hint
    return made


def _in_order(last: Operation, taken: dict[Operation, None]) -> Iterator[Operation]:
    """What a scalar is computed by, in the order of the block."""
    needed = {last}
    pending = [last]
    while pending:
        for operand in values_used(pending.pop()):
            if operand.owner in taken and operand.owner not in needed:
                needed.add(cast(Operation, operand.owner))
                pending.append(cast(Operation, operand.owner))
    return (op for op in taken if op in needed)


def _read_from(use: Use, element: SSAValue, block: Block) -> None:
    match use.operation:
        case FillOp() | tensor.SplatOp() | tensor.FromElementsOp():
            _spread(use.operation, element)
        case tensor.YieldOp():
            _surround(use.operation, element)
        case ReturnOp():
            use.operation.operands[use.index] = _handed_out(element, use.operation)
        case GenericOp() if use.operation.parent is block:
            use.operation.operands[use.index] = element
        case _:
            generic = _generic_around(use.operation, block)
            assert isinstance(generic, GenericOp)
            use.operation.operands[use.index] = _new_input(generic, element)


def _handed_out(element: SSAValue, returned: ReturnOp) -> SSAValue:
    """Take the element out, to be returned."""
    type_ = cast(TensorType[Attribute], element.type)
    taken = tensor.ExtractOp(element, (), type_.get_element_type())
    Rewriter.insert_op(taken, InsertPoint.before(returned))
    taken.result.name_hint = element.name_hint
    return taken.result


def _surround(op: tensor.YieldOp, element: SSAValue) -> None:
    """Insert what is padded into a tensor that has the number everywhere."""
    pad = _padded_by(op)
    assert pad is not None
    around = _everywhere(element, pad)
    shape = cast(TensorType[Attribute], pad.source.type).get_shape()
    inserted = tensor.InsertSliceOp.from_static_parameters(
        pad.source, around, pad.static_low.get_values(), shape
    )
    inserted.result.name_hint = pad.result.name_hint
    Rewriter.replace_op(pad, inserted)


def _spread(op: Operation, element: SSAValue) -> None:
    """Give all elements of a tensor the number that is in another one."""
    Rewriter.replace_op(op, [], [_everywhere(element, op)])


def _everywhere(element: SSAValue, op: Operation) -> SSAValue:
    """Make a tensor of the type of a result, before what makes that, of one number."""
    (result,) = op.results
    type_ = cast(TensorType[Attribute], result.type)
    rank = type_.get_num_dims()
    body = Block(arg_types=[type_.get_element_type()] * 2)
    body.add_op(YieldOp(body.args[0]))
    maps = [AffineMap(rank, 0, ()), AffineMap.identity(rank)]
    return in_parallel(
        Builder(InsertPoint.before(op)),
        (element,),
        maps,
        type_.get_shape(),
        type_.get_element_type(),
        body,
    )


def _new_input(op: GenericOp, element: SSAValue) -> SSAValue:
    """Let a body read the one element of a tensor; an input that reads it already is that."""
    nowhere = AffineMap(len(op.iterator_types), 0, ())
    maps = op.indexing_maps.data
    for position in range(input_count(op)):
        if op.operands[position] is element and maps[position].data == nowhere:
            return op.body.block.args[position]
    return add_input(op, element, nowhere)
