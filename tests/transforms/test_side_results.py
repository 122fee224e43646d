"""Results that a group makes and does not read are cut as what they are made of."""

from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.context import Context

from tests.transforms.networks import Network, Value
from tests.transforms.test_split_programs import (
    Emit,
    arrays_for,
    bytes_moved,
    check,
    in_layers,
    parse,
)
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

HEADS, ROWS = 6, 8


def two_products() -> str:
    """What is between, 256 bytes of each head, is multiplied twice: two results."""
    n = Network()
    between = n.relu(n.batch_matmul(n.argument(HEADS, ROWS, 4), n.argument(HEADS, 4, ROWS)))
    first = n.batch_matmul(between, n.argument(HEADS, ROWS, 4))
    return n.text(first, n.batch_matmul(between, n.argument(HEADS, ROWS, 4)))


def three_products() -> str:
    """The first is multiplied by another matrix, and the second is turned."""
    n = Network()
    between = n.relu(n.batch_matmul(n.argument(HEADS, ROWS, 4), n.argument(HEADS, 4, ROWS)))
    turned = n.batch_matmul(n.transpose(between, 0, 2, 1), n.argument(HEADS, ROWS, 4))
    more = n.batch_matmul(between, n.argument(HEADS, ROWS, ROWS))
    left = n.batch_matmul(n.argument(HEADS, 4, ROWS), more)
    return n.text(turned, n.batch_matmul(more, n.argument(HEADS, ROWS, 4)), left)


def two_heads_of_a_network() -> str:
    """Two results of convolutions that read the same rows, one with a halo."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 24, 6), 6))
    return n.text(n.relu(n.conv(x, 2, 1)), n.conv(x, 2))


def scaled_product() -> str:
    """The result beside is made of two tensors of its layer; the first follows no cut."""
    n = Network()
    between = n.relu(n.batch_matmul(n.argument(HEADS, ROWS, 4), n.argument(HEADS, 4, ROWS)))
    product = n.batch_matmul(between, n.argument(HEADS, ROWS, 16))
    scaled = n.each("mulf", n.relu(n.argument(HEADS, ROWS, 16)), product)
    return n.text(scaled, n.batch_matmul(between, n.argument(HEADS, ROWS, 16)))


def flat_products() -> str:
    """Keys and values: the batch of one is taken off before each product, and put back."""
    n = Network()
    between = n.relu(n.batch_matmul(n.argument(1, HEADS * ROWS, 4), n.argument(1, 4, ROWS)))

    def product() -> Value:
        rows = n.reshape(between, "[[0, 1], [2]]", HEADS * ROWS, ROWS)
        return n.relu(n.reshape(n.matmul(rows, 4), "[[0, 1], [2]]", 1, HEADS * ROWS, 4))

    return n.text(product(), product())


def products_in_two_shapes() -> str:
    """What is between is multiplied as heads, and as all of their rows."""
    n = Network()
    between = n.relu(n.batch_matmul(n.argument(HEADS, ROWS, 4), n.argument(HEADS, 4, ROWS)))
    first = n.batch_matmul(between, n.argument(HEADS, ROWS, 4))
    rows = n.reshape(between, "[[0, 1], [2]]", HEADS * ROWS, ROWS)
    return n.text(first, n.relu(n.matmul(rows, 4)))


PROGRAMS = [
    two_products,
    three_products,
    two_heads_of_a_network,
    scaled_product,
    flat_products,
    products_in_two_shapes,
]


@pytest.mark.parametrize("capacity", [1536, 2048])
def test_one_group_makes_all_of_them(capacity: int):
    """Everything is read once: four factors of 768 bytes, and two such results."""
    assert bytes_moved(two_products(), f"L1={capacity}:align=4,DDR") == 6 * 4 * HEADS * ROWS * 4


@pytest.mark.parametrize("capacity", [768, 1024])
def test_results_follow_what_views_show(capacity: int):
    """Both products read tiles of the same rows, each through a view of its own.

    What is read once: 48 x 4 elements and three weights of 8 x 4; two results of 48 x 4 are
    written.
    """
    elements = 3 * HEADS * ROWS * 4 + 3 * ROWS * 4
    assert bytes_moved(flat_products(), f"L1={capacity}:align=4,DDR") == 4 * elements


def test_of_two_results_made_by_rows_only_these_are_there_as_a_whole():
    """By peak: 1536 bytes, where what is between takes as much again."""
    module = in_layers(flat_products())
    MemplanGroupPass(objective="peak", stage="none", threads=1).apply(Context(), module)
    peaks = [op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp)]
    assert max(peaks) < 2 * 4 * HEADS * ROWS * 4 + 512


def test_a_result_beside_a_convolution_is_cut_into_its_rows():
    module = in_layers(two_heads_of_a_network())
    group = MemplanGroupPass(memory="L1=3KiB:align=4,DDR", transfer_cost=8, threads=1)
    group.apply(Context(), module)
    [group] = [op for op in module.walk() if isinstance(op, GroupOp)]
    assert len(group.results) == 2
    assert {cut.cut.loop for cut in group.cuts} == {2}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("capacity", [1024, 1536, 2048, 3072, 4096])
def test_they_compute_the_same(program: Callable[[], str], emit: Emit, capacity: int):
    text, memory = program(), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= capacity


@pytest.mark.parametrize("capacity", [2560, 4096, 5632])
def test_none_follows_an_inner_cut_alone(capacity: int):
    """Each tile of the outer cut would make it again, and the check of tiles refuses that."""
    chunks = Path(__file__).parents[1] / "data" / "state_space_chunks.mlir"
    module = parse(chunks.read_text())
    MemplanPipelinePass(memory=f"L1={capacity},DDR", stage="all").apply(full_context(), module)
