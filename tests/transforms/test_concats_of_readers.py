"""Concatenations that each layer which reads them puts together of its own."""

import re
from typing import Literal

import pytest
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.networks import Network, Value
from tests.transforms.test_region_moves import parse
from tests.transforms.test_split_programs import arrays_for, check
from xdsl_memplan.analysis.off_chip_bytes import off_chip_bytes
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.layer_number import layer_of
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

Emit = Literal["auto", "unroll", "loop"]


def inception(n: Network, x: Value, width: int) -> Value:
    """Three branches of one tensor, side by side."""
    one = n.relu(n.conv(x, 2 * width, 1))
    three = n.relu(n.conv(n.relu(n.conv(x, 3 * width // 2, 1)), 3 * width))
    last = n.relu(n.conv(n.relu(n.conv(x, width // 2, 1)), width))
    return n.concat(one, three, last)


def modules(count: int = 2, *, size: int = 16, width: int = 4) -> str:
    n = Network()
    x = n.argument(1, 2 * width, size, size)
    for _ in range(count):
        x = inception(n, x, width)
    return n.text(n.conv(x, 4, 1))


def read_with_slices() -> str:
    """A concatenation that others read as a whole, as a slice and twice at once."""
    n = Network()
    x = n.argument(1, 4, 12, 8)
    whole = n.concat(n.relu(n.conv(x, 4)), n.relu(n.conv(x, 6)))
    part = n.conv(n.slice_of(whole, [0, 2, 0, 0], [1, 4, 12, 8]), 3)
    return n.text(n.conv(whole, 5, 1), part, n.conv(n.each("addf", whole, whole), 5))


def returned_and_read() -> str:
    n = Network()
    x = n.argument(1, 4, 12, 8)
    whole = n.concat(n.relu(n.conv(x, 4)), n.relu(n.conv(x, 6)))
    return n.text(whole, n.conv(whole, 5, 1), n.conv(whole, 3))


PROGRAMS = {
    "modules": modules(),
    "slices": read_with_slices(),
    "returned": returned_and_read(),
}


def layers_of(text: str, largest: int) -> ModuleOp:
    module = parse(text)
    MemplanFormLayersPass(largest_concat=largest).apply(full_context(), module)
    module.verify()
    return module


def concats_in(module: ModuleOp) -> list[tensor.ConcatOp]:
    return [op for op in module.walk() if isinstance(op, tensor.ConcatOp)]


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("capacity", [4096, 12000])
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_compute_the_same(name: str, capacity: int, emit: Emit):
    text, memory = PROGRAMS[name], f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    layers = MemplanFormLayersPass(largest_concat=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory, layers) <= capacity


def test_each_layer_has_its_own():
    """Four layers read the first of three modules: three branches, and none twice."""
    size_bytes = 24 * 16 * 16 * 4
    assert len(concats_in(layers_of(modules(), size_bytes))) == 2
    copied = concats_in(layers_of(modules(), size_bytes - 1))
    numbers = [layer_of(op) for op in copied]
    assert len(copied) == 4
    assert len(set(numbers)) == 4
    for op in copied:
        assert {layer_of(use.operation) for use in op.result.uses} == {layer_of(op)}


def test_one_that_is_returned_stays_one():
    assert len(concats_in(layers_of(returned_and_read(), 1))) == 1


def test_a_size_below_zero_is_refused():
    with pytest.raises(PassFailedException, match="largest-concat=-1 is less than 0"):
        MemplanFormLayersPass(largest_concat=-1).apply(full_context(), parse(modules()))


def bytes_counted(module: ModuleOp) -> int:
    counted = (off_chip_bytes(op) for op in module.walk() if isinstance(op, FuncOp))
    return sum(count or 0 for count in counted)


def bytes_moved(text: str, capacity: int, largest: int) -> int:
    module = layers_of(text, largest)
    for one in (
        MemplanGroupPass(memory=f"L1={capacity},DDR", threads=1),
        MemplanExpandGroupsPass(),
    ):
        one.apply(full_context(), module)
    return bytes_counted(module)


def test_no_part_is_fetched_only_to_be_stored():
    text = modules(3, size=8, width=32)
    assert bytes_moved(text, 8192, 1) < 0.95 * bytes_moved(text, 8192, 0)


@pytest.mark.parametrize(("size", "width"), [(8, 32), (12, 8)])
def test_the_pipeline_takes_what_moves_less(
    size: int, width: int, capsys: pytest.CaptureFixture[str]
):
    text = modules(3, size=size, width=width)
    least = min(bytes_moved(text, 8192, largest) for largest in (0, 1))
    MemplanPipelinePass(memory="L1=8KiB,DDR", stage="all", summary=True).apply(
        full_context(), parse(text)
    )
    [found] = re.findall(r"@main: (\d+) bytes move", capsys.readouterr().err)
    assert int(found) <= least


@pytest.mark.needs_mlir
@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_numbers(name: str, stage: Literal["none", "all"]):
    module = parse(PROGRAMS[name])
    MemplanPipelinePass(memory="L1=6KiB,DDR", stage=stage).apply(full_context(), module)
    compare_modules(PROGRAMS[name], str(module))
