"""A group that concatenates tensors of a bundle, as if they were one tensor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue

from xdsl_memplan.model.split_graph import SplitGraph, SplitOp, SplitOperand, SplitTensor
from xdsl_memplan.model.tiling_plan import GroupLayout
from xdsl_memplan.transforms.expand_groups.borders import border_of
from xdsl_memplan.transforms.expand_groups.bundles import BundlePlace, runs_side_by_side
from xdsl_memplan.transforms.expand_groups.look_alikes import kept_track


@dataclass(frozen=True)
class MergedParts:
    """A group in which runs of tensors that are concatenated are one operand each."""

    graph: SplitGraph
    layout: GroupLayout
    """Without the tensors that are no operands any more."""
    places: Mapping[int, BundlePlace]
    """Where the new operands lie: numbers of tensors behind those that were there."""


def merge_parts(
    graph: SplitGraph,
    layout: GroupLayout,
    operations: Sequence[Operation],
    values: Sequence[SSAValue],
    places: Mapping[int, BundlePlace],
) -> MergedParts:
    """Merge what lies side by side and is fetched for the concatenation alone, tile by tile.

    As many bytes move as before, in fewer moves. O(operations of the group).
    """
    level = dict(layout.sequence)
    fetches = {fetch.tensor: fetch for fetch in layout.fetches}
    readers: dict[int, list[int]] = {}
    for number, _ in layout.sequence:
        for operand in graph.ops[number].operands:
            readers.setdefault(operand.tensor, []).append(number)
    tensors, ops = list(graph.tensors), list(graph.ops)
    merged: dict[int, BundlePlace] = {}
    gone: set[int] = set()
    for number in level:
        ir, op = operations[number], ops[number]
        if not isinstance(ir, tensor.ConcatOp):
            continue

        def place_of(value: SSAValue, number: int = number) -> BundlePlace | None:
            part = next((t for t in places if values[t] is value), None)
            if part is None or readers[part] != [number]:
                return None
            if kept_track(layout, part) is not None or border_of(layout, part) is not None:
                return None
            fetch = fetches.get(part)
            if fetch is None or fetch.kind not in ("fetched", "kept"):
                return None
            fetched_at = fetch.level if fetch.kind == "fetched" else level[number]
            is_tiled = fetched_at == level[number] and (
                fetch.kind == "fetched" or _comes_once(layout, part, fetched_at)
            )
            return places[part] if is_tiled else None

        along = ir.dim.value.data
        parts = [values[operand.tensor] for operand in op.operands]
        operands = list(op.operands)
        for first, end in reversed(runs_side_by_side(parts, along, place_of)):
            run = operands[first:end]
            gone |= {operand.tensor for operand in run}
            merged[len(tensors)] = places[run[0].tensor]
            operands[first:end] = [_one(run, along, len(tensors))]
            tensors.append(_named(operands[first], tensors[run[0].tensor]))
        ops[number] = _with_operands(op, operands)
    return MergedParts(
        replace(graph, tensors=tuple(tensors), ops=tuple(ops)),
        replace(
            layout,
            tensors={k: v for k, v in layout.tensors.items() if k not in gone},
            fetches=tuple(fetch for fetch in layout.fetches if fetch.tensor not in gone),
        ),
        merged,
    )


def _comes_once(layout: GroupLayout, tensor: int, level: int) -> bool:
    """Tell whether tiles inside of `level` cuts need every element of a tensor in one tile only.

    Then it may come tile by tile as well as all at once.
    """
    for cut in range(level):
        driven = [
            layout.tracks[cut][span.second].new
            for span in layout.tensors[tensor]
            if span.driven and span.first == cut
        ]
        if not driven and layout.tiles(cut) > 1:
            return False
        for ranges in driven:
            busy = [(start, stop) for start, stop in ranges if start < stop]
            if any(after[0] < before[1] for before, after in pairwise(busy)):
                return False
    return True


def _one(run: Sequence[SplitOperand], along: int, number: int) -> SplitOperand:
    """All of a run as one operand, which begins where the first does."""
    shape = list(run[0].shape)
    shape[along] = sum(operand.shape[along] for operand in run)
    return replace(run[0], tensor=number, shape=tuple(shape))


def _named(operand: SplitOperand, first: SplitTensor) -> SplitTensor:
    return replace(first, shape=operand.shape)


def _with_operands(op: SplitOp, operands: Sequence[SplitOperand]) -> SplitOp:
    count = len(operands)
    return replace(op, operands=tuple(operands), parts=tuple(range(count)), in_place=())
