"""Operations on floats, and on scalars of any type. Floats are rounded to the type of the result.

xDSL's own interpreter does not round, and has attributes for scalars from 0.75 on.
"""

import math as python_math
import operator
from collections.abc import Callable
from fractions import Fraction
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
from xdsl.ir import Attribute, Operation
from xdsl.utils.comparisons import to_signed, to_unsigned
from xdsl.utils.exceptions import InterpretationError
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.arith_additions import IndexCastUIOp, RemFOp
from xdsl_memplan.dialects.math_additions import (
    ClampFOp,
    ErfcOp,
    IsFiniteOp,
    IsInfOp,
    IsNaNOp,
    IsNormalOp,
    SincosOp,
)
from xdsl_memplan.interpreter.arrays import bit_width, constant, element_dtype, is_array


def _divide(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def _one_over_root(x: float) -> float:
    return _divide(1.0, float(np.sqrt(x)))


def _minimum(a: float, b: float) -> float:
    """NaN where one is; of zeros the negative one."""
    if a == 0 and b == 0:
        return a if python_math.copysign(1.0, a) < 0 else b
    return float(np.minimum(a, b))


def _maximum(a: float, b: float) -> float:
    """NaN where one is; of zeros the positive one."""
    return -_minimum(-a, -b)


def _clamp(x: float, low: float, high: float) -> float:
    return float(np.minimum(np.maximum(x, low), high))


def _power(x: float, y: int) -> float:
    return float(np.power(x, float(y)))


def _round(x: float) -> float:
    """The nearest integer, halves away from zero."""
    whole = float(np.trunc(x))
    return whole + float(np.copysign(1.0, x)) if abs(x - whole) >= 0.5 else whole


def _nearest(exact: Fraction, type: Attribute) -> float:
    """Round to the type of a result, once.

    For fewer than 64 bits by way of the odd one of the two numbers of 64 bits around `exact`, which
    is never halfway between two of fewer bits (Boldo and Melquiond 2008).
    """
    near = float(exact)
    is_odd = int(np.float64(near).view(np.int64)) & 1
    if Fraction(near) != exact and not is_odd and not isinstance(type, Float64Type):
        near = float(np.nextafter(near, np.inf if exact > Fraction(near) else -np.inf))
    return rounded(near, type)


_COMPUTE: dict[type[Operation], Callable[..., Any]] = {
    arith.AddfOp: operator.add,
    arith.DivfOp: _divide,
    arith.ExtFOp: float,
    arith.MaximumfOp: _maximum,
    arith.MaxnumfOp: np.fmax,
    arith.MinimumfOp: _minimum,
    arith.MinnumfOp: np.fmin,
    arith.MulfOp: operator.mul,
    arith.NegfOp: operator.neg,
    RemFOp: np.fmod,
    arith.SubfOp: operator.sub,
    arith.TruncFOp: float,
    math.AbsFOp: abs,
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.Atan2Op: np.arctan2,
    math.AtanOp: np.arctan,
    math.AtanhOp: np.arctanh,
    math.CbrtOp: np.cbrt,
    math.CeilOp: np.ceil,
    math.CopySignOp: np.copysign,
    math.CosOp: np.cos,
    math.CoshOp: np.cosh,
    ClampFOp: _clamp,
    math.ErfOp: python_math.erf,
    ErfcOp: python_math.erfc,
    math.Exp2Op: np.exp2,
    math.ExpM1Op: np.expm1,
    math.ExpOp: np.exp,
    math.FPowIOp: _power,
    math.FloorOp: np.floor,
    math.Log10Op: np.log10,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.LogOp: np.log,
    math.PowFOp: np.power,
    math.RoundEvenOp: np.rint,
    math.RoundOp: _round,
    math.RsqrtOp: _one_over_root,
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: python_math.tanh,
    math.TruncOp: np.trunc,
}

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "eq": operator.eq,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "ne": operator.ne,
}
"""What the last two letters of a predicate ask of two numbers, neither of them NaN."""

_CLASSES: dict[type[Operation], Callable[[float], bool]] = {
    IsFiniteOp: python_math.isfinite,
    IsInfOp: python_math.isinf,
    IsNaNOp: python_math.isnan,
}
"""Of numbers, whatever their type."""


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


def _holds(predicate: str, a: float, b: float) -> bool:
    if predicate in ("false", "true"):
        return predicate == "true"
    is_ordered = not (python_math.isnan(a) or python_math.isnan(b))
    if predicate in ("ord", "uno"):
        return is_ordered == (predicate == "ord")
    return _COMPARE[predicate[1:]](a, b) if is_ordered else predicate.startswith("u")


