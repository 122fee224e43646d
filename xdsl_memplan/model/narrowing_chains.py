"""Chains of operations that end with a narrower result, such as the sums of a quantized layer.

A convolution of bytes adds up 32-bit sums, which the next operation turns into bytes again. Slice
by slice of one dimension (the features), only a slice of the sums exists at a time.
"""

from collections import Counter
from typing import NamedTuple

from xdsl_memplan.model.split_graph import Affine, Index, Reshape, SplitGraph, SplitOp

_LEAST_SLICE = 8
"""Indices of a slice: smaller ones leave vector units idle."""
_MOST_SLICES = 32


class ChainLink(NamedTuple):
    """An operation of a chain, and its loop that is sliced."""

    op: int
    along: int


class NarrowingChain(NamedTuple):
    """Operations in order; all but the last make a tensor that only the next one reads."""

    links: tuple[ChainLink, ...]
    size: int
    """Iterations of the loop in a slice."""


def narrowing_chains(graph: SplitGraph) -> list[NarrowingChain]:
    """Find the chains of a graph; no operation is in two. Linear in operations and operands."""
    maker = {tensor: number for number, op in enumerate(graph.ops) for tensor in op.results}
    uses = Counter(operand.tensor for op in graph.ops for operand in op.operands)
    taken: set[int] = set()
    chains: list[NarrowingChain] = []
    for number, op in enumerate(graph.ops):
        if not _may_be_linked(op) or op.view or "reduction" in op.iterators:
            continue
        width = graph.tensors[op.results[0]].element_bytes
        for dimension in reversed(range(len(op.result_access))):
            links = _links_back(graph, maker, uses, number, dimension, width)
            if links is None or any(link.op in taken for link in links):
                continue
            extent = op.loops[links[-1].along]
            size = max(_LEAST_SLICE, -(-extent // _MOST_SLICES))
            if size < extent:
                chains.append(NarrowingChain(tuple(links), size))
                taken.update(link.op for link in links)
                break
    return chains


def _links_back(
    graph: SplitGraph,
    maker: dict[int, int],
    uses: Counter[int],
    last: int,
    dimension: int,
    width: int,
) -> list[ChainLink] | None:
    """The chain that ends with operation `last`, sliced along a dimension of its result.

    None if what it reads is not wider, or if a slice of the sums needs all of what is added up.
    """
    along = graph.ops[last].result_access[dimension]
    if along is None:
        return None
    links = [ChainLink(last, along)]
    reads_less = False
    while True:
        number, along = links[0]
        op = graph.ops[number]
        found: ChainLink | None = None
        for operand in op.operands:
            data = graph.tensors[operand.tensor]
            before = maker.get(operand.tensor)
            of_loop = _dimension_along(op, operand.access, operand.shape, along)
            if "reduction" in op.iterators and of_loop is not None:
                reads_less = True
            if before is None or of_loop is None or data.element_bytes <= width:
                continue
            source = graph.ops[before]
            if (
                uses[operand.tensor] == 1
                and not data.returned
                and _may_be_linked(source)
                and source.layer == op.layer
            ):
                loop = source.result_access[of_loop]
                if loop is not None and found is None:
                    found = ChainLink(before, loop)
        if found is None:
            break
        links.insert(0, found)
    return links if len(links) > 1 and reads_less else None


def _may_be_linked(op: SplitOp) -> bool:
    return (
        op.splittable
        and len(op.results) == 1
        and not op.parts
        and all(isinstance(operand.access, Affine | Reshape) for operand in op.operands)
    )


def _dimension_along(op: SplitOp, access: object, shape: tuple[int, ...], along: int) -> int | None:
    """The dimension of an operand whose index is the loop `along`, if no other index has it."""
    match access:
        case Affine(indices):
            used = [d for d, index in enumerate(indices) if any(t[0] == along for t in index.terms)]
            if len(used) != 1:
                return None
            index = indices[used[0]]
            is_it = index == Index(((along, 1),))
            return used[0] if is_it and shape[used[0]] == op.loops[along] else None
        case Reshape(groups):
            for results, operands in groups:
                if along in results:
                    wide = [d for d in operands if shape[d] > 1]
                    is_it = [d for d in results if op.loops[d] > 1] == [along] and len(wide) == 1
                    return wide[0] if is_it else None
            return None
        case _:
            return None
