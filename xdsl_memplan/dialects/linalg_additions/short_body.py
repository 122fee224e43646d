"""Bodies in short, `{ arith.addf }`: one operation on the elements, in their order."""

from collections.abc import Callable

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

from xdsl_memplan.dialects.linalg_additions.bodies import Scalars

ShortBody = Callable[[Scalars, Attribute], SSAValue]
"""From scalars and the type of the result to the result."""


def parse_short_body(parser: Parser) -> ShortBody | None:
    """Parse `{ arith.addf {attributes} }`; None where no body in short begins.

    Raises ParseError for what is no operation.
    """
    if parser.parse_optional_punctuation("{") is None:
        return None
    name = parser.parse_identifier()
    op_class = parser.ctx.get_op(name)
    if not issubclass(op_class, IRDLOperation):
        parser.raise_error(f"{name} cannot be a body")
    attributes = dict(parser.parse_optional_attr_dict())
    parser.parse_punctuation("}")
    known = op_class.get_irdl_definition().properties
    properties = {key: attributes.pop(key) for key in known if key in attributes}

    def body(operands: Scalars, result_type: Attribute) -> SSAValue:
        return op_class.build(
            operands=operands,
            result_types=[result_type],
            properties=properties,
            attributes=attributes,
        ).results[0]

    return body


def print_short_body(printer: Printer, op: Operation) -> None:
    """Print what `parse_short_body` reads; properties that are as by default are left out."""
    printer.print_string(f" {{ {op.name}")
    defaults = _defaults(op)
    shown = {
        name: attribute
        for name, attribute in (*op.properties.items(), *op.attributes.items())
        if defaults.get(name) != attribute
    }
    if shown:
        printer.print_op_attributes(shown)
    printer.print_string(" }")


def _defaults(op: Operation) -> dict[str, Attribute | None]:
    if not isinstance(op, IRDLOperation):
        return {}
    known = op.get_irdl_definition().properties
    return {name: definition.default_value for name, definition in known.items()}
