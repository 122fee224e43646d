"""A stock dialect with operations and attributes that it lacks."""

from collections.abc import Sequence
from typing import Any, TypeVar

from xdsl.ir import Attribute, Dialect, Operation

_Kind = TypeVar("_Kind", bound=type[Any])


def with_operations(stock: Dialect, added: Sequence[type[Operation]]) -> Dialect:
    """Return the dialect ``stock`` with ``added``, but for what it has under that name."""
    return Dialect(stock.name, _with(list(stock.operations), added), list(stock.attributes))


def with_attributes(stock: Dialect, added: Sequence[type[Attribute]]) -> Dialect:
    """Return the dialect ``stock`` with ``added``, but for what it has under that name."""
    return Dialect(stock.name, list(stock.operations), _with(list(stock.attributes), added))


def _with(known: list[_Kind], added: Sequence[_Kind]) -> list[_Kind]:
    names = {kind.name for kind in known}
    return [*known, *(kind for kind in added if kind.name not in names)]
