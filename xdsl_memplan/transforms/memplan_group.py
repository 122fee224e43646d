"""Groups layers that are computed tile by tile."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp, GroupYieldOp
from xdsl_memplan.dialects.off_chip import TRAFFIC
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import aliases_of
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.dialects.tiling_models.tile_values import is_remade
from xdsl_memplan.model.least_traffic import least_traffic_bytes
from xdsl_memplan.model.split_graph import SplitGraph
from xdsl_memplan.model.tiling_plan import LayerGroup, LoopCut, Residency
from xdsl_memplan.scheduling.graphturbo.layer_groups import layer_groups
from xdsl_memplan.scheduling.splitting import (
    GivenGroup,
    LayerDoesNotFitError,
    SplitMachine,
    find_groups,
    lay_out_groups,
)

Strategy: TypeAlias = Literal["auto", "literal", "block-first"]


_CODE_SHARE = 64
"""As much code again counts for this part of the bytes that must be moved. With a 16th SqueezeNet
at 512 KiB no longer moves the least that it must."""

_IN_OPERATOR = 4
"""Operations, such as those in a body, that an operator stands for at the least. Where there are
more for each, much of the function is not tiles, and tiles may be as many times as long."""

_MAX_CODE = 2.5
_MOST_TIMES = 4
"""With `max-code` at its default tiles have no more than about so many times the operations of the
function, bodies included: operators with long bodies may be fewer."""

_LARGEST_OPTION = 1 << 40

_MOVES = 1
"""Operations beside each operator of a tile: a load, a slice, or what is kept."""

_DOUBT = 4
"""Least peaks that are more than a capacity by this part of it are given up before there are
buffers: what the search counts and what buffers take differs by less."""


@dataclass(frozen=True)
class MemplanGroupPass(ModulePass):
    """Put consecutive layers into groups that are computed tile by tile.

    Before:

    ```mlir
    %c = linalg.conv_2d_nchw_fchw {memplan.layer = 0 : i64} ins(%x, %w : ...) outs(%f : ...)
    %d = linalg.conv_2d_nchw_fchw {memplan.layer = 1 : i64} ins(%c, %v : ...) outs(%g : ...)
    ```

    After:

    ```mlir
    %d = memplan.group ins(%x, %w, %v : ...) {
      %c = linalg.conv_2d_nchw_fchw {memplan.layer = 0 : i64} ins(%x, %w : ...) outs(%f : ...)
      %0 = linalg.conv_2d_nchw_fchw {memplan.layer = 1 : i64} ins(%c, %v : ...) outs(%g : ...)
      memplan.group_yield %0 : tensor<1x8x52x52xf32>
    } {cuts = [#memplan.cut<"result", 0 : i64, 2 : i64, 13 : i64, 0 : i64, 1 : i64>], ...}
    ```

    Groups and their tiles are found together: of all ways to cut the layers into groups, and each
    group's last result into tiles, the one of least cost. A module with groups means the same.

    Options:

    - `objective` (`traffic`): `traffic` is least bytes moved within the capacity of the first
      memory; `peak` is least bytes on chip, with what is between groups on chip: refused if that
      is far more than the capacity and there is a second memory.
    - `strategy` (`auto`): with `auto` groups are found by search. With `literal` they are those of
      GraphTurbo's Algorithms 1 and 2, with `block-first` those of a variant (docs/graphturbo.md):
      less is moved by search; needs `objective=traffic` and a capacity.
    - `memory` (none): `"L1=256KiB,DDR"`; wins over the module's description.
    - `stage` (`all`): with `all` the engine reads and writes the first memory only: arguments are
      fetched by tiles like what groups hand on. With `none` arguments are read where they are.
    - `reserve` (0): bytes of the first memory that groups leave free.
    - `max-recompute` (1.1): a group may do this many times the multiply-adds that are needed.
    - `transfer-cost` (64): bytes that one move counts for besides its own.
    - `code-cost` (-1): bytes that one more operation in the code counts for: tiles that look alike
      are one loop, others are written out. With -1 it is so many that as much code again counts for
      a 64th of the bytes that must be moved at least.
    - `max-code` (2.5): operators of the tiles at the most, for each one of the function, or for
      every four operations, bodies included, if that is more, and fewer where operators have long
      bodies: code gets dearer until there are no more, as long as that costs no more than a
      quarter of the bytes; by peak tiles get the least room that is enough, up to a quarter more.
      0: no limit.
    - `threads` (0): of the search; 0 is all there are. Never changes the result.

    Requires numbered layers (`memplan-form-layers`). Functions without are left alone.
    """

    name = "memplan-group"

    objective: Literal["traffic", "peak"] = "traffic"
    strategy: Strategy = "auto"
    memory: str = ""
    stage: Literal["none", "all"] = "all"
    max_recompute: int | float = 1.1
    transfer_cost: int = 64
    code_cost: int = -1
    max_code: int | float = _MAX_CODE
    reserve: int = 0
    threads: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Group the layers of every function of the module ``op``.

        Raises PassFailedException if a layer does not fit however it is cut, for a strategy
        that needs a capacity where there is none, or for a number that an option cannot be.
        """
        self._check_numbers()
        memories = Memories.of(op, self.memory)
        first, *others = memories.by_name.values()
        is_staged = self.objective == "traffic"
        if is_staged and not others:
            raise PassFailedException(
                "memplan-group: results are written to a second memory, and there is none; "
                'name one: memory="L1=256KiB,DDR"'
            )
        capacity = first.capacity
        if self.strategy != "auto" and (capacity is None or not is_staged):
            raise PassFailedException(
                f"memplan-group: strategy={self.strategy} needs objective=traffic and the capacity "
                'of the first memory: memory="L1=256KiB,DDR"'
            )
        room = None if capacity is None else max(capacity - self.reserve, 0)
        if room is not None and not is_staged:
            # Without a second memory a report needs buffers: it names the bytes that are missing.
            room = room + room // _DOUBT if others else None
        machine = SplitMachine(
            room,
            first.alignment,
            is_staged,
            is_staged and self.stage == "all",
            self.max_recompute,
            self.transfer_cost,
            self.code_cost,
        )
        home = others[0].name if others else ON_CHIP
        given = None if machine.capacity is None else _rule(self.strategy, machine.capacity)
        for function in operations_in(op):
            if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
                if all(inner.name != GroupOp.name for inner in function.body.block.ops):
                    group_function(
                        function, machine, self.objective, home, self.threads, given, self.max_code
                    )

    def _check_numbers(self) -> None:
        least = {
            "reserve": (self.reserve, 0),
            "max-recompute": (self.max_recompute, 1),
            "transfer-cost": (self.transfer_cost, 0),
            "code-cost": (self.code_cost, -1),
            "max-code": (self.max_code, 0),
            "threads": (self.threads, 0),
        }
        for option, (value, smallest) in least.items():
            if not smallest <= value < _LARGEST_OPTION:  # A number that is none is not, either.
                raise PassFailedException(
                    f"memplan-group: option {option}={value} is not in {smallest} .. 2^40"
                )


