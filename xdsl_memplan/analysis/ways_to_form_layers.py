"""Whether a module has what layers may be formed of in two ways.

These are long norms, turned operands, and products that are computed again.
"""

from collections.abc import Callable
from math import prod
from typing import cast

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import ConcatOp, InsertSliceOp
from xdsl.ir import Attribute, Operation, SSAValue

from xdsl_memplan.analysis.cheap_makers import SHORTEST_SUM, cheap_makers
from xdsl_memplan.analysis.layers import has_longer_norm, has_turned
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.analysis.storage_type import is_static_tensor
from xdsl_memplan.analysis.trait_answers import check_answers
from xdsl_memplan.dialects.memref_size import element_size_bytes
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of
from xdsl_memplan.model.split_graph import SplitGraph

_PUTS_TOGETHER = (ConcatOp, InsertSliceOp)


def has_long_norm(module: ModuleOp, longest_bytes: int) -> bool:
    """Tell whether an operation reduces more than so many bytes to one element.

    Linear. Where the types of a function tell that none does its graph is not made.
    """
    return _has(
        module,
        lambda op: _may_reduce(op, longest_bytes),
        lambda graph: has_longer_norm(graph, longest_bytes),
    )


def has_turned_operand(module: ModuleOp) -> bool:
    """Tell whether a contraction reads what is made of a tensor and of its elements moved.

    Linear. Where nothing is put together of parts no graph is made.
    """
    return _has(module, lambda op: isinstance(op, _PUTS_TOGETHER), has_turned)


def has_cheap_maker(module: ModuleOp) -> bool:
    """Tell whether something is worth computing again for each reader.

    Linear. Where the types of a function tell that no sum is long enough its graph is not made.
    """
    return _has(module, _may_be_long_sum, lambda graph: bool(cheap_makers(graph)))


def _has(
    module: ModuleOp,
    may_have: Callable[[Operation], bool],
    has: Callable[[SplitGraph], bool],
) -> bool:
    """Tell whether the graph of a function has something that one of its operations may have."""
    for op in operations_in(module):
        if isinstance(op, FuncOp) and any(map(may_have, operations_in(op))):
            try:
                graph = FunctionSplitGraph.of(op).graph
            except ValueError:
                continue
            if has(graph):
                return True
    return False


def _may_reduce(op: Operation, least_bytes: int) -> bool:
    """Tell from the types alone whether an operation may reduce more bytes to one element."""
    made = [_elements(result) for result in op.results]
    fewest = min((count for count in made if count), default=0)
    return fewest > 0 and any(
        _elements(value) // fewest * _element_bytes(value) > least_bytes for value in op.operands
    )


def _may_be_long_sum(op: Operation) -> bool:
    """Tell whether an operation is no product, and may add up so many that products wait for it."""
    if not _may_reduce(op, SHORTEST_SUM - 1):
        return False
    check_answers(op)
    rule = tiling_rule_of(op)
    return rule is None or not rule.work_per_point


def _elements(value: SSAValue) -> int:
    if not is_static_tensor(value):
        return 0
    return prod(cast(TensorType[Attribute], value.type).get_shape())


def _element_bytes(value: SSAValue) -> int:
    type_ = value.type
    if not isinstance(type_, TensorType):
        return 0
    return element_size_bytes(cast(TensorType[Attribute], type_).element_type) or 0
