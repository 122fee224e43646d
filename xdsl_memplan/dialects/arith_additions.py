"""What stock xDSL's arith lacks: two operations, and the flags of `arith.trunci`."""

from functools import cache

from xdsl.dialects.arith import (
    FloatingPointLikeBinaryOperation,
    IntegerOverflowAttr,
    TruncIOp,
)
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    OptPropertyDef,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from xdsl_memplan.dialects.arith_on_tensors import (
    INTEGERS_OR_INDICES,
    accept_tensors,
    verify_cast,
)
from xdsl_memplan.dialects.extended_dialect import with_operations

_FLAGS = "overflowFlags"


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """The remainder of a division rounded towards zero, as C's `fmod`: torch's `fmod` is that."""

    name = "arith.remf"

    traits = traits_def(Pure())


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """An integer without a sign as an index, or the other way round."""

    name = "arith.index_castui"

    input = operand_def(INTEGERS_OR_INDICES)
    result = result_def(INTEGERS_OR_INDICES)

    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        """As that of a signed integer.

        Raises VerifyException.
        """
        verify_cast(self)


ADDED_TO_ARITH = (IndexCastUIOp, RemFOp)


@cache
def accept_overflow_flags() -> None:
    """Have `arith.trunci` read and print its flags; a second call has no effect.

    MLIR has them since LLVM 20 and prints them, none or not, wherever it prints generic operations:
    each requantization to 8 bits ends in one.
    """
    properties = TruncIOp.get_irdl_definition().properties
    if _FLAGS in properties:
        return
    properties[_FLAGS] = OptPropertyDef(BaseAttr(IntegerOverflowAttr))
    for method, value in (("parse", classmethod(_parse)), ("print", _print)):
        setattr(TruncIOp, method, value)


def extended_arith(stock: Dialect) -> Dialect:
    """The dialect `stock` with what it lacks; its classes are corrected in place."""
    accept_overflow_flags()
    accept_tensors()
    return with_operations(stock, ADDED_TO_ARITH)


def _parse(cls: type[TruncIOp], parser: Parser) -> TruncIOp:
    """`%x overflow<nsw> {attributes} : i32 to i8`."""
    unresolved = parser.parse_unresolved_operand()
    properties: dict[str, Attribute] = {}
    if parser.parse_optional_keyword("overflow") is not None:
        properties[_FLAGS] = IntegerOverflowAttr(IntegerOverflowAttr.parse_parameter(parser))
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operand = parser.resolve_operand(unresolved, parser.parse_type())
    parser.parse_keyword("to")
    return cls.build(
        operands=[operand],
        result_types=[parser.parse_type()],
        properties=properties,
        attributes=attributes,
    )


def _print(op: TruncIOp, printer: Printer) -> None:
    """Print what `_parse` reads."""
    printer.print_string(" ")
    printer.print_ssa_value(op.input)
    flags = op.properties.get(_FLAGS)
    if isinstance(flags, IntegerOverflowAttr) and flags != IntegerOverflowAttr("none"):
        printer.print_string(" overflow")
        flags.print_parameter(printer)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.input.type)
    printer.print_string(" to ")
    printer.print_attribute(op.result.type)
