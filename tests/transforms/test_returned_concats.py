"""What is put together only to be returned: each part is stored where it lies in the result."""

import re
from typing import Literal

import pytest
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.networks import Network, Value
from tests.transforms.test_region_moves import parse
from tests.transforms.test_split_programs import arrays_for, check
from xdsl_memplan.analysis.off_chip_bytes import off_chip_bytes
from xdsl_memplan.analysis.returned_concats import returned_concats
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms import tiled_module
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

Emit = Literal["auto", "unroll", "loop"]


def heads(*, features: int = 6, is_changed: bool = False) -> str:
    """Predictions of a detector: of features of two sizes, brought into rows of three."""
    n = Network()
    parts: list[Value] = []
    x = n.relu(n.conv(n.argument(1, 4, 8, 8), 6))
    for size in (8, 4):
        places = n.transpose(n.conv(x, features, 1), 0, 2, 3, 1)
        rows = size * size * features // 3
        flat = n.reshape(places, "[[0], [1, 2, 3]]", 1, size * size * features)
        parts.append(n.reshape(flat, "[[0], [1, 2]]", 1, rows, 3))
        x = n.relu(n.conv(x, 6, 3, 2))
    whole = n.concat(*parts)
    return n.text(n.relu(whole) if is_changed else whole)


def branches(count: int, *, is_read: bool = False) -> str:
    """Convolutions of one tensor side by side, one of which is also read by another."""
    n = Network()
    x = n.argument(1, 3, 8, 6)
    parts = [n.relu(n.conv(x, 2 + k)) for k in range(count)]
    whole = n.concat(*parts)
    return n.text(whole, n.conv(parts[0], 3)) if is_read else n.text(whole)


def slices() -> str:
    """Slices of one tensor in another order, and a convolution of it."""
    n = Network()
    x = n.conv(n.argument(1, 3, 8, 6), 6)
    late = n.slice_of(x, [0, 3, 0, 0], [1, 3, 8, 6])
    early = n.slice_of(x, [0, 0, 0, 0], [1, 3, 8, 6])
    return n.text(n.concat(late, early, n.relu(n.conv(x, 4))))


def two() -> str:
    """Two that are returned, and one that is a part of one of them."""
    n = Network()
    x = n.argument(1, 3, 6, 5)
    a, b, c = (n.conv(x, 4) for _ in range(3))
    return n.text(n.concat(n.concat(a, n.relu(b)), c), n.concat(n.conv(a, 3), n.conv(b, 2)))


def others() -> list[str]:
    """Programs of which nothing may be stored by its parts."""
    of_argument, twice, same, shown = Network(), Network(), Network(), Network()
    x = of_argument.argument(1, 3, 6, 5)
    y = twice.conv(twice.argument(1, 3, 6, 5), 4)
    z = same.conv(same.argument(1, 3, 6, 5), 4)
    v = shown.argument(1, 6, 6, 5)
    halves = [shown.slice_of(v, [0, first, 0, 0], [1, 3, 6, 5]) for first in (3, 0)]
    whole = twice.concat(y, twice.relu(y))
    return [
        of_argument.text(of_argument.concat(x, of_argument.conv(x, 4))),
        twice.text(whole, whole),
        same.text(same.concat(z, z)),
        same.text(same.concat(z, same.conv(z, 2)), z),
        shown.text(shown.concat(*halves)),
        slices(),
        shown.text(shown.concat(shown.filled(1, 3, 6, 5), shown.conv(v, 3))),
    ]


PROGRAMS = {
    "heads": heads(),
    "two branches": branches(2),
    "three branches": branches(3),
    "read elsewhere": branches(2, is_read=True),
    "two": two(),
}


def concats_of(text: str) -> list[tensor.ConcatOp]:
    module = parse(text)
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    return returned_concats(function.body.block)


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("capacity", [768, 1536, 8192])
@pytest.mark.parametrize("name", PROGRAMS)
def test_parts_compute_the_same(name: str, capacity: int, emit: Emit):
    text, memory = PROGRAMS[name], f"L1={capacity},DDR"
    assert concats_of(text)
    group = MemplanGroupPass(memory=memory, threads=1)
    layers = MemplanFormLayersPass(store_parts=True)
    assert check(text, arrays_for(parse(text)), group, emit, memory, layers) <= capacity


