"""The number of threads never changes which groups are found, nor how they are cut."""

from pathlib import Path

import pytest
from xdsl.context import Context

from tests.transforms.networks import Network, Value
from tests.transforms.test_region_moves import parse
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

RESNET8 = Path(__file__).parents[2] / "benchmarks" / "networks_int8" / "resnet8_int8.mlir"


def residual_network() -> str:
    """Inverted residuals, one with a stride, a concatenation, and a classifier."""
    n = Network()

    def block(x: Value, features: int) -> Value:
        wide = n.relu(n.depthwise(n.relu(n.conv(x, 3 * x[1][1], 1))))
        y = n.conv(wide, features, 1)
        return n.each("addf", x, y) if y[1] == x[1] else y

    x = n.relu(n.conv(n.argument(1, 3, 32, 32), 4, stride=2))
    for features in (4, 6, 6):
        x = block(x, features)
    y = n.relu(n.conv(x, 8, stride=2))
    y = block(n.concat(y, n.pool(x)), 14)
    flat = n.reshape(y, "[[0], [1, 2, 3]]", 1, y[1][1] * y[1][2] * y[1][3])
    return n.text(n.matmul(flat, 10), x)


@pytest.mark.parametrize("code_cost", [-1, 0])
@pytest.mark.parametrize(
    ("objective", "capacity"), [("traffic", 6 << 10), ("traffic", 16 << 10), ("peak", None)]
)
@pytest.mark.parametrize("network", ["residual", "resnet8_int8"])
def test_threads_find_the_same_groups(
    network: str, objective: str, capacity: int | None, code_cost: int
):
    text = residual_network() if network == "residual" else RESNET8.read_text(encoding="utf-8")
    memory = "L1,DDR" if capacity is None else f"L1={capacity},DDR"
    layers = parse(text)
    MemplanFuseElementwisePass().apply(Context(), layers)
    MemplanFormLayersPass().apply(Context(), layers)
    found: list[str] = []
    for threads in (1, 2, 4, 0):
        module = layers.clone()
        MemplanGroupPass(
            objective="peak" if objective == "peak" else "traffic",
            memory=memory,
            code_cost=code_cost,
            threads=threads,
        ).apply(Context(), module)
        found.append(str(module))
    assert "memplan.group" in found[0]
    assert found.count(found[0]) == len(found)
