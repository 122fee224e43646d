"""What the body of a padding computes of nothing in it, computed before."""

from xdsl.dialects import tensor
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.dialects.purity import only_computes


def compute_padding_before(op: tensor.PadOp) -> None:
    """Move what does not depend on the position in ``op`` before it, such as a constant.

    ```mlir
    %p = tensor.pad %x low[0, 1] high[0, 1] {
    ^bb0(%i: index, %j: index):
      %zero = arith.constant 0.0 : f32
      tensor.yield %zero : f32
    } : tensor<4x6xf32> to tensor<4x8xf32>
    ```

    Tiles, and whoever asks whether the border is zero, want one value that is there before.
    """
    body = op.region.block
    for inner in list(body.ops):
        if isinstance(inner, tensor.YieldOp) or not only_computes(inner):
            continue
        makers = [value.owner for value in values_used(inner)]
        if not any(maker is body or maker.parent is body for maker in makers):
            inner.detach()
            Rewriter.insert_op(inner, InsertPoint.before(op))
