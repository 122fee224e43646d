"""Sums over several loops are added up in order, also in the larger tiles of short code."""

import numpy as np
import pytest
from xdsl.context import Context

from tests.transforms.test_region_moves import parse
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

PROGRAM = """
func.func @main(%x: tensor<3x6x5x5xf32>) -> tensor<3xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, a, b, c) -> (n, a, b, c)>,
                                        affine_map<(n, a, b, c) -> (n)>],
      iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x : tensor<3x6x5x5xf32>) outs(%f : tensor<3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""


@pytest.mark.parametrize("max_code", [1.0, 1.2, 2.5, 0.0])
@pytest.mark.parametrize("memory", ["L1=96:align=32,DDR", "L1=128:align=4,DDR"])
def test_the_order_of_additions_stays(memory: str, max_code: float):
    module = parse(PROGRAM)
    x = np.random.default_rng(0).standard_normal((3, 6, 5, 5), np.float32)
    [expected] = run(module, [x], "main")
    MemplanPipelinePass(memory=memory, stage="all", max_code=max_code).apply(Context(), module)
    [found] = run(module, [x], "main")
    assert found.tobytes() == expected.tobytes()
