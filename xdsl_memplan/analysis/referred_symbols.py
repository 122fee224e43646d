"""Symbols that attributes refer to."""

from functools import cache

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation


def referred_symbols(op: Operation) -> list[str]:
    """Return the names that the attributes and properties of an operation refer to."""
    attributes = (*op.attributes.values(), *op.properties.values())
    return [name for attribute in attributes for name in _symbols(attribute)]


@cache  # Asked of every attribute, and isinstance is slow where a class has an ABC.
def _may_refer(kind: type[Attribute]) -> bool:
    return issubclass(kind, SymbolRefAttr | ArrayAttr | DictionaryAttr)


def _symbols(attribute: Attribute) -> list[str]:
    if not _may_refer(type(attribute)):
        return []
    match attribute:
        case SymbolRefAttr():
            return [attribute.string_value()]
        case ArrayAttr():
            return [name for entry in attribute.data for name in _symbols(entry)]
        case DictionaryAttr():
            return [name for entry in attribute.data.values() for name in _symbols(entry)]
        case _:
            return []
