"""Tensors stacked by inserts that leave a dimension out."""

from typing import cast

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType

from tests.transforms.test_split_programs import arrays_for, check, parse
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

ROW, ALL = "tensor<8x16xf32>", "tensor<4x8x16xf32>"
STACKED = f"""
func.func @main(%x: {ROW}, %s: tensor<f32>) -> ({ALL}, tensor<6xf32>) {{
  %e = tensor.empty() : {ROW}
  %a = linalg.exp ins(%x : {ROW}) outs(%e : {ROW}) -> {ROW}
  %b = linalg.exp ins(%a : {ROW}) outs(%e : {ROW}) -> {ROW}
  %r = tensor.empty() : {ALL}
  %p = tensor.insert_slice %a into %r[0, 0, 0] [1, 8, 16] [1, 1, 1] : {ROW} into {ALL}
  %q = tensor.insert_slice %b into %p[3, 0, 0] [1, 8, 16] [1, 1, 1] : {ROW} into {ALL}
  %t = tensor.insert_slice %x into %q[1, 0, 0] [1, 8, 16] [1, 1, 1] : {ROW} into {ALL}
  %y = tensor.insert_slice %a into %t[2, 0, 0] [1, 8, 16] [1, 1, 1] : {ROW} into {ALL}
  %zero = arith.constant 0.0 : f32
  %g = tensor.splat %zero : tensor<6xf32>
  %z = tensor.insert_slice %s into %g[4] [1] [1] : tensor<f32> into tensor<6xf32>
  func.return %y, %z : {ALL}, tensor<6xf32>
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("stage", ["all", "none"])
def test_a_stack_is_made_tile_by_tile(stage, emit):
    memory = "L1=512,DDR"
    group = MemplanGroupPass(memory=memory, stage=stage, threads=1)
    assert check(STACKED, arrays_for(parse(STACKED)), group, emit, memory) <= 512


def test_what_has_rank_0_is_not_collapsed():
    """Before, it was to one dimension, which MLIR refuses as no collapse."""
    module = parse(STACKED)
    MemplanPipelinePass(memory="L1=512,DDR", stage="all").apply(Context(), module)
    views = [op for op in module.walk() if op.name.endswith((".collapse_shape", ".expand_shape"))]
    assert all(cast(MemRefType, op.operands[0].type).get_shape() for op in views)
