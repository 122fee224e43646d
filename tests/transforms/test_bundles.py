"""Tensors that are concatenated later lie side by side off chip, and are loaded at once."""

from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp

from tests.transforms.networks import Network, Value
from tests.transforms.test_region_moves import parse
from tests.transforms.test_split_programs import arrays_for, check
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

Emit = Literal["auto", "unroll", "loop"]


def growing(layers: int, *, features: int = 5) -> str:
    """Layers of which each reads the concatenation of all before it."""
    n = Network()
    parts = [n.relu(n.conv(n.argument(1, 2, 6, 5), 7, 1))]
    for _ in range(layers):
        joined = n.concat(*parts) if len(parts) > 1 else parts[0]
        parts.append(n.conv(n.relu(n.conv(n.relu(joined), 6, 1)), features))
    return n.text(n.conv(n.relu(n.concat(*parts)), 8, 1))


def shared(order: tuple[int, int, int]) -> str:
    """Two concatenations of the same tensors, the second in another order."""
    n = Network()
    x = n.argument(1, 2, 6, 5)
    parts: list[Value] = [n.relu(n.conv(x, 6)) for _ in range(3)]
    first = n.conv(n.concat(*parts), 3, 1)
    second = n.conv(n.concat(*(parts[i] for i in order)), 3, 1)
    return n.text(n.each("addf", first, second))


def again() -> str:
    """A tensor beside itself, and beside an argument."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 6, 5), 6))
    return n.text(n.conv(n.concat(x, x, n.argument(1, 3, 6, 5), x), 3, 1))


def read_elsewhere() -> str:
    """Tensors in a concatenation that others read with a halo, and one that is returned."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 2, 6, 5), 6))
    y, z = n.relu(n.conv(x, 6)), n.relu(n.conv(x, 6))
    return n.text(n.conv(n.concat(x, y, z), 3), n.conv(y, 3), z)


PROGRAMS = {
    "growing": growing(4),
    "other order": shared((1, 0, 2)),
    "a part in the same order": shared((0, 1, 2)),
    "again": again(),
    "read elsewhere": read_elsewhere(),
}


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("capacity", [640, 1024, 2048])
@pytest.mark.parametrize("name", PROGRAMS)
def test_concatenations_compute_the_same(name: str, capacity: int, emit: Emit):
    text, memory = PROGRAMS[name], f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= capacity


def expanded(text: str, capacity: int) -> ModuleOp:
    module = parse(text)
    for one in (
        MemplanFormLayersPass(),
        MemplanGroupPass(memory=f"L1={capacity},DDR", threads=1),
        MemplanExpandGroupsPass(),
    ):
        one.apply(Context(), module)
    return module


def test_code_does_not_grow_with_what_is_concatenated():
    """Slices of a sum cross the boundaries between tensors: the same code for all of them."""
    few, many = (expanded(growing(layers), 1024) for layers in (4, 8))
    operations = [sum(1 for _ in module.walk()) for module in (few, many)]
    assert operations[1] <= 2.5 * operations[0]
    for module in (few, many):
        assert not any(isinstance(op, tensor.ConcatOp) for op in module.walk())
        stored = {op.result.type for op in module.walk() if isinstance(op, StoreOp)}
        assert len(stored) <= 3  # The tensor with all, what is between layers, and the result.
