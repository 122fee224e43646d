"""What is known of sizes that types leave open changes no number."""

from typing import Literal

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

FROZEN = """
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%x0: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %x = tensor.cast %x0 : tensor<4x8xf32> to tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %n64 = arith.index_cast %n : index to i64
  %c4 = arith.constant 4 : i64
  %ok = arith.cmpi sge, %n64, %c4 : i64
  cf.assert %ok, "batch"
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x6xf32>)
      outs(%f : tensor<?x6xf32>) -> tensor<?x6xf32>
  %a = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<?x6xf32>, tensor<6xf32>) outs(%e : tensor<?x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x6xf32>
  %z = tensor.cast %a : tensor<?x6xf32> to tensor<4x6xf32>
  return %z : tensor<4x6xf32>
}
"""

RAGGED = """
func.func @main(%x: tensor<7x11xf32>, %w: tensor<11x10xf32>) -> tensor<7x10xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c11 = arith.constant 11 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x10xf32>) -> tensor<7x10xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (7, 10) step (3, 4) shared_outs(%o = %f)
      -> (tensor<7x10xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 7, 3)>(%i)
    %m = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%j)
    %d = tensor.extract_slice %o[%i, %j] [%n, %m] [1, 1] : tensor<7x10xf32> to tensor<?x?xf32>
    %part = scf.for %k = %c0 to %c11 step %c4 iter_args(%p = %d) -> tensor<?x?xf32> {
      %l = affine.min affine_map<(d0) -> (-d0 + 11, 4)>(%k)
      %s = tensor.extract_slice %x[%i, %k] [%n, %l] [1, 1] : tensor<7x11xf32> to tensor<?x?xf32>
      %t = tensor.extract_slice %w[%k, %j] [%l, %m] [1, 1] : tensor<11x10xf32> to tensor<?x?xf32>
      %y = linalg.matmul ins(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>)
          outs(%p : tensor<?x?xf32>) -> tensor<?x?xf32>
      scf.yield %y : tensor<?x?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %o[%i, %j] [%n, %m] [1, 1]
          : tensor<?x?xf32> into tensor<7x10xf32>
    }
  }
  return %r : tensor<7x10xf32>
}
"""


@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize("text", [FROZEN, RAGGED])
def test_planned(text: str, stage: Literal["none", "all"]):
    module = Parser(full_context(), text).parse_module()
    MemplanPipelinePass(memory="L1=512B,DDR", stage=stage).apply(full_context(), module)
    assert compare_modules(text, str(module)).informative
