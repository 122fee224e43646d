"""Frames that overlap are added where they lie: what fits in half of the room fits in all of it."""

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

FRAMES, LENGTH = 8, 640
SIGNAL, FRAME = f"tensor<{(FRAMES + 1) * LENGTH // 2}xf32>", f"tensor<{LENGTH}xf32>"


def frame(number: int) -> str:
    at = f"[{number * LENGTH // 2}] [{LENGTH}] [1]"
    return f"""
  %f{number} = tensor.extract_slice %x[{number}, 0] [1, {LENGTH}] [1, 1]
    : tensor<{FRAMES}x{LENGTH}xf32> to {FRAME}
  %g{number} = tensor.extract_slice %a{number}{at} : {SIGNAL} to {FRAME}
  %s{number} = linalg.add ins(%f{number}, %g{number} : {FRAME}, {FRAME})
    outs(%e : {FRAME}) -> {FRAME}
  %a{number + 1} = tensor.insert_slice %s{number} into %a{number}{at} : {FRAME} into {SIGNAL}"""


TEXT = f"""
func.func @main(%x: tensor<{FRAMES}x{LENGTH}xf32>) -> {SIGNAL} {{
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : {SIGNAL}
  %e = tensor.empty() : {FRAME}
  %a0 = linalg.fill ins(%zero : f32) outs(%d : {SIGNAL}) -> {SIGNAL}
  {"".join(map(frame, range(FRAMES)))}
  func.return %a{FRAMES} : {SIGNAL}
}}
"""


@pytest.mark.parametrize("kibibytes", [4, 8])
def test_it_fits(kibibytes: int):
    """In 8 KiB a copy of a part takes more than the search counts, whatever small rest is left."""
    module = Parser(full_context(), TEXT).parse_module()
    memory = f"L1={kibibytes}KiB,DDR"
    MemplanPipelinePass(memory=memory, stage="all").apply(full_context(), module)
    assert compare_modules(TEXT, str(module)).results == 1
