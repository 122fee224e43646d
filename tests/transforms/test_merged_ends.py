"""The tiles at an end of a row as one tile: fewer kinds of tiles, the same numbers."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr

from tests.transforms.code_networks import dense_block, plain, separable, windows
from tests.transforms.networks import Network
from tests.transforms.test_code_price import groups_of
from tests.transforms.test_model_peak import group
from tests.transforms.test_region_moves import parse
from tests.transforms.test_split_programs import arrays_for, in_layers, run, same
from xdsl_memplan.dialects.groups import CutAttr
from xdsl_memplan.model.tiling_plan import Halo, LoopCut
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def two_results() -> str:
    n = Network()
    x = n.conv(n.argument(1, 1, 40, 90), 1, 5)
    return n.text(n.conv(n.relu(x), 1, 7), x)


@pytest.mark.parametrize("halo", ["cache", "recompute"])
@pytest.mark.parametrize(
    ("lead", "head", "tail", "kinds"), [(0, 1, 1, 5), (0, 1, 4, 3), (0, 3, 4, 3), (2, 3, 20, 2)]
)
def test_tiles_at_the_ends_are_one(lead: int, head: int, tail: int, kinds: int, halo: Halo):
    n = Network()
    text = n.text(n.conv(n.conv(n.conv(n.argument(1, 2, 14, 5), 2), 2), 2))
    module = in_layers(text)
    for op in module.walk():
        if "memplan.layer" in op.attributes:
            op.attributes["memplan.layer"] = op.attributes["memplan.layer"].__class__(0, 64)
    MemplanGroupPass(memory="L1=1MiB,DDR", threads=1).apply(Context(), module)
    (found,) = groups_of(module)
    last = len(list(found.body.block.ops)) - 2
    cut = LoopCut("result", last, 2, 1, lead, halo, head, tail)
    found.cuts = ArrayAttr([CutAttr.of(cut)])
    # What is computed again is more than the group says, as it was not cut so.
    MemplanExpandGroupsPass(emit="loop", check=halo == "cache").apply(Context(), module)
    inputs = arrays_for(module)
    same(run(parse(text), inputs), run(module, inputs))
    tiles = sum(op.name == "linalg.conv_2d_nchw_fchw" for op in module.walk())
    assert halo == "recompute" or tiles <= 3 * kinds


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        (windows(28, 16), "32KiB"),
        (plain(49, 12), "64KiB"),
        # Patches, of which each end of two rows looks like no other.
        (separable(), "128KiB"),
        (dense_block(), "64KiB"),
        # What one tile has written the next one makes again, and writes the rest.
        (two_results(), "6KiB"),
    ],
)
def test_tiles_are_at_most_four_times_the_whole(text: str, memory: str):
    whole = sum(1 for _ in parse(text).walk())
    module = group(text, "traffic", f"L1={memory},DDR", "all", chains=True)
    MemplanExpandGroupsPass(emit="loop").apply(Context(), module)
    assert sum(1 for _ in module.walk()) <= 4 * whole
