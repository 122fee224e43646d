"""Concatenations of a tensor with itself: no tile computes again what another has."""

import pytest

from tests.transforms.test_split_programs import arrays_for, check, parse
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

ROWS, TWICE, FOUR_TIMES = "tensor<8x32xf32>", "tensor<16x32xf32>", "tensor<16x64xf32>"
DOUBLED = f"""
#ij = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: {ROWS}, %w: tensor<32x32xf32>, %v: tensor<64x32xf32>)
    -> (tensor<16xf32>, {TWICE}) {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {ROWS}
  %f = linalg.fill ins(%zero : f32) outs(%e : {ROWS}) -> {ROWS}
  %y = linalg.matmul ins(%x, %w : {ROWS}, tensor<32x32xf32>) outs(%f : {ROWS}) -> {ROWS}
  %rr = tensor.concat dim(0) %y, %y : ({ROWS}, {ROWS}) -> {TWICE}
  %t = tensor.concat dim(1) %rr, %rr : ({TWICE}, {TWICE}) -> {FOUR_TIMES}
  %d = tensor.empty() : {TWICE}
  %k = linalg.fill ins(%zero : f32) outs(%d : {TWICE}) -> {TWICE}
  %p = linalg.matmul ins(%t, %v : {FOUR_TIMES}, tensor<64x32xf32>) outs(%k : {TWICE}) -> {TWICE}
  %g = tensor.empty() : tensor<16xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.generic {{indexing_maps = [#ij, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]}}
      ins(%t : {FOUR_TIMES}) outs(%h : tensor<16xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  }} -> tensor<16xf32>
  func.return %s, %p : tensor<16xf32>, {TWICE}
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("stage", ["all", "none"])
def test_what_is_in_two_places_is_computed_once_in_little_room(stage, emit):
    memory = "L1=512,DDR"
    group = MemplanGroupPass(memory=memory, stage=stage, threads=1)
    assert check(DOUBLED, arrays_for(parse(DOUBLED)), group, emit, memory) <= 512
