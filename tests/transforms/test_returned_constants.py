"""Constants and fills that are returned: tile by tile, and written back like other results."""

import pytest
from xdsl.context import Context

from tests.transforms.test_split_programs import arrays_for, check, parse
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

BIG = "tensor<16x32xf32>"
"""2048 bytes."""
RETURNED = f"""
func.func @main(%x: {BIG}) -> ({BIG}, {BIG}, {BIG}, {BIG}) {{
  %c = arith.constant 3.0 : f32
  %k = arith.constant dense<1.5> : {BIG}
  %e = tensor.empty() : {BIG}
  %f = linalg.fill ins(%c : f32) outs(%e : {BIG}) -> {BIG}
  %y = linalg.exp ins(%x : {BIG}) outs(%e : {BIG}) -> {BIG}
  func.return %f, %y, %k, %f : {BIG}, {BIG}, {BIG}, {BIG}
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("stage", ["all", "none"])
def test_they_fit_little_room(stage, emit):
    memory = "L1=512,DDR"
    group = MemplanGroupPass(memory=memory, stage=stage, threads=1)
    assert check(RETURNED, arrays_for(parse(RETURNED)), group, emit, memory) <= 512


def test_they_are_written_back(capsys):
    """One tensor is fetched, three are stored: the fill is returned twice, and made once."""
    MemplanPipelinePass(memory="L1=64KiB,DDR", stage="all", summary=True).apply(
        Context(), parse(RETURNED)
    )
    assert "@main: 8192 bytes move between the memories in all (optimal)" in capsys.readouterr().err
