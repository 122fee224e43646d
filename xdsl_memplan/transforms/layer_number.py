"""The number of the layer that an operation is in."""

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from xdsl_memplan.analysis.split_graph import LAYER


def layer_of(op: Operation) -> int:
    """Return the number of an operation's layer; -1 if it has none."""
    number = op.attributes.get(LAYER)
    return number.value.data if isinstance(number, IntegerAttr) else -1
