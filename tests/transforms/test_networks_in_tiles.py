"""Networks in use run in a memory that none of their large tensors fits."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.memref import GlobalOp
from xdsl.parser import Parser

from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

ROOT = Path(__file__).parents[2]
NETWORKS = [
    *("examples/mobilenet_v2", "examples/resnet50", "examples/vit_b_16"),
    *(f"benchmarks/networks/{name}" for name in ("bert_base_s128", "densenet121", "r2plus1d_18")),
    *(f"benchmarks/networks/{name}" for name in ("transformer", "unet", "dlrm_gather")),
    "benchmarks/networks_int8/mobilenet_v2_int8",
]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_runs_in_little_memory(name: str):
    """The pipeline checks the tiles, the lifetimes and the bytes that move."""
    context = full_context()
    text = (ROOT / f"{name}.mlir").read_text(encoding="utf-8")
    module = Parser(context, text).parse_module()
    MemplanPipelinePass(memory="L1=256KiB,DDR", stage="all").apply(context, module)
    globals_ = [op for op in module.walk() if isinstance(op, GlobalOp)]
    [size] = [op.type for op in globals_ if op.sym_name.data == "L1"]
    assert isinstance(size, MemRefType)
    [bytes_] = size.get_shape()
    assert 0 < bytes_ <= 256 * 1024
