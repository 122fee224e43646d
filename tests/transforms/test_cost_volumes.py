"""Cost volumes: correlations with a tensor at many places, put together for a convolution."""

import re

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tests.transforms.networks import Network, Value
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass


def sum_of_features(n: Network, x: Value) -> Value:
    """Features added up; the dimension stays."""
    batch, _, height, width = x[1]
    shape, dims = (batch, 1, height, width), "a, b, c, d"
    maps = f"affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> (a, 0, c, d)>"
    kinds = '"parallel", "reduction", "parallel", "parallel"'
    source, to = (f"tensor<{'x'.join(map(str, s))}xf32>" for s in (x[1], shape))
    return n._add(
        f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
        f"ins({x[0]} : {source}) outs({n._filled(shape)} : {to}) {{\n^bb0(%p: f32, %o: f32):\n"
        f" %z = arith.addf %o, %p : f32\n linalg.yield %z : f32\n}} -> {to}",
        shape,
    )


def cost_volume(reach: int, features: int = 8, side: int = 24, filters: int = 4) -> str:
    """Two images, the second at (2 reach + 1)^2 places; a convolution of the volume."""
    n = Network()
    one, two = (n.relu(n.conv(n.argument(1, 2, side, side), features)) for _ in range(2))
    padded = n.pad(two, reach)
    places = [(i, j) for i in range(2 * reach + 1) for j in range(2 * reach + 1)]
    shape = [1, features, side, side]
    shifts = [n.slice_of(padded, [0, 0, *place], shape) for place in places]
    costs = [sum_of_features(n, n.each("mulf", one, shift)) for shift in shifts]
    return n.text(n.conv(n.relu(n.concat(*costs)), filters))


def parse(text: str) -> ModuleOp:
    return Parser(full_context(), text).parse_module()


@pytest.mark.needs_mlir
@pytest.mark.parametrize(("memory", "most"), [("4KiB", 300_000), ("8KiB", 300_000)])
def test_correlations_go_over_both_images_together(
    memory: str, most: int, capsys: pytest.CaptureFixture[str]
):
    module = parse(cost_volume(2))
    MemplanPipelinePass(memory=f"L1={memory},DDR", stage="all", summary=True).apply(
        full_context(), module
    )
    [found] = re.findall(r"@main: (\d+) bytes move", capsys.readouterr().err)
    assert int(found) <= most
    assert compare_modules(cost_volume(2), str(module)).results == 1
