"""Puts the operations of layers into the groups that were found for them."""

from collections.abc import Collection, Container
from dataclasses import dataclass
from typing import Literal

from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp, GroupYieldOp
from xdsl_memplan.dialects.queries import aliases_of
from xdsl_memplan.dialects.tiling_models.tile_values import is_remade
from xdsl_memplan.dialects.whole_moves import whole_store
from xdsl_memplan.model.tiling_plan import LayerGroup, LoopCut, Residency


@dataclass
class Grouping:
    """One function, whose operations become those of groups."""

    split: FunctionSplitGraph
    stands_for: list[int]
    """For each tensor the argument that it is computed from alone; itself otherwise."""
    is_staged: bool
    """Whether results of groups are stored to another memory."""
    home: str
    """That memory."""

    def run(self, groups: list[LayerGroup]) -> None:
        """Make an operation of each group, and erase what is computed in groups only."""
        self.position = {value: i for i, value in enumerate(self.split.values)}
        self.data = dict(zip(self.split.operations, self.split.graph.ops, strict=True))
        self.group_of: dict[Operation, int] = {}
        group_of_layer = {
            layer: number
            for number, group in enumerate(groups)
            for layer in range(group.first_layer, group.last_layer + 1)
        }
        for op, data in self.data.items():
            number = group_of_layer.get(data.layer)
            if number is not None and not self._is_parameter(data.results):
                self.group_of[op] = number
        members: list[list[Operation]] = [[] for _ in groups]
        for op in self.split.operations:
            if op in self.group_of:
                members[self.group_of[op]].append(op)
        for group, ops in zip(groups, members, strict=True):
            if ops:
                self._make(group, ops)
        for op in reversed(self.split.operations):
            if (
                op.parent is not None
                and op not in self.group_of
                and not any(result.first_use for result in op.results)
            ):
                op.detach()
                op.erase()

    def _is_parameter(self, results: tuple[int, ...]) -> bool:
        return all(self.stands_for[result] != result for result in results)

    def _outer_views(self, group: LayerGroup, ops: list[Operation]) -> set[Operation]:
        """Return the views of tensors from outside: they take no time, and stay outside.

        So a view is fetched by tiles whatever the shape of the tensor that it shows. A group that
        neither fetches nor cuts has nothing to gain. What is returned is written by the group.
        Views that the search joined are part of the group, which fetches what they show as one box.
        """
        outer: set[Operation] = set()
        if not (self.is_staged or group.cuts):
            return outer
        inside = set(ops)
        for op in ops[:-1]:
            source = self._viewed(op)
            if source is not None and self.position[op.results[0]] in group.joined_views:
                continue
            if source is not None and not is_remade(source) and not self._is_returned(op):
                position = self.position.get(source, -1)
                stands_in = position >= 0 and self.stands_for[position] != position
                if (source.owner not in inside or source.owner in outer) and not stands_in:
                    outer.add(op)
        return outer

    def _is_returned(self, op: Operation) -> bool:
        return self.split.graph.tensors[self.position[op.results[0]]].returned

    def _for_return(self, ops: list[Operation]) -> list[Operation]:
        """List the operations that only show what is returned in another shape, in their order.

        They stay outside: the group's result is what they show. One may show what another does.
        """
        shown: set[Operation] = set()
        for op in reversed(ops):
            if self._is_for_return(op, shown):
                shown.add(op)
        return [op for op in ops if op in shown]

    def _is_for_return(self, op: Operation, shown: Collection[Operation]) -> bool:
        block = op.parent
        assert block is not None
        return (
            self._viewed(op) is not None
            and not self._is_returned(op)
            # A reader may look elements up in its body.
            and all(
                user not in self.group_of or user in shown
                for use in op.results[0].uses
                for user in [_top(use.operation, self.group_of, block)]
            )
        )

    def _viewed(self, op: Operation) -> SSAValue | None:
        """Return the tensor that an operation is a view of; None if it is none."""
        data = self.data.get(op)
        return op.operands[aliases_of(op)[0].operand] if data is not None and data.view else None

    def _make(self, group: LayerGroup, ops: list[Operation]) -> None:
        outer = self._outer_views(group, ops)
        ops = [op for op in ops if op not in outer]
        shown = self._for_return(ops)
        ops = [op for op in ops if op not in shown]
        if not ops:
            return  # What was made before is shown in another shape, and nothing is made.
        for op in shown:
            op.detach()
        last = ops[-1]
        block = Block()
        parent = last.parent
        assert parent is not None
        anchor = last.next_op
        assert anchor is not None
        body = self._with_parameters(ops, views_stay=self.is_staged or bool(group.cuts))
        for op in ops:
            op.detach()
        inside = set(ops)
        block.add_ops(body)
        outputs: list[SSAValue] = []
        for op in ops:
            for result in op.results:
                if is_tensor(result.type) and any(
                    _top(use.operation, inside, block) is None for use in result.uses
                ):
                    outputs.append(result)
        block.add_op(GroupYieldOp(outputs))
        inputs: list[SSAValue] = []
        for op in block.ops:
            for value in values_used(op):
                owner = value.owner
                maker = owner if isinstance(owner, Operation) else owner.parent_op()
                is_inside = maker is not None and _top(maker, set[Operation](), block) is not None
                if (
                    is_tensor(value.type)
                    and not is_inside
                    and value not in inputs
                    and not is_remade(value)
                ):
                    inputs.append(value)
        residencies = {r.tensor: r for r in group.residencies}
        target = self._target(ops, outputs)
        homes = [
            ON_CHIP if not self.is_staged or (group.ends_on_chip and value is target) else self.home
            for value in outputs
        ]
        made = GroupOp(
            inputs,
            [value.type for value in outputs],
            block,
            cuts=[self._cut_inside(cut, list(block.ops)) for cut in group.cuts],
            residencies=[
                residencies.get(self._argument(v), Residency(0, self._default, 1)) for v in inputs
            ],
            homes=homes,
            cost=group.cost,
            is_sliced=group.is_sliced,
        )
        parent.insert_op_before(made, anchor)
        assert parent.last_op is not None
        parent.insert_ops_before(shown, parent.last_op)
        self._save_residents(made, parent, outer)
        for value, result in zip(outputs, made.outputs, strict=True):
            result.name_hint = value.name_hint
            value.replace_uses_with_if(
                result, lambda use: _top(use.operation, inside, block) is None
            )
            self.position[result] = self.position[value]

    @property
    def _default(self) -> Literal["fetched", "resident"]:
        return "fetched" if self.is_staged else "resident"

    def _argument(self, value: SSAValue) -> int:
        position = self.position.get(value, -1)
        return self.stands_for[position] if position >= 0 else position

    def _cut_inside(self, cut: LoopCut, ops: list[Operation]) -> LoopCut:
        if cut.kind != "sum":
            (maker,) = (op for op in ops if any(r is self.split.values[cut.op] for r in op.results))
            return cut._replace(op=ops.index(maker))
        return cut._replace(op=ops.index(self.split.operations[cut.op]))

    def _target(self, ops: list[Operation], outputs: list[SSAValue]) -> SSAValue | None:
        for op in reversed(ops):
            for result in op.results:
                if any(result is value for value in outputs):
                    return result
        return None

    def _with_parameters(self, ops: list[Operation], *, views_stay: bool) -> list[Operation]:
        """These operations, and copies of what they read that is computed from one argument alone.

        A copy is before its first reader, so that it takes room no longer than needed. What nobody
        else reads is moved there, which takes less time. With `views_stay` views of an argument
        are not copied: the group fetches tiles of the view.
        """
        clones: dict[SSAValue, SSAValue] = {}
        moved: dict[Operation, None] = {}  # In order, as uses are listed as they are replaced.
        inside = set(ops)
        made: list[Operation] = []

        def copy(value: SSAValue) -> None:
            position = self.position.get(value)
            if position is None or self.stands_for[position] == position or value in clones:
                return
            owner = value.owner
            if not isinstance(owner, Operation) or owner in moved:
                return
            is_moved = all(
                _in_block(use.operation, owner.parent) in inside
                for result in owner.results
                for use in result.uses
            )
            if is_moved:
                inside.add(owner)  # What only this operation reads is moved, too.
            for operand in values_used(owner):
                copy(operand)
            viewed = self._viewed(owner)
            if (
                views_stay
                and viewed is not None
                and not (viewed in clones or viewed.owner in moved)
            ):
                inside.discard(owner)
                return
            if is_moved:
                owner.detach()
                moved[owner] = None
                made.append(owner)
                return
            clone = owner.clone(dict(clones))
            made.append(clone)
            for old, new in zip(owner.results, clone.results, strict=True):
                clones[old] = new
                self.position[new] = self.position.get(old, -1)

        for op in ops:
            for value in values_used(op):
                copy(value)
            made.append(op)
        for op in (*ops, *moved) if clones else ():
            for inner in op.walk():
                for index, operand in enumerate(inner.operands):
                    if operand in clones:
                        inner.operands[index] = clones[operand]
        return made

    def _save_residents(self, group: GroupOp, parent: Block, outer: set[Operation]) -> None:
        """What the group reads on chip, and others read later, is stored before.

        Not what was there before the function began: others read that where it is.
        """
        if not self.is_staged:
            return
        read: dict[SSAValue, None] = {}
        for number, value in enumerate(group.inputs):
            if group.is_resident(number):
                while isinstance(value.owner, Operation) and value.owner in outer:
                    value = self._viewed(value.owner) or value
                if isinstance(self._root(value).owner, GroupOp):
                    read[value] = None
        mine = {*outer, group, *group.body.block.ops}
        for value in read:
            others = [use for use in value.uses if _top(use.operation, mine, parent) not in mine]
            if not others:
                continue
            room, store = whole_store(value, self.home)
            parent.insert_ops_before([room, store], group)
            self.position[store.result] = self.position.get(value, -1)
            for use in others:
                use.operation.operands[use.index] = store.result

    def _root(self, value: SSAValue) -> SSAValue:
        """Return the tensor of which a value is a view, or a view of a view; itself if of none."""
        while isinstance(value.owner, Operation):
            source = self._viewed(value.owner)
            if source is None:
                break
            value = source
        return value


def _in_block(op: Operation, block: Block | None) -> Operation | None:
    """The operation of a block that is `op`, or has it inside; None if none is."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current


def _top(op: Operation, inside: Container[Operation], block: Block) -> Operation | None:
    """The operation of a group that has `op` inside; None if none has."""
    current: Operation | None = op
    while current is not None:
        if current in inside or current.parent is block:
            return current
        current = current.parent_op()
    return None
