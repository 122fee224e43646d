"""The boxes of a group's tiles, from what its attributes say."""

from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp, GroupYieldOp
from xdsl_memplan.model.tiling_plan import GroupLayout, LoopCut
from xdsl_memplan.scheduling.splitting import SplitMachine, lay_out


@dataclass(frozen=True)
class LaidOutGroup:
    """A group, and the boxes of its tiles."""

    split: FunctionSplitGraph
    cuts: list[LoopCut]
    layout: GroupLayout
    position: dict[SSAValue, int]
    """Of each value of the split graph."""
    yielded: list[int]
    """Positions of what the group hands on."""
    homes: dict[int, str | None]
    """For each of these the memory that it is stored to; None: it stays on chip."""


def laid_out(
    group: GroupOp, split: FunctionSplitGraph | None = None, *, is_staged: bool = False
) -> LaidOutGroup:
    """Find the boxes of a group's tiles; nothing changes.

    ``split`` is the group's split graph, if it is known. Moves are counted if anything moves, or
    with ``is_staged``.

    Raises PassFailedException for cuts that do not fit.
    """
    split = FunctionSplitGraph.of_group(group) if split is None else split
    terminator = group.body.block.last_op
    assert isinstance(terminator, GroupYieldOp)
    position = {value: number for number, value in enumerate(split.values)}
    yielded = [position[value] for value in terminator.values]
    target = max(
        (i for i, op in enumerate(split.graph.ops) if set(op.results) & set(yielded)), default=0
    )
    residencies = [
        residency.residency(position[value])
        for value, residency in zip(group.inputs, group.residencies, strict=True)
        if value in position
    ]
    homes = {
        tensor: None if home.data == ON_CHIP else home.data
        for tensor, home in zip(yielded, group.homes, strict=True)
    }
    staged = (
        is_staged
        or any(home is not None for home in homes.values())
        or any(residency.kind != "resident" for residency in residencies)
    )
    body = list(group.body.block.ops)
    cuts = [
        cut._replace(op=split.operations.index(body[cut.op]))
        for cut in (attribute.cut for attribute in group.cuts)
    ]
    target = next((cut.op for cut in cuts if cut.kind == "result"), target)
    try:
        machine = SplitMachine(None, is_staged=staged, stages_arguments=staged)
        layout = lay_out(
            split.graph,
            machine,
            target,
            cuts,
            residencies,
            is_sliced=group.sliced is not None,
        )
    except ValueError as error:
        raise PassFailedException(f"memplan-expand-groups: {error}") from error
    made = {result for op in split.graph.ops for result in op.results}
    if any(tensor in made and tensor not in layout.tensors for tensor in yielded):
        name = split.operations[target].name
        raise PassFailedException(
            f"memplan-expand-groups: the result of {name} is cut, and a result of the group is not "
            "computed with it; cut the operation that makes the last result"
        )
    return LaidOutGroup(split, cuts, layout, position, yielded, homes)
