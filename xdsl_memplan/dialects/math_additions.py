"""What stock xDSL's math lacks: classes of numbers, a clamp, and two more functions."""

import abc
from typing import ClassVar

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloatConstr, i1
from xdsl.dialects.math import FloatingPointLikeUnaryMathOperation, floatingPointLike
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure, SameOperandsAndResultType

from xdsl_memplan.dialects.extended_dialect import with_operations


class ClassOfNumberOp(IRDLOperation, abc.ABC):
    """Whether a number is one of a class."""

    operand = operand_def(AnyFloatConstr)
    result = result_def(i1)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))

    traits = traits_def(Pure())

    # MLIR, too, shows the flags of these among the attributes.
    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$operand attr-dict `:` type($operand)"


@irdl_op_definition
class IsFiniteOp(ClassOfNumberOp):
    """Whether a number is neither infinite nor NaN."""

    name = "math.isfinite"


@irdl_op_definition
class IsInfOp(ClassOfNumberOp):
    """Whether a number is infinite, with either sign."""

    name = "math.isinf"


@irdl_op_definition
class IsNaNOp(ClassOfNumberOp):
    """Whether a number is NaN."""

    name = "math.isnan"


@irdl_op_definition
class IsNormalOp(ClassOfNumberOp):
    """Whether a number is neither infinite, NaN, zero nor subnormal."""

    name = "math.isnormal"


@irdl_op_definition
class ErfcOp(FloatingPointLikeUnaryMathOperation):
    """One less the error function."""

    name = "math.erfc"

    traits = traits_def(Pure(), SameOperandsAndResultType())


@irdl_op_definition
class SincosOp(IRDLOperation):
    """Sine and cosine of one number."""

    T: ClassVar = VarConstraint("T", floatingPointLike)

    name = "math.sincos"

    operand = operand_def(T)
    sin = result_def(T)
    cos = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))

    traits = traits_def(Pure())

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)"


@irdl_op_definition
class ClampFOp(IRDLOperation):
    """The smaller of an upper bound and of the larger of a number and a lower bound."""

    T: ClassVar = VarConstraint("T", floatingPointLike)

    name = "math.clampf"

    value = operand_def(T)
    min = operand_def(T)
    max = operand_def(T)
    result = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))

    traits = traits_def(Pure(), SameOperandsAndResultType())

    assembly_format = (
        "$value `to` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    )


_ADDED = (ClampFOp, ErfcOp, IsFiniteOp, IsInfOp, IsNaNOp, IsNormalOp, SincosOp)


def extended_math(stock: Dialect) -> Dialect:
    """The dialect `stock` with what it lacks."""
    return with_operations(stock, _ADDED)
