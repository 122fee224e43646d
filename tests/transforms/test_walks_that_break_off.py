"""A search by peak leaves out what is no better, and says of no code that it is short if it is not.

The random networks are some in which it had left out less room, or had made far too much code.
"""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tests.transforms.quantized_networks import QuantizedNetwork
from tests.transforms.random_networks import random_network
from tests.transforms.test_code_price import groups_of
from tests.transforms.test_region_moves import parse
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_trim import MemplanTrimPass

BEFORE_GROUPS: tuple[ModulePass, ...] = (
    MemplanTrimPass(),
    MemplanFoldReshapesPass(),
    MemplanFuseElementwisePass(),
    MemplanFuseElementwisePass(chains=True),
    MemplanFormLayersPass(),
)


def grouped(text: str) -> ModuleOp:
    module = parse(text)
    for each in (*BEFORE_GROUPS, MemplanGroupPass(objective="peak", threads=1)):
        each.apply(Context(), module)
    return module


@pytest.mark.parametrize(
    ("seed", "layers", "least"),
    [
        # Tiles of whole rows take less room than larger ones, and than smaller ones, that are not.
        pytest.param(13, 8, 576, id="rows of another shape, eight layers"),
        pytest.param(14, 4, 320, id="rows of another shape, four layers"),
        pytest.param(20, 4, 256, id="a sum over a flat tensor"),
        # With few grids this order of its branches needs no less than another.
        pytest.param(34, 8, 2816, id="another order"),
    ],
)
def test_the_least_peak_is_not_left_out(seed: int, layers: int, least: int):
    module = grouped(random_network(seed, layers))
    assert max(group.cost.cost.peak for group in groups_of(module)) <= least


@pytest.mark.parametrize(
    ("seed", "layers"),
    [
        # Groups that need less room with their chains whole than slice by slice.
        (21, 6),
        (25, 6),
        # No code is short enough; a third of it needs less than a fifth of the room more.
        (4, 3),
    ],
)
def test_long_code_is_not_taken_for_short(seed: int, layers: int):
    network = QuantizedNetwork(seed)
    random = network.random
    sizes = random.choice([12, 16, 20]), random.choice([12, 16]), random.choice([3, 8, 16])
    x = network.argument((1, *sizes))
    for _ in range(layers):
        x = network.layer(x)
    text = network.text(x)
    before = sum(1 for _ in parse(text).walk())
    module = grouped(text)
    MemplanExpandGroupsPass().apply(Context(), module)
    assert sum(1 for _ in module.walk()) <= 7 * before
