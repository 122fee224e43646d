"""Weights that are there once for each image of a batch are fetched once, where they are."""

import re

import pytest
from xdsl.dialects.linalg.ops import BroadcastOp
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass


def fused_queries_and_keys(batch: int) -> str:
    """Two halves of one product, as `torch.matmul` of three and two dimensions is written."""
    x, y, half = f"{batch}x6x24xf32", f"{batch}x6x64xf32", f"{batch}x6x32xf32"
    repeated, scores = f"{batch}x24x64xf32", f"{batch}x6x6xf32"
    maps = """affine_map<(b, q, k, c) -> (b, q, c)>, affine_map<(b, q, k, c) -> (b, k, c)>,
  affine_map<(b, q, k, c) -> (b, q, k)>"""
    return f"""
func.func @main(%x: tensor<{x}>, %w: tensor<64x24xf32>) -> tensor<{scores}> {{
%zero = arith.constant 0.0 : f32
%d = tensor.empty() : tensor<24x64xf32>
%t = linalg.transpose ins(%w : tensor<64x24xf32>) outs(%d : tensor<24x64xf32>)
  permutation = [1, 0]
%e = tensor.empty() : tensor<{repeated}>
%r = linalg.broadcast ins(%t : tensor<24x64xf32>) outs(%e : tensor<{repeated}>) dimensions = [0]
%f = tensor.empty() : tensor<{y}>
%g = linalg.fill ins(%zero : f32) outs(%f : tensor<{y}>) -> tensor<{y}>
%y = linalg.batch_matmul ins(%x, %r : tensor<{x}>, tensor<{repeated}>)
  outs(%g : tensor<{y}>) -> tensor<{y}>
%q = tensor.extract_slice %y[0, 0, 0] [{batch}, 6, 32] [1, 1, 1] : tensor<{y}> to tensor<{half}>
%k = tensor.extract_slice %y[0, 0, 32] [{batch}, 6, 32] [1, 1, 1] : tensor<{y}> to tensor<{half}>
%h = tensor.empty() : tensor<{scores}>
%i = linalg.fill ins(%zero : f32) outs(%h : tensor<{scores}>) -> tensor<{scores}>
%s = linalg.generic {{indexing_maps = [{maps}],
  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
  ins(%q, %k : tensor<{half}>, tensor<{half}>) outs(%i : tensor<{scores}>) {{
^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %c, %m : f32
  linalg.yield %n : f32
}} -> tensor<{scores}>
func.return %s : tensor<{scores}>
}}
"""


@pytest.mark.parametrize("batch", [1, 5])
def test_no_repetitions_are_made(batch: int):
    module = Parser(full_context(), fused_queries_and_keys(batch)).parse_module()
    MemplanFoldTransposesPass().apply(full_context(), module)
    module.verify()
    assert not any(isinstance(op, BroadcastOp) for op in module.walk())


@pytest.mark.needs_mlir
@pytest.mark.parametrize("capacity", [6000, 12288])
def test_weights_come_once(capacity: int, capsys: pytest.CaptureFixture[str]):
    text = fused_queries_and_keys(5)
    module = Parser(full_context(), text).parse_module()
    memory = f"L1={capacity}B,DDR"
    MemplanPipelinePass(memory=memory, stage="all", summary=True).apply(full_context(), module)
    [found] = re.findall(r"@main: (\d+) bytes move", capsys.readouterr().err)
    once = 4 * (5 * 6 * 24 + 64 * 24 + 5 * 6 * 6)
    assert int(found) == once
    assert compare_modules(text, str(module)).results == 1
