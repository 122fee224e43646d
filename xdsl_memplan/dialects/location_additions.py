"""What stock xDSL's parser lacks of source locations, as MLIR prints them.

| location                | stock xDSL 0.75                    | here                 |
|-------------------------|------------------------------------|----------------------|
| `fused<metadata>[...]`  | is refused                         | is read              |
| `"file":1:2 to 3:4`     | is refused                         | is where it begins   |
| an alias defined below  | is refused: `undefined symbol ...` | is what is said there |

MLIR writes nearly all aliases of locations behind the module, so without the last no file with
locations is read (`mlir-opt --mlir-print-debuginfo`, torch-mlir's `enable_debug_info`).
"""

import re
from functools import cache
from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, LocationAttr, NoneAttr
from xdsl.parser import AttrParser
from xdsl.utils.hints import isa
from xdsl.utils.mlir_lexer import MLIRTokenKind

_DEFINITION = re.compile(r"^(#[\w$.-]+)\s*=\s*(?=loc\b)", re.MULTILINE)
_DEFINED_BELOW = "_memplan_locations_defined_below"
"""Where a parser keeps what it has found: by alias, a location, or where its definition begins."""


@cache
def accept_locations_of_mlir() -> None:
    """Have locations read as MLIR prints them; a second call has no effect."""
    stock = getattr(AttrParser, "_parse_location")

    def parse(parser: Any) -> LocationAttr:
        token = parser._current_token
        if token.kind == MLIRTokenKind.HASH_IDENT and token.text not in parser.attribute_aliases:
            if (found := _defined_below(parser, token.text)) is not None:
                parser._consume_token()
                return found
        elif parser.parse_optional_keyword("fused") is not None:
            return _fused(parser)
        location = stock(parser)
        if isinstance(location, FileLineColLoc):
            _skip_end(parser)
        return location

    setattr(AttrParser, "_parse_location", parse)


def _fused(parser: Any) -> FusedLoc:
    """`<metadata>[location, ...]`, of which the first may be missing."""
    metadata = NoneAttr()
    if parser.parse_optional_punctuation("<") is not None:
        metadata = parser.parse_attribute()
        parser.parse_punctuation(">")
    locations = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser._parse_location)
    return FusedLoc(locations, metadata)


def _skip_end(parser: Any) -> None:
    """` to line:column`, or ` to :column` in the same line."""
    if parser.parse_optional_keyword("to") is not None:
        parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(":")
        parser.parse_integer(allow_boolean=False, allow_negative=False)


def _defined_below(parser: Any, alias: str) -> LocationAttr | None:
    """Return the location that an alias stands for further down; None if nothing says so.

    The text is searched once. An alias on its own way is not followed a second time.
    """
    known: dict[str, LocationAttr | int] | None = getattr(parser, _DEFINED_BELOW, None)
    if known is None:
        found = _DEFINITION.finditer(parser.lexer.input.content)
        known = {match[1]: match.end() for match in found}
        setattr(parser, _DEFINED_BELOW, known)
    location = known.pop(alias, None)
    if isinstance(location, int):
        here = parser.pos
        parser._resume_from(location)
        read = parser.parse_attribute()
        parser._resume_from(here)
        location = read if isa(read, LocationAttr) else None
    if location is not None:
        known[alias] = location
    return location
