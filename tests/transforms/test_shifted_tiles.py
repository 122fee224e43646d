"""Tiles that are shifted inwards at the ends of a row: one loop of all, the same numbers."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.code_networks import upscaled
from tests.transforms.networks import Network
from tests.transforms.random_networks import random_network
from tests.transforms.spoiled_tiles import change_end, change_index, swap_ends
from tests.transforms.test_code_price import as_one_group, groups_of
from tests.transforms.test_region_moves import parse
from tests.transforms.test_split_programs import arrays_for, in_layers, run, same
from tests.transforms.test_verify_split import compute_the_same, function_of
from xdsl_memplan.dialects.groups import CutAttr, GroupOp
from xdsl_memplan.model.tiling_plan import Halo, LoopCut
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.expand_groups.clamped_lines import ClampedLine
from xdsl_memplan.transforms.expand_groups.shifted_pads import shifted_pad
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.verify_split.check_split import Verdict, check_split


def narrow() -> str:
    n = Network()
    return n.text(n.relu(n.conv(n.relu(n.conv(n.argument(1, 2, 9, 20), 3)), 2)))


def wide_kernels() -> str:
    """A tile may have less of the operand than padding."""
    n = Network()
    x = n.conv(n.pad(n.argument(1, 2, 9, 20), 3), 3, 7)
    return n.text(n.relu(n.conv(n.pad(x, 2), 2, 5)))


def strides() -> str:
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 18, 40), 4, stride=2))
    return n.text(n.relu(n.conv(n.pool(n.depthwise(x)), 2)))


def residual() -> str:
    """Two readers need other columns of one tensor."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 8, 20), 3))
    return n.text(n.relu(n.each("addf", n.conv(n.relu(n.conv(x, 3)), 3), x)))


def joined() -> str:
    n = Network()
    x = n.argument(1, 2, 8, 20)
    wide = n.conv(n.pad(x, 2), 2, 5)
    return n.text(n.conv(n.relu(n.concat(n.conv(x, 3), wide, n.conv(x, 1, 1))), 2))


