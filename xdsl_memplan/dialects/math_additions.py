"""What stock xDSL's math lacks: classes of numbers, a clamp, and two more functions."""

import abc
from typing import ClassVar, Self

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import i1
from xdsl.dialects.math import FloatingPointLikeUnaryMathOperation, floatingPointLike
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SameOperandsAndResultType

from xdsl_memplan.dialects.arith_on_tensors import BOOLS, FLOATS, like
from xdsl_memplan.dialects.extended_dialect import with_operations


class ClassOfNumberOp(IRDLOperation, abc.ABC):
    """Whether a number is one of a class."""

    operand = operand_def(FLOATS)
    result = result_def(BOOLS)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))

    traits = traits_def(Pure())

    # MLIR, too, shows the flags of these among the attributes.
    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`%x {attributes} : type`."""
        unresolved = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        flags = attributes.pop("fastmath", None)
        return cls.build(
            operands=[parser.resolve_operand(unresolved, type_)],
            result_types=[like(type_, i1)],
            properties={} if flags is None else {"fastmath": flags},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        is_plain = self.fastmath == FastMathFlagsAttr("none")
        printer.print_op_attributes(
            self.attributes | ({} if is_plain else {"fastmath": self.fastmath})
        )
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)


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


ADDED_TO_MATH = (ClampFOp, ErfcOp, IsFiniteOp, IsInfOp, IsNaNOp, IsNormalOp, SincosOp)


def extended_math(stock: Dialect) -> Dialect:
    """The dialect `stock` with what it lacks."""
    return with_operations(stock, ADDED_TO_MATH)
