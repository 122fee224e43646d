"""Checks that nothing is read before it is computed, which xDSL's verifier does not."""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from xdsl_memplan.transforms.verify_split.check_errors import MismatchError


def check_order(function: FuncOp) -> None:
    """Check that each operation reads what is computed before it. Linear in the operations.

    Regions of several blocks are left out: their order is not that of the text.

    Raises MismatchError with the operation that reads too early.
    """
    if len(function.body.blocks) == 1:
        _check(function.body.block, set())


def _check(block: Block, computed: set[SSAValue]) -> None:
    computed.update(block.args)
    for op in block.ops:
        for operand in op.operands:
            if operand not in computed:
                error = MismatchError("reads what is computed after it")
                error.op = op
                raise error
        for region in op.regions:
            if len(region.blocks) == 1:
                _check(region.block, computed)
        computed.update(op.results)
