"""A stock dialect with operations that it lacks."""

from collections.abc import Sequence

from xdsl.ir import Dialect, Operation


def with_operations(stock: Dialect, added: Sequence[type[Operation]]) -> Dialect:
    """Return the dialect ``stock`` with ``added``, but for what it has under that name."""
    operations = list(stock.operations)
    known = {op_class.name for op_class in operations}
    operations += [op_class for op_class in added if op_class.name not in known]
    return Dialect(stock.name, operations, list(stock.attributes))
