"""A context that reads whatever the installed packages know, as the stock xdsl-opt does."""

from collections.abc import Callable, Mapping
from functools import cache

from xdsl.context import Context
from xdsl.ir import Dialect
from xdsl.universe import Universe


def full_context(*, allow_unregistered: bool = False) -> Context:
    """Return a context with every installed dialect; each is loaded when it is first needed."""
    context = Context(allow_unregistered=allow_unregistered)
    for name, factory in _dialects().items():
        context.register_dialect(name, factory)
    return context


@cache
def _dialects() -> Mapping[str, Callable[[], Dialect]]:
    """Those of all installed packages, which are looked for once."""
    return Universe.get_multiverse().all_dialects
