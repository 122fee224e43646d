"""Indexing maps that go backwards, as importers write a reversal: tiles compute the same."""

from collections.abc import Callable

import pytest

from tests.transforms.test_split_programs import Emit, arrays_for, check, parse
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

_PRODUCT = """
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }"""


def reversed_rows() -> str:
    """What a product made, its rows turned round, in another product: one of two directions."""
    return """
func.func @main(%x: tensor<24x8xf32>, %v: tensor<8x8xf32>, %w: tensor<8x6xf32>)
    -> tensor<24x6xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<24x8xf32>
  %e = tensor.empty() : tensor<24x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<24x8xf32>) -> tensor<24x8xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e : tensor<24x6xf32>) -> tensor<24x6xf32>
  %h = linalg.matmul ins(%x, %v : tensor<24x8xf32>, tensor<8x8xf32>)
      outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (23 - i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<24x8xf32>) outs(%d : tensor<24x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<24x8xf32>
  %y = linalg.matmul ins(%r, %w : tensor<24x8xf32>, tensor<8x6xf32>)
      outs(%g : tensor<24x6xf32>) -> tensor<24x6xf32>
  func.return %y : tensor<24x6xf32>
}
"""


def generic(of: str, at: str, kinds: str, x: str, w: str, result: str) -> str:
    """A product of two arguments, by three indexing maps."""
    loops, *maps = of.split(" : ")[0], *of.split(" : ")[1].split("; ")
    written = ", ".join(f"affine_map<({loops}) -> ({map_})>" for map_ in [*maps, at])
    types = ", ".join(f'"{"parallel" if kind == "p" else "reduction"}"' for kind in kinds)
    return f"""
func.func @main(%x: tensor<{x}xf32>, %w: tensor<{w}xf32>) -> tensor<{result}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{result}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{result}xf32>) -> tensor<{result}xf32>
  %y = linalg.generic {{indexing_maps = [{written}], iterator_types = [{types}]}}
      ins(%x, %w : tensor<{x}xf32>, tensor<{w}xf32>) outs(%f : tensor<{result}xf32>) {{{_PRODUCT}
  -> tensor<{result}xf32>
  func.return %y : tensor<{result}xf32>
}}
"""


def turned_window() -> str:
    """A convolution as mathematics has it: against the window."""
    return generic("i, f, r, c : c, i - r + 2; f, c, r", "f, i", "pprr", "4x32", "3x4x3", "3x30")


def turned_sum() -> str:
    """Every other element of the sum, from the last one on."""
    return generic("i, j, k : i, 38 - 2 * k; k, j", "i, j", "ppr", "6x39", "20x5", "6x5")


def turned_weights() -> str:
    """A convolution with its weights turned round in both directions of the window: a gradient."""
    x, w, y = "tensor<1x3x8x9xf32>", "tensor<4x3x3x3xf32>", "tensor<1x4x6x7xf32>"
    return f"""
func.func @main(%x: {x}, %w: {w}) -> {y} {{
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : {w}
  %e = tensor.empty() : {y}
  %f = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
  %r = linalg.generic {{
      indexing_maps = [affine_map<(f, c, r, s) -> (f, c, 2 - r, 2 - s)>,
                       affine_map<(f, c, r, s) -> (f, c, r, s)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%w : {w}) outs(%d : {w}) {{
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }} -> {w}
  %y = linalg.conv_2d_nchw_fchw {{dilations = dense<1> : vector<2xi64>,
                                 strides = dense<1> : vector<2xi64>}}
      ins(%x, %r : {x}, {w}) outs(%f : {y}) -> {y}
  func.return %y : {y}
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("capacity", [640, 1024, 4096])
@pytest.mark.parametrize("program", [reversed_rows, turned_window, turned_sum, turned_weights])
def test_what_is_read_backwards_is_computed_in_tiles(
    program: Callable[[], str], capacity: int, emit: Emit
):
    text, memory = program(), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= capacity
