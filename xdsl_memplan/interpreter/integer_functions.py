"""Operations on integers.

An integer is known as a signed number, of one bit as -1 and 0, or as a truth value. xDSL's own
interpreter has attributes for scalars from 0.75 on, numbers before, and does not do all widths.
"""

import operator
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, math
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation
from xdsl.utils.comparisons import to_signed, to_unsigned

from xdsl_memplan.interpreter.arrays import bit_width


def _divided_up(a: int, b: int) -> int:
    return -(-a // b)


def _divided(a: int, b: int) -> int:
    """Towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a - _divided(a, b) * b


_UNSIGNED: dict[type[Operation], Callable[..., Any]] = {
    arith.CeilDivUIOp: _divided_up,
    arith.DivUIOp: int.__floordiv__,
    arith.ExtUIOp: operator.pos,
    arith.MaxUIOp: max,
    arith.MinUIOp: min,
    arith.RemUIOp: operator.mod,
    arith.ShRUIOp: int.__rshift__,
    math.CtPopOp: int.bit_count,
}
_SIGNED: dict[type[Operation], Callable[..., Any]] = {
    arith.AddiOp: operator.add,
    arith.AndIOp: int.__and__,
    arith.CeilDivSIOp: _divided_up,
    arith.DivSIOp: _divided,
    arith.ExtSIOp: operator.pos,
    arith.FloorDivSIOp: int.__floordiv__,
    arith.IndexCastOp: operator.pos,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
    arith.MuliOp: operator.mul,
    arith.OrIOp: int.__or__,
    arith.RemSIOp: _remainder,
    arith.ShLIOp: int.__lshift__,
    arith.ShRSIOp: int.__rshift__,
    arith.SubiOp: operator.sub,
    arith.TruncIOp: operator.pos,
    arith.XOrIOp: int.__xor__,
    math.AbsIOp: abs,
}
_COMPARE: dict[str, tuple[Callable[[int, int], int], Callable[[int, int], bool]]] = {
    "eq": (to_signed, operator.eq),
    "ne": (to_signed, operator.ne),
    "slt": (to_signed, operator.lt),
    "sle": (to_signed, operator.le),
    "sgt": (to_signed, operator.gt),
    "sge": (to_signed, operator.ge),
    "ult": (to_unsigned, operator.lt),
    "ule": (to_unsigned, operator.le),
    "ugt": (to_unsigned, operator.gt),
    "uge": (to_unsigned, operator.ge),
}
"""By the name of a predicate: how numbers are read, and what is asked of them."""


def _function(
    read: Callable[[int, int], int], compute: Callable[..., Any]
) -> Callable[..., PythonValues]:
    def run(
        self: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        width = bit_width(op.operands[0].type)
        exact = compute(*(read(int(arg), width) for arg in args))
        return (to_signed(exact, bit_width(op.results[0].type)),)

    return run


class IntegerFunctions(InterpreterFunctions):
    """The tables above, what counts zeros, and what has two results."""

    @impl(arith.CmpiOp)
    def run_cmpi(
        self, interpreter: Interpreter, op: arith.CmpiOp, args: PythonValues
    ) -> PythonValues:
        """A truth value."""
        read, holds = _COMPARE[arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]]
        width = bit_width(op.lhs.type)
        return (holds(*(read(int(arg), width) for arg in args)),)

    @impl(math.CountLeadingZerosOp)
    def run_ctlz(
        self, interpreter: Interpreter, op: math.CountLeadingZerosOp, args: PythonValues
    ) -> PythonValues:
        """Zeros above the highest bit that is set."""
        width = bit_width(op.operand.type)
        return (to_signed(width - to_unsigned(int(args[0]), width).bit_length(), width),)

    @impl(math.CountTrailingZerosOp)
    def run_cttz(
        self, interpreter: Interpreter, op: math.CountTrailingZerosOp, args: PythonValues
    ) -> PythonValues:
        """Zeros below the lowest bit that is set."""
        width = bit_width(op.operand.type)
        value = to_unsigned(int(args[0]), width)
        return (to_signed((value & -value).bit_length() - 1 if value else width, width),)

    @impl(arith.AddUIExtendedOp)
    def run_addui_extended(
        self, interpreter: Interpreter, op: arith.AddUIExtendedOp, args: PythonValues
    ) -> PythonValues:
        """The sum, and whether it has one bit more."""
        width = bit_width(op.lhs.type)
        exact = sum(to_unsigned(int(arg), width) for arg in args)
        return to_signed(exact, width), bool(exact >> width)

    @impl(arith.MulSIExtendedOp)
    def run_mulsi_extended(
        self, interpreter: Interpreter, op: arith.MulSIExtendedOp, args: PythonValues
    ) -> PythonValues:
        """The low half of the product, and the high one."""
        width = bit_width(op.lhs.type)
        exact = to_signed(int(args[0]), width) * to_signed(int(args[1]), width)
        return to_signed(exact, width), to_signed(exact >> width, width)

    @impl(arith.MulUIExtendedOp)
    def run_mului_extended(
        self, interpreter: Interpreter, op: arith.MulUIExtendedOp, args: PythonValues
    ) -> PythonValues:
        """The low half of the product, and the high one."""
        width = bit_width(op.lhs.type)
        exact = to_unsigned(int(args[0]), width) * to_unsigned(int(args[1]), width)
        return to_signed(exact, width), to_signed(exact >> width, width)


for _read, _table in ((to_unsigned, _UNSIGNED), (to_signed, _SIGNED)):
    for _op_class, _compute in _table.items():
        _method = impl(_op_class)(_function(_read, _compute))
        setattr(IntegerFunctions, f"run_{_op_class.__name__}", _method)
register_impls(IntegerFunctions)
