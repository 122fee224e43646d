"""Splitting in the Rust core: which layers go together, how they are cut, what each tile reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from xdsl_memplan import _idealloc
from xdsl_memplan.model.narrowing_chains import NarrowingChain, narrowing_chains
from xdsl_memplan.model.overlapping_slices import has_overlapping_slices
from xdsl_memplan.model.split_graph import SplitGraph, positions_in_order
from xdsl_memplan.model.tiling_plan import (
    Fetch,
    GroupCost,
    GroupLayout,
    LayerGroup,
    LoopCut,
    Residency,
    Span,
    Track,
)

Objective: TypeAlias = Literal["traffic", "peak"]
"""What groups are searched for: fewest bytes moved, or least room."""

_Misfit: TypeAlias = tuple[int, int | None, int | None]
_Answer: TypeAlias = tuple[tuple[list[Any], list[int]] | None, _Misfit | None]


@dataclass(frozen=True)
class SplitMachine:
    """The memory and what moves cost."""

    capacity: int | None
    """Bytes on chip; None: no limit."""
    alignment: int = 64
    """Of each buffer, in bytes."""
    is_staged: bool = False
    """Whether tensors between groups live off chip; otherwise they stay on chip."""
    stages_arguments: bool = False
    """Whether arguments are fetched too; otherwise they are read where they are."""
    max_recompute: float = 1.1
    """A group may do this many times the multiply-adds that are needed."""
    transfer_bytes: int = 64
    """Bytes that one move counts for besides its own."""
    code_bytes: int = 0
    """Bytes that one more operation in the code counts for."""
    most_code: int = 0
    """Operators in the code at the most, if some bytes can buy that; 0: no limit. By traffic it
    counts only where code has a price."""
    most_operations: int = 0
    """Operations of the IR that these are written down in at the most, bodies included, likewise;
    they are counted before tiles are there, mostly a little too many; 0: no limit."""


class LayerDoesNotFitError(Exception):
    """A layer takes more room than there is, however it is cut.

    ``op`` is the operation whose result the layer hands on, ``smallest_bytes`` about the least
    capacity that would do for this layer, ``smallest_for_all`` that for all layers; None
    where no cut helps.
    """

    def __init__(
        self, op: int, smallest_bytes: int | None = None, smallest_for_all: int | None = None
    ) -> None:
        super().__init__(op, smallest_bytes, smallest_for_all)
        self.op = op
        self.smallest_bytes = smallest_bytes
        self.smallest_for_all = smallest_for_all


def find_groups(
    graph: SplitGraph,
    machine: SplitMachine,
    objective: Objective,
    threads: int = 1,
) -> tuple[list[LayerGroup], list[int]]:
    """Find the groups of least traffic within the capacity, or of least peak, in the graph's order.

    Layers of the graph must be numbered. The number of threads does not change the result.

    Returns the groups, and for each tensor the argument that it is computed from element by element
    (else itself): every group makes such tensors again.

    Raises LayerDoesNotFitError if a layer does not fit however it is cut, and
    `xdsl_memplan.scheduling.errors.InvalidGraphError` and its siblings.
    """
    _, groups, stands_for = find_order_and_groups(graph, machine, objective, threads, order="keep")
    return groups, stands_for


def find_order_and_groups(
    graph: SplitGraph,
    machine: SplitMachine,
    objective: Objective,
    threads: int = 1,
    *,
    order: Literal["keep", "optimize", "thorough"] = "optimize",
) -> tuple[list[int], list[LayerGroup], list[int]]:
    """Find the same in the best of several orders of the layers.

    With ``optimize`` other orders are tried as long as that takes little time, with ``thorough``
    whatever time it takes, with ``keep`` not at all.

    Returns the numbers of all layers in their order, which is the graph's unless another is better,
    and what `find_groups` does, of the graph in that order: in another than its own layers are
    numbered anew, from 0, and operations by `positions_in_order`.

    Raises as `find_groups`.
    """
    slices = _slices(narrowing_chains(graph))
    fields = _machine_for(graph, machine)
    computed, answer = _idealloc.split_groups(graph, slices, fields, objective, order, threads)
    groups, stands_for = _found(answer)
    layers = list(dict.fromkeys(op.layer for op in graph.ops))
    if computed == sorted(computed):
        return layers, groups, stands_for
    # What is computed from arguments wherever it is needed has no place in the search.
    is_computed = set(computed)
    layers = [*(layer for layer in layers if layer not in is_computed), *computed]
    places = {layer: place for place, layer in enumerate(layers)}
    new = {old: position for position, old in enumerate(positions_in_order(graph, layers))}
    moved = [
        group._replace(
            first_layer=places[group.first_layer],
            last_layer=places[group.last_layer],
            cuts=tuple(
                cut._replace(op=new[cut.op]) if cut.kind == "sum" else cut for cut in group.cuts
            ),
        )
        for group in groups
    ]
    return layers, moved, stands_for


class GivenCut(NamedTuple):
    """A dimension of a group's result, cut into parts."""

    dim: int
    parts: int
    cached: bool
    """Whether a tile keeps what the next one needs again; otherwise it is computed again."""


