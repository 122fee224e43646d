"""What stock xDSL's affine lacks: `affine.max`, and that `affine.min` only computes."""

from functools import cache

from xdsl.dialects.affine import MinOp
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xdsl_memplan.dialects.extended_dialect import with_operations


@irdl_op_definition
class MaxOp(IRDLOperation):
    """The largest of the numbers that a map gives: where a part that reaches back begins."""

    name = "affine.max"

    arguments = var_operand_def(IndexType())
    result = result_def(IndexType())
    map = prop_def(AffineMapAttr)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        """One operand for each dimension and symbol of the map.

        Raises VerifyException.
        """
        expected = self.map.data.num_dims + self.map.data.num_symbols
        if len(self.arguments) != expected:
            raise VerifyException(f"the map takes {expected} operands, not {len(self.arguments)}")

    @classmethod
    def parse(cls, parser: Parser) -> "MaxOp":
        """`#map(%dimensions)[%symbols]`."""
        at = parser.pos
        map_ = parser.parse_attribute()
        if not isinstance(map_, AffineMapAttr):
            parser.raise_error("expected an affine map", at_position=at)
        operands = [
            parser.parse_optional_comma_separated_list(
                delimiter, lambda: parser.parse_operand(IndexType())
            )
            or []
            for delimiter in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE)
        ]
        return cls.build(
            operands=[[value for group in operands for value in group]],
            properties={"map": map_},
            result_types=[IndexType()],
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_attribute(self.map)
        count = self.map.data.num_dims
        with printer.in_parens():
            printer.print_list(self.arguments[:count], printer.print_operand)
        if len(self.arguments) > count:
            with printer.in_square_brackets():
                printer.print_list(self.arguments[count:], printer.print_operand)


@cache
def know_that_min_computes() -> None:
    """Have `affine.min` without effects, as in MLIR; a second call has no effect."""
    if not MinOp.has_trait(Pure):
        MinOp.traits.add_trait(Pure())


def extended_affine(stock: Dialect) -> Dialect:
    """The dialect `stock` with what it lacks; its `affine.min` is corrected in place."""
    know_that_min_computes()
    return with_operations(stock, (MaxOp,))
