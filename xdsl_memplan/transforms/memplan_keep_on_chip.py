"""Keeps tensors on chip from the group that makes them to those that read them."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.dialects.whole_moves import whole_load, whole_store
from xdsl_memplan.transforms.kept_tensors import GroupsWithRoom, KeptTensor, with_residents
from xdsl_memplan.transforms.unread import erase_unread


@dataclass(frozen=True)
class MemplanKeepOnChipPass(ModulePass):
    """Keep tensors on chip from the group that makes them to those that read them.

    Before:

    ```mlir
    %a = memplan.group ins(%x : tensor<8x16xf32>) {...} {..., homes = ["DDR"]} : tensor<8x16xf32>
    %b = memplan.group ins(%y : tensor<8x16xf32>) {...} {..., homes = [""]} : tensor<8x16xf32>
    %c = memplan.group ins(%a, %b : ...) {...}
      {residencies = [#memplan.residency<"fetched", 1 : i64>, ...], ...} : tensor<8x16xf32>
    ```

    After:

    ```mlir
    %a = memplan.group ins(%x : tensor<8x16xf32>) {...} {..., homes = [""]} : tensor<8x16xf32>
    %b = memplan.group ins(%y : tensor<8x16xf32>) {...} {..., homes = [""]} : tensor<8x16xf32>
    %c = memplan.group ins(%a, %b : ...) {...}
      {residencies = [#memplan.residency<"resident", 1 : i64>, ...], ...} : tensor<8x16xf32>
    ```

    `memplan-group` keeps the result of a group for the next one. This pass looks at what groups in
    between leave free, at the peak that each group has: a skipped tensor that fits there is neither
    stored nor fetched, and an argument or a constant that several groups read is loaded once. What
    saves most bytes for its room goes first. What is also returned, or read where there is no
    room, is stored besides.

    Options:

    - `memory` (none): `"L1=256KiB,DDR"`; wins over the module's description. Without a capacity of
      the first one nothing changes.
    - `reserve` (0): bytes of the first memory that are left free.

    Requires groups (`memplan-group`). Functions without stay as they are.
    """

    name = "memplan-keep-on-chip"

    memory: str = ""
    reserve: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Keep tensors in every function of the module ``op``.

        Takes a layout for each group that reads a tensor there may be room for. Raises
        PassFailedException for a number of bytes that cannot be left.
        """
        if self.reserve < 0:
            raise PassFailedException(
                f"memplan-keep-on-chip: option reserve={self.reserve} is less than 0"
            )
        first, *_ = Memories.of(op, self.memory).by_name.values()
        if first.capacity is None:
            return
        room = max(0, first.capacity - self.reserve)
        for function in operations_in(op):
            if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
                if keep_on_chip(function.body.block, room, first.alignment):
                    erase_unread(function)


def keep_on_chip(block: Block, capacity: int, alignment: int) -> bool:
    """Keep tensors between the groups of a block; tell whether any is."""
    groups = GroupsWithRoom(block, capacity, alignment)
    found = [kept for value in groups.tensors() if (kept := groups.best_of(value)) is not None]
    found.sort(key=lambda kept: kept.worth, reverse=True)
    is_any = False
    for known in found:
        # Others may have taken the room.
        kept = groups.best_of(known.value)
        if kept is not None:
            groups.take(kept)
            _keep(kept, block)
            is_any = True
    return is_any


def _keep(kept: KeptTensor, block: Block) -> None:
    value, maker = kept.value, kept.value.owner
    here = value
    if isinstance(maker, GroupOp):
        _leave_on_chip(kept, maker, block)
    else:
        load = whole_load(value)
        block.insert_op_before(load, kept.readers[0])
        here = load.result
    for reader in kept.readers:
        residents = list(kept.reads.by_group[reader])
        reader.residencies = with_residents(reader, residents)
        traffic, transfers = kept.moves.get(reader, (0, 0))
        reader.add_to_cost(traffic=traffic, transfers=transfers)
        for shown in residents:
            _read(reader, shown, _shown_again(shown, {value: here}, reader))
        _without_doubles(reader)
    if not isinstance(maker, GroupOp):
        kept.readers[0].add_to_cost(traffic=size_bytes(value.type) or 0, transfers=1)


def _leave_on_chip(kept: KeptTensor, maker: GroupOp, block: Block) -> None:
    """Let the result of a group stay; others read what is stored of it."""
    value, reads = kept.value, kept.reads
    number = list[SSAValue](maker.results).index(value)
    home = maker.homes.data[number].data
    if home == ON_CHIP:
        if not kept.is_stored:
            for store in reads.stores:
                stored = size_bytes(store.source.type) or 0
                kept.readers[0].add_to_cost(traffic=-stored, transfers=-1)
        return
    homes = list(maker.homes.data)
    homes[number] = StringAttr(ON_CHIP)
    maker.homes = ArrayAttr(homes)
    if not kept.is_stored:
        stored = size_bytes(value.type) or 0
        maker.add_to_cost(traffic=-stored, transfers=-maker.cost.cost.tiles)
        return
    room, store = whole_store(value, home)
    store.result.name_hint = value.name_hint
    block.insert_ops_after([room, store], maker)
    off_chip = {value: store.result}
    for reader, values in reads.by_group.items():
        if reader not in kept.readers:
            for shown in values:
                _read(reader, shown, _shown_again(shown, off_chip, reader))
    for use in reads.others:
        user = block.find_ancestor_op_in_block(use.operation)
        assert user is not None
        old = use.operation.operands[use.index]
        use.operation.operands[use.index] = _shown_again(old, off_chip, user)


def _shown_again(
    value: SSAValue, known: Mapping[SSAValue, SSAValue], before: Operation
) -> SSAValue:
    """What a view shows, or a store holds, of another tensor; new views are made for `before`."""
    new = known.get(value)
    if new is not None:
        return new
    owner = value.owner
    assert isinstance(owner, Operation)
    source = _shown_again(owner.operands[0], known, before)
    if isinstance(owner, StoreOp):
        return source
    if source is owner.operands[0]:
        return value
    clone = owner.clone({owner.operands[0]: source})
    block = before.parent
    assert block is not None
    block.insert_op_before(clone, before)
    return clone.results[0]


def _read(group: GroupOp, old: SSAValue, new: SSAValue) -> None:
    """Let a group, and its body, read another value."""
    if new is not old:
        old.replace_uses_with_if(
            new, lambda use: use.operation is group or group.is_ancestor(use.operation)
        )


def _without_doubles(group: GroupOp) -> None:
    """Name each operand once: the tensor and what was stored of it may be the same now."""
    first = {value: number for number, value in reversed(list(enumerate(group.inputs)))}
    if len(first) == len(group.inputs):
        return
    numbers = sorted(first.values())
    inputs, residencies = list(group.inputs), group.residencies.data
    group.operands = [inputs[number] for number in numbers]
    group.residencies = ArrayAttr(residencies[number] for number in numbers)
