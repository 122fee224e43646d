"""Contents in strings of bytes, of elements of no whole width: masks of `i1`, `i17`.

MLIR writes more than a hundred elements as `dense<"0x...">`: eight of `i1` in a byte, others in as
many whole bytes as they need. Stock xDSL 0.75 refuses masks written so, and those that it writes
itself MLIR refuses. Here they are read, and written as lists.
"""

import re
from functools import cache
from math import prod
from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType
from xdsl.parser import AttrParser
from xdsl.printer import Printer

_WHOLE = (8, 16, 32, 64)
_STRING_BEGINS = re.compile(r'<\s*"')
_TYPE_FOLLOWS = re.compile(r"\s*>\s*:\s*\w+<(?:\d+x)*[su]?i(\d+)\b")


@cache
def accept_strings_of_all_widths() -> None:
    """Have them read and written so; a second call has no effect."""
    stock_parse = AttrParser.parse_dense_int_or_fp_elements_attr
    stock_print = DenseIntOrFPElementsAttr.print_without_type

    def parse(parser: Any, type: Any = None) -> DenseIntOrFPElementsAttr:
        found = _string_of_odd_width(parser, type)
        return stock_parse(parser, type) if found is None else found

    def print_without_type(attribute: Any, printer: Printer) -> None:
        if not _is_odd(attribute.get_element_type()) or attribute.is_splat() or not len(attribute):
            stock_print(attribute, printer)
            return
        printer.print_string("dense<")
        attribute._print_dense_list(attribute.get_values(), attribute.get_shape(), printer)
        printer.print_string(">")

    setattr(AttrParser, "parse_dense_int_or_fp_elements_attr", parse)
    setattr(DenseIntOrFPElementsAttr, "print_without_type", print_without_type)


def _is_odd(element: object) -> bool:
    return isinstance(element, IntegerType) and element.bitwidth not in _WHOLE


def _string_of_odd_width(parser: Any, type_: Any) -> DenseIntOrFPElementsAttr | None:
    """What stands in such a string; None, and nothing is read, where there is none."""
    if not (_is_odd(type_.element_type) if type_ is not None else _promises_odd_width(parser)):
        return None
    start = parser._current_token.span.start
    parser.parse_punctuation("<", " in dense attribute")
    text = parser.parse_optional_str_literal()
    if text is None:
        parser._resume_from(start)
        return None
    parser.parse_punctuation(">", " in dense attribute")
    if type_ is None:
        parser.parse_punctuation(":", " in dense attribute")
        type_ = parser._parse_dense_literal_type()
    count = prod(type_.get_shape())
    values = _values(bytes.fromhex(text[2:]), type_.element_type.bitwidth, count)
    if values is None:
        return parser.raise_error(f"the string has not the bytes of {count} {type_.element_type}")
    of_integers: Any = DenseIntOrFPElementsAttr.from_list
    return of_integers(type_, values)


def _promises_odd_width(parser: Any) -> bool:
    """Tell whether a string follows, and a type with such elements; weights are not read twice."""
    span = parser._current_token.span
    begun = _STRING_BEGINS.match(span.input.content, span.start)
    if begun is None:
        return False
    end = span.input.content.find('"', begun.end())
    told = _TYPE_FOLLOWS.match(span.input.content, end + 1)
    return told is not None and int(told[1]) not in _WHOLE


def _values(raw: bytes, width: int, count: int) -> list[int] | None:
    """The elements in the bytes of a string, or the one that all are; None if they do not fit."""
    if width == 1:
        if len(raw) == 1 and raw[0] in (0, 0xFF):
            return [raw[0] & 1] * count
        bits = [byte >> i & 1 for byte in raw for i in range(8)]
        return bits[:count] if len(raw) == -(-count // 8) else None
    size = -(-width // 8)
    if len(raw) not in (size, size * count):
        return None
    sign = 1 << (width - 1)
    parts = (raw[at : at + size] for at in range(0, len(raw), size))
    numbers = [int.from_bytes(part, "little") & (2 * sign - 1) for part in parts]
    signed = [number - 2 * sign if number & sign else number for number in numbers]
    return signed if len(signed) == count else signed * count
