"""Reads through a `linalg.transpose` instead of a transposed copy.

Where a transposed tensor is only read by matrix multiplications and generics, and what it is made
from is there anyway, its users get the indexing map of the transposition. A named operation becomes
the `linalg.generic` that it stands for. The same numbers are added in the same order.
"""

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, AnyFloat
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation, Region
from xdsl.ir.affine import AffineMap

from xdsl_memplan.transforms.bufferize.memref_layout import Tensor
from xdsl_memplan.transforms.bufferize.order import Order

_PRODUCTS = ("linalg.matmul", "linalg.batch_matmul")


def fold_transposes(order: Order) -> None:
    """Fold every transposition that can be, in the order of the file."""
    for op in order.operations:
        if isinstance(op, linalg_ops.TransposeOp) and op.results and _can_fold(op, order):
            _fold(op, order)


def _can_fold(op: linalg_ops.TransposeOp, order: Order) -> bool:
    users = [use.operation for use in op.results[0].uses]
    if not users or not all(_reads_by_map(use.operation, use.index) for use in op.results[0].uses):
        return False
    last = max((order.position.get(user, -1) for user in users), default=-1)
    return all(user.parent is op.parent for user in users) and order.lives_until(
        op.inputs[0], last, besides=op
    )


def _reads_by_map(op: Operation, index: int) -> bool:
    if isinstance(op, linalg_ops.GenericOp):
        return index < len(op.inputs)
    if op.name not in _PRODUCTS or not isinstance(op, LinalgStructuredOperation):
        return False
    elements = {cast(Tensor, operand.type).element_type for operand in op.operands}
    return index < len(op.inputs) and len(elements) == 1 and isinstance(elements.pop(), AnyFloat)


def _fold(op: linalg_ops.TransposeOp, order: Order) -> None:
    result = op.results[0]
    permutation = op.permutation.get_values()
    for use in list(result.uses):
        user = use.operation
        assert isinstance(user, LinalgStructuredOperation)
        generic = user if isinstance(user, linalg_ops.GenericOp) else _as_generic(user, order)
        maps = list(generic.indexing_maps.data)
        old = maps[use.index].data
        # Element i of the result is element j of the source where j[permutation[k]] = i[k].
        new = list(old.results)
        for position, dimension in enumerate(permutation):
            new[dimension] = old.results[position]
        maps[use.index] = AffineMapAttr(AffineMap(old.num_dims, 0, tuple(new)))
        generic.indexing_maps = type(generic.indexing_maps)(maps)
        generic.operands[use.index] = op.inputs[0]


def _as_generic(op: LinalgStructuredOperation, order: Order) -> linalg_ops.GenericOp:
    """Replace a product by the generic that multiplies and adds."""
    element = cast(Tensor, op.results[0].type).element_type
    block = Block(arg_types=[element] * 3)
    left, right, sum = block.args
    product = arith.MulfOp(left, right)
    total = arith.AddfOp(sum, product)
    block.add_ops((product, total, linalg_ops.YieldOp(total.result)))
    new = linalg_ops.GenericOp(
        op.inputs,
        op.outputs,
        Region(block),
        op.get_indexing_maps(),
        op.get_iterator_types(),
        [result.type for result in op.results],
    )
    order.replace(op, new)
    return new
