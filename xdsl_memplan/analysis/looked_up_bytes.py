"""The bytes that are looked up off chip, as the tensor IR says."""

from math import prod

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from xdsl_memplan.analysis.executions import executions
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.memref_size import element_size_bytes
from xdsl_memplan.dialects.off_chip import SpillOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import shown_by
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of


def looked_up_bytes(function: FuncOp) -> int | None:
    """Sum up the elements that bodies of structured operations look up off chip; linear.

    Scalars that a function takes out of tensors off chip, to return them, count too. Each
    `tensor.extract` counts for every iteration of its operation and of the loops around that,
    whatever branch it is in: the same element comes again each time. Tables on chip, and those with
    one value everywhere, cost nothing.

    Returns:
        None where it is not known how often an operation runs.
    """
    total = 0
    uniforms = Uniforms()
    for op in operations_in(function):
        if not isinstance(op, tensor.ExtractOp) or not is_off_chip(op.tensor):
            continue
        structured = _structured_around(op)
        if uniforms.of(op.tensor) is not None:
            continue
        inside = 1 if structured is None else _iterations(op, structured)
        around = executions(op if structured is None else structured, function)
        if inside is None or around is None:
            return None
        assert isa(op.tensor.type, TensorType[Attribute])
        element_bytes = element_size_bytes(op.tensor.type.get_element_type()) or 0
        total += inside * around * element_bytes
    return total


def is_off_chip(value: SSAValue) -> bool:
    """Tell whether a tensor lies off chip: the function was given it, or has written it there.

    Linear in the views and loops that hand it on.
    """
    while True:
        value = shown_by(value)
        match value:
            case BlockArgument() if isinstance(loop := value.block.parent_op(), scf.ForOp):
                if value.index == 0:
                    return False
                value = loop.iter_args[value.index - 1]
            case OpResult(op=scf.ForOp() as loop):
                last = loop.body.block.last_op
                assert last is not None
                value = last.operands[value.index]
                if isinstance(value, BlockArgument) and value.block is loop.body.block:
                    value = loop.iter_args[value.index - 1]
            case BlockArgument():
                return isinstance(value.block.parent_op(), FuncOp)
            case OpResult(op=op):
                return isinstance(op, StoreOp | SpillOp | arith.ConstantOp)
            case _:
                return False


def _structured_around(op: Operation) -> LinalgStructuredOperation | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, LinalgStructuredOperation):
        parent = parent.parent_op()
    return parent


def _iterations(op: Operation, structured: LinalgStructuredOperation) -> int | None:
    """How often an operation in a body runs when the structured operation does."""
    rule = tiling_rule_of(structured)
    if rule is None:
        return None
    inside = executions(op, structured, takes_branches=True)
    return None if inside is None else inside * prod(rule.loops)
