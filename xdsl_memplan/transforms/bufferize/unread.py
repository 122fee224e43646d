"""What nobody reads goes before anybody counts bytes: operations, and contents of their operands.

Bufferization keeps no room for either. A search that does not know it holds tensors for readers that
are never run, moves them off chip and back, and refuses what fits.
"""  # noqa: E501

from typing import cast

from xdsl.dialects import func, tensor
from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.analysis.memref_layout import Tensor, is_static
from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.dialects.interfaces import Access
from xdsl_memplan.transforms.bufferize.liveness import Liveness, is_tensor


def drop_unread(function: func.FuncOp, sharing: Sharing | None = None) -> None:
    """Erase operations that nobody needs; operands that are not read become empty tensors.

    Before, where `%a` is read by nobody else:

    ```mlir
    %a = linalg.abs ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    ```

    After:

    ```mlir
    %0 = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    ```

    So does an input of which only the shape counts, as of the window of a pooling. An insertion of
    all elements is what it inserts. Operands that are arguments stay, and so do the insides of
    regions. A function with several
    blocks is left as it is. Linear in the operations. ``sharing``: what was asked about these.
    """
    if len(function.body.blocks) != 1:
        return
    block = function.body.block
    sharing = sharing or Sharing()
    _drop_unused_empty_tensors(block)
    if not any(_may_be_unread(op, sharing) for op in block.ops):
        return
    for op in block.ops:
        if isinstance(op, tensor.InsertSliceOp) and _inserts_all(op):
            op.result.replace_all_uses_with(op.source)
    liveness = Liveness(function, sharing=sharing)
    for op in block.ops:
        if op in liveness.live:
            _empty_operands(op, liveness)
    for op in reversed(list(block.ops)):
        if op not in liveness.live and not any(result.uses for result in op.results):
            op.detach()
            op.erase()


def _drop_unused_empty_tensors(block: Block) -> None:
    """Erase what rewrites leave behind most: no reason yet to look at the whole block closer."""
    op = block.first_op
    while op is not None:
        following = op.next_op
        if type(op) is tensor.EmptyOp and op.tensor.first_use is None:
            op.detach()
            op.erase()
        op = following


def _may_be_unread(op: Operation, sharing: Sharing) -> bool:
    """Tell quickly whether it is worth the time to look closer; most programs have nothing here."""
    results = [result for result in op.results if is_tensor(result)]
    if results and not any(result.first_use for result in results):
        return True
    if isinstance(op, tensor.InsertSliceOp) and _inserts_all(op):
        return True
    if not sharing.destinations(op):
        return False
    made = [i for i, operand in enumerate(op.operands) if _is_made(operand)]
    effects = sharing.effects(op) if made else None
    return effects is not None and any(Access.READ not in effects.operands[i] for i in made)


def _inserts_all(op: tensor.InsertSliceOp) -> bool:
    """Tell whether nothing of the destination is left, and the shape is the same."""
    shape = op.result.type.get_shape()
    return op.source.type == op.result.type and shape == op.static_sizes.get_values()


def _empty_operands(op: Operation, liveness: Liveness) -> None:
    for i, is_read in enumerate(liveness.reads(op)):
        value = op.operands[i]
        if is_read or not _is_made(value):
            continue
        empty = tensor.EmptyOp((), cast(Tensor, value.type))
        assert op.parent is not None
        op.parent.insert_op_before(empty, op)
        op.operands[i] = empty.tensor


def _is_made(value: SSAValue) -> bool:
    """Tell whether a value is a tensor of known size with contents that an operation made."""
    return (
        is_tensor(value)
        and is_static(cast(Tensor, value.type).get_shape())
        and isinstance(value.owner, Operation)
        and not isinstance(value.owner, tensor.EmptyOp)
    )
