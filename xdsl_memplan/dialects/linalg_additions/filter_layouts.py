"""Convolutions that differ in nothing but the order of their filter's dimensions."""

from collections.abc import Sequence
from functools import cache

from xdsl.dialects.linalg.ops import Conv2DNhwc_FhwcOp
from xdsl.ir import Operation

from xdsl_memplan.dialects.linalg_additions.named_ops import NAMED_OPS

_FEATURES_FIRST = (3, 0, 1, 2)
"""The dimensions of a filter of windows, channels, features, with features first."""


def features_first(op: Operation) -> tuple[type[Operation], Sequence[int]] | None:
    """The operation that computes the same with features as the filter's first dimension.

    And that filter's dimensions as those of the filter of ``op``, its second operand: both have the
    same loops in the same order. None if MLIR has no such operation.
    """
    found = _with_features_first().get(op.name)
    return None if found is None else (found, _FEATURES_FIRST)


@cache
def _with_features_first() -> dict[str, type[Operation]]:
    """By the name of an operation with features last that with features first."""
    classes = {op_class.name: op_class for op_class in (Conv2DNhwc_FhwcOp, *NAMED_OPS)}
    return {
        f"linalg.conv_2d_nhwc_hwcf{kind}": classes[f"linalg.conv_2d_nhwc_fhwc{kind}"]
        for kind in ("", "_q")
    }
