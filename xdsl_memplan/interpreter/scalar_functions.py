"""Scalar operations that xDSL's interpreter lacks, or does not round to the type of the result."""

import math as python_math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith, cf, math
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    Float64Type,
    FloatAttr,
    IntegerAttr,
)
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.interpreters.arith import ArithFunctions
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import InterpretationError
from xdsl.utils.hints import isa

from xdsl_memplan.interpreter.arrays import constant, element_dtype, is_array


def _divide(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


_UNARY: dict[type[Operation], Callable[[Any], int | float]] = {
    arith.ExtFOp: float,
    arith.ExtSIOp: int,
    arith.FPToSIOp: int,
    arith.SIToFPOp: float,
    arith.NegfOp: lambda x: -x,
    math.AbsFOp: abs,
    math.CeilOp: lambda x: float(np.ceil(x)),
    math.ErfOp: python_math.erf,
    math.ExpOp: lambda x: float(np.exp(x)),
    math.FloorOp: lambda x: float(np.floor(x)),
    math.LogOp: lambda x: float(np.log(x)),
    math.RsqrtOp: lambda x: _divide(1.0, float(np.sqrt(x))),
    math.SqrtOp: lambda x: float(np.sqrt(x)),
    math.TanhOp: python_math.tanh,
}
_BINARY: dict[type[Operation], Callable[[Any, Any], int | float]] = {
    arith.AddfOp: operator.add,
    arith.DivfOp: _divide,
    arith.MaxSIOp: max,
    arith.MaxnumfOp: lambda x, y: float(np.fmax(x, y)),
    arith.MinSIOp: min,
    arith.MinnumfOp: lambda x, y: float(np.fmin(x, y)),
    arith.MulfOp: operator.mul,
    arith.SubfOp: operator.sub,
    math.FPowIOp: lambda x, y: float(np.power(x, float(y))),
    math.PowFOp: lambda x, y: float(np.power(x, y)),
}


def rounded(value: Any, type: Attribute) -> Any:
    """Round a number, or those of an array, which have 64 bits, to the narrower type of a result.

    Of a sum, a product or a quotient that gives the bits of that type's own arithmetic.
    """
    if not isinstance(type, AnyFloat) or isinstance(type, Float64Type):
        return value
    dtype = element_dtype(type)
    if is_array(value):
        return value.astype(dtype).astype(np.float64)
    return float(dtype.type(value))


def _function(compute: Callable[..., Any]) -> Callable[..., PythonValues]:
    def run(
        self: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        with np.errstate(all="ignore"):
            return (rounded(compute(*args), op.results[0].type),)

    return run


class ScalarFunctions(ArithFunctions):
    """The tables above, constants that are arrays, and what needs the type of the result."""

    @impl(arith.ConstantOp)
    def run_constant(
        self, interpreter: Interpreter, op: arith.ConstantOp, args: PythonValues
    ) -> PythonValues:
        """A scalar or an array."""
        if isa(op.value, DenseIntOrFPElementsAttr):
            return (constant(op.value),)
        if isa(op.value, IntegerAttr | FloatAttr):
            return (op.value.value.data,)
        raise InterpretationError(f"no constants of {op.result.type} here")

    @impl(arith.TruncFOp)
    def run_truncf(
        self, interpreter: Interpreter, op: arith.TruncFOp, args: PythonValues
    ) -> PythonValues:
        """Round to the narrower type."""
        return (float(element_dtype(op.result.type).type(args[0])),)

    @impl(arith.TruncIOp)
    def run_trunci(
        self, interpreter: Interpreter, op: arith.TruncIOp, args: PythonValues
    ) -> PythonValues:
        """Keep the low bits; the highest of them is the sign."""
        dtype = element_dtype(op.result.type)
        return (int(np.array([args[0]], dtype=np.int64).astype(dtype)[0]),)

    @impl(cf.AssertOp)
    def run_assert(
        self, interpreter: Interpreter, op: cf.AssertOp, args: PythonValues
    ) -> PythonValues:
        """Stop if the condition is false."""
        if not args[0]:
            raise InterpretationError(f"assertion failed: {op.msg.data}")
        return ()


for _op_class, _compute in (*_UNARY.items(), *_BINARY.items()):
    setattr(ScalarFunctions, f"run_{_op_class.__name__}", impl(_op_class)(_function(_compute)))
register_impls(ScalarFunctions)
