"""Operations on integers that xDSL's interpreter lacks, or does not do for all widths.

An integer is known as a signed number, of one bit as -1 and 0, or as a truth value.
"""

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute, Operation
from xdsl.utils.comparisons import to_signed, to_unsigned

_UNSIGNED: dict[type[Operation], Callable[..., int]] = {
    arith.CeilDivUIOp: lambda a, b: -(-a // b),
    arith.DivUIOp: lambda a, b: a // b,
    arith.ExtUIOp: lambda a: a,
    arith.MaxUIOp: max,
    arith.MinUIOp: min,
    arith.RemUIOp: lambda a, b: a % b,
    arith.ShRUIOp: lambda a, b: a >> b,
    math.CtPopOp: int.bit_count,
}
_SIGNED: dict[type[Operation], Callable[..., int]] = {
    arith.CeilDivSIOp: lambda a, b: -(-a // b),
    arith.ExtSIOp: lambda a: a,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
    arith.TruncIOp: lambda a: a,
    math.AbsIOp: abs,
}


def _width(interpreter: Interpreter, type: Attribute) -> int:
    return type.width.data if isinstance(type, IntegerType) else interpreter.index_bitwidth


def _function(
    read: Callable[[int, int], int], compute: Callable[..., int]
) -> Callable[..., PythonValues]:
    def run(
        self: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        width = _width(interpreter, op.operands[0].type)
        exact = compute(*(read(int(arg), width) for arg in args))
        return (to_signed(exact, _width(interpreter, op.results[0].type)),)

    return run


class IntegerFunctions(InterpreterFunctions):
    """The tables above, what counts zeros, and what has two results."""

    @impl(math.CountLeadingZerosOp)
    def run_ctlz(
        self, interpreter: Interpreter, op: math.CountLeadingZerosOp, args: PythonValues
    ) -> PythonValues:
        """Zeros above the highest bit that is set."""
        width = _width(interpreter, op.operand.type)
        return (to_signed(width - to_unsigned(int(args[0]), width).bit_length(), width),)

    @impl(math.CountTrailingZerosOp)
    def run_cttz(
        self, interpreter: Interpreter, op: math.CountTrailingZerosOp, args: PythonValues
    ) -> PythonValues:
        """Zeros below the lowest bit that is set."""
        width = _width(interpreter, op.operand.type)
        value = to_unsigned(int(args[0]), width)
        return (to_signed((value & -value).bit_length() - 1 if value else width, width),)

    @impl(arith.AddUIExtendedOp)
    def run_addui_extended(
        self, interpreter: Interpreter, op: arith.AddUIExtendedOp, args: PythonValues
    ) -> PythonValues:
        """The sum, and whether it has one bit more."""
        width = _width(interpreter, op.lhs.type)
        exact = sum(to_unsigned(int(arg), width) for arg in args)
        return to_signed(exact, width), bool(exact >> width)

    @impl(arith.MulSIExtendedOp)
    def run_mulsi_extended(
        self, interpreter: Interpreter, op: arith.MulSIExtendedOp, args: PythonValues
    ) -> PythonValues:
        """The low half of the product, and the high one."""
        width = _width(interpreter, op.lhs.type)
        exact = to_signed(int(args[0]), width) * to_signed(int(args[1]), width)
        return to_signed(exact, width), to_signed(exact >> width, width)

    @impl(arith.MulUIExtendedOp)
    def run_mului_extended(
        self, interpreter: Interpreter, op: arith.MulUIExtendedOp, args: PythonValues
    ) -> PythonValues:
        """The low half of the product, and the high one."""
        width = _width(interpreter, op.lhs.type)
        exact = to_unsigned(int(args[0]), width) * to_unsigned(int(args[1]), width)
        return to_signed(exact, width), to_signed(exact >> width, width)


for _read, _table in ((to_unsigned, _UNSIGNED), (to_signed, _SIGNED)):
    for _op_class, _compute in _table.items():
        _method = impl(_op_class)(_function(_read, _compute))
        setattr(IntegerFunctions, f"run_{_op_class.__name__}", _method)
register_impls(IntegerFunctions)
