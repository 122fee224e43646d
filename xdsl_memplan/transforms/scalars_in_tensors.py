"""Scalars that a function takes out of tensors become tensors of rank 0.

Networks that quantize as they run divide by the largest element of a tensor:

```mlir
%s = tensor.extract %max[] : tensor<f32>
%i = arith.divf %one, %s : f32
%y = linalg.generic ... ins(%x : tensor<8x16xf32>) ... { ... arith.mulf %e, %i ... }
```

Between operations that are tiled there are tensors only. So the scalar is computed in the body of a
`linalg.generic` without loops, and its readers take the one element of that as another input. The
same scalars are computed in the same order.
"""

from collections.abc import Iterator
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    TensorType,
)
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.transforms.new_generic import add_input, in_parallel


def put_scalars_into_tensors(block: Block) -> None:
    """Rewrite all scalars of a block that come out of its tensors, or none; linear in the block.

    None, if one is read by something else than a `linalg.generic`, a fill or a splat: it may be
    returned, or say where a slice starts.
    """
    taken = _taken_out(block)
    if not taken:
        return
    uses: list[tuple[SSAValue, list[Use]]] = []
    for op in taken:
        for result in op.results:
            read = [use for use in result.uses if use.operation not in taken]
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
        computes = only_computes(op) and not op.regions and not any(map(_is_tensor, op.operands))
        if isinstance(op, tensor.ExtractOp) or (
            computes
            and not any(map(_is_tensor, op.results))
            and any(operand.owner in taken for operand in op.operands)
        ):
            taken[op] = None
    return taken


def _is_tensor(value: SSAValue) -> bool:
    return is_tensor(value.type)


def _may_read_tensor(use: Use, block: Block) -> bool:
    match use.operation:
        case FillOp() | tensor.SplatOp():
            return use.operation.parent is block
        case GenericOp() if use.operation.parent is block:
            return use.index < input_count(use.operation)
        case _:
            return isinstance(_generic_around(use.operation, block), GenericOp)


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
        for operand in pending.pop().operands:
            if operand.owner in taken and operand.owner not in needed:
                needed.add(cast(Operation, operand.owner))
                pending.append(cast(Operation, operand.owner))
    return (op for op in taken if op in needed)


def _read_from(use: Use, element: SSAValue, block: Block) -> None:
    match use.operation:
        case FillOp() | tensor.SplatOp():
            _spread(use.operation, element)
        case GenericOp() if use.operation.parent is block:
            use.operation.operands[use.index] = element
        case _:
            generic = _generic_around(use.operation, block)
            assert isinstance(generic, GenericOp)
            use.operation.operands[use.index] = _new_input(generic, element)


def _spread(op: Operation, element: SSAValue) -> None:
    """Give all elements of a tensor the number that is in another one."""
    (result,) = op.results
    type_ = cast(TensorType[Attribute], result.type)
    rank = type_.get_num_dims()
    body = Block(arg_types=[type_.get_element_type()] * 2)
    body.add_op(YieldOp(body.args[0]))
    maps = [AffineMap(rank, 0, ()), AffineMap.identity(rank)]
    made = in_parallel(
        Builder(InsertPoint.before(op)),
        (element,),
        maps,
        type_.get_shape(),
        type_.get_element_type(),
        body,
    )
    Rewriter.replace_op(op, [], [made])


def _new_input(op: GenericOp, element: SSAValue) -> SSAValue:
    """Let a body read the one element of a tensor; an input that reads it already is that."""
    nowhere = AffineMap(len(op.iterator_types), 0, ())
    maps = op.indexing_maps.data
    for position in range(input_count(op)):
        if op.operands[position] is element and maps[position].data == nowhere:
            return op.body.block.args[position]
    return add_input(op, element, nowhere)
