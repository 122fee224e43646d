"""Bodies of functions in the place of calls."""

from dataclasses import dataclass, field

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.storage_type import is_tensor


@dataclass
class InlinedBodies:
    """Replaces calls in a function by the bodies of the functions that they call."""

    function: FuncOp
    _constants: dict[Operation, SSAValue] = field(default_factory=dict[Operation, SSAValue])
    """What constant tensors of others are in this one."""

    def replace(self, call: Operation, callee: FuncOp) -> None:
        """Put a copy of a body with one block in the place of a call; linear in the body."""
        body = callee.body.block
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, call.operands, strict=True))
        assert call.parent is not None
        for op in body.ops:
            if op is body.last_op:
                break
            if isinstance(op, ConstantOp) and is_tensor(op.result.type):
                values[op.result] = self._constant(op)
                continue
            call.parent.insert_op_before(op.clone(values), call)
        last = body.last_op
        assert last is not None
        Rewriter.replace_op(call, (), [values.get(value, value) for value in last.operands])

    def _constant(self, op: ConstantOp) -> SSAValue:
        """Return a constant tensor of a callee, at the beginning where all calls see it."""
        if op not in self._constants:
            copy = op.clone()
            Rewriter.insert_op(copy, InsertPoint.at_start(self.function.body.blocks[0]))
            self._constants[op] = copy.result
        return self._constants[op]
