"""The rewrites before bufferization leave the numbers as they are."""

from pathlib import Path

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.needs_mlir
@pytest.mark.parametrize("name", ["dlrm_gather", "squeezenet1_1"])
def test_same_numbers(name: str):
    folder = "examples" if name.startswith("squeeze") else "benchmarks/networks"
    text = (ROOT / folder / f"{name}.mlir").read_text()
    context = full_context()
    module = Parser(context, text).parse_module()
    MemplanFoldTransposesPass().apply(context, module)
    MemplanFoldReshapesPass().apply(context, module)
    MemplanFuseElementwisePass().apply(context, module)
    module.verify()
    compare_modules(text, str(module))


@pytest.mark.needs_mlir
@pytest.mark.parametrize("name", ["softmax", "calls"])
def test_operations_with_a_name_are_fused_to_the_same_bits(name: str):
    text = (ROOT / "tests" / "interpreter" / "kernels" / f"{name}.mlir").read_text()
    context = full_context()
    module = Parser(context, text).parse_module()
    MemplanFuseElementwisePass(chains=True).apply(context, module)
    module.verify()
    compare_modules(text, str(module))


BATCH = ROOT / "tests" / "data" / "linear_on_batch.mlir"
"""A linear layer on a batch, a residual, the largest and where it is, and another linear layer."""


@pytest.mark.needs_mlir
def test_merged_dimensions_compute_the_same():
    context, text = full_context(), BATCH.read_text()
    module = Parser(context, text).parse_module()
    MemplanFoldReshapesPass().apply(context, module)
    module.verify()
    assert "affine_map<(d0, d1, d2)" not in str(module)
    compare_modules(text, str(module))


@pytest.mark.needs_mlir
@pytest.mark.parametrize("memory", ["L1=192,DDR", "L1=256,DDR", "L1=1KiB,DDR"])
def test_merged_dimensions_in_tiles(memory: str):
    context, text = full_context(), BATCH.read_text()
    module = Parser(context, text).parse_module()
    MemplanPipelinePass(memory=memory, stage="all").apply(context, module)
    compare_modules(text, str(module))
