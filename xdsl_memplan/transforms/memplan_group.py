"""Groups layers that are computed tile by tile."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op, describe_value
from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.analysis.returned_concats import returned_concats
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp
from xdsl_memplan.dialects.off_chip import CAPACITY_FLOOR, FLOOR, TRAFFIC
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.model.capacity_bound import CapacityBound
from xdsl_memplan.model.split_graph import SplitGraph
from xdsl_memplan.scheduling.graphturbo.layer_groups import layer_groups
from xdsl_memplan.scheduling.splitting import (
    GivenGroup,
    LayerDoesNotFitError,
    Objective,
    SplitMachine,
    find_order_and_groups,
    lay_out_groups,
)
from xdsl_memplan.transforms.find_with_views import Found, NothingFitsError, find_with_views
from xdsl_memplan.transforms.grouping import Grouping
from xdsl_memplan.transforms.layer_number import layer_of
from xdsl_memplan.transforms.layers_in_order import bring_layers_into_order
from xdsl_memplan.transforms.memplan_form_layers import why_left_alone
from xdsl_memplan.transforms.small_tables import SmallTables, bring_in_small_tables

Strategy: TypeAlias = Literal["auto", "literal", "block-first"]
Order: TypeAlias = Literal["optimize", "keep", "thorough"]


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

_MOST_COUNTED = 3.85
"""The same as they are counted, which is a twentieth too few at times."""

_NUMBERS, _PER_NUMBER = 8, 16
"""Operations that tiles have besides those that are counted: ends and steps of loops, each number
once in a function; in small ones one for so many operations, whose code is short anyway."""

_LARGEST_OPTION = 1 << 40

_MOST_ADDED_UP = 1 << 57
"""Bytes and multiply-adds of a function stay below, each: the core adds up what is fetched and
computed again in 64 bits."""

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
    } {cuts = [#memplan.cut<"result", 0 : i64, 2 : i64, 13 : i64, 0 : i64, 1 : i64, ...>], ...}
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
    - `order` (`optimize`): layers may run in another order than that of the file, where that is
      better: a few are tried, of each part of the function, as long as that takes little time; with
      `thorough` whatever time it takes. With `keep`, and for groups of a strategy, the order stays.
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
      bodies, and no more than about 4 operations for each one, bodies included: code gets
      dearer until there are no more, as long as that costs no more than a quarter of the bytes;
      by peak tiles get the least room that is enough, up to a quarter more. Tiles of other sizes,
      and with the tiles at an end of a row as one, are looked at too. Where nothing is enough, the
      groups whose bytes times operations are fewest; but for no more than about 4 operations for
      each one up to eight times the bytes, or twice the room, are taken. 0: no limit.
    - `threads` (0): of the search; 0 is all there are. Never changes the result.

    Requires numbered layers (`memplan-form-layers`) in ascending order. Functions that have groups
    already, and those that `memplan-form-layers` leaves alone, or with calls or control flow, stay
    as they are.
    """

    name = "memplan-group"

    objective: Objective = "traffic"
    strategy: Strategy = "auto"
    order: Order = "optimize"
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

        Raises PassFailedException if a layer does not fit however it is cut, for operations without
        a layer or out of the order of layers, for a strategy that needs a capacity where there is
        none, or for a number that an option cannot be.
        """
        self.check_numbers()
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
        if self.strategy != "auto" and self.order == "thorough":
            raise PassFailedException(
                f"memplan-group: option order=thorough needs strategy=auto; {self.strategy} keeps "
                "the order"
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
                        function,
                        machine,
                        self.objective,
                        home,
                        self.threads,
                        given,
                        self.max_code,
                        capacity,
                        self.order,
                    )

    def check_numbers(self) -> None:
        """Raise PassFailedException for a number that an option cannot be."""
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
    objective: Objective,
    home: str,
    threads: int,
    given: Callable[[SplitGraph], Sequence[GivenGroup]] | None = None,
    max_code: float = 0,
    on_chip: int | None = None,
    order: Order = "optimize",
) -> None:
    """Group the layers of one function, by search or as `given` says.

    The limit of code is `max_code` for each operation. The bound on what moves is that of `on_chip`
    bytes: all of the first memory, of which groups may take less. Small tables are brought in, if
    all fits with them.

    Raises PassFailedException if nothing fits, or if layers are missing or out of order.
    """
    tables = SmallTables()
    if machine.stages_arguments and on_chip is not None:
        tables = bring_in_small_tables(function, on_chip)
    searched = machine, objective, home, threads, given, max_code, on_chip, order
    group = partial(_group_function, function, *searched)
    try:
        group()
    except LayerTooLarge:
        if not tables.accesses_before:
            raise
        tables.look_up_again()
        group()


class LayerTooLarge(PassFailedException):
    """A layer does not fit the memory however it is cut.

    ``smallest_for_all`` is about the least capacity that would do for all layers; None where
    none is known.
    """

    def __init__(self, message: str, smallest_for_all: int | None = None) -> None:
        super().__init__(message)
        self.smallest_for_all = smallest_for_all


def _group_function(
    function: FuncOp,
    machine: SplitMachine,
    objective: Objective,
    home: str,
    threads: int,
    given: Callable[[SplitGraph], Sequence[GivenGroup]] | None,
    max_code: float,
    on_chip: int | None,
    order: Order,
) -> None:
    _separate_fills(function)
    put_together = _put_together(function) if machine.is_staged else []
    try:
        split = FunctionSplitGraph.of(function, put_together)
    except ValueError:
        return
    if not split.graph.ops or why_whole(split) is not None or why_left_alone(function) is not None:
        return
    _refuse_other_layers(split)
    _refuse_huge(split)
    uniforms = Uniforms()
    uniform = {i for i, value in enumerate(split.values) if uniforms.of(value) is not None}
    bound = CapacityBound.of(split.graph, uniform) if machine.is_staged else None
    floor = 0 if bound is None else bound.floor
    operators = [
        op for op, data in zip(split.operations, split.graph.ops, strict=True) if not data.view
    ]
    everything = len(operations_in(function))
    machine = replace(
        machine,
        most_code=_most_code(everything, operators, max_code),
        most_operations=_most_operations(everything, split.graph, max_code),
    )
    if machine.code_bytes < 0:
        machine = replace(machine, code_bytes=floor // (_CODE_SHARE * max(len(operators), 1)))
    try:
        split, (layers, groups, stands_for) = find_with_views(
            split,
            partial(FunctionSplitGraph.of, function, put_together),
            partial(_find, machine, objective, threads, given, order),
            objective if given is None else None,
        )
    except NothingFitsError as nothing:
        split, error = nothing.split, nothing.error
        smallest = error.smallest_bytes
        if objective == "peak":
            raise PassFailedException(
                f"@{function.sym_name.data}: with all that is between groups on chip, tiles need "
                f"more than {machine.capacity} bytes, and there are {on_chip}; objective=traffic "
                "stores what is between them"
            ) from error
        raise LayerTooLarge(
            f"{describe_op(split.operations[error.op])}: the layer that ends here does not fit "
            f"{machine.capacity} bytes however it is cut; "
            + (
                "groups are given; strategy=auto may find others that fit"
                if given is not None
                else "its operations are not split"
                if smallest is None
                else f"about {smallest} bytes would do for this layer"
                + _for_all(error)
                + _bound(split, machine, error.op, smallest)
            ),
            error.smallest_for_all,
        ) from error
    if machine.stages_arguments and bound is not None:
        entries = {FLOOR: floor}
        if on_chip is not None:
            least = bound.bytes_moved(on_chip, sum(group.cost.work for group in groups))
            entries |= {CAPACITY_FLOOR: least} if least > floor else {}
        function.attributes[TRAFFIC] = DictionaryAttr(
            {entry: IntegerAttr(value, i64) for entry, value in entries.items()}
        )
    split = bring_layers_into_order(function.body.block, split, layers)
    Grouping(split, stands_for, machine.is_staged, home).run(groups)


def _put_together(function: FuncOp) -> list[Operation]:
    """List concatenations without a layer: their parts are stored where they lie in a result."""
    return [op for op in returned_concats(function.body.block) if layer_of(op) < 0]


def _find(
    machine: SplitMachine,
    objective: Objective,
    threads: int,
    given: Callable[[SplitGraph], Sequence[GivenGroup]] | None,
    order: Order,
    graph: SplitGraph,
) -> Found:
    """Groups by search, or as `given` says."""
    if given is None:
        return find_order_and_groups(graph, machine, objective, threads or 2, order=order)
    layers = list(dict.fromkeys(op.layer for op in graph.ops))
    return layers, *lay_out_groups(graph, machine, given(graph))


def _refuse_other_layers(split: FunctionSplitGraph) -> None:
    """Refuse operations without a layer, and those behind a layer with a greater number.

    Left as they are they would look like a function that cannot be split.
    """
    highest = -1
    for ir, data in zip(split.operations, split.graph.ops, strict=True):
        if data.layer < highest or data.layer < 0:
            what = (
                f"is of layer {data.layer} and stands behind layer {highest}"
                if data.layer >= 0
                else "has no layer"
            )
            if ir.name == "tensor.concat" and highest >= 0 > data.layer:
                what += " (store-parts is for groups whose results go off chip)"
            raise PassFailedException(
                f"{describe_op(ir)}: memplan-group works on layers in ascending order, and this "
                f"operation {what}: run memplan-form-layers right before it"
            )
        highest = data.layer


def _refuse_huge(split: FunctionSplitGraph) -> None:
    """Refuse tensors and operations whose bytes or multiply-adds the core could not add up."""
    size = work = 0
    for value, data in zip(split.values, split.graph.tensors, strict=True):
        size += data.size_bytes
        if size >= _MOST_ADDED_UP:
            raise PassFailedException(
                f"{describe_value(value)}: with it the tensors have {size} bytes, and functions of "
                "2^57 and more are not split"
            )
    for ir, op in zip(split.operations, split.graph.ops, strict=True):
        work += math.prod(op.loops) * max(op.work_per_point, 1)
        if work >= _MOST_ADDED_UP:
            raise PassFailedException(
                f"{describe_op(ir)}: with it the function has {work} multiply-adds, and functions "
                "of 2^57 and more are not split"
            )


def _most_code(everything: int, operators: Sequence[Operation], max_code: float) -> int:
    """Operators that tiles may have in all, of a function of so many operations; 0: any number."""
    if max_code == 0 or not operators:
        return 0
    length = max(len(operators), everything // _IN_OPERATOR)
    # A tile of an operator has its body, and moves beside it.
    in_operators = sum(len(operations_in(op)) for op in operators) + _MOVES * len(operators)
    most = _MOST_TIMES * everything * len(operators) / in_operators
    return max(1, int(max_code * min(length, most / _MAX_CODE)))


def _most_operations(everything: int, graph: SplitGraph, max_code: float) -> int:
    """Operations that tiles may have in all, bodies included; 0: any number."""
    in_layers = sum(op.operations + op.rooms for op in graph.ops)
    most = _MOST_COUNTED * max_code / _MAX_CODE * everything
    shared = max(0, everything - in_layers) + min(_NUMBERS, everything // _PER_NUMBER)
    return 0 if max_code == 0 else max(1, int(most) - shared)


def _for_all(error: LayerDoesNotFitError) -> str:
    everything = error.smallest_for_all
    if everything is None or everything == error.smallest_bytes:
        return ""
    return f", about {everything} for all"


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
