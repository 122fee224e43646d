"""Functions of one block in which slices of tensors are taken."""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import ExtractSliceOp

from xdsl_memplan.dialects.operations_in import operations_in


def functions_with_slices(module: ModuleOp) -> Iterator[FuncOp]:
    """Go through the functions of a module in whose only block a slice is taken; linear."""
    for op in operations_in(module):
        if (
            isinstance(op, FuncOp)
            and len(op.body.blocks) == 1
            and any(isinstance(inner, ExtractSliceOp) for inner in op.body.block.ops)
        ):
            yield op
