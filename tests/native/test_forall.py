"""What `scf.forall` computes in any order is the same when it is planned, whole and in tiles."""

from typing import Literal

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

PRODUCT = """
func.func @main(%a: tensor<8x6xf32>, %w: tensor<6x6xf32>) -> (tensor<8x6xf32>, tensor<6x8xf32>) {
  %e = tensor.empty() : tensor<8x6xf32>
  %f = tensor.empty() : tensor<6x8xf32>
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.forall (%i, %j) = (0, 0) to (8, 6) step (2, 3) shared_outs(%o = %e, %p = %f)
      -> (tensor<8x6xf32>, tensor<6x8xf32>) {
    %x = tensor.extract_slice %a[%i, 0] [2, 6] [1, 1] : tensor<8x6xf32> to tensor<2x6xf32>
    %v = tensor.extract_slice %w[0, %j] [6, 3] [1, 1] : tensor<6x6xf32> to tensor<6x3xf32>
    %d = tensor.extract_slice %o[%i, %j] [2, 3] [1, 1] : tensor<8x6xf32> to tensor<2x3xf32>
    %t = tensor.extract_slice %p[%j, %i] [3, 2] [1, 1] : tensor<6x8xf32> to tensor<3x2xf32>
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<2x3xf32>) -> tensor<2x3xf32>
    %m = linalg.matmul ins(%x, %v : tensor<2x6xf32>, tensor<6x3xf32>)
        outs(%z : tensor<2x3xf32>) -> tensor<2x3xf32>
    %u = linalg.transpose ins(%m : tensor<2x3xf32>) outs(%t : tensor<3x2xf32>) permutation = [1, 0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%i, %j] [2, 3] [1, 1]
        : tensor<2x3xf32> into tensor<8x6xf32>
      tensor.parallel_insert_slice %u into %p[%j, %i] [3, 2] [1, 1]
        : tensor<3x2xf32> into tensor<6x8xf32>
    }
  }
  return %r#0, %r#1 : tensor<8x6xf32>, tensor<6x8xf32>
}
"""


@pytest.mark.parametrize("stage", ["none", "all"])
def test_planned(stage: Literal["none", "all"]):
    module = Parser(full_context(), PRODUCT).parse_module()
    MemplanPipelinePass(memory="L1=256B,DDR", stage=stage).apply(full_context(), module)
    assert compare_modules(PRODUCT, str(module)).informative
