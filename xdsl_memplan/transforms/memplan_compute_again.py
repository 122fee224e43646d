"""Computes cheap products again for each reader, where a long sum is between these."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from xdsl_memplan.analysis.cheap_makers import cheap_makers
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.dialects.operations_in import operations_in


@dataclass(frozen=True)
class MemplanComputeAgainPass(ModulePass):
    """Compute cheap products again for each reader, where a long sum is between these.

    Before, what is normalised is there until its mean is known:

    ```mlir
    %c = linalg.conv_1d_ncw_fcw ins(%x, %w : ...) outs(%z : ...) -> tensor<1x64x4096xf32>
    %m = linalg.reduce ins(%c : ...) outs(%s : tensor<1x64xf32>) dimensions = [2] ...
    %d = linalg.generic ... ins(%c, %m : ...) -> tensor<1x64x4096xf32>
    ```

    After, tiles add up the first and let it go, and others make it once more:

    ```mlir
    %c = linalg.conv_1d_ncw_fcw ins(%x, %w : ...) outs(%z : ...) -> tensor<1x64x4096xf32>
    %m = linalg.reduce ins(%c : ...) outs(%s : tensor<1x64xf32>) dimensions = [2] ...
    %c_1 = linalg.conv_1d_ncw_fcw ins(%x, %w : ...) outs(%z : ...) -> tensor<1x64x4096xf32>
    %d = linalg.generic ... ins(%c_1, %m : ...) -> tensor<1x64x4096xf32>
    ```

    So it is with a first convolution and a normalisation over all of time or space, of which a mean
    and a variance are needed: the convolution is computed three times. That is done for what is
    made of arguments alone, which have fewer bytes than it, where one reader adds up at least 1024
    elements and another needs the sum, and for a twentieth of the function's multiply-adds at most.
    The difference to the mean, too, is made again of what is stored in any case, not stored itself.

    Options: none. Requires nothing. Functions with several blocks or tensors of dynamic shape are
    left alone.
    """

    name = "memplan-compute-again"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Compute again what can be in all functions of the module ``op``."""
        for function in operations_in(op):
            if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
                compute_again(function)


def compute_again(function: FuncOp) -> None:
    """Give each reader of a cheap product but the first one of its own."""
    try:
        split = FunctionSplitGraph.of(function)
    except ValueError:
        return
    for maker in cheap_makers(split.graph):
        shown = {split.operations[number] for number in (maker.op, *maker.views)}
        again = {split.operations[number] for number in maker.again} | shown
        for number in maker.readers[1:]:
            _read_copies(split.operations[number], shown, again)


def _read_copies(reader: Operation, shown: set[Operation], again: set[Operation]) -> None:
    """Let an operation read copies of what it reads of ``shown``, made right before it.

    They read copies of what is made in ``again``.
    """
    block = reader.parent
    assert block is not None
    copies: dict[Operation, Operation] = {}

    def copied(value: SSAValue) -> SSAValue:
        if not isinstance(value, OpResult) or value.op not in again:
            return value
        if value.op not in copies:
            copy = value.op.clone()
            for position, operand in enumerate(value.op.operands):
                copy.operands[position] = copied(operand)
            block.insert_op_before(copy, reader)
            copies[value.op] = copy
        return copies[value.op].results[value.index]

    for position, operand in enumerate(reader.operands):
        if isinstance(operand, OpResult) and operand.op in shown:
            reader.operands[position] = copied(operand)