def group_function(
    function: FuncOp,
    machine: SplitMachine,
    objective: Literal["traffic", "peak"],
    home: str,
    threads: int,
    given: Callable[[SplitGraph], Sequence[GivenGroup]] | None = None,
    max_code: float = 0,
) -> None:
    """Group the layers of one function, by search or as `given` says.

    The limit of code is `max_code` for each operation.

    Raises PassFailedException if nothing fits.
    """
    _separate_fills(function)
    try:
        split = FunctionSplitGraph.of(function)
    except ValueError:
        return
    layers = [op.layer for op in split.graph.ops]
    if not layers or min(layers) < 0 or layers != sorted(layers):
        return
    if why_whole(split) is not None:
        return
    uniforms = Uniforms()
    uniform = {i for i, value in enumerate(split.values) if uniforms.of(value) is not None}
    floor = least_traffic_bytes(split.graph, uniform) if machine.is_staged else 0
    operators = [
        op for op, data in zip(split.operations, split.graph.ops, strict=True) if not data.view
    ]
    machine = replace(machine, most_code=_most_code(function, operators, max_code))
    if machine.code_bytes < 0:
        machine = replace(machine, code_bytes=floor // (_CODE_SHARE * max(len(operators), 1)))
    try:
        if given is None:
            groups, stands_for = find_groups(split.graph, machine, objective, threads or 2)
        else:
            groups, stands_for = lay_out_groups(split.graph, machine, given(split.graph))
    except LayerDoesNotFitError as error:
        smallest = error.smallest_bytes
        if objective == "peak":
            raise PassFailedException(
                f"@{function.sym_name.data}: with all that is between groups on chip, tiles need "
                f"more than {machine.capacity} bytes"
            ) from error
        raise PassFailedException(
            f"{describe_op(split.operations[error.op])}: the layer that ends here does not fit "
            f"{machine.capacity} bytes however it is cut; "
            + (
                "groups are given; strategy=auto may find others that fit"
                if given is not None
                else "its operations are not split"
                if smallest is None
                else f"about {smallest} bytes would do for this layer"
                + _bound(split, machine, error.op, smallest)
            )
        ) from error
    if machine.stages_arguments:
        function.attributes[TRAFFIC] = DictionaryAttr({"floor": IntegerAttr(floor, i64)})
    _Grouping(split, stands_for, machine.is_staged, home).run(groups)


def _most_code(function: FuncOp, operators: Sequence[Operation], max_code: float) -> int:
    """Operators that tiles may have in all; 0: any number."""
    if max_code == 0 or not operators:
        return 0
    everything = sum(1 for _ in function.walk())
    length = max(len(operators), everything // _IN_OPERATOR)
    # A tile of an operator has its body, and moves beside it.
    in_operators = sum(1 for op in operators for _ in op.walk()) + _MOVES * len(operators)
    most = _MOST_TIMES * everything * len(operators) / in_operators
    return max(1, int(max_code * min(length, most / _MAX_CODE)))


def _bound(split: FunctionSplitGraph, machine: SplitMachine, op: int, capacity: int) -> str:
    layer = split.graph.ops[op].layer
    for ir, data in zip(split.operations, split.graph.ops, strict=True):
        if data.layer == layer and not data.splittable:
            return f"; {describe_op(ir)} has no rule for tiles: it is computed whole"
    # Found only where nothing fits.
    from xdsl_memplan.transforms.what_binds import what_binds

    why = what_binds(split, machine, op, capacity)
    return "" if why is None else f"; {why}"


def why_whole(split: FunctionSplitGraph) -> str | None:
    """Say which operation keeps its function from being split, and why; None if none does."""
    for op, data in zip(split.operations, split.graph.ops, strict=True):
        if op.regions and not data.splittable and not _computes_scalars(op):
            return f"{describe_op(op)} has control flow in it"
        if not data.results:
            return f"{describe_op(op)} makes no tensor of the tensors that it reads"
    return None


def _rule(strategy: Strategy, capacity: int) -> Callable[[SplitGraph], Sequence[GivenGroup]] | None:
    if strategy == "auto":
        return None
    return lambda graph: layer_groups(graph, capacity, strategy)


def _computes_scalars(op: Operation) -> bool:
    """Tell whether the regions of an operation say what one element is, and no more."""
    dialect, _, _ = op.name.partition(".")
    return dialect in ("linalg", "tensor")


def _separate_fills(function: FuncOp) -> None:
    """A fill needs no more of its destination than the shape; it gets one of its own."""
    for op in list(function.body.block.ops):
        if isinstance(op, FillOp) and not isinstance(op.outputs[0].owner, tensor.EmptyOp):
            (output,) = op.outputs
            if not isinstance(output.type, TensorType):
                continue
            room = tensor.EmptyOp((), cast(TensorType[Attribute], output.type))
            function.body.block.insert_op_before(room, op)
            op.operands[len(op.inputs)] = room.tensor


@dataclass
class _Grouping:
    split: FunctionSplitGraph
    stands_for: list[int]
    is_staged: bool
    home: str

    def run(self, groups: list[LayerGroup]) -> None:
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
        """
        outer: set[Operation] = set()
        if not (self.is_staged or group.cuts):
            return outer
        inside = set(ops)
        for op in ops[:-1]:
            source = self._viewed(op)
            if source is not None and not is_remade(source) and not self._is_returned(op):
                position = self.position.get(source, -1)
                stands_in = position >= 0 and self.stands_for[position] != position
                if (source.owner not in inside or source.owner in outer) and not stands_in:
                    outer.add(op)
        return outer

    def _is_returned(self, op: Operation) -> bool:
        return self.split.graph.tensors[self.position[op.results[0]]].returned

    def _is_for_return(self, op: Operation) -> bool:
        """Tell whether an operation only shows what is returned in another shape.

        It stays outside: the group's result is what it shows.
        """
        block = op.parent
        assert block is not None
        return (
            self._viewed(op) is not None
            and not self._is_returned(op)
            # A reader may look elements up in its body.
            and not any(
                _top(use.operation, self.group_of, block) in self.group_of
                for use in op.results[0].uses
            )
        )

    def _viewed(self, op: Operation) -> SSAValue | None:
        """Return the tensor that an operation is a view of; None if it is none."""
        data = self.data.get(op)
        return op.operands[aliases_of(op)[0].operand] if data is not None and data.view else None

    def _make(self, group: LayerGroup, ops: list[Operation]) -> None:
        outer = self._outer_views(group, ops)
        ops = [op for op in ops if op not in outer]
        shown = [op for op in ops if self._is_for_return(op)]
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

        A copy is before its first reader, so that it takes room no longer than needed. With
        `views_stay` views of an argument are not copied: the group fetches tiles of the view.
        """
        clones: dict[SSAValue, SSAValue] = {}
        made: list[Operation] = []

        def copy(value: SSAValue) -> None:
            position = self.position.get(value)
            if position is None or self.stands_for[position] == position or value in clones:
                return
            owner = value.owner
            if not isinstance(owner, Operation):
                return
            for operand in values_used(owner):
                copy(operand)
            viewed = self._viewed(owner)
            if views_stay and viewed is not None and viewed not in clones:
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
        for op in ops if clones else ():
            for inner in op.walk():
                for index, operand in enumerate(inner.operands):
                    if operand in clones:
                        inner.operands[index] = clones[operand]
        return made

    def _save_residents(self, group: GroupOp, parent: Block, outer: set[Operation]) -> None:
        """What the group reads on chip and others read later is stored before."""
        if not self.is_staged:
            return
        read: dict[SSAValue, None] = {}
        for value, residency in zip(group.inputs, group.residencies, strict=True):
            if residency.kind.data == "resident":
                while isinstance(value.owner, Operation) and value.owner in outer:
                    value = self._viewed(value.owner) or value
                read[value] = None
        mine = {*outer, group, *group.body.block.ops}
        for value in read:
            others = [use for use in value.uses if _top(use.operation, mine, parent) not in mine]
            if not others:
                continue
            type_ = cast(TensorType[Attribute], value.type)
            room = tensor.EmptyOp((), type_)
            store = StoreOp(value, room.tensor, self.home, [0] * type_.get_num_dims())
            parent.insert_ops_before([room, store], group)
            self.position[store.result] = self.position.get(value, -1)
            for use in others:
                use.operation.operands[use.index] = store.result


def _top(op: Operation, inside: Container[Operation], block: Block) -> Operation | None:
    """The operation of a group that has `op` inside; None if none has."""
    current: Operation | None = op
    while current is not None:
        if current in inside or current.parent is block:
            return current
        current = current.parent_op()
    return None
