"""Random arguments that keep the numbers of a network in range."""

import math
from collections.abc import Sequence

import numpy as np

from xdsl_memplan.native.values import FLOATS, Array, ArrayType

INTEGERS_BELOW = 16
"""Bound of random integers, which may be indices into tables."""

_LARGEST_BYTE = 0x60
"""Formats of 8 bits hold finite numbers below, whatever their exponent."""


def random_inputs(
    types: Sequence[ArrayType], seed: int, integers_below: int = INTEGERS_BELOW
) -> list[Array]:
    """Draw one array for each type; a scalar is an array without dimensions.

    Integers of 2 to 8 bits are quantized values and take their full signed range; wider ones, which
    may be indices, are from 0 up to below the bound. Float vectors, which are biases, scales and
    variances, are positive; what has more dimensions, but for the first argument, is divided by the
    square root of its fan-in.
    """
    generator = np.random.default_rng(seed)
    return [
        np.ascontiguousarray(_draw(generator, kind, integers_below, first=number == 0)).reshape(
            kind.shape
        )
        for number, kind in enumerate(types)
    ]


def _draw(
    generator: np.random.Generator, kind: ArrayType, integers_below: int, *, first: bool
) -> Array:
    if kind.is_integer:
        low, high = 0, integers_below
        if kind.bits == 1:
            high = 2
        elif kind.bits <= 8:
            high = 1 << (kind.bits - 1)
            low = -high
        return np.asarray(generator.integers(low, high, kind.shape), kind.storage)
    if kind.element.startswith("f8"):
        magnitudes = generator.integers(1, _LARGEST_BYTE, kind.shape)
        signs = generator.integers(0, 2, kind.shape) << 7
        return np.asarray(magnitudes | signs, kind.storage)
    values = np.asarray(generator.standard_normal(kind.shape), np.float32)
    if len(kind.shape) == 1:
        values = np.abs(values) + np.float32(0.5)
    elif not first and kind.shape:
        values = values * np.float32(1.2 / math.sqrt(max(1, math.prod(kind.shape[1:]))))
    if kind.element in FLOATS:
        return np.asarray(values, dtype=kind.storage)
    return np.asarray(values.view(np.uint32) >> 16, np.uint16)
