"""Regions that run once, as the operations that they are."""

from xdsl.dialects.scf import ExecuteRegionOp
from xdsl.rewriter import InsertPoint, Rewriter


def inline_region(op: ExecuteRegionOp) -> None:
    """Put what is in the only block of a region in the place of the operation that runs it.

    So it is ordered and split like anything else. xDSL would print an operation without results
    without its `scf.yield`, too, which MLIR does not read.
    """
    block = op.region.block
    last = block.last_op
    assert last is not None
    results = last.operands
    Rewriter.erase_op(last)
    Rewriter.inline_block(block, InsertPoint.before(op))
    Rewriter.replace_op(op, (), results)
