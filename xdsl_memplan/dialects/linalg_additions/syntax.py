"""The syntax that structured operations share in MLIR: operands, attributes in front, results.

linalg.NAME [indexing_maps = [...]] {attributes} ins(...) outs(...) -> result types
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation, NamedOperation
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from xdsl_memplan.dialects.linalg_additions.type_fn import CAST, with_casts

StructuredT = TypeVar("StructuredT", bound=LinalgStructuredOperation)

_IMPLIED = ("indexing_maps", "linalg.memoized_indexing_maps", "operandSegmentSizes")
"""Attributes that have a syntax of their own, or follow from the name and the operands."""


def parse_operands(parser: Parser, keyword: str) -> Sequence[SSAValue]:
    """Parse `ins(%a, %b : type, type)`, or nothing."""
    position = parser.pos
    if parser.parse_optional_characters(keyword) is None:
        return ()
    parser.parse_punctuation("(")
    names = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return parser.resolve_operands(names, types, position)


def print_operands(printer: Printer, keyword: str, operands: Sequence[SSAValue]) -> None:
    """Print what `parse_operands` reads."""
    if not operands:
        return
    printer.print_string(f" {keyword}")
    with printer.in_parens():
        printer.print_list(operands, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([operand.type for operand in operands], printer.print_attribute)


def parse_result_types(parser: Parser) -> Sequence[Attribute]:
    """Parse `-> type`, `-> (type, type)`, or nothing."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else types


def print_result_types(printer: Printer, types: Sequence[Attribute]) -> None:
    """Print what `parse_result_types` reads."""
    if not types:
        return
    printer.print_string(" -> ")
    if len(types) == 1:
        printer.print_attribute(types[0])
    else:
        with printer.in_parens():
            printer.print_list(types, printer.print_attribute)


def parse_named(cls: type[NamedOperation], parser: Parser) -> NamedOperation:
    """Parse a named operation, but for its name."""
    maps: Attribute | None = None
    if parser.parse_optional_keyword("indexing_maps") is not None:
        parser.parse_punctuation("=")
        maps = parser.parse_attribute()
    attributes = dict(parser.parse_optional_attr_dict())
    position = parser.pos
    inputs = parse_operands(parser, "ins")
    outputs = parse_operands(parser, "outs")
    if parser.parse_optional_keyword("attrs") is not None:
        # Stock xDSL prints some operations like this; MLIR does not read it.
        parser.parse_punctuation("=")
        attributes |= parser.parse_optional_attr_dict()
    if len(outputs) == 0:
        parser.raise_error(f"{cls.name} has no outs(...)")
    result_types = parse_result_types(parser)
    if maps is not None:
        attributes["indexing_maps"] = maps
    definitions = cls.get_irdl_definition().properties
    properties = {name: attributes.pop(name) for name in (*attributes,) if name in definitions}
    return build_named(
        cls,
        parser,
        (inputs, outputs, result_types),
        (properties, attributes),
        lambda: with_casts(cls.get_hidden_region(inputs, outputs), properties.get(CAST)),
        position,
    )


def build_named(
    cls: type[StructuredT],
    parser: Parser,
    values: tuple[Sequence[SSAValue], Sequence[SSAValue], Sequence[Attribute]],
    notes: tuple[Mapping[str, Attribute], Mapping[str, Attribute]],
    region: Callable[[], Region],
    position: int,
) -> StructuredT:
    """Build what was read: inputs, outputs and result types; properties and attributes.

    Raises ParseError where ``region`` finds that the elements are none for this operation, at
    ``position``: that of the operands.
    """
    inputs, outputs, result_types = values
    properties, attributes = notes
    try:
        body = region()
    except (ValueError, TypeError, AssertionError, IndexError) as error:
        # An assertion of stock xDSL, which says nothing, is about the type of elements.
        why = str(error) or "its elements must be numbers that are no index and not complex"
        parser.raise_error(f"{cls.name} does not take these operands: {why}", position)
    return cls.build(
        operands=(inputs, outputs),
        result_types=(result_types,),
        properties=properties,
        attributes=attributes,
        regions=(body,),
    )


def print_named(op: NamedOperation, printer: Printer) -> None:
    """Print a named operation, but for its name, so that MLIR reads it."""
    maps = op.properties.get("indexing_maps")
    definition = op.get_irdl_definition().properties.get("indexing_maps")
    if maps is not None and (definition is None or maps != definition.default_value):
        printer.print_string(" indexing_maps = ")
        printer.print_attribute(maps)
    shown = shown_attributes(op)
    if shown:
        printer.print_op_attributes(shown)
    print_operands(printer, "ins", op.inputs)
    print_operands(printer, "outs", op.outputs)
    print_result_types(printer, op.res.types)


def shown_attributes(op: LinalgStructuredOperation) -> dict[str, Attribute]:
    """Attributes and properties that are printed in braces."""
    return {
        name: attribute
        for name, attribute in (*op.attributes.items(), *op.properties.items())
        if name not in _IMPLIED
    }
