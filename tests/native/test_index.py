"""Indices that the `index` dialect computes are the same when it is planned."""

from typing import Literal

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

NUMBERS = """
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<8x4xi32>, %n: index) -> (tensor<8x4xi32>, tensor<1x4xi32>) {
  %e = tensor.empty() : tensor<8x4xi32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x4xi32>) outs(%e : tensor<8x4xi32>) {
  ^bb0(%x: i32, %o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = index.mul %i, %j
    %k2 = index.sub %k, %j
    %k3 = index.maxs %k2, %i
    %c = index.cmp ult(%k2, %k3)
    %u = index.casts %k3 : index to i32
    %z = arith.select %c, %u, %x : i32
    linalg.yield %z : i32
  } -> tensor<8x4xi32>
  %seven = index.constant 7
  %row = index.minu %n, %seven
  %s = tensor.extract_slice %0[%row, 0] [1, 4] [1, 1] : tensor<8x4xi32> to tensor<1x4xi32>
  return %0, %s : tensor<8x4xi32>, tensor<1x4xi32>
}
"""


@pytest.mark.parametrize("stage", ["none", "all"])
def test_planned(stage: Literal["none", "all"]):
    module = Parser(full_context(), NUMBERS).parse_module()
    MemplanPipelinePass(memory="L1=256B,DDR", stage=stage).apply(full_context(), module)
    assert compare_modules(NUMBERS, str(module)).informative
