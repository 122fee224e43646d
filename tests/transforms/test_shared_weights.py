"""Layers that share weights are one group where all of them fit: the weights come once."""

import pytest
from xdsl.context import Context

from tests.transforms.networks import Network
from tests.transforms.test_split_programs import arrays_for, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

MEMORY = "L1=2KiB,DDR"
GROUP = MemplanGroupPass(memory=MEMORY, stage="all")
WIDTH = 16


def steps(count: int) -> str:
    """A recurrent network."""
    n = Network()
    x, weights = n.argument(1, WIDTH), n.argument(WIDTH, WIDTH)
    for _ in range(count):
        x = n.relu(n._structured("linalg.matmul", [x, weights], (1, WIDTH)))
    return n.text(x)


@pytest.mark.parametrize("count", [4, 12, 40, 90])
def test_weights_come_once(count: int):
    module = in_layers(steps(count))
    GROUP.apply(Context(), module)
    costs = [op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp)]
    assert sum(costs) == 4 * (WIDTH * WIDTH + 2 * WIDTH)


def test_many_layers_in_one_group_compute_the_same():
    text = steps(12)
    check(text, arrays_for(parse(text)), GROUP, "auto", MEMORY)
