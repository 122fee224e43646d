"""Places found by memplan-schedule are those that memplan-bufferize uses, and are found once."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.bufferize import module as bufferize_module
from xdsl_memplan.transforms.bufferize.placement import Placement
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

# Two large tensors are live at once in the order of the file, one in the better order.
REORDERED = """
func.func @main(%x: tensor<64xf32>, %w: tensor<64x4xf32>, %z: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %p = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %q = linalg.log ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.vecmat ins(%p, %w : tensor<64xf32>, tensor<64x4xf32>) outs(%z : tensor<4xf32>)
      -> tensor<4xf32>
  %b = linalg.vecmat ins(%q, %w : tensor<64xf32>, tensor<64x4xf32>) outs(%z : tensor<4xf32>)
      -> tensor<4xf32>
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}
"""
SPILLS = MemplanPipelinePass(memory="L1=512,DDR", split="never")


@pytest.mark.parametrize(
    ("text", "pipeline"),
    [
        (REORDERED, MemplanPipelinePass()),
        (REORDERED, SPILLS),
        ((EXAMPLES / "squeezenet1_1.mlir").read_text(), MemplanPipelinePass()),
    ],
    ids=["reordered", "spills", "squeezenet"],
)
def test_the_pipeline_is_its_passes(text: str, pipeline: MemplanPipelinePass):
    context = full_context()
    together, alone = (Parser(context, text).parse_module() for _ in range(2))
    pipeline.apply(context, together)
    for stage in pipeline.passes():
        stage.apply(context, alone)
    assert str(together) == str(alone)


def test_places_are_found_once_for_each_order(monkeypatch: pytest.MonkeyPatch):
    runs: list[Placement] = []
    run = Placement.run

    def counted(self: Placement, *arguments: object) -> None:
        runs.append(self)
        run(self, *arguments)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(bufferize_module.Placement, "run", counted)
    context = full_context()
    module: ModuleOp = Parser(context, REORDERED).parse_module()
    MemplanPipelinePass().apply(context, module)
    # That of the file, and the better one.
    assert len(runs) == 2
