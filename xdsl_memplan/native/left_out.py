"""Weights whose bytes were left out of a file: filled in, so that it can be compiled and run.

torch-mlir and `mlir-opt --mlir-elide-resource-strings-if-larger` print such files: a constant is
`dense_resource<name>`, and the end of the file says nothing of the name. Compilers refuse them.
"""

import re
from zlib import crc32

from xdsl.parser import Parser

from xdsl_memplan.native.context import full_context
from xdsl_memplan.native.inputs import random_inputs
from xdsl_memplan.native.values import ArrayType, array_type

_USED = re.compile(r'dense_resource<([\w.$-]+|"[^"]*")>\s*:\s*(tensor<[^<>]*>)')
_GIVEN = re.compile(r'((?<![\w.$-])[\w.$-]+|"[^"]*")\s*:\s*"0x')
"""A name is looked for where one may begin: contents are long words of hexadecimal digits."""
_TRAILER = re.compile(r"\{-#.*#-\}\s*\Z", re.DOTALL)
_BUILTIN = re.compile(r"\bbuiltin\s*:\s*\{")
_ALIGNMENT = "0x40000000"
"""How a blob begins: the alignment of what follows, 64 bytes, as a number of 32 bits."""


def left_out(text: str) -> dict[str, ArrayType]:
    """Return name, as it is written, and type of each resource that is used and not given.

    From the text: what parses a module may give resources other names. Raises ValueError for
    elements that cannot be drawn.
    """
    trailer = _TRAILER.search(text)
    given = set[str](_GIVEN.findall(trailer[0])) if trailer else set[str]()
    types: dict[str, ArrayType] = {}
    found: dict[str, ArrayType] = {}
    for name, type_ in _USED.findall(text):
        if name not in given:
            if type_ not in types:
                types[type_] = array_type(Parser(full_context(), type_).parse_attribute())
            found[name] = types[type_]
    return found


def fill_in(text: str, missing: dict[str, ArrayType], seed: int) -> str:
    """Give each missing resource random contents, which depend on its name and the seed alone."""
    if not missing:
        return text
    entries = ",\n".join(
        f'{name}: "{_ALIGNMENT}{_bytes(name, kind, seed).hex()}"' for name, kind in missing.items()
    )
    trailer = _TRAILER.search(text)
    builtin = _BUILTIN.search(trailer[0]) if trailer else None
    if trailer is None or builtin is None:
        body = text if trailer is None else text[: trailer.start()]
        return f"{body}\n{{-#\ndialect_resources: {{ builtin: {{\n{entries}\n}} }}\n#-}}\n"
    at = trailer.start() + builtin.end()
    is_empty = text[at:].lstrip().startswith("}")
    return f"{text[:at]}\n{entries}{'' if is_empty else ','}{text[at:]}"


def _bytes(name: str, kind: ArrayType, seed: int) -> bytes:
    # Not the first argument, which is no weight: those are scaled by their fan-in.
    _, weight = random_inputs([ArrayType((), kind.element), kind], seed ^ crc32(name.encode()))
    return weight.tobytes()
