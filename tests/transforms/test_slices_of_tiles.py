"""What is added to a product at its end comes in slices of each tile: the sum has the room."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tests.transforms.networks import Network, Value, t
from tests.transforms.test_split_programs import Emit, arrays_for, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

MEMORY = "L1=1KiB,DDR"


def product(rows: int, terms: int, columns: int, *, with_residual: bool) -> str:
    n = Network()
    y = n.matmul(n.argument(rows, terms), columns)
    return n.text(n.each("addf", y, n.argument(rows, columns)) if with_residual else y)


def group_pass() -> MemplanGroupPass:
    """In so small a memory moves may cost nothing, or the bytes would not matter."""
    return MemplanGroupPass(memory=MEMORY, stage="all", transfer_cost=0)


def grouped(text: str) -> tuple[ModuleOp, GroupOp]:
    module = in_layers(text)
    group_pass().apply(Context(), module)
    [group] = [op for op in module.walk() if isinstance(op, GroupOp)]
    return module, group


@pytest.mark.parametrize("shape", [(32, 48, 32), (29, 40, 31)])
def test_a_residual_costs_little_more_than_its_bytes(shape: tuple[int, int, int]):
    """A whole tile of it would take the room of half the sum's."""
    rows, _, columns = shape
    _, alone = grouped(product(*shape, with_residual=False))
    _, group = grouped(product(*shape, with_residual=True))
    assert [cut.kind.data for cut in group.cuts] == ["result", "result", "sum"]
    assert "streamed" in [residency.kind.data for residency in group.residencies]
    residual = 4 * rows * columns
    assert group.cost.cost.traffic <= 1.08 * alone.cost.cost.traffic + residual


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
def test_tiles_with_slices_compute_the_same(emit: Emit):
    text = product(29, 40, 31, with_residual=True)
    check(text, arrays_for(parse(text)), group_pass(), emit, MEMORY)


def likenesses() -> str:
    """A tensor times five others, each summed over the features, side by side in a convolution."""
    n = Network()
    whole, one = (1, 4, 5, 11), (1, 1, 5, 11)
    x = n.argument(*whole)
    sums: list[Value] = []
    for _ in range(5):
        y, out = n.argument(*whole), n._filled(one)
        maps = ", ".join(
            f"affine_map<(n, c, h, w) -> ({indices})>"
            for indices in ("n, c, h, w", "n, c, h, w", "n, 0, h, w")
        )
        kinds = '"parallel", "reduction", "parallel", "parallel"'
        sums.append(
            n._add(
                f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
                f"ins({x[0]}, {y[0]} : {t(whole)}, {t(whole)}) outs({out} : {t(one)}) {{\n"
                "^bb0(%p: f32, %q: f32, %o: f32):\n %m = arith.mulf %p, %q : f32\n"
                f" %z = arith.addf %o, %m : f32\n linalg.yield %z : f32\n}} -> {t(one)}",
                one,
            )
        )
    return n.text(n.conv(n.concat(*sums), 3))


@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_sums_that_parts_of_another_sum_read_are_there_for_all_parts(emit: Emit):
    """No loop of such a sum of features is cut, though its place among the parts is."""
    text, memory = likenesses(), "L1=1500,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 1500
