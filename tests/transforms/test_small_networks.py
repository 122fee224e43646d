"""Small networks of structures in use: planned at the first try, less moved with more room.

The sizes are those of no published network.
"""

from collections.abc import Callable

import pytest

from tests.transforms.networks import Network
from tests.transforms.test_model_peak import group, plan
from xdsl_memplan.dialects.groups import GroupOp


def inception() -> str:
    """Three blocks of three branches each."""
    n = Network()
    x = n.argument(1, 8, 19, 17)
    for _ in range(3):
        one = n.relu(n.conv(x, 4, 1))
        two = n.relu(n.conv(n.relu(n.conv(x, 4, 1)), 6))
        three = n.relu(n.conv(n.relu(n.conv(n.relu(n.conv(x, 3, 1)), 5)), 5))
        x = n.concat(one, two, three)
    return n.text(x)


def dense_block() -> str:
    """Each layer reads all before it."""
    n = Network()
    x = n.conv(n.argument(1, 3, 22, 14), 6)
    for _ in range(5):
        x = n.concat(x, n.conv(n.relu(n.conv(n.relu(x), 8, 1)), 4))
    return n.text(n.pool(x))


def separable() -> str:
    """Depthwise and pointwise convolutions with residuals, of a stride now and then."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 3, 33, 29), 8, stride=2))
    for stride in (1, 2, 1):
        wide = n.relu(n.depthwise(n.relu(n.conv(x, 20, 1, stride))))
        narrow = n.conv(wide, 8, 1)
        x = n.each("addf", x, narrow) if stride == 1 else narrow
    return n.text(x)


def window_attention() -> str:
    """Products within windows of seven rows, and a feed-forward of all rows."""
    n = Network()
    x = n.argument(84, 16)
    for _ in range(2):
        windows = n.reshape(n.matmul(x, 16), "[[0, 1], [2]]", 12, 7, 16)
        scores = n.relu(n.batch_matmul(windows, n.transpose(windows, 0, 2, 1)))
        mixed = n.reshape(n.batch_matmul(scores, windows), "[[0, 1], [2]]", 84, 16)
        x = n.each("addf", x, n.matmul(mixed, 16))
        x = n.each("addf", x, n.matmul(n.relu(n.matmul(x, 64)), 16))
    return n.text(x)


def recurrent() -> str:
    """Steps one behind the other with the same weights, and all states as one result."""
    n = Network()
    state, weights = n.argument(4, 24), n.argument(24, 24)
    states = []
    for _ in range(6):
        new = n._structured("linalg.matmul", [state, weights], (4, 24))
        state = n.relu(n.each("addf", new, n.argument(4, 24)))
        states.append(n.relu(state))
    return n.text(n.concat(*states))


NETWORKS = [inception, dense_block, separable, window_attention, recurrent]


@pytest.mark.parametrize("network", NETWORKS)
def test_less_is_moved_with_more_room(network: Callable[[], str]):
    text, moved = network(), []
    for kib in (2, 4, 8, 16, 32, 64):
        module = group(text, "traffic", f"L1={kib}KiB,DDR", "all", chains=True)
        costs = [op.cost.cost for op in module.walk() if isinstance(op, GroupOp)]
        moved.append(sum(cost.traffic for cost in costs))
        counted = max(cost.peak for cost in costs)
        assert counted <= kib * 1024
        assert plan(module, "auto", "L1,DDR") <= counted
    assert moved == sorted(moved, reverse=True)


@pytest.mark.parametrize("network", NETWORKS)
def test_tiles_by_peak_need_no_more_than_was_counted(network: Callable[[], str]):
    module = group(network(), "peak", "L1,DDR", "none", chains=True)
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    assert plan(module, "auto", "L1,DDR") <= counted


def test_rows_go_in_three_parts_where_a_half_does_not_fit():
    """Weights come once for each part, so a fourth or a fifth would cost one or two times more."""
    n = Network()
    rows, width, hidden = 60, 16, 64
    text = n.text(n.matmul(n.relu(n.matmul(n.argument(rows, width), hidden)), width))
    module = group(text, "traffic", "L1=3KiB,DDR", "all")
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    weights, ends = 4 * 2 * width * hidden, 4 * 2 * rows * width
    assert sum(op.cost.cost.traffic for op in groups) <= 3 * weights + ends
