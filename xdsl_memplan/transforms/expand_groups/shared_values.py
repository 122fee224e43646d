"""Index constants and empty tensors, which many tiles need, once for a whole function."""

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.xdsl_versions import LinalgStructuredOperation


def share_values(function: FuncOp) -> None:
    """Let operations of `function` share index constants, and the empty tensors they write to.

    Both go to the start of the function. An empty tensor that is anything but the destination of a
    structured operation is left alone: it may stand for memory of its own. Linear.
    """
    first = function.body.block.first_op
    shared: dict[tuple[type[Operation], Attribute], Operation] = {}
    for op in operations_in(function):
        # By class first: isinstance is slow where a class has an ABC.
        if type(op) not in (arith.ConstantOp, tensor.EmptyOp):
            continue
        if isinstance(op, arith.ConstantOp) and isinstance(op.result.type, IndexType):
            key = (arith.ConstantOp, op.value)
        elif isinstance(op, tensor.EmptyOp) and not op.operands and _is_destination(op):
            key = (tensor.EmptyOp, op.tensor.type)
        else:
            continue
        same = shared.setdefault(key, op)
        if same is not op:
            op.results[0].replace_all_uses_with(same.results[0])
            op.detach()
            op.erase()
        elif op is not first:
            assert first is not None
            op.detach()
            function.body.block.insert_op_before(op, first)


def _is_destination(op: tensor.EmptyOp) -> bool:
    return all(
        isinstance(use.operation, LinalgStructuredOperation)
        and use.index >= input_count(use.operation)
        for use in op.tensor.uses
    )
