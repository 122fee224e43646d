"""What is cheap each reader computes again: the same numbers in less room, or fewer bytes moved."""

import re

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import MatmulOp
from xdsl.parser import Parser

from tests.transforms.networks import Network, Shape, Value, t
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.analysis.ways_to_form_layers import has_cheap_maker
from xdsl_memplan.model.capacity_bound import CapacityBound
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms import split_attempts
from xdsl_memplan.transforms.memplan_compute_again import MemplanComputeAgainPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

FEATURES, PLACES = 8, 2048


def parse(text: str) -> ModuleOp:
    return Parser(full_context(), text).parse_module()


def norm(n: Network, x: Value) -> Value:
    """The difference to the mean of all places, divided by the mean of its squares."""
    difference = along(n, "subf", x, mean(n, x))
    return along(n, "divf", difference, mean(n, n.each("mulf", difference, difference)))


def written(n: Network, text: str, shape: Shape) -> Value:
    """An operation that networks have no method for."""
    name = f"%v{next(n.numbers)}"
    n.lines.append(f"{name} = {text}")
    return name, shape


def mean(n: Network, x: Value) -> Value:
    """A sum over the places of each feature."""
    rows, _ = x[1]
    zeros = n.filled(rows)
    return written(
        n,
        "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],"
        f' iterator_types = ["parallel", "reduction"]}} ins({x[0]} : {t(x[1])})'
        f" outs({zeros[0]} : {t(zeros[1])}) {{\n^bb0(%p: f32, %o: f32):\n"
        f" %z = arith.addf %p, %o : f32\n linalg.yield %z : f32\n}} -> {t(zeros[1])}",
        (rows,),
    )


def along(n: Network, op: str, x: Value, y: Value) -> Value:
    """An operation of all places of a feature and one number of it."""
    empty = n.filled(*x[1])
    maps = "(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)"
    return written(
        n,
        f"linalg.generic {{indexing_maps = [affine_map<{maps}>],"
        f' iterator_types = ["parallel", "parallel"]}} ins({x[0]}, {y[0]} : {t(x[1])}, {t(y[1])})'
        f" outs({empty[0]} : {t(x[1])}) {{\n^bb0(%p: f32, %q: f32, %o: f32):\n"
        f" %z = arith.{op} %p, %q : f32\n linalg.yield %z : f32\n}} -> {t(x[1])}",
        x[1],
    )


def network(places: int = PLACES, columns: int = 2, width: int = 128) -> str:
    """A product, its normalisation, and two larger products, of which little is returned."""
    n = Network()
    x = n.product(n.argument(FEATURES, columns), n.argument(columns, places))
    y = n.relu(n.product(n.argument(width, FEATURES), norm(n, x)))
    return n.text(n.product(n.argument(1, width), y))


def products(module: ModuleOp) -> int:
    return sum(isinstance(op, MatmulOp) for op in module.walk())


def test_a_mean_and_a_variance_make_two_more():
    module = parse(network())
    MemplanComputeAgainPass().apply(Context(), module)
    module.verify()
    assert products(module) == 3 + 2


def test_short_rows_are_left_alone():
    """A row may be there as a whole."""
    text = network(places=512)
    assert not has_cheap_maker(parse(text))
    module = parse(text)
    MemplanComputeAgainPass().apply(Context(), module)
    assert module.is_structurally_equivalent(parse(text))


@pytest.mark.parametrize("text", [network(columns=32), network(width=1)], ids=["", "half of all"])
def test_dear_products_are_left_alone(text: str):
    module = parse(text)
    MemplanComputeAgainPass().apply(Context(), module)
    assert products(module) == 3


def test_the_arena_is_smaller(monkeypatch: pytest.MonkeyPatch):
    """Without, the product is there as a whole."""
    text = network()

    def planned() -> ModuleOp:
        module = parse(text)
        MemplanPipelinePass(objective="peak").apply(full_context(), module)
        return module

    def arena(module: ModuleOp) -> int:
        [size] = re.findall(r'sym_name = "memory", type = memref<(\d+)xi8>', str(module))
        return int(size)

    def never(_: ModuleOp) -> bool:
        return False

    module = planned()
    assert arena(module) < 4 * FEATURES * PLACES // 2
    assert compare_modules(text, str(module)).results == 1
    monkeypatch.setattr(split_attempts, "has_cheap_maker", never)
    assert arena(planned()) >= 4 * FEATURES * PLACES


def test_what_is_computed_again_is_not_needed():
    """The bytes that must move are those of the function before."""
    before, after = parse(network()), parse(network())
    MemplanComputeAgainPass().apply(Context(), after)
    bounds = [
        CapacityBound.of(FunctionSplitGraph.of(op).graph)
        for module in (before, after)
        for op in module.walk()
        if isinstance(op, FuncOp)
    ]
    assert bounds[0].least_points == bounds[1].least_points
    assert len(bounds[0].contractions) == len(bounds[1].contractions)


@pytest.mark.parametrize("made", [False, True], ids=["argument", "made"])
def test_a_difference_to_a_mean_is_not_stored(made: bool, capsys: pytest.CaptureFixture[str]):
    """What it is made of is stored in any case: read for the mean, the variance and the result."""
    n = Network()
    x = n.argument(FEATURES, PLACES)
    if made:
        x = n.product(n.argument(FEATURES, FEATURES), x)
    text = n.text(n.product(n.argument(1, FEATURES), norm(n, x)))
    module = parse(text)
    MemplanPipelinePass(memory="L1=4KiB,DDR", stage="all", summary=True).apply(
        full_context(), module
    )
    [moved] = re.findall(r"(\d+) bytes move between", capsys.readouterr().err)
    size = 4 * FEATURES * PLACES
    assert int(moved) // size == (4 if made else 3)
    assert compare_modules(text, str(module)).results == 1
