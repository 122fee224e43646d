"""MLIR's `index` dialect, which stock xDSL lacks: arithmetic on numbers of type `index`.

`memplan-generalize-ops` writes its operations as those of `arith`, which everything else knows.
"""

import abc

from xdsl.dialects.builtin import BoolAttr, IndexType, IndexTypeConstr, IntegerAttr, IntegerType, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Dialect, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class Predicate(StrEnum):
    """How two numbers are compared; MLIR numbers them in another order than those of `arith`."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"


@irdl_attr_definition
class PredicateAttr(EnumAttribute[Predicate], SpacedOpaqueSyntaxAttribute):
    """`#index<cmp_predicate slt>`."""

    name = "index.cmp_predicate"


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A number."""

    name = "index.constant"

    value = prop_def(IntegerAttr.constr(IndexTypeConstr))
    result = result_def(IndexType)

    traits = traits_def(ConstantLike(), Pure())

    @classmethod
    def parse(cls, parser: Parser) -> "ConstantOp":
        """`{attributes} 3`."""
        attributes = parser.parse_optional_attr_dict()
        value = IntegerAttr(parser.parse_integer(), IndexType())
        return cls.build(
            properties={"value": value}, result_types=[IndexType()], attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" {self.value.value.data}")


@irdl_op_definition
class BoolConstantOp(IRDLOperation):
    """True or false."""

    name = "index.bool.constant"

    value = prop_def(BoolAttr)
    result = result_def(i1)

    traits = traits_def(ConstantLike(), Pure())

    assembly_format = "attr-dict $value"


class BinaryOp(IRDLOperation, abc.ABC):
    """A number of two numbers."""

    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(IndexType)

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict"


def _binary(name: str, what: str) -> type[BinaryOp]:
    body = {"name": f"index.{name}", "__doc__": what, "__module__": __name__}
    return irdl_op_definition(type(f"{name.capitalize()}Op", (BinaryOp,), body))


BINARY = tuple(
    _binary(name, what)
    for name, what in (
        ("add", "The sum."),
        ("sub", "The difference."),
        ("mul", "The product."),
        ("divs", "The quotient of signed numbers, rounded towards zero."),
        ("divu", "The quotient of unsigned numbers, rounded down."),
        ("ceildivs", "The quotient of signed numbers, rounded up."),
        ("ceildivu", "The quotient of unsigned numbers, rounded up."),
        ("floordivs", "The quotient of signed numbers, rounded down."),
        ("rems", "What `index.divs` leaves over."),
        ("remu", "What `index.divu` leaves over."),
        ("maxs", "The larger of signed numbers."),
        ("maxu", "The larger of unsigned numbers."),
        ("mins", "The smaller of signed numbers."),
        ("minu", "The smaller of unsigned numbers."),
        ("shl", "Bits shifted up."),
        ("shrs", "Bits shifted down, with the sign in front."),
        ("shru", "Bits shifted down, with zeros in front."),
        ("and", "Bits of both."),
        ("or", "Bits of either."),
        ("xor", "Bits of one of them."),
    )
)
"""Operations of two numbers."""


@irdl_op_definition
class CmpOp(IRDLOperation):
    """Whether two numbers are as the predicate says."""

    name = "index.cmp"

    pred = prop_def(PredicateAttr)
    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(i1)

    traits = traits_def(Pure())

    assembly_format = "$pred `(` $lhs `,` $rhs `)` attr-dict"


class CastOp(IRDLOperation, abc.ABC):
    """An index as an integer, or the other way round."""

    input = operand_def(base(IntegerType) | base(IndexType))
    output = result_def(base(IntegerType) | base(IndexType))

    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"

    def verify_(self) -> None:
        """One of both is an index.

        Raises VerifyException.
        """
        if isinstance(self.input.type, IndexType) == isinstance(self.output.type, IndexType):
            raise VerifyException("one type must be `index`, and one an integer")


@irdl_op_definition
class CastSOp(CastOp):
    """A cast with the sign in front where the result is wider."""

    name = "index.casts"


@irdl_op_definition
class CastUOp(CastOp):
    """A cast with zeros in front where the result is wider."""

    name = "index.castu"


Index = Dialect(
    "index", [BoolConstantOp, CastSOp, CastUOp, CmpOp, ConstantOp, *BINARY], [PredicateAttr]
)
