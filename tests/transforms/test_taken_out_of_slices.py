"""What is taken out of slices: in each of equal blocks, and no more than is early."""

import pytest
from xdsl.context import Context

from tests.transforms.networks import Network
from tests.transforms.test_region_moves import parse
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass


def blocks(count: int) -> str:
    """Each a concatenation of a small part, made before the largest tensor, and a large one after.

    Where the small part lies in the concatenation from the start, that is there as early.
    """
    n = Network()
    x = n.argument(8, 32)
    for _ in range(count):
        part = n.relu(x)
        large = n.matmul(part, 512)
        other = n.matmul(n.matmul(large, 8), 224)
        x = n.matmul(n.concat(part, other), 32)
    return n.text(x)


def arena(count: int) -> int:
    module = parse(blocks(count))
    MemplanBufferizePass().apply(Context(), module)
    MemplanAssignOffsetsPass().apply(Context(), module)
    [size] = [op.size.value.data for op in module.walk() if isinstance(op, ArenaOp) and op.size]
    return size


@pytest.mark.parametrize("count", [20, 70])
def test_equal_blocks_need_as_much_as_two(count: int):
    assert arena(2) < 8 * (512 + 256) * 4  # The largest tensor and the concatenation.
    assert arena(count) == arena(2)


def recurrent(steps: int) -> str:
    """All states one behind the other; the last but one is there long before most others are."""
    n = Network()
    others = [n.argument(8, 32) for _ in range(steps)]
    early = n.relu(n.argument(8, 32))
    last = n.relu(n.matmul(n.matmul(early, 640), 32))
    return n.text(n.concat(*(n.relu(other) for other in others), early, last))


def test_a_part_that_is_early_is_taken_out_alone():
    """Taken out with all others, it would be beside all of them when they are put together."""
    part, largest = 8 * 32 * 4, 8 * 640 * 4
    assert 24 * part > largest + 2 * part  # All parts beside each other would need more.
    module = parse(recurrent(10))
    MemplanBufferizePass().apply(Context(), module)
    MemplanAssignOffsetsPass().apply(Context(), module)
    [size] = [op.size.value.data for op in module.walk() if isinstance(op, ArenaOp) and op.size]
    assert size <= largest + 2 * part
