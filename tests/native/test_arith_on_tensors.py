"""Comparisons, selections and casts of whole tensors are the same when they are planned."""

from typing import Literal

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

ALL = """
func.func @main(%x: tensor<16x12xf32>, %n: tensor<16x12xi32>, %c: tensor<16x12xi1>)
    -> (tensor<16x12xf32>, tensor<16x12xi64>, tensor<16x12xf16>, tensor<16x12xindex>,
        tensor<16x12xi1>) {
  %two = arith.constant dense<2.0> : tensor<16x12xf32>
  %0 = arith.addf %x, %two : tensor<16x12xf32>
  %1 = math.fma %0, %x, %two : tensor<16x12xf32>
  %2 = arith.select %c, %1, %x : tensor<16x12xi1>, tensor<16x12xf32>
  %3 = arith.extsi %n : tensor<16x12xi32> to tensor<16x12xi64>
  %4 = arith.truncf %2 : tensor<16x12xf32> to tensor<16x12xf16>
  %5 = arith.index_cast %n : tensor<16x12xi32> to tensor<16x12xindex>
  %6 = arith.cmpf oge, %2, %0 : tensor<16x12xf32>
  %7 = arith.extui %6 : tensor<16x12xi1> to tensor<16x12xi64>
  %8 = arith.shli %3, %7 : tensor<16x12xi64>
  %9 = arith.sitofp %n : tensor<16x12xi32> to tensor<16x12xf32>
  %10 = arith.divf %9, %1 : tensor<16x12xf32>
  %11 = arith.fptosi %10 : tensor<16x12xf32> to tensor<16x12xi32>
  %12 = arith.cmpi slt, %11, %n : tensor<16x12xi32>
  %13 = math.isfinite %10 : tensor<16x12xf32>
  %14 = arith.andi %12, %13 : tensor<16x12xi1>
  %15 = arith.trunci %8 : tensor<16x12xi64> to tensor<16x12xi8>
  %16 = arith.uitofp %15 : tensor<16x12xi8> to tensor<16x12xf32>
  %17 = arith.mulf %16, %10 : tensor<16x12xf32>
  %18 = arith.index_castui %n : tensor<16x12xi32> to tensor<16x12xindex>
  %19 = arith.addi %5, %18 : tensor<16x12xindex>
  return %17, %8, %4, %19, %14 : tensor<16x12xf32>, tensor<16x12xi64>, tensor<16x12xf16>,
    tensor<16x12xindex>, tensor<16x12xi1>
}
"""


@pytest.mark.parametrize(
    ("memory", "stage"), [("L1=64KiB,DDR", "none"), ("L1=1KiB,DDR", "none"), ("L1=1KiB,DDR", "all")]
)
def test_planned(memory: str, stage: Literal["none", "all"]):
    module = Parser(full_context(), ALL).parse_module()
    MemplanPipelinePass(memory=memory, stage=stage).apply(full_context(), module)
    assert compare_modules(ALL, str(module)).informative
