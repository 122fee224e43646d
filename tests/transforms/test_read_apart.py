"""Tensors that are read in several ways: rows and columns of one tensor in one product."""

import pytest
from xdsl.context import Context
from xdsl.dialects.func import FuncOp

from tests.transforms.networks import Network
from tests.transforms.test_split_programs import arrays_for, bytes_moved, check, in_layers, parse
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.read_apart import put_back, read_all_apart

N = 16
SQUARE = f"tensor<{N}x{N}xf32>"
"""1024 bytes."""

HEAD = """
#ij = affine_map<(d0, d1) -> (d0, d1)>
#ji = affine_map<(d0, d1) -> (d1, d0)>
"""


def product(name: str, left: str, right: str) -> str:
    return f"""
  %{name}e = tensor.empty() : {SQUARE}
  %{name}f = linalg.fill ins(%zero : f32) outs(%{name}e : {SQUARE}) -> {SQUARE}
  %{name} = linalg.matmul ins(%{left}, %{right} : {SQUARE}, {SQUARE})
      outs(%{name}f : {SQUARE}) -> {SQUARE}"""


def added(name: str, left: str, right: str, turned: str = "#ij") -> str:
    return f"""
  %{name}e = tensor.empty() : {SQUARE}
  %{name} = linalg.generic {{indexing_maps = [#ij, {turned}, #ij],
                            iterator_types = ["parallel", "parallel"]}}
      ins(%{left}, %{right} : {SQUARE}, {SQUARE}) outs(%{name}e : {SQUARE}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }} -> {SQUARE}"""


def exp(name: str, of: str) -> str:
    return f"""
  %{name}e = tensor.empty() : {SQUARE}
  %{name} = linalg.exp ins(%{of} : {SQUARE}) outs(%{name}e : {SQUARE}) -> {SQUARE}"""


def function(body: str, returned: str) -> str:
    return f"""{HEAD}
func.func @main(%x: {SQUARE}, %w: {SQUARE}) -> {SQUARE} {{
  %zero = arith.constant 0.0 : f32{body}
  func.return %{returned} : {SQUARE}
}}
"""


PROGRAMS = {
    "square of an argument": function(product("y", "x", "x"), "y"),
    "square of a result": function(product("y", "x", "w") + product("z", "y", "y"), "z"),
    "square, and added to it": function(product("y", "x", "x") + added("z", "x", "y"), "z"),
    "weights that are added too": function(product("y", "x", "w") + added("z", "y", "w"), "z"),
    "twice": function(
        product("y", "x", "x")
        + added("z", "x", "y")
        + product("u", "z", "z")
        + added("v", "z", "u"),
        "v",
    ),
    "square of what is computed from an argument": function(
        exp("r", "x") + product("y", "r", "r"), "y"
    ),
    "and that read by another": function(
        exp("r", "x") + product("u", "r", "w") + product("y", "r", "r") + added("z", "u", "y"), "z"
    ),
    "that with its transposition": function(exp("r", "x") + added("y", "r", "r", "#ji"), "y"),
    "with its transposition": function(product("y", "x", "w") + added("z", "y", "y", "#ji"), "z"),
}


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("stage", ["all", "none"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_read_in_several_ways_fits_little_room(program: str, stage, emit):
    text, memory = PROGRAMS[program], "L1=640,DDR"
    group = MemplanGroupPass(memory=memory, stage=stage, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 640


def test_what_fits_whole_is_fetched_once(capsys):
    from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

    module = parse(PROGRAMS["square of an argument"])
    MemplanPipelinePass(memory="L1=4KiB,DDR", stage="all", summary=True).apply(Context(), module)
    assert "@main: 2048 bytes move between the memories in all (optimal)" in capsys.readouterr().err


def residual(features: int = 32, rows: int = 32) -> str:
    """A convolution that is added to what it reads: all features of that, and some of it."""
    n = Network()
    x = n.relu(n.argument(1, features, rows, rows))
    return n.text(n.each("addf", n.conv(x, features), x))


def test_views_are_tried_where_much_is_fetched_again():
    """Without them 2,785,280 bytes are moved."""
    assert bytes_moved(residual(), "L1=8KiB,DDR") < 2_000_000


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("capacity", [4096, 8192, 32768])
def test_a_convolution_added_to_what_it_reads(capacity: int, emit):
    text, memory = residual(16, 16), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= capacity


@pytest.mark.parametrize("program", PROGRAMS)
def test_views_that_are_no_better_are_taken_back(program: str):
    module = in_layers(PROGRAMS[program])
    before = str(module)
    split = FunctionSplitGraph.of(next(op for op in module.ops if isinstance(op, FuncOp)))
    views = read_all_apart(split)
    assert views
    assert str(module) != before
    put_back(views)
    assert str(module) == before
