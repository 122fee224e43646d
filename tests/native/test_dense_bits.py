"""Constants whose bits are written down are planned as the numbers that MLIR takes them for."""

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

LARGEST = """
func.func @main(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %least = arith.constant dense<0xFF800000> : tensor<8xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<8x16xf32>) outs(%least : tensor<8xf32>)
    dimensions = [1]
  return %r : tensor<8xf32>
}
"""
MASK = ", ".join("true" if i % 7 in (0, 3) else "false" for i in range(128))
MASKED = f"""
func.func @main(%x: tensor<128xf32>) -> tensor<128xf32> {{
  %mask = arith.constant dense<[{MASK}]> : tensor<128xi1>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %r = arith.select %mask, %x, %zero : tensor<128xi1>, tensor<128xf32>
  return %r : tensor<128xf32>
}}
"""


@pytest.mark.parametrize("text", [LARGEST, MASKED])
def test_planned(text: str):
    module = Parser(full_context(), text).parse_module()
    MemplanPipelinePass(memory="L1=4KiB,DDR").apply(full_context(), module)
    assert compare_modules(text, str(module)).informative
