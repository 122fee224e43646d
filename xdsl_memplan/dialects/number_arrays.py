"""Lists of numbers as attributes, `array<i64: ...>`."""

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import I64, DenseArrayBase, i32, i64


def numbers(values: Sequence[int]) -> DenseArrayBase[I64]:
    """Return `array<i64: ...>`, made once: most offsets, sizes and strides come again and again."""
    return _numbers(tuple(values))


@lru_cache(maxsize=4096)
def _numbers(values: tuple[int, ...]) -> DenseArrayBase[I64]:
    return DenseArrayBase.from_list(i64, values)


@lru_cache(maxsize=64)
def slice_segments(offsets: int) -> DenseArrayBase:
    """Return how many operands a slice has of each kind: source, so many offsets, no others."""
    return DenseArrayBase.from_list(i32, (1, offsets, 0, 0))


@lru_cache(maxsize=64)
def insertion_segments(offsets: int) -> DenseArrayBase:
    """Return how many operands an insertion has: slice, destination, so many offsets, no others."""
    return DenseArrayBase.from_list(i32, (1, 1, offsets, 0, 0))