@pytest.mark.parametrize("text", others())
def test_other_concatenations_have_a_layer(text: str):
    assert not concats_of(text)
    memory = "L1=16KiB,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    layers = MemplanFormLayersPass(store_parts=True)
    assert check(text, arrays_for(parse(text)), group, "auto", memory, layers) <= 16384


def bytes_moved(text: str, capacity: int) -> int:
    module = parse(text)
    for one in (
        MemplanFuseElementwisePass(chains=True),
        MemplanFormLayersPass(store_parts=True),
        MemplanGroupPass(memory=f"L1={capacity},DDR", threads=1),
        MemplanExpandGroupsPass(),
    ):
        one.apply(full_context(), module)
    assert not any(isinstance(op, tensor.ConcatOp) for op in module.walk())
    moved = [off_chip_bytes(op) for op in module.walk() if isinstance(op, FuncOp)]
    return sum(count or 0 for count in moved)


@pytest.mark.parametrize("is_changed", [False, True])
def test_predictions_move_once(is_changed: bool):
    """Each is written once, and read by nobody; what changes all of them changes the parts."""
    few, many = (heads(features=features, is_changed=is_changed) for features in (6, 12))
    weights = 2 * 6 * 6 * 4
    results = 6 * (64 + 16) * 4
    assert bytes_moved(many, 4096) - bytes_moved(few, 4096) <= weights + results


def test_parts_that_stay_on_chip_are_told():
    module = parse(branches(2))
    MemplanFormLayersPass(store_parts=True).apply(full_context(), module)
    MemplanGroupPass(memory="L1=8KiB,DDR", threads=1).apply(full_context(), module)
    group = next(op for op in module.walk() if isinstance(op, GroupOp))
    group.homes = ArrayAttr(StringAttr(ON_CHIP) for _ in group.homes)
    with pytest.raises(PassFailedException, match="a part of it stays on chip"):
        MemplanExpandGroupsPass().apply(full_context(), module)
    module = parse(branches(2))
    MemplanFormLayersPass(store_parts=True).apply(full_context(), module)
    with pytest.raises(PassFailedException, match="store-parts is for groups whose results go off"):
        MemplanGroupPass(objective="peak").apply(full_context(), module)


def test_only_what_is_returned_changes_its_parts():
    n = Network()
    x = n.argument(1, 3, 6, 5)
    whole = n.relu(n.concat(n.conv(x, 4), n.conv(x, 2)))
    module = parse(n.text(n.conv(whole, 2)))
    MemplanFuseElementwisePass(chains=True).apply(full_context(), module)
    [concat] = [op for op in module.walk() if isinstance(op, tensor.ConcatOp)]
    makers = [value.owner for value in concat.operands]
    assert all(isinstance(op, linalg.Conv2DNchwFchwOp) for op in makers)


def test_the_pipeline_takes_what_moves_less(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def never(_module: ModuleOp) -> bool:
        return False

    moved: list[int] = []
    for together in (False, True):
        if together:
            monkeypatch.setattr(tiled_module, "has_returned_concat", never)
        module = parse(heads(features=48, is_changed=True))
        MemplanPipelinePass(memory="L1=4KiB,DDR", stage="all", summary=True).apply(
            full_context(), module
        )
        [found] = re.findall(r"(\d+) bytes move between", capsys.readouterr().err)
        moved.append(int(found))
    in_parts, in_one = moved
    assert in_parts < in_one


@pytest.mark.needs_mlir
@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize("text", [heads(is_changed=True), branches(3, is_read=True), two()])
def test_same_numbers(text: str, stage: Literal["none", "all"]):
    module = parse(text)
    MemplanPipelinePass(memory="L1=1536,DDR", stage=stage).apply(full_context(), module)
    compare_modules(text, str(module))