def two_results() -> str:
    """What is stored on the way is stored by shifted tiles, too."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 8, 20), 3))
    return n.text(x, n.conv(x, 2))


def padded_constant() -> str:
    """The first of several steps pads what it starts with, and that is the same everywhere."""
    n = Network()
    zeros = n.filled(1, 2, 8, 20)
    return n.text(n.each("addf", n.conv(zeros, 3), n.conv(n.argument(1, 2, 8, 20), 3)))


def shuffled() -> str:
    """Features become rows and columns: tiles begin within two of these that come from one."""
    n = Network()
    x = n.argument(1, 2, 2, 2, 4, 10)
    between = n.transpose(x, 0, 1, 4, 2, 5, 3)
    return n.text(n.relu(n.conv(n.reshape(between, "[[0], [1], [2, 3], [4, 5]]", 1, 2, 8, 20), 3)))


def shuffled_by_three() -> str:
    n = Network()
    x = n.relu(n.argument(1, 2, 3, 3, 3, 7))
    between = n.transpose(x, 0, 1, 4, 2, 5, 3)
    rows = n.reshape(between, "[[0], [1], [2, 3], [4, 5]]", 1, 2, 9, 21)
    return n.text(n.relu(n.conv(n.relu(n.conv(rows, 3)), 2)))


def shuffled_twice() -> str:
    """Four dimensions become columns at once; others do so one after the other."""
    n = Network()
    x = n.relu(n.argument(1, 2, 4, 2, 3, 2, 2))
    x = n.conv(n.reshape(x, "[[0], [1], [2, 3], [4, 5, 6]]", 1, 2, 8, 12), 8)
    apart = n.reshape(x, "[[0], [1, 2, 3], [4], [5]]", 1, 2, 2, 2, 8, 12)
    between = n.transpose(apart, 0, 1, 4, 2, 5, 3)
    rows = n.reshape(between, "[[0], [1], [2, 3], [4, 5]]", 1, 2, 16, 24)
    return n.text(n.relu(n.conv(rows, 2)))


def shuffled_with_two_readers() -> str:
    """More is at hand of what is reshaped than the reshape needs."""
    n = Network()
    between = n.relu(n.transpose(n.argument(1, 2, 2, 2, 4, 10), 0, 1, 4, 2, 5, 3))
    one = n.reshape(between, "[[0], [1], [2, 3], [4, 5]]", 1, 2, 8, 20)
    other = n.reshape(n.relu(between), "[[0], [1], [2, 3], [4, 5]]", 1, 2, 8, 20)
    wide = n.conv(n.pad(one, 3), 2, 7)
    return n.text(n.relu(n.each("addf", wide, n.conv(other, 2))))


SHUFFLED = [shuffled, shuffled_by_three, shuffled_twice, shuffled_with_two_readers]

PLAIN = [narrow, wide_kernels, strides, residual, joined, two_results, padded_constant]

PROGRAMS = [*PLAIN, *SHUFFLED]

Cuts = tuple[tuple[int, int, Halo], ...]


def cut_by_hand(text: str, cuts: Cuts) -> ModuleOp:
    """All in one group: dimension of the last result, size of a tile, halo."""
    module = as_one_group(text)
    [group] = groups_of(module)
    last = len(list(group.body.block.ops)) - 2
    group.cuts = ArrayAttr(
        CutAttr.of(LoopCut("result", last, d, size, 0, h)) for d, size, h in cuts
    )
    return module


def tiled(module: ModuleOp) -> ModuleOp:
    """In tiles; what is computed again is more than the group says, as it was not cut so."""
    tiles = module.clone()
    MemplanExpandGroupsPass(emit="loop", check=False).apply(Context(), tiles)
    return tiles


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "cuts",
    [
        ((3, 5, "shift"),),
        ((3, 2, "shift"),),
        # The last tile of 3 columns would have 2: it begins one before.
        ((3, 3, "shift"),),
        ((3, 7, "shift"),),
        ((3, 5, "shift"), (2, 2, "cache")),
        ((2, 3, "shift"), (3, 4, "shift")),
        ((3, 5, "recompute"), (2, 2, "shift")),
    ],
)
def test_shifted_tiles_compute_the_same(program, cuts: Cuts):
    text = program()
    module = cut_by_hand(text, cuts)
    tiles = tiled(module)
    inputs = arrays_for(module)
    same(run(parse(text), inputs), run(tiles, inputs))
    found = check_split(function_of(module), function_of(tiles))
    assert found.verdict is Verdict.PROVED or "multiply-adds" in found.reason, found


@pytest.mark.parametrize("program", [narrow, wide_kernels, residual, two_results])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_shifted_tiles_are_one_loop(program, size: int):
    """Not so with overlaps that are computed again: there are three kinds at the least."""

    def convolutions(halo: Halo) -> int:
        tiles = tiled(cut_by_hand(program(), ((3, size, halo),)))
        return sum(op.name == "linalg.conv_2d_nchw_fchw" for op in tiles.walk())

    written = sum("conv" in op.name for op in parse(program()).walk())
    assert convolutions("shift") == written
    assert convolutions("recompute") >= 3 * written


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize(
    ("program", "size"),
    [
        (shuffled, 2),
        (shuffled, 4),
        (shuffled_by_three, 3),
        (shuffled_twice, 4),
        (shuffled_with_two_readers, 4),
    ],
)
def test_tiles_that_begin_within_what_is_reshaped_are_one_loop(program, size: int, dimension: int):
    """If what becomes one dimension divides the size of a tile: else it does not begin evenly."""

    def convolutions(halo: Halo) -> int:
        tiles = tiled(cut_by_hand(program(), ((dimension, size, halo),)))
        return sum(op.name == "linalg.conv_2d_nchw_fchw" for op in tiles.walk())

    written = sum("conv" in op.name for op in parse(program()).walk())
    assert convolutions("shift") == written
    assert convolutions("recompute") >= 2 * written


def test_room_of_what_is_padded_after_a_reshape_is_counted():
    """It lies beside what was reshaped, of which the next tile needs a part, too."""
    module = parse(upscaled(64))
    MemplanPipelinePass(memory="L1=32KiB,DDR", stage="all").apply(full_context(), module)


def test_tiles_that_take_another_part_of_what_is_reshaped_are_refused():
    module = cut_by_hand(shuffled(), ((2, 2, "shift"),))
    tiles, inputs = tiled(module), arrays_for(module)
    expected = run(parse(shuffled()), inputs)
    refused = 0
    for spoil in (change_index, change_end, swap_ends):
        for seed in range(8):
            spoiled = tiles.clone()
            if not spoil(spoiled, random.Random(seed)):
                continue
            found = check_split(function_of(module), function_of(spoiled))
            is_proved = found.verdict is Verdict.PROVED or "multiply-adds" in found.reason
            refused += not is_proved
            assert not is_proved or compute_the_same(expected, spoiled, inputs)
    assert refused >= 8


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32), st.data())
def test_random_networks_in_shifted_tiles(seed: int, data: st.DataObject):
    text = random_network(seed, 6)
    module = in_layers(text)
    try:
        MemplanGroupPass(memory="L1=4KiB,DDR", threads=1).apply(Context(), module)
    except PassFailedException:
        assume(False)  # A layer that is not split does not fit.
    for group in [op for op in module.walk() if isinstance(op, GroupOp)]:
        cuts: list[CutAttr] = []
        for attribute in group.cuts:
            cut = attribute.cut
            if cut.kind == "result" and not cut.lead and data.draw(st.booleans()):
                cut = cut._replace(halo="shift", head=1, tail=1)
            cuts.append(CutAttr.of(cut))
        group.cuts = ArrayAttr(cuts)
    tiles = tiled(module)
    inputs = arrays_for(module)
    same(run(parse(text), inputs), run(tiles, inputs))
    found = check_split(function_of(module), function_of(tiles))
    assert found.verdict is not Verdict.REFUTED or "says" in found.reason, found


def test_a_loop_may_go_backwards_where_a_row_ends():
    """The last tile of a padded row and the first of the next look alike: its columns go back."""
    n = Network()
    rows = n.conv(n.pad(n.argument(1, 1, 4, 4), 2), 2, 1)
    text = n.text(n.relu(n.reshape(rows, "[[0], [1], [2, 3]]", 1, 2, 64)))
    tiles = tiled(cut_by_hand(text, ((2, 2, "shift"),)))
    inputs = arrays_for(parse(text))
    same(run(parse(text), inputs), run(tiles, inputs))


def test_an_index_is_no_further_than_the_ends():
    """Tiles of 5 columns that need 9 begin 2 before them: at 0, 3, 8 and 11 of 20."""
    n = Network()
    text = n.text(n.conv(n.pad(n.argument(1, 2, 9, 20), 2), 2, 5))
    tiles = tiled(cut_by_hand(text, ((3, 5, "shift"),)))
    [loop] = [op for op in tiles.walk() if isinstance(op, scf.ForOp)]
    assert [
        op.operands[1].owner.value.value.data for op in loop.walk() if isinstance(op, arith.MaxSIOp)
    ] == [0]
    assert [
        op.operands[1].owner.value.value.data for op in loop.walk() if isinstance(op, arith.MinSIOp)
    ] == [11]


@given(
    st.integers(-20, 20),
    st.integers(0, 9),
    st.integers(-9, 9),
    st.integers(0, 40),
    st.integers(1, 12),
)
def test_lines_between_ends(first: int, step: int, low: int, more: int, tiles: int):
    numbers = [min(max(first + step * tile, low), low + more) for tile in range(tiles)]
    line = ClampedLine.of(numbers)
    assert line is not None
    assert [
        min(max(line.first + line.step * t, line.low), line.high) for t in range(tiles)
    ] == numbers


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8))
def test_other_numbers_are_no_line(numbers: list[int]):
    line = ClampedLine.of(numbers)
    found = (
        None
        if line is None
        else [
            min(max(line.first + line.step * t, line.low), line.high) for t in range(len(numbers))
        ]
    )
    assert found in (None, numbers)


@given(
    st.integers(1, 20), st.integers(0, 6), st.integers(0, 6), st.integers(1, 12), st.integers(1, 5)
)
def test_what_a_tile_needs_lies_in_what_it_pads(
    extent: int, low: int, high: int, length: int, tiles: int
):
    """Real elements where the operand has any, padding where it has none."""
    whole = low + extent + high
    length = min(length, whole)
    ranges = [
        (s, s + length) for s in (t * (whole - length) // max(1, tiles - 1) for t in range(tiles))
    ]
    pad = shifted_pad(ranges, low, extent, [(0, extent)] * tiles, 0)
    if pad is None:
        return
    for tile, (start, end) in enumerate(ranges):
        first = pad.padded_start((tile,))
        assert first <= start
        assert end <= first + pad.size
        for index in range(start, end):
            is_real = pad.before <= index - first < pad.before + pad.width
            assert is_real == (low <= index < low + extent)
            if is_real:
                assert pad.starts[tile] + index - first - pad.before == index - low
