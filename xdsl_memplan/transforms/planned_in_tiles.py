"""The plan in tiles that moves the fewest bytes: of a whole batch, or of one element at a time."""

import sys
from collections.abc import Iterator

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import CAPACITY_FLOOR, FLOOR, TRAFFIC
from xdsl_memplan.transforms.group_ways import entries_of_traffic
from xdsl_memplan.transforms.layer_forms import Form, has_very_few_layers
from xdsl_memplan.transforms.left_whole import functions_of
from xdsl_memplan.transforms.memplan_loop_over_batch import MemplanLoopOverBatchPass, batch_of
from xdsl_memplan.transforms.split_in_parts import bytes_moved
from xdsl_memplan.transforms.tiled_module import TiledModule
from xdsl_memplan.transforms.trials import trial_of


def planned_in_tiles(tiles: TiledModule, capacity: int) -> ModuleOp | list[PassFailedException]:
    """Return the planned module that moves the fewest bytes, or why none fits.

    Where bytes are moved more than once, the elements of a batch are also computed one after
    another, if what the groups of one element move tells that this may move fewer. With very few
    layers that is always tried, and where it is better groups are found for parts of the memory.
    """
    planned = tiles.planned(capacity)
    if isinstance(planned, ModuleOp) and _is_least(planned):
        return planned
    moved = bytes_moved(planned) if isinstance(planned, ModuleOp) else sys.maxsize
    looped = _looped(tiles) if _least_of_weights(tiles, capacity) < moved else None
    if looped is None:
        return planned
    one_by_one = TiledModule(looped, tiles.options, tiles.run, shares_below=moved)
    if isinstance(planned, ModuleOp) and not _has_very_few_layers(tiles):
        least = _least_of_loops(one_by_one, tiles, capacity)
        if least is None or least >= moved:
            return planned
    other = one_by_one.planned(capacity)
    if isinstance(other, list):
        return planned
    if isinstance(planned, ModuleOp):
        if bytes_moved(other) >= moved:
            return planned
        _note_floors(other, planned)
    return other


def _has_very_few_layers(tiles: TiledModule) -> bool:
    return has_very_few_layers(tiles.ways.layers_in(Form()))


def _is_least(planned: ModuleOp) -> bool:
    return bytes_moved(planned) == entries_of_traffic(planned, FLOOR)


def _looped(tiles: TiledModule) -> ModuleOp | None:
    """The module with loops over batches; None if there are none."""
    may_change = tiles.options.rewrite and not tiles.has_parts
    if not may_change or not any(map(batch_of, functions_of(tiles.module))):
        return None
    looped = trial_of(tiles.module, [MemplanLoopOverBatchPass()], tiles.run.alone)
    return None if looped.is_structurally_equivalent(tiles.module) else looped


def _least_of_weights(tiles: TiledModule, capacity: int) -> int:
    """About the bytes of what is no batch that loops over batches move at least.

    It comes in each iteration, but for what stays on chip. With `stage=none` it moves nowhere.
    """
    least = 0
    if tiles.options.stage == "none":
        return least
    for function in functions_of(tiles.module):
        batch = batch_of(function)
        weights = [
            value
            for value in (*function.args, *_constants(function))
            if isa(value.type, TensorType) and value.type.get_shape()[:1] != (batch,)
        ]
        size = sum(size_bytes(value.type) or 0 for value in weights)
        least += size + (batch - 1) * max(size - capacity, 0) if batch else 0
    return least


def _constants(function: FuncOp) -> Iterator[SSAValue]:
    for op in function.body.block.ops:
        if isinstance(op, ConstantOp):
            yield op.result


def _least_of_loops(one_by_one: TiledModule, tiles: TiledModule, capacity: int) -> int | None:
    """About the fewest bytes that loops over batches may move; None if nothing fits.

    Each iteration moves what its groups do, but for what stays on chip from the one before: no more
    than the memory has.
    """
    counted = one_by_one.bytes_counted()
    if counted is None:
        return None
    batch = min(n for op in functions_of(tiles.module) if (n := batch_of(op)))
    return batch * counted - (batch - 1) * capacity


def _note_floors(module: ModuleOp, known: ModuleOp) -> None:
    """Note what functions must move at least, as for those without loops of the same names."""
    floors = {op.sym_name.data: op.attributes.get(TRAFFIC) for op in functions_of(known)}
    for op in functions_of(module):
        mine, theirs = op.attributes.get(TRAFFIC), floors.get(op.sym_name.data)
        if isinstance(mine, DictionaryAttr) and isinstance(theirs, DictionaryAttr):
            limits = {name: n for name, n in theirs.data.items() if name in (FLOOR, CAPACITY_FLOOR)}
            op.attributes[TRAFFIC] = DictionaryAttr({**mine.data, **limits})
