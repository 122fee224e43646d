"""Tiles along two cuts that both keep their halo: everything is computed once, the same numbers."""

import random
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.networks import Network
from tests.transforms.random_networks import random_network
from tests.transforms.spoiled_tiles import change_index
from tests.transforms.test_code_price import as_one_group, groups_of
from tests.transforms.test_region_moves import arena_bytes, parse
from tests.transforms.test_split_programs import Emit, arrays_for, in_layers, run, same
from tests.transforms.test_verify_split import compute_the_same, function_of
from xdsl_memplan.dialects.groups import CutAttr, GroupOp
from xdsl_memplan.dialects.tiling_models.tile_values import shape_of
from xdsl_memplan.model.tiling_plan import LoopCut
from xdsl_memplan.transforms.convert_memplan_to_memref import ConvertMemplanToMemrefPass
from xdsl_memplan.transforms.expand_groups.laid_out_group import laid_out
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass
from xdsl_memplan.transforms.verify_split.check_split import Verdict, check_split

Cuts = tuple[tuple[int, int, int], ...]
"""Of each cut the dimension of the last result, the size of a tile, and tiles that run ahead."""


def convolutions() -> str:
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 12, 14), 3))
    return n.text(n.relu(n.conv(n.relu(n.conv(x, 4)), 2)))


def strides() -> str:
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 15, 17), 4, stride=2))
    return n.text(n.relu(n.conv(n.pool(x), 3)))


def depthwise() -> str:
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 13, 11), 6, 1))
    return n.text(n.conv(n.relu(n.depthwise(x)), 3, 1))


