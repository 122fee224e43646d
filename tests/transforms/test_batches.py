"""A batch moves no more than its images one after another, and computes the same."""

import pytest
from xdsl.context import Context

from tests.transforms.networks import Network
from tests.transforms.test_split_programs import arrays_for, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def stack(images: int, features: int = 6, rows: int = 40, layers: int = 5) -> str:
    """Convolutions of 3 x 3 over rows of 6."""
    n = Network()
    x = n.argument(images, features, rows, 6)
    for _ in range(layers):
        x = n.relu(n.conv(x, features))
    return n.text(x)


def bytes_moved(text: str, memory: str) -> int:
    module = in_layers(text)
    MemplanGroupPass(memory=memory, threads=1).apply(Context(), module)
    return sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))


@pytest.mark.parametrize("images", [3, 8])
@pytest.mark.parametrize("capacity", [6144, 8192, 12288, 16384, 24576])
def test_a_batch_moves_no_more_than_its_images_alone(images: int, capacity: int):
    memory = f"L1={capacity},DDR"
    assert bytes_moved(stack(images), memory) <= images * bytes_moved(stack(1), memory)


@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_images_one_by_one_compute_the_same(emit):
    text, memory = stack(3, features=2, rows=16, layers=2), "L1=2048,DDR"
    module = in_layers(text)
    MemplanGroupPass(memory=memory, threads=1).apply(Context(), module)
    cuts = [[cut.cut for cut in op.cuts] for op in module.walk() if isinstance(op, GroupOp)]
    assert any(
        [(c.loop, c.halo) for c in group] == [(0, "recompute"), (2, "cache")] for group in cuts
    )
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 2048
