"""Integers as they come from callers: taken whole into 64 bits, or refused with place and value.

NumPy would cut 1.9 down to 1 and wrap 2^63 around to a negative number; a buffer that is a little
too small shares its last bytes with another one.
"""

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Int64Array = NDArray[np.int64]

_LEAST, _MOST = -(2**63), 2**63 - 1
_BOOLEANS = (bool, np.bool_)


def int64_array(values: Any, what: str) -> Int64Array:
    """Return integers as an array of shape (n,); an int64 array is returned as it is.

    Complexity: O(n), O(1) for an int64 array.

    Raises ValueError that names ``what``, the index and the value, for anything but integers of 64
    bits in one dimension.
    """
    array = _array(values, what)
    if array.ndim != 1:
        raise ValueError(f"{what} has the shape {array.shape}, not (n,)")
    return _as_int64(array, values, what)


def int64_pairs(values: Any, what: str) -> Int64Array:
    """Return pairs of integers as an array of shape (m, 2); an int64 array is returned as it is.

    Raises ValueError that names ``what``, the index and the value, for anything else.
    """
    array = _array(values, what)
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{what} has the shape {array.shape}, not (m, 2)")
    return _as_int64(array, values, what)


def integer_rows(values: Iterable[Sequence[Any]], what: str, width: int) -> list[tuple[int, ...]]:
    """Return rows of ``width`` integers each, as tuples.

    Raises ValueError that names ``what``, the index and the value, for anything else.
    """
    rows = list(values)
    try:
        array = np.array(rows)
    except ValueError:
        array = None  # of different lengths
    is_plain = array is not None and array.dtype == np.int64 and array.shape == (len(rows), width)
    if array is not None and is_plain and not _hides_booleans(rows):
        return [tuple(row) for row in array.tolist()]
    for i, row in enumerate(rows):
        if not hasattr(row, "__len__") or len(row) != width or isinstance(row, str):
            raise ValueError(f"{what}[{i}] is {row!r}, not {width} integers")
    return [
        tuple(checked_integer(value, f"{what}[{i}][{j}]") for j, value in enumerate(row))
        for i, row in enumerate(rows)
    ]


def checked_integer(value: Any, what: str, least: int = _LEAST, most: int = _MOST) -> int:
    """Return an integer from ``least`` to ``most``.

    Raises ValueError that names ``what`` and the value, for anything else.
    """
    if isinstance(value, bool | np.bool_):
        raise ValueError(f"{what} is {value}, not an integer")
    try:
        whole = index(value)
    except TypeError:
        raise ValueError(f"{what} is {value!r}, not an integer") from None
    if not least <= whole <= most:
        raise ValueError(f"{what} is {whole}, not in {least} .. {most}")
    return whole


def _array(values: Any, what: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{what} has rows of different lengths") from None


def _hides_booleans(values: Any) -> bool:
    """Tell whether a list, or one in it, has booleans: NumPy makes 0 and 1 of them."""
    if not isinstance(values, list | tuple):
        return False
    listed = cast("Sequence[Any]", values)
    kinds = set(map(type, listed))
    return not kinds.isdisjoint(_BOOLEANS) or (
        not kinds.isdisjoint((list, tuple)) and any(map(_hides_booleans, listed))
    )


def _as_int64(array: NDArray[Any], values: Any, what: str) -> Int64Array:
    if array.size == 0:
        return array.astype(np.int64, copy=False)
    mixed = _hides_booleans(values)
    if array.dtype == np.int64 and not mixed:
        return array
    if array.dtype.kind in "iu" and int(array.max()) <= _MOST and not mixed:
        return array.astype(np.int64)
    # A list is read value by value, as NumPy makes floats of integers that do not fit together.
    exact = np.array(values, dtype=object) if array.dtype.kind == "f" or mixed else array
    if isinstance(values, np.ndarray):
        exact = array
    taken = np.empty(array.shape, dtype=np.int64)
    for place in np.ndindex(array.shape):
        where = "".join(f"[{i}]" for i in place)
        taken[place] = checked_integer(exact[place], what + where)
    return taken
