"""Gathers and scatters, which MLIR 22 does not lower, are what is written by hand for them."""

from typing import Literal

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

FRAME = """
func.func @main(%a: tensor<16x6x16xf32>, %i: tensor<3x5x2xi32>) -> (RESULT) {{
  {body}
}}
"""
GATHERED = """
  %g = tensor.gather %a[%i] gather_dims([0, 2])
      : (tensor<16x6x16xf32>, tensor<3x5x2xi32>) -> tensor<3x5x6xf32>
  %r = math.tanh %g : tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>"""
BY_HAND = """
  %e = tensor.empty() : tensor<3x5x6xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<3x5x6xf32>) {
  ^bb0(%o: f32):
    %p = linalg.index 0 : index
    %q = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %x = tensor.extract %i[%p, %q, %zero] : tensor<3x5x2xi32>
    %y = tensor.extract %i[%p, %q, %one] : tensor<3x5x2xi32>
    %m = arith.index_cast %x : i32 to index
    %n = arith.index_cast %y : i32 to index
    %v = tensor.extract %a[%m, %k, %n] : tensor<16x6x16xf32>
    linalg.yield %v : f32
  } -> tensor<3x5x6xf32>
  %r = math.tanh %g : tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>"""
SCATTERED = """
  %s = arith.constant dense<2.0> : tensor<2x6xf32>
  %at = arith.constant dense<[[3, 1], [0, 2]]> : tensor<2x2xi8>
  %r = tensor.scatter %s into %a[%at] scatter_dims([0, 2]) unique
      : (tensor<2x6xf32>, tensor<16x6x16xf32>, tensor<2x2xi8>) -> tensor<16x6x16xf32>
  return %r : tensor<16x6x16xf32>"""
INSERTED = """
  %s = arith.constant dense<2.0> : tensor<6xf32>
  %b = tensor.insert_slice %s into %a[3, 0, 1] [1, 6, 1] [1, 1, 1]
      : tensor<6xf32> into tensor<16x6x16xf32>
  %r = tensor.insert_slice %s into %b[0, 0, 2] [1, 6, 1] [1, 1, 1]
      : tensor<6xf32> into tensor<16x6x16xf32>
  return %r : tensor<16x6x16xf32>"""


def _program(body: str) -> str:
    result = body.rpartition(": ")[2]
    return FRAME.format(body=body).replace("RESULT", result)


@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize(("text", "by_hand"), [(GATHERED, BY_HAND), (SCATTERED, INSERTED)])
def test_planned(text: str, by_hand: str, stage: Literal["none", "all"]):
    module = Parser(full_context(), _program(text)).parse_module()
    MemplanPipelinePass(memory="L1=8KiB,DDR", stage=stage).apply(full_context(), module)
    assert compare_modules(_program(by_hand), str(module)).informative
