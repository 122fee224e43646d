"""What is returned in another shape by several reshapes, and read by the rest of the function."""

import pytest
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i64

from tests.transforms.test_region_moves import parse
from tests.transforms.test_verify_split import function_of
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

DECODER = """
!keys = tensor<2x1x16xf32>
!cache = tensor<2x32x16xf32>
!all = tensor<2x33x16xf32>
!scores = tensor<2x1x33xf32>
#scores = affine_map<(b, i, j) -> (b, i, j)>
func.func @main(%x: tensor<1x32xf32>, %w: tensor<32x32xf32>, %c: !cache, %q: !keys)
    -> (!scores, !keys) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
  %k = linalg.matmul ins(%x, %w : tensor<1x32xf32>, tensor<32x32xf32>)
      outs(%f : tensor<1x32xf32>) -> tensor<1x32xf32>
  %h = tensor.expand_shape %k [[0], [1, 2]] output_shape [1, 2, 16]
      : tensor<1x32xf32> into tensor<1x2x16xf32>
  %s = tensor.collapse_shape %h [[0, 1], [2]] : tensor<1x2x16xf32> into tensor<2x16xf32>
  %n = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, 1, 16]
      : tensor<2x16xf32> into !keys
  %a = tensor.concat dim(1) %c, %n : (!cache, !keys) -> !all
  %t = tensor.empty() : tensor<2x16x33xf32>
  %b = linalg.transpose ins(%a : !all) outs(%t : tensor<2x16x33xf32>) permutation = [0, 2, 1]
  %o = tensor.empty() : !scores
  %g = linalg.fill ins(%zero : f32) outs(%o : !scores) -> !scores
  %r = linalg.batch_matmul ins(%q, %b : !keys, tensor<2x16x33xf32>) outs(%g : !scores) -> !scores
  func.return %r, %n : !scores, !keys
}
"""
"""A step of a decoder: new keys are put behind those of a cache, and returned."""


def test_a_group_hands_out_what_is_shown():
    module = parse(DECODER)
    MemplanFormLayersPass().apply(full_context(), module)
    MemplanGroupPass(memory="L1=8KiB,DDR", stage="all").apply(full_context(), module)
    first = next(op for op in module.walk() if isinstance(op, GroupOp))
    assert [str(value.type) for value in first.results] == ["tensor<1x32xf32>"]


@pytest.mark.needs_mlir
@pytest.mark.parametrize("memory", ["L1=2KiB,DDR", "L1=8KiB,DDR", "L1=64KiB,DDR"])
def test_same_numbers(memory: str):
    module = parse(DECODER)
    MemplanPipelinePass(memory=memory, stage="all").apply(full_context(), module)
    compare_modules(DECODER, str(module))


READ_AND_RETURNED = """
func.func @main(%a: tensor<8x8xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %c = tensor.collapse_shape %t [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %x = linalg.exp ins(%c : tensor<64xf32>) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %y = linalg.abs ins(%x : tensor<64xf32>) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  return %y, %c : tensor<64xf32>, tensor<64xf32>
}
"""
"""The reshape is of the layer that reads it, and the transpose is a layer before."""


def test_what_is_shown_to_a_later_layer_and_returned_is_stored():
    module = parse(READ_AND_RETURNED)
    for stage in (
        MemplanFormLayersPass(),
        MemplanGroupPass(memory="L1=2KiB,DDR", stage="all"),
        MemplanExpandGroupsPass(),
    ):
        stage.apply(full_context(), module)
    traffic = function_of(module).attributes["memplan.traffic"]
    assert isinstance(traffic, DictionaryAttr)
    assert traffic.data["total"] == traffic.data["floor"] == IntegerAttr(3 * 256, i64)
