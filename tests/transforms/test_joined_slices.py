"""Views of one tensor that overlap are fetched as one box where that is less."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.networks import Network, Value
from tests.transforms.test_split_programs import Emit, arrays_for, check, in_layers
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.model.overlapping_slices import has_overlapping_slices
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def difference(computed: bool = False) -> str:
    """Each element less the one two behind it, of an argument or of what another group made."""
    n = Network()
    x = n.argument(8, 32, 34)
    if computed:
        x = n.batch_matmul(x, n.argument(8, 34, 34))
    first, second = (n.slice_of(x, [0, 0, by], [8, 32, 32]) for by in (0, 2))
    return n.text(n.each("subf", first, second))


def shifts(by: int) -> str:
    """Products of a tensor with another one shifted in two directions, one beside the other."""
    n = Network()
    x, y = n.argument(1, 4, 12, 16), n.argument(1, 4, 12 + by - 1, 16 + by - 1)
    shifted = [n.slice_of(y, [0, 0, i, j], [1, 4, 12, 16]) for i in range(by) for j in range(by)]
    return n.text(n.concat(*(n.each("mulf", x, part) for part in shifted)))


def far_apart() -> str:
    """Slices with much between them: the box of both is more than they are."""
    n = Network()
    x = n.argument(8, 32, 34)
    first, second = (n.slice_of(x, [0, 0, by], [8, 32, 8]) for by in (0, 26))
    return n.text(n.each("subf", first, second))


def even_and_odd() -> str:
    n = Network()
    x = n.argument(16, 34)
    first, second = (n.slice_of(x, [0, by], [8, 17], 2) for by in (0, 1))
    return n.text(n.each("subf", first, second))


def in_two_shapes() -> str:
    """Products of an argument, and of the same argument in another shape, added up."""
    n = Network()
    x = n.argument(4, 8, 16)
    first = n.batch_matmul(x, n.argument(4, 16, 16))
    second = n.matmul(n.reshape(x, "[[0, 1], [2]]", 32, 16), 16)
    return n.text(n.each("addf", first, n.reshape(second, "[[0, 1], [2]]", 4, 8, 16)))


def grouped(text: str, capacity: int) -> list[GroupOp]:
    module = in_layers(text)
    MemplanGroupPass(memory=f"L1={capacity},DDR", threads=1).apply(Context(), module)
    return [op for op in module.walk() if isinstance(op, GroupOp)]


def moved(text: str, capacity: int) -> int:
    return sum(group.cost.traffic.value.data for group in grouped(text, capacity))


# Whole, and tiles of rows: no tile needs what another one fetched.
@pytest.mark.parametrize("capacity", [4096, 1 << 17])
def test_what_two_slices_share_is_fetched_once(capacity: int):
    assert moved(difference(), capacity) == 4 * 8 * 32 * (34 + 32)


def test_many_shifts_fetch_the_tensor_once():
    assert moved(shifts(3), 1 << 20) == 4 * 4 * (12 * 16 + 14 * 18 + 9 * 12 * 16)


def test_a_group_has_the_slices_inside():
    [group] = grouped(difference(), 1 << 17)
    assert len(group.inputs) == 1
    assert [op.name for op in group.body.block.ops].count("tensor.extract_slice") == 2


def test_slices_far_apart_are_fetched_one_by_one():
    [group] = grouped(far_apart(), 1 << 17)
    assert len(group.inputs) == 2
    assert group.cost.traffic.value.data == 4 * 8 * 32 * 3 * 8


def test_what_is_read_in_two_shapes_is_fetched_once():
    moves = 4 * (2 * 512 + 4 * 256 + 256)
    assert moved(in_two_shapes(), 1 << 15) == moves


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (in_two_shapes(), True),
        (difference(), True),
        (shifts(2), True),
        (far_apart(), False),
        (even_and_odd(), False),
    ],
)
def test_whether_slices_overlap(text: str, expected: bool):
    module = in_layers(text)
    (function,) = module.body.block.ops
    assert has_overlapping_slices(FunctionSplitGraph.of(function).graph) is expected  # pyright: ignore


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("capacity", [2048, 16384, 1 << 18])
@pytest.mark.parametrize(
    "text", [difference(), difference(computed=True), shifts(3), in_two_shapes()]
)
def test_overlapping_slices_compute_the_same(text: str, capacity: int, emit: Emit):
    memory = f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(in_layers(text)), group, emit, memory) <= capacity


def random_slices(seed: int) -> str:
    """Slices of an argument or of what was computed, and what is computed of them."""
    numbers = random.Random(seed)
    n = Network()
    shape = [1, numbers.randint(1, 4), numbers.randint(6, 12), numbers.randint(6, 12)]
    x = n.argument(*shape)
    if numbers.random() < 0.5:
        x = n.conv(x, shape[1]) if numbers.random() < 0.5 else n.relu(x)
    sizes = [1, shape[1], shape[2] - numbers.randint(0, 4), shape[3] - numbers.randint(0, 4)]
    parts: list[Value] = []
    for _ in range(numbers.randint(2, 5)):
        offsets = [numbers.randint(0, n - size) for n, size in zip(shape, sizes, strict=True)]
        part = n.slice_of(x, offsets, sizes)
        for _ in range(numbers.randint(0, 2)):
            kind = numbers.randrange(3)
            part = n.conv(part, shape[1]) if kind else n.relu(part)
            part = n.depthwise(part) if kind == 2 else part
        parts.append(part)
        if numbers.random() < 0.3:
            parts.append(n.each("mulf", *numbers.choices(parts, k=2)))
    y = n.concat(*parts) if numbers.random() < 0.5 else n.each("subf", *parts[:2])
    y = n.conv(y, 3) if numbers.random() < 0.5 else y
    # Others that are read may be read after all that, or be results.
    return n.text(y, *(parts[2:3] if numbers.random() < 0.3 else ()))


@given(
    st.integers(0, 2**32),
    st.sampled_from([1024, 4096, 16384]),
    st.sampled_from(["unroll", "auto", "loop"]),
)
@settings(max_examples=12, deadline=None)
def test_random_slices_compute_the_same(seed: int, capacity: int, emit: Emit):
    text, memory = random_slices(seed), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    try:
        group.apply(Context(), in_layers(text))
    except PassFailedException:
        assume(False)  # A layer needs more room however it is cut.
    check(text, arrays_for(in_layers(text)), group, emit, memory)
