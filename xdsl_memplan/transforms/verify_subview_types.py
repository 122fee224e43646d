"""The part of `memplan-verify` that compares what a subview takes with the type that it says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op


@dataclass(frozen=True)
class _Dimension:
    """Elements along a dimension, and how far one is from the next; None where not known."""

    size: int | None
    stride: int | None

    def may_be(self, other: "_Dimension") -> bool:
        return _may_be(self.size, other.size) and _may_be(self.stride, other.stride)


def check_subview_type(op: memref.SubviewOp) -> None:
    """Check that a subview has the type of its region, or of that without some dimensions of 1.

    Sizes, strides and offset are compared as far as they are known; other layouts than strided ones
    are not looked at. Linear in the dimensions. xDSL does not check this, and who reads the result
    would go by its type. Raises PassFailedException with what differs.
    """
    source = cast(MemRefType[Attribute], op.source.type)
    result = op.result.type
    of_source, of_result = source.get_strides(), result.get_strides()
    if of_source is None or of_result is None:
        return
    numbers = (op.static_offsets, op.static_sizes, op.static_strides)
    offsets, sizes, steps = (list(map(_known, n.get_values())) for n in numbers)
    strides = [_product(a, b) for a, b in zip(of_source, steps, strict=True)]
    taken = list(map(_Dimension, sizes, strides))
    said = list(map(_Dimension, map(_known, result.get_shape()), of_result))
    if not _is_same(taken, said):
        raise PassFailedException(
            f"{describe_op(op)}: takes {_described(taken)}, and says that it is {_described(said)}"
        )
    start = _offset(source)
    for offset, stride in zip(offsets, of_source, strict=True):
        step = _product(offset, stride)
        start = None if start is None or step is None else start + step
    if not _may_be(start, _offset(result)):
        raise PassFailedException(
            f"{describe_op(op)}: begins at element {start}, and says that it does at "
            f"{_offset(result)}"
        )


def _is_same(taken: Sequence[_Dimension], said: Sequence[_Dimension]) -> bool:
    """Tell whether dimensions are the same, but for some of one element that are left out."""
    rest = list(said)
    for dimension in taken:
        if rest and dimension.may_be(rest[0]):
            rest.pop(0)
        elif not _may_be(dimension.size, 1):
            return False
    return not rest


def _offset(type_: MemRefType[Attribute]) -> int | None:
    layout = type_.layout
    if isinstance(layout, NoneAttr):
        return 0
    return layout.get_offset()


def _known(number: int) -> int | None:
    return None if number == DYNAMIC_INDEX else number


def _may_be(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one == other


def _product(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one * other


def _described(dimensions: Sequence[_Dimension]) -> str:
    def text(number: int | None) -> str:
        return "?" if number is None else str(number)

    sizes = "x".join(text(dimension.size) for dimension in dimensions)
    strides = ", ".join(text(dimension.stride) for dimension in dimensions)
    return f"{sizes} with strides [{strides}]"
