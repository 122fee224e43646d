"""A longer group may fit where a shorter one does not: with the norm of a transformer's layer, its
result is there once for both products that read it; without, each has its own copy.
"""

import pytest
from xdsl.context import Context

from tests.transforms.networks import Network
from tests.transforms.test_split_programs import arrays_for, bytes_moved, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

# A step behind the attention: a residual, a norm, and two products, of which one gates the other.
GATED = """
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
func.func @main(%x: tensor<1x1x64xf32>, %y: tensor<1x64xf32>, %w: tensor<64x64xf32>,
                     %gate: tensor<64x176xf32>, %up: tensor<64x176xf32>) -> tensor<1x1x176xf32> {
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<1x64xf32>
  %row0 = linalg.fill ins(%zero : f32) outs(%row : tensor<1x64xf32>) -> tensor<1x64xf32>
  %product = linalg.matmul ins(%y, %w : tensor<1x64xf32>, tensor<64x64xf32>) outs(%row0
      : tensor<1x64xf32>) -> tensor<1x64xf32>
  %wide = tensor.expand_shape %product [[0], [1, 2]] output_shape [1, 1, 64]
      : tensor<1x64xf32> into tensor<1x1x64xf32>
  %init = tensor.empty() : tensor<1x1x64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %wide : tensor<1x1x64xf32>, tensor<1x1x64xf32>) outs(%init : tensor<1x1x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x1x64xf32>
  %one = tensor.empty() : tensor<1x1x1xf32>
  %one0 = linalg.fill ins(%zero : f32) outs(%one : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%sum : tensor<1x1x64xf32>) outs(%one0 : tensor<1x1x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %out : f32
    linalg.yield %s : f32
  } -> tensor<1x1x1xf32>
  %normed = linalg.generic {indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum, %squares : tensor<1x1x64xf32>, tensor<1x1x1xf32>) outs(%init : tensor<1x1x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = math.rsqrt %b : f32
    %s = arith.mulf %a, %r : f32
    linalg.yield %s : f32
  } -> tensor<1x1x64xf32>
  %rows = tensor.empty() : tensor<1x176xf32>
  %rows0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<1x176xf32>) -> tensor<1x176xf32>
  %normed1 = tensor.collapse_shape %normed [[0], [1, 2]] : tensor<1x1x64xf32> into tensor<1x64xf32>
  %g = linalg.matmul ins(%normed1, %gate : tensor<1x64xf32>, tensor<64x176xf32>) outs(%rows0
      : tensor<1x176xf32>) -> tensor<1x176xf32>
  %g3 = tensor.expand_shape %g [[0], [1, 2]] output_shape [1, 1, 176]
      : tensor<1x176xf32> into tensor<1x1x176xf32>
  %normed2 = tensor.collapse_shape %normed [[0], [1, 2]] : tensor<1x1x64xf32> into tensor<1x64xf32>
  %u = linalg.matmul ins(%normed2, %up : tensor<1x64xf32>, tensor<64x176xf32>) outs(%rows0
      : tensor<1x176xf32>) -> tensor<1x176xf32>
  %u3 = tensor.expand_shape %u [[0], [1, 2]] output_shape [1, 1, 176]
      : tensor<1x176xf32> into tensor<1x1x176xf32>
  %last = tensor.empty() : tensor<1x1x176xf32>
  %gated = linalg.generic {indexing_maps = [#all, #all, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g3, %u3 : tensor<1x1x176xf32>, tensor<1x1x176xf32>) outs(%last : tensor<1x1x176xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %e = math.exp %a : f32
    %s = arith.mulf %e, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x1x176xf32>
  func.return %gated : tensor<1x1x176xf32>
}
"""
WEIGHTS = 4 * (64 * 64 + 2 * 64 * 176)
ROWS = 4 * (64 + 64 + 176)
MEMORY = "L1=1408,DDR"
GROUP = MemplanGroupPass(memory=MEMORY, stage="all")


def test_gate_and_norm_are_one_group():
    module = in_layers(GATED)
    GROUP.apply(Context(), module)
    costs = [op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp)]
    # Beside what must move no more than one row between two groups: stored, and fetched.
    assert sum(costs) <= WEIGHTS + ROWS + 2 * 4 * 64


def test_it_computes_the_same():
    check(GATED, arrays_for(parse(GATED)), GROUP, "auto", MEMORY)


@pytest.mark.parametrize("layers", [4, 12, 20])
def test_what_fits_whole_moves_what_it_must(layers: int):
    """What the first and the last layer read is fetched once, and all between stays on chip."""
    n = Network()
    x, w = n.argument(1, 8, 8), n.argument(1, 8, 8)
    ys = [n.batch_matmul(x, w)]
    for _ in range(layers):
        ys.append(n.batch_matmul(ys[-1], n.argument(1, 8, 8)))
    text = n.text(n.batch_matmul(n.batch_matmul(ys[-1], w), n.batch_matmul(x, ys[-2])))
    assert bytes_moved(text, "L1=64KiB,DDR") == 4 * 8 * 8 * (layers + 3)


def pairs() -> str:
    """A sum of each pair of elements of two columns, in rows from which their sum is taken off."""
    column, square, rows = "tensor<64x1xf32>", "tensor<64x64xf32>", "tensor<64x4xf32>"
    kinds = '["parallel", "parallel"]'
    return f"""
#all = affine_map<(d0, d1) -> (d0, d1)>
#left = affine_map<(d0, d1) -> (d0, 0)>
#right = affine_map<(d0, d1) -> (d1, 0)>
func.func @main(%s: {column}, %z: {rows}, %u: tensor<4x1xf32>) -> {rows} {{
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : {column}
  %d = tensor.empty() : {square}
  %g = tensor.empty() : {rows}
  %f = linalg.fill ins(%zero : f32) outs(%c : {column}) -> {column}
  %h = linalg.fill ins(%zero : f32) outs(%g : {rows}) -> {rows}
  %t = linalg.matmul ins(%z, %u : {rows}, tensor<4x1xf32>) outs(%f : {column}) -> {column}
  %e = linalg.generic {{indexing_maps = [#left, #right, #all], iterator_types = {kinds}}}
      ins(%s, %t : {column}, {column}) outs(%d : {square}) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  }} -> {square}
  %m = linalg.generic {{indexing_maps = [#all, #left], iterator_types = ["parallel", "reduction"]}}
      ins(%e : {square}) outs(%f : {column}) {{
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  }} -> {column}
  %n = linalg.generic {{indexing_maps = [#all, #left, #all], iterator_types = {kinds}}}
      ins(%e, %m : {square}, {column}) outs(%d : {square}) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  }} -> {square}
  %y = linalg.matmul ins(%n, %z : {square}, {rows}) outs(%h : {rows}) -> {rows}
  func.return %y : {rows}
}}"""


def test_a_group_goes_on_where_a_small_tensor_is_whole_and_what_is_made_of_it_is_not():
    """The column is there as a whole in all tiles, and 16 KiB of pairs one row at a time."""
    text = pairs()
    group = MemplanGroupPass(objective="peak", stage="none", threads=1)
    assert check(text, arrays_for(parse(text)), group, "loop", "L1") < 4096
