"""Tensors that may stay on chip from group to group: what that saves, and which room it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, SSAValue

from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp, ResidencyAttr
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.queries import shown_by
from xdsl_memplan.model.tiling_plan import GroupCost, Residency
from xdsl_memplan.transforms.expand_groups.laid_out_group import laid_out
from xdsl_memplan.transforms.group_reads import GroupReads, is_on_chip, is_only_read

_RESIDENT = Residency(0, "resident", 1)


class KeptTensor(NamedTuple):
    """A tensor that stays on chip up to a group, and what comes of that."""

    value: SSAValue
    reads: GroupReads
    readers: tuple[GroupOp, ...]
    """The groups that read it on chip, in their order."""
    saved: int
    """Bytes that are not moved."""
    room: dict[int, int]
    """By the number of a group: the bytes that it needs more, below 0 if it needs less."""
    moves: dict[GroupOp, tuple[int, int]]
    """Of those readers whose tiles move less: by how many bytes and moves more, below 0."""
    is_stored: bool
    """Whether it is stored all the same, for others."""

    @property
    def worth(self) -> float:
        """Bytes saved for the bytes that it takes of the memory, times groups."""
        return self.saved / max(1, sum(self.room.values()))


@dataclass
class GroupsWithRoom:
    """The groups of a block, and the bytes that each leaves free."""

    block: Block
    capacity: int
    alignment: int

    def __post_init__(self) -> None:
        self.groups = [op for op in self.block.ops if isinstance(op, GroupOp)]
        self._number = {group: number for number, group in enumerate(self.groups)}
        self._laid_out: dict[GroupOp, _Layouts] = {}

    def tensors(self) -> list[SSAValue]:
        """List what groups read that another made, or that was there before: each tensor once."""
        read = dict.fromkeys(shown_by(value) for group in self.groups for value in group.inputs)
        return [value for value in read if isinstance(value.owner, Block | GroupOp | ConstantOp)]

    def best_of(self, value: SSAValue) -> KeptTensor | None:
        """How far a tensor is best kept; None if that saves nothing, or has no room.

        As many layouts as groups read it.
        """
        size = size_bytes(value.type)
        if not is_tensor(value.type) or not size or not is_only_read(value):
            return None
        reads = GroupReads.of(value, self.block)
        readers = sorted(reads.by_group, key=self._number.__getitem__)
        aligned = -(-size // self.alignment) * self.alignment
        best: KeptTensor | None = None
        room: dict[int, int] = {}
        moves: dict[GroupOp, tuple[int, int]] = {}
        saved = 0
        if isinstance(value.owner, GroupOp):
            there = self._number[value.owner]
            room[there] = _room_in(value.owner, value, aligned)
        elif len(readers) > 1:
            there = self._number[readers[0]] - 1
            saved = -size
        else:
            return None
        for count, reader in enumerate(readers, 1):
            number = self._number[reader]
            room.update(dict.fromkeys(range(there + 1, number), aligned))
            if not self._has(room):
                break
            values = reads.by_group[reader]
            fetched = [v for v in values if not is_on_chip(reader, v)]
            # Where it is on chip already its room may be counted up to where it is read.
            room[number] = 0 if len(fetched) < len(values) and count == len(readers) else aligned
            if fetched:
                before, after = self._cost_of(reader), self._cost_of(reader, fetched)
                room[number] += after.peak - before.peak
                saved += before.traffic - after.traffic
                moves[reader] = (
                    after.traffic - before.traffic,
                    after.transfers - before.transfers,
                )
            if not self._has(room):
                break
            there = number
            is_stored = count < len(readers) or bool(reads.others)
            all_saved = saved + (0 if is_stored else _stored_bytes(value, reads))
            if moves and all_saved > (0 if best is None else best.saved):
                kept = tuple(readers[:count])
                best = KeptTensor(value, reads, kept, all_saved, dict(room), dict(moves), is_stored)
        return best

    def _has(self, room: dict[int, int]) -> bool:
        """Tell whether so many bytes are free in each group."""
        return all(
            self.groups[number].cost.peak.value.data + more <= self.capacity
            for number, more in room.items()
        )

    def _cost_of(self, group: GroupOp, values: Sequence[SSAValue] = ()) -> GroupCost:
        """What a group costs if some of its operands are on chip."""
        if group not in self._laid_out:
            self._laid_out[group] = _Layouts(group)
        return self._laid_out[group].cost(tuple(values))

    def take(self, kept: KeptTensor) -> None:
        """Count the room of a tensor that stays, in what groups say; its readers change next."""
        for number, more in kept.room.items():
            self.groups[number].add_to_cost(peak=more)
        for reader in kept.reads.by_group:
            self._laid_out.pop(reader, None)


class _Layouts:
    """Layouts of a group as it is, with operands on chip; each is made once."""

    def __init__(self, group: GroupOp) -> None:
        self.group = group
        self.split = FunctionSplitGraph.of_group(group)
        self.costs: dict[tuple[SSAValue, ...], GroupCost] = {}

    def cost(self, values: tuple[SSAValue, ...]) -> GroupCost:
        """What the group costs with these operands on chip."""
        if values not in self.costs:
            known = self.group.residencies
            self.group.residencies = with_residents(self.group, values)
            try:
                found = laid_out(self.group, self.split, is_staged=True)
            finally:
                self.group.residencies = known
            self.costs[values] = found.layout.cost
        return self.costs[values]


def _stored_bytes(value: SSAValue, reads: GroupReads) -> int:
    """The bytes that are stored of a tensor that a group makes."""
    if not isinstance(value.owner, GroupOp):
        return 0
    if reads.stores:
        return sum(size_bytes(store.source.type) or 0 for store in reads.stores)
    return 0 if _home(value.owner, value) == ON_CHIP else size_bytes(value.type) or 0


def _home(group: GroupOp, value: SSAValue) -> str:
    return group.homes.data[list[SSAValue](group.results).index(value)].data


def _room_in(maker: GroupOp, value: SSAValue, aligned: int) -> int:
    """What the group that makes a tensor needs more if it stays: all of it, where tiles make it."""
    is_whole = not maker.cuts.data and len(maker.results) == 1
    return 0 if is_whole or _home(maker, value) == ON_CHIP else aligned


def with_residents(group: GroupOp, values: Sequence[SSAValue]) -> ArrayAttr[ResidencyAttr]:
    """How operands come to a group if some of them are on chip."""
    resident = ResidencyAttr.of(_RESIDENT)
    return ArrayAttr(
        resident if value in values else known
        for value, known in zip(group.inputs, group.residencies, strict=True)
    )
