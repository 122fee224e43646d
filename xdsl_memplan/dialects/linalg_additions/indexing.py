"""Indexing maps from a short notation: `"n f ow c kw : n c ow*s0+kw*d0, f c kw -> n f ow"`.

In front of the colon the loops in order, then one list of indices per input, and behind the
arrow the output. `s0` is the stride and `d0` the dilation of window dimension 0; a dot is a
scalar.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap


class Indexing(NamedTuple):
    """How the loops of an operation reach its operands."""

    maps: ArrayAttr[AffineMapAttr]
    iterators: ArrayAttr[IteratorTypeAttr]


@cache
def indexing_of(
    notation: str, strides: Sequence[int] = (), dilations: Sequence[int] = ()
) -> Indexing:
    """The maps, and the loops' kinds (`iterators_of`)."""
    loops_text, _, accesses = notation.partition(":")
    loops = {name: AffineDimExpr(i) for i, name in enumerate(loops_text.split())}
    factors = {f"s{i}": stride for i, stride in enumerate(strides)}
    factors |= {f"d{i}": dilation for i, dilation in enumerate(dilations)}

    def term(text: str) -> AffineExpr:
        name, _, factor = text.partition("*")
        return loops[name] * factors[factor] if factor else loops[name]

    def index(text: str) -> AffineExpr:
        first, *rest = [term(part) for part in text.split("+")]
        return sum(rest, start=first)

    inputs, _, output = accesses.partition("->")
    maps = [
        AffineMap(len(loops), 0, tuple(index(text) for text in access.split() if text != "."))
        for access in (*inputs.split(","), output)
    ]
    return Indexing(ArrayAttr(AffineMapAttr(map) for map in maps), iterators_of(maps[-1]))


def map_without(loops: int, dropped: Iterable[int]) -> AffineMap:
    """The map from so many loops to all of them but some, in their order."""
    left_out = set(dropped)
    kept = tuple(AffineDimExpr(loop) for loop in range(loops) if loop not in left_out)
    return AffineMap(loops, 0, kept)


def iterators_of(output: AffineMap) -> ArrayAttr[IteratorTypeAttr]:
    """The loops' kinds: one that does not reach the output is a reduction."""
    reached = output.used_dims()
    return ArrayAttr(
        IteratorTypeAttr.parallel() if i in reached else IteratorTypeAttr.reduction()
        for i in range(output.num_dims)
    )
