"""Results that tiles write over what they have read: a block of a network and its shortcut."""

from collections.abc import Callable

import pytest
from xdsl.context import Context

from tests.transforms.networks import Network, Value
from tests.transforms.test_split_programs import Emit, arrays_for, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

ROWS, COLUMNS = 64, 16
WHOLE = 4 * ROWS * COLUMNS
"""Bytes of one tensor."""


def start(n: Network) -> Value:
    """What is there as a whole, as the products that follow need all of its rows."""
    x = n.relu(n.matmul(n.argument(ROWS, 4), COLUMNS))
    return n.relu(n.matmul(x, COLUMNS))


def mixed(n: Network, x: Value) -> Value:
    """All rows of each column are multiplied by a matrix."""
    return n.relu(n.product(n.argument(ROWS, ROWS), x))


def mixed_rows() -> str:
    """A column of the result needs that column of the operand alone."""
    n = Network()
    x = start(n)
    return n.text(n.each("addf", x, mixed(n, x)))


def two_blocks() -> str:
    n = Network()
    x = start(n)
    for _ in range(2):
        x = n.each("addf", x, mixed(n, x))
        x = n.relu(n.matmul(x, COLUMNS))
    return n.text(x)


def read_later() -> str:
    """The operand is returned, too."""
    n = Network()
    x = start(n)
    return n.text(n.each("addf", x, mixed(n, x)), x)


def neighbours() -> str:
    """A tile reads rows around those that it writes."""
    n = Network()
    x = n.relu(n.conv(n.relu(n.conv(n.argument(1, 2, 24, 12), 2)), 2))
    y = n.relu(n.conv(n.relu(n.conv(x, 2, 1)), 2))
    return n.text(n.each("addf", x, y))


def read_in_another_shape() -> str:
    """Two products read the operand without its first dimension."""
    n = Network()
    x = n.reshape(start(n), "[[0, 1], [2]]", 1, ROWS, COLUMNS)
    for _ in range(2):
        flat = n.reshape(n.relu(x), "[[0, 1], [2]]", ROWS, COLUMNS)
        x = n.reshape(mixed(n, flat), "[[0, 1], [2]]", 1, ROWS, COLUMNS)
        flat = n.reshape(x, "[[0, 1], [2]]", ROWS, COLUMNS)
        inner = n.relu(n.matmul(n.relu(n.matmul(flat, 4 * COLUMNS)), COLUMNS))
        x = n.relu(n.each("addf", x, n.reshape(inner, "[[0, 1], [2]]", 1, ROWS, COLUMNS)))
    return n.text(x)


PROGRAMS = [mixed_rows, two_blocks, read_later, neighbours, read_in_another_shape]


def peak(text: str) -> int:
    module = in_layers(text)
    MemplanGroupPass(objective="peak", stage="none", threads=1).apply(Context(), module)
    return max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))


@pytest.mark.parametrize("program", [mixed_rows, two_blocks])
def test_one_tensor_is_enough(program: Callable[[], str]):
    assert peak(program()) < WHOLE + WHOLE // 4


def test_what_is_read_later_stays_as_it_is():
    assert peak(read_later()) >= 2 * WHOLE


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_they_compute_the_same_in_so_much_room(program: Callable[[], str], emit: Emit):
    text = program()
    group = MemplanGroupPass(objective="peak", stage="none", threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, "L1") <= peak(text)


BESIDE_A_VIEW = """
func.func @main(%x: tensor<64x16xf32>, %y: tensor<1x64x16xf32>) -> tensor<1x64x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %d = tensor.empty() : tensor<1x64x16xf32>
  %shown = memplan.group ins(%x : tensor<64x16xf32>) {
    %r = linalg.exp {memplan.layer = 0 : i64} ins(%x : tensor<64x16xf32>)
      outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
    memplan.group_yield %r : tensor<64x16xf32>
  } {GROUP} : tensor<64x16xf32>
  %made = memplan.group ins(%y : tensor<1x64x16xf32>) {
    %r = linalg.exp {memplan.layer = 1 : i64} ins(%y : tensor<1x64x16xf32>)
      outs(%d : tensor<1x64x16xf32>) -> tensor<1x64x16xf32>
    memplan.group_yield %r : tensor<1x64x16xf32>
  } {GROUP} : tensor<1x64x16xf32>
  %view = tensor.expand_shape %shown [[0, 1], [2]] output_shape [1, 64, 16]
    : tensor<64x16xf32> into tensor<1x64x16xf32>
  %sum = memplan.group ins(%view, %made : tensor<1x64x16xf32>, tensor<1x64x16xf32>) {
    %r = linalg.add {memplan.layer = 2 : i64}
      ins(%view, %made : tensor<1x64x16xf32>, tensor<1x64x16xf32>)
      outs(%d : tensor<1x64x16xf32>) -> tensor<1x64x16xf32>
    memplan.group_yield %r : tensor<1x64x16xf32>
  } {CUT} : tensor<1x64x16xf32>
  func.return %sum : tensor<1x64x16xf32>
}
"""
"""What the last group reads first is a view: what it shows may not be written over."""


def test_another_operand_than_a_view_is_written_over():
    resident = '#memplan.residency<"resident", 1>'
    cost = 'homes = [""], cost = #memplan.group_cost<0, 8192, 0, 0, 1>'
    cuts = '[#memplan.cut<"result", 0, 1, 16, 0, 1, 1, 1>]'
    text = BESIDE_A_VIEW.replace("GROUP", f"cuts = [], residencies = [{resident}], {cost}")
    text = text.replace("CUT", f"cuts = {cuts}, residencies = [{resident}, {resident}], {cost}")
    module = parse(text)
    for stage in (
        MemplanExpandGroupsPass(),
        MemplanBufferizePass(),
        MemplanAssignOffsetsPass(),
        MemplanVerifyPass(),
    ):
        stage.apply(Context(), module)
    (arena,) = [op for op in module.walk() if isinstance(op, ArenaOp)]
    assert arena.size is not None
    assert arena.size.value.data == 2 * WHOLE
