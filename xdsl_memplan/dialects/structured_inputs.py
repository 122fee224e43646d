"""How many operands of a structured operation are inputs."""

from typing import cast

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Operation

from xdsl_memplan.dialects.xdsl_versions import LinalgStructuredOperation


def input_count(op: Operation) -> int:
    """Count the inputs of a structured operation of `linalg`; the outputs come after them.

    As ``len(op.inputs)``, which takes ten times as long.
    """
    results = len(op.results)
    if results:
        return len(op.operands) - results  # On tensors there is one result for each output.
    sizes = op.properties.get("operandSegmentSizes")
    if isinstance(sizes, DenseArrayBase):
        return sizes.get_values()[0]
    return len(cast("LinalgStructuredOperation", op).inputs)