def residual() -> str:
    """Two readers need other rows and columns of one tensor."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 10, 9), 3))
    return n.text(n.relu(n.each("addf", n.conv(n.relu(n.conv(x, 3)), 3), x)))


def two_results() -> str:
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 9, 12), 3))
    return n.text(n.relu(n.conv(x, 2)), x)


PROGRAMS = [convolutions, strides, depthwise, residual, two_results]

CUTS: list[Cuts] = [
    ((2, 4, 0), (3, 4, 0)),
    ((3, 2, 0), (2, 4, 0)),
    ((2, 1, 0), (3, 1, 0)),
    ((2, 1, 3), (3, 3, 0)),
    ((3, 2, 3), (2, 3, 2)),
]


def cut_by_hand(text: str, cuts: Cuts) -> ModuleOp:
    """All in one group; every cut keeps its halo."""
    module = as_one_group(text)
    [group] = groups_of(module)
    last = len(list(group.body.block.ops)) - 2
    group.cuts = ArrayAttr(
        CutAttr.of(LoopCut("result", last, d, size, lead, "cache")) for d, size, lead in cuts
    )
    return module


def tiled(module: ModuleOp, emit: Emit) -> ModuleOp:
    tiles = module.clone()
    MemplanExpandGroupsPass(emit=emit, check=False).apply(Context(), tiles)
    tiles.verify()
    return tiles


@pytest.mark.parametrize(
    ("emit", "cuts"), [("loop", cuts) for cuts in CUTS] + [("unroll", CUTS[0])]
)
@pytest.mark.parametrize("program", PROGRAMS)
def test_tiles_compute_the_same_once_in_the_room_that_was_counted(program, emit: Emit, cuts: Cuts):
    text = program()
    module = cut_by_hand(text, cuts)
    [group] = groups_of(module)
    counted = laid_out(group).layout.cost
    tiles = tiled(module, emit)
    inputs = arrays_for(module)
    expected = run(parse(text), inputs)
    same(expected, run(tiles, inputs))
    # The group was not cut so before: as much is computed all the same.
    assert counted.work == group.cost.cost.work
    found = check_split(function_of(module), function_of(tiles))
    assert found.verdict is Verdict.PROVED, found
    MemplanBufferizePass(memory="L1,DDR").apply(Context(), tiles)
    MemplanAssignOffsetsPass().apply(Context(), tiles)
    MemplanVerifyPass().apply(Context(), tiles)
    same(expected, run(tiles, inputs))
    ConvertMemplanToMemrefPass().apply(Context(), tiles)
    assert arena_bytes(tiles)["L1"] <= counted.peak


def test_a_row_is_a_loop_in_a_loop_of_rows():
    """Rows begin, go on and end, and so do tiles in a row; those that go on are loops."""
    tiles = tiled(cut_by_hand(convolutions(), ((2, 1, 0), (3, 1, 0))), "loop")
    loops = [op for op in tiles.walk() if isinstance(op, scf.ForOp)]
    inner = [op for op in loops if isinstance(op.parent_op(), scf.ForOp)]
    assert len(inner) == 1
    bordered = [
        op
        for op in tiles.walk()
        if isinstance(op, tensor.EmptyOp) and shape_of(op.tensor)[2:] == (2, 16)
    ]
    # One border of each of the two tensors between, of two rows with what pads them; the argument
    # is padded, too.
    assert len(bordered) == 3


def cuttable(group: GroupOp) -> tuple[LoopCut, tuple[int, ...]] | None:
    """A cut of a picture and its shape, if a group is cut and has rows and columns."""
    cuts = [attribute.cut for attribute in group.cuts]
    if not cuts or any(cut.kind == "sum" for cut in cuts):
        return None
    [*operations] = group.body.block.ops
    shape = shape_of(operations[cuts[0].op].results[0])
    return (cuts[0], shape) if len(shape) == 4 and min(shape[2:]) > 1 else None


def grouped_network(seed: int, layers: int, grouping: MemplanGroupPass) -> tuple[str, ModuleOp]:
    """The first random network from a seed on that has a group to cut."""
    for other in count(seed):
        text = random_network(other, layers)
        module = in_layers(text)
        try:
            grouping.apply(Context(), module)
        except PassFailedException:
            continue  # A layer that is not split does not fit.
        if any(map(cuttable, groups_of(module))):
            return text, module
    raise AssertionError("there is always one")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.data())
def test_random_networks(seed: int, data: st.DataObject):
    least_peak = MemplanGroupPass(objective="peak", memory="L1,DDR", threads=1)
    least_traffic = MemplanGroupPass(memory="L1=4KiB,DDR", threads=1)
    text, module = grouped_network(
        seed,
        data.draw(st.sampled_from([3, 5, 8])),
        data.draw(st.sampled_from([least_peak, least_traffic])),
    )
    for group in groups_of(module):
        found = cuttable(group)
        if found is None:
            continue
        cut, shape = found
        order = data.draw(st.permutations([2, 3]))
        sizes = [data.draw(st.integers(1, shape[d] - 1)) for d in order]
        leads = [data.draw(st.sampled_from([0, 0, 1, 4])) for _ in order]
        group.cuts = ArrayAttr(
            CutAttr.of(LoopCut("result", cut.op, d, size, lead, "cache"))
            for d, size, lead in zip(order, sizes, leads, strict=True)
        )
    tiles = tiled(module, data.draw(st.sampled_from(["auto", "loop", "unroll"])))
    inputs = arrays_for(module)
    same(run(parse(text), inputs), run(tiles, inputs))
    verdict = check_split(function_of(module), function_of(tiles))
    assert verdict.verdict is not Verdict.REFUTED or "says" in verdict.reason, verdict


def test_tiles_that_find_another_part_of_a_border_are_refused():
    module = cut_by_hand(convolutions(), ((2, 1, 0), (3, 1, 0)))
    tiles, inputs = tiled(module, "loop"), arrays_for(module)
    expected = run(parse(convolutions()), inputs)
    refused = 0
    for seed in range(12):
        spoiled = tiles.clone()
        if not change_index(spoiled, random.Random(seed)):
            continue
        is_proved = check_split(function_of(module), function_of(spoiled)).verdict is Verdict.PROVED
        refused += not is_proved
        assert not is_proved or compute_the_same(expected, spoiled, inputs)
    assert refused >= 8


def pyramid() -> str:
    """Large tensors of which less and less is left."""
    n = Network()
    x = n.argument(1, 2, 48, 48)
    for features in (8, 8):
        x = n.relu(n.conv(n.relu(n.conv(x, features)), features, stride=2))
    return n.text(x)


def test_the_least_peak_keeps_the_halo_along_two_cuts():
    """Rows of all columns need three of them or more at once; tiles in rows need two."""
    text = pyramid()
    rooms: list[int] = []
    for max_code in (2.5, 0.0):
        module = in_layers(text)
        MemplanGroupPass(objective="peak", memory="L1,DDR", max_code=max_code).apply(
            Context(), module
        )
        halos = [[cut.cut.halo for cut in group.cuts] for group in groups_of(module)]
        # Nine kinds of tiles are too much code for a network of four layers.
        assert (["cache", "cache"] in halos) == (not max_code)
        counted = max(group.cost.cost.peak for group in groups_of(module))
        planned = parse(text)
        MemplanPipelinePass(objective="peak", max_code=max_code).apply(Context(), planned)
        inputs = arrays_for(parse(text))
        same(run(parse(text), inputs), run(planned, inputs))
        (room,) = arena_bytes(planned).values()
        assert room <= counted
        rooms.append(room)
    assert rooms[1] < 0.6 * rooms[0]
