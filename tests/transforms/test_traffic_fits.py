"""A schedule of least traffic still fits its capacity once its tensors are buffers."""

from pathlib import Path

from xdsl.parser import Parser

from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

NETWORK = Path(__file__).parents[2] / "benchmarks" / "networks" / "pnasnet5large.mlir"


def test_what_is_off_chip_does_not_hide_the_peak_from_bufferization():
    """At M_R parts must not be put into their concatenation early: assign-offsets would refuse."""
    context = full_context()
    module = Parser(context, NETWORK.read_text(encoding="utf-8")).parse_module()
    MemplanPipelinePass(objective="traffic", memory="L1=9809664,DDR").apply(context, module)
