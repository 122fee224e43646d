"""Why a layer needs so much room: the tensor of which a tile holds most, and what makes it."""

from collections.abc import Container, Iterator
from dataclasses import replace

from xdsl_memplan.analysis.location import describe_value
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.model.split_graph import Affine, Indirect, SplitGraph, SplitTensor
from xdsl_memplan.model.tiling_plan import GroupLayout, Span
from xdsl_memplan.scheduling.splitting import (
    LayerDoesNotFitError,
    SplitMachine,
    find_groups,
    lay_out,
)


def what_binds(
    split: FunctionSplitGraph, machine: SplitMachine, op: int, capacity: int
) -> str | None:
    """Name what takes most room where the layer that ends at ``op`` fits ``capacity`` bytes alone.

    The tensor, its bytes in a tile, and whether less would take as much room (alignment), elements
    are looked up in it, every tile needs it whole, it is added up (reduction), or tiles overlap
    (halo). None if it does not fit after all, and where what other layers make is fetched but
    arguments are read where they are.
    """
    layer = split.graph.ops[op].layer
    fetched = _made_by_others(split.graph, layer)
    if fetched and not machine.stages_arguments:
        return None
    graph = _alone(split.graph, layer, fetched)
    machine = replace(machine, capacity=capacity)
    try:
        [group], _ = find_groups(graph, machine, "traffic")
    except (LayerDoesNotFitError, ValueError):
        return None
    target = next((cut.op for cut in group.cuts if cut.kind == "result"), None)
    made = {graph.ops[-1].results[0] if target is None else target}
    last = next(i for i, one in enumerate(graph.ops) if made & set(one.results))
    cuts = [cut._replace(op=last) if cut.kind == "result" else cut for cut in group.cuts]
    layout = lay_out(graph, machine, last, cuts, group.residencies, is_sliced=group.is_sliced)
    elsewhere = {fetch.tensor for fetch in layout.fetches if fetch.kind == "streamed"}
    if not machine.stages_arguments:
        elsewhere |= {fetch.tensor for fetch in layout.fetches if fetch.kind == "resident"}
    rooms = [
        (_elements(layout, spans) * graph.tensors[tensor].element_bytes, -tensor)
        for tensor, spans in layout.tensors.items()
        if tensor not in elsewhere and graph.tensors[tensor].kind != "fill"
    ]
    # Of what is read through slices only these are on chip, not all in between.
    rooms = [found for found in rooms if found[0] <= capacity]
    if not rooms:
        return None
    room, tensor = max(rooms)
    tensor = -tensor
    if room <= machine.alignment:
        why = f", and no part of it would take less than the alignment, {machine.alignment}"
    else:
        why = next(_reasons(graph, layout, tensor), "")
    return f"{room} bytes of it are {describe_value(split.values[tensor])}{why}"


def _made_by_others(graph: SplitGraph, layer: int) -> set[int]:
    """The tensors that a layer reads and others make."""
    made = {tensor for op in graph.ops if op.layer != layer for tensor in op.results}
    return made & {one.tensor for op in graph.ops if op.layer == layer for one in op.operands}


def _alone(graph: SplitGraph, layer: int, fetched: Container[int]) -> SplitGraph:
    """One layer; what it makes and others read is returned, what is ``fetched`` is an argument."""
    ops = [op for op in graph.ops if op.layer == layer]
    outside = [op for op in graph.ops if op.layer != layer]
    read = {operand.tensor for op in outside for operand in op.operands}
    made = {tensor for op in ops for tensor in op.results}

    def of_one(number: int, tensor: SplitTensor) -> SplitTensor:
        if number in made:
            return replace(tensor, returned=tensor.returned or number in read)
        return replace(tensor, kind="argument") if number in fetched else tensor

    tensors = tuple(of_one(number, tensor) for number, tensor in enumerate(graph.tensors))
    return SplitGraph(tensors, tuple(replace(op, layer=0) for op in ops), graph.name)


def _elements(layout: GroupLayout, spans: tuple[Span, ...]) -> int:
    """Elements of a tensor on chip in the largest tile."""
    count = 1
    for span in spans:
        if not span.driven:
            count *= max(0, span.second - span.first)
            continue
        track = layout.tracks[span.first][span.second]
        sizes = (
            end - start + kept[1] - kept[0]
            for (start, end), kept in zip(
                track.new, map(track.overlap, range(len(track.new))), strict=True
            )
        )
        count *= max(sizes, default=0)
    return count


def _reasons(graph: SplitGraph, layout: GroupLayout, tensor: int) -> Iterator[str]:
    """Why a tile holds more than it computes, what weighs most first."""
    spans = layout.tensors[tensor]
    whole = {d for d, span in enumerate(spans) if not span.driven and span.second - span.first > 1}
    accesses = [
        (op, operand.access)
        for op in graph.ops
        for operand in op.operands
        if operand.tensor == tensor
    ]
    if any(isinstance(access, Indirect) for _, access in accesses):
        yield ", in which elements are looked up"
    indices = [
        (op, dimension, [loop for loop, _ in index.terms])
        for op, access in accesses
        if isinstance(access, Affine)
        for dimension, index in enumerate(access.indices)
    ]
    is_outside = not any(tensor in op.results for op in graph.ops)
    if is_outside and len(whole) == sum(extent > 1 for extent in graph.tensors[tensor].shape):
        yield ", which every tile needs whole"
    if any(
        dimension in whole and len(loops) == 1 and op.iterators[loops[0]] == "reduction"
        for op, dimension, loops in indices
    ):
        yield ", which a tile adds up (reduction)"
    if any(len(loops) > 1 for _, _, loops in indices):
        yield ", of which tiles overlap (halo)"
