"""Networks in use run in a memory that none of their large tensors fits."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

ROOT = Path(__file__).parents[2]
NETWORKS = [
    *("examples/mobilenet_v2", "examples/resnet50", "examples/vit_b_16"),
    *(f"benchmarks/networks/{name}" for name in ("bert_base_s128", "densenet121", "r2plus1d_18")),
    *(f"benchmarks/networks/{name}" for name in ("transformer", "unet", "dlrm_gather")),
    "benchmarks/networks_int8/mobilenet_v2_int8",
]


def planned(name: str, **options: str) -> ModuleOp:
    context = full_context()
    text = (ROOT / f"{name}.mlir").read_text(encoding="utf-8")
    module = Parser(context, text).parse_module()
    MemplanPipelinePass(threads=1, **options).apply(context, module)
    return module


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_runs_in_little_memory(name: str):
    """The pipeline checks the tiles, the lifetimes and the bytes that move."""
    module = planned(name, memory="L1=256KiB,DDR", stage="all")
    [arena] = [op for op in module.walk() if isinstance(op, ArenaOp) and op.memory == "L1"]
    assert 0 < arena.size <= 256 * 1024