def _class(belongs: Callable[[float], bool]) -> Callable[..., PythonValues]:
    def run(
        self: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        return (belongs(args[0]),)

    return run


def _function(compute: Callable[..., Any]) -> Callable[..., PythonValues]:
    def run(
        self: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        with np.errstate(all="ignore"):
            return (float(rounded(compute(*args), op.results[0].type)),)

    return run


class ScalarFunctions(InterpreterFunctions):
    """The table above, constants that are arrays, and what needs the types."""

    @impl(arith.SelectOp)
    def run_select(
        self, interpreter: Interpreter, op: arith.SelectOp, args: PythonValues
    ) -> PythonValues:
        """One of two, as a truth value says."""
        condition, one, other = args
        return (one if condition else other,)

    @impl(arith.CmpfOp)
    def run_cmpf(
        self, interpreter: Interpreter, op: arith.CmpfOp, args: PythonValues
    ) -> PythonValues:
        """A truth value; with a NaN it is what the predicate says of such."""
        predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
        return (_holds(predicate, *args),)

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

    @impl(arith.BitcastOp)
    def run_bitcast(
        self, interpreter: Interpreter, op: arith.BitcastOp, args: PythonValues
    ) -> PythonValues:
        """The same bits in another type."""
        old, new = element_dtype(op.input.type), element_dtype(op.result.type)
        return (np.array([args[0]]).astype(old).view(new)[0].item(),)

    @impl(IndexCastUIOp)
    def run_index_castui(
        self, interpreter: Interpreter, op: IndexCastUIOp, args: PythonValues
    ) -> PythonValues:
        """An index of the same bits, with zeros in front; or the last bits of one."""
        exact = to_unsigned(int(args[0]), bit_width(op.input.type))
        return (to_signed(exact, bit_width(op.result.type)),)

    @impl(arith.FPToSIOp)
    def run_fptosi(
        self, interpreter: Interpreter, op: arith.FPToSIOp, args: PythonValues
    ) -> PythonValues:
        """Round towards zero."""
        return (int(args[0]),)

    @impl(arith.FPToUIOp)
    def run_fptoui(
        self, interpreter: Interpreter, op: arith.FPToUIOp, args: PythonValues
    ) -> PythonValues:
        """Round towards zero; the number is known as the signed one of the same bits."""
        return (to_signed(int(args[0]), bit_width(op.result.type)),)

    @impl(arith.SIToFPOp)
    def run_sitofp(
        self, interpreter: Interpreter, op: arith.SIToFPOp, args: PythonValues
    ) -> PythonValues:
        """Round to nearest."""
        exact = to_signed(int(args[0]), bit_width(op.input.type))
        return (_nearest(Fraction(exact), op.result.type),)

    @impl(arith.UIToFPOp)
    def run_uitofp(
        self, interpreter: Interpreter, op: arith.UIToFPOp, args: PythonValues
    ) -> PythonValues:
        """Round to nearest."""
        exact = to_unsigned(int(args[0]), bit_width(op.input.type))
        return (_nearest(Fraction(exact), op.result.type),)

    @impl(math.FmaOp)
    def run_fma(self, interpreter: Interpreter, op: math.FmaOp, args: PythonValues) -> PythonValues:
        """A product and a sum that are rounded once."""
        a, b, c = args
        if all(map(python_math.isfinite, args)):
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            if exact:
                return (_nearest(exact, op.result.type),)
        return (a * b + c,)

    @impl(IsNormalOp)
    def run_isnormal(
        self, interpreter: Interpreter, op: IsNormalOp, args: PythonValues
    ) -> PythonValues:
        """Neither infinite nor NaN, and not below the least normal number of the type."""
        least = float(np.finfo(element_dtype(op.operand.type)).smallest_normal)
        return (python_math.isfinite(args[0]) and abs(args[0]) >= least,)

    @impl(SincosOp)
    def run_sincos(
        self, interpreter: Interpreter, op: SincosOp, args: PythonValues
    ) -> PythonValues:
        """As sine and cosine alone."""
        with np.errstate(all="ignore"):
            both = np.sin(args[0]), np.cos(args[0])
        return tuple(float(rounded(found, op.operand.type)) for found in both)

    @impl(cf.AssertOp)
    def run_assert(
        self, interpreter: Interpreter, op: cf.AssertOp, args: PythonValues
    ) -> PythonValues:
        """Stop if the condition is false."""
        if not args[0]:
            raise InterpretationError(f"assertion failed: {op.msg.data}")
        return ()


for _op_class, _compute in _COMPUTE.items():
    setattr(ScalarFunctions, f"run_{_op_class.__name__}", impl(_op_class)(_function(_compute)))
for _op_class, _belongs in _CLASSES.items():
    setattr(ScalarFunctions, f"run_{_op_class.__name__}", impl(_op_class)(_class(_belongs)))
register_impls(ScalarFunctions)
