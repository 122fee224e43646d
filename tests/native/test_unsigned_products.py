"""Products of unsigned bytes are so through all passes: turned, with a constant, in tiles."""

import pytest
from xdsl.context import Context
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

PROGRAM = """
func.func @main(%x: tensor<4x8xi8>, %y: tensor<4x8xi8>, %w: tensor<8x4xi8>)
    -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xf32>) {
  %zero = arith.constant 0 : i32
  %255 = arith.constant dense<-1> : tensor<8x4xi8>
  %e = tensor.empty() : tensor<4x4xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%e : tensor<4x4xi32>) -> tensor<4x4xi32>
  %turned = tensor.empty() : tensor<8x4xi8>
  %t = linalg.transpose ins(%y : tensor<4x8xi8>) outs(%turned : tensor<8x4xi8>)
    permutation = [1, 0]
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
    ins(%x, %t : tensor<4x8xi8>, tensor<8x4xi8>) outs(%sums : tensor<4x4xi32>) -> tensor<4x4xi32>
  %s = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
    ins(%x, %255 : tensor<4x8xi8>, tensor<8x4xi8>)
    outs(%sums : tensor<4x4xi32>) -> tensor<4x4xi32>
  %p = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
    ins(%x, %w : tensor<4x8xi8>, tensor<8x4xi8>) outs(%sums : tensor<4x4xi32>) -> tensor<4x4xi32>
  %f = tensor.empty() : tensor<4x4xf32>
  %c = linalg.copy {cast = #linalg.type_fn<cast_unsigned>}
    ins(%p : tensor<4x4xi32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %s, %c : tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xf32>
}
"""

pytestmark = pytest.mark.needs_mlir


@pytest.mark.parametrize("memory", ["", "L1=64:align=4,DDR"])
def test_unsigned_products_stay_unsigned(memory: str):
    module = Parser(full_context(), PROGRAM).parse_module()
    MemplanPipelinePass(memory=memory, stage="all" if memory else "none").apply(Context(), module)
    assert compare_modules(PROGRAM, str(module)).informative
