"""Products side by side, such as heads, are taken one by one whoever makes what they read."""

import pytest

from tests.transforms.networks import Network
from tests.transforms.test_split_programs import Emit, arrays_for, bytes_moved, check, parse
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

HEADS, POSITIONS, FEATURES = 3, 32, 4


def attention(heads: int = HEADS, *, of_arguments: bool = True) -> str:
    """Scores of all positions have 4096 bytes per head; keys and values have 512 each."""
    n = Network()
    q = n.argument(heads, POSITIONS, FEATURES)
    k = n.argument(heads, FEATURES, POSITIONS)
    v = n.argument(heads, POSITIONS, FEATURES)
    if not of_arguments:
        q, k, v = n.relu(q), n.relu(k), n.relu(v)
    return n.text(n.batch_matmul(n.relu(n.batch_matmul(q, k)), v))


@pytest.mark.parametrize("of_arguments", [True, False])
@pytest.mark.parametrize("capacity", [2048, 3072, 4096])
def test_heads_in_rows_move_what_they_must(capacity: int, *, of_arguments: bool):
    must = 4 * 4 * HEADS * POSITIONS * FEATURES
    text = attention(of_arguments=of_arguments)
    assert bytes_moved(text, f"L1={capacity}:align=4,DDR") == must


@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_heads_in_rows_compute_the_same(emit: Emit):
    text, memory = attention(), "L1=2048,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 2048