@dataclass(frozen=True)
class GivenGroup:
    """Layers that go together, and how they may be cut: the first way that fits is taken."""

    first_layer: int
    last_layer: int
    ways: tuple[tuple[GivenCut, ...], ...]
    """Outermost cut first; a way without cuts computes the group whole."""


def lay_out_groups(
    graph: SplitGraph, machine: SplitMachine, groups: Sequence[GivenGroup]
) -> tuple[list[LayerGroup], list[int]]:
    """Lay out groups that somebody else chose, which follow one another through all layers.

    How tensors come to the chip is decided as in `find_groups`, and which results stay there for
    the next group. Returns and raises as `find_groups`: a group that fits in no way does not fit.
    """
    given = [
        (g.first_layer, g.last_layer, [[(c.dim, c.parts, c.cached) for c in way] for way in g.ways])
        for g in groups
    ]
    slices = _slices(narrowing_chains(graph))
    answer = _idealloc.split_given(graph, slices, _machine_for(graph, machine), given)
    return _found(answer)


def _found(answer: _Answer) -> tuple[list[LayerGroup], list[int]]:
    """Groups and what tensors stand for; raises LayerDoesNotFitError."""
    found, misfit = answer
    if found is None:
        raise LayerDoesNotFitError(*(misfit or (0, None, None)))
    groups, stands_for = found
    return [
        LayerGroup(
            first,
            last,
            tuple(LoopCut(*cut) for cut in cuts),
            starts,
            ends,
            tuple(Residency(*residency) for residency in residencies),
            GroupCost(*cost),
            is_sliced,
            tuple(joined),
        )
        for first, last, cuts, starts, ends, residencies, cost, is_sliced, joined in groups
    ], stands_for


def lay_out(
    graph: SplitGraph,
    machine: SplitMachine,
    target: int,
    cuts: Sequence[LoopCut],
    residencies: Sequence[Residency],
    *,
    is_sliced: bool = False,
) -> GroupLayout:
    """Lay a graph out as one group whose operation ``target`` is cut: the boxes of every tile.

    With ``is_sliced`` chains that narrow run slice by slice where they can.

    Raises InvalidOptionError for cuts that do not fit.
    """
    chains = narrowing_chains(graph)
    sequence, loops, tensors, tracks, fetches, cost, code, operations, sliced, over = (
        _idealloc.split_layout(
            _with_ascending_layers(graph),
            _slices(chains),
            _machine(machine),
            target,
            list(cuts),
            [(r.tensor, r.kind, r.slices) for r in residencies],
            is_sliced,
        )
    )
    spans = [tuple(Span(*span) for span in ranges) for ranges in loops]
    return GroupLayout(
        tuple(sequence),
        {op: ranges for (op, _), ranges in zip(sequence, spans, strict=True)},
        {tensor: tuple(Span(*span) for span in ranges) for tensor, ranges in tensors},
        tuple(tuple(Track(tuple(new), tuple(keep)) for new, keep in cut) for cut in tracks),
        tuple(Fetch(*fetch) for fetch in fetches),
        GroupCost(*cost),
        code,
        operations,
        tuple(chains[number] for number in sliced),
        tuple(over),
    )


def _with_ascending_layers(graph: SplitGraph) -> SplitGraph:
    """The same graph, as one layer if its layers are not numbered one after another."""
    layers = [op.layer for op in graph.ops]
    if layers == sorted(layers) and min(layers, default=0) >= 0:
        return graph
    return replace(graph, ops=tuple(replace(op, layer=0) for op in graph.ops))


def _machine_for(graph: SplitGraph, machine: SplitMachine) -> dict[str, Any]:
    """The machine that groups of a graph are looked for on: slices may be joined if any overlap."""
    joins_slices = machine.is_staged and has_overlapping_slices(graph)
    return {**_machine(machine), "joins_slices": joins_slices}


def _machine(machine: SplitMachine) -> dict[str, Any]:
    return {
        "capacity": machine.capacity,
        "alignment": machine.alignment,
        "is_staged": machine.is_staged,
        "stages_arguments": machine.stages_arguments,
        "joins_slices": False,
        "max_recompute": machine.max_recompute,
        "transfer_bytes": machine.transfer_bytes,
        "code_bytes": machine.code_bytes,
        "most_code": machine.most_code,
        "most_operations": machine.most_operations,
    }


def _slices(chains: Sequence[NarrowingChain]) -> dict[int, tuple[int, int, int, bool]]:
    """By operation of a chain: the chain, the loop that is sliced, its slice, and if it is last."""
    return {
        link.op: (number, link.along, chain.size, link is chain.links[-1])
        for number, chain in enumerate(chains)
        for link in chain.links
    }
