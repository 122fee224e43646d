"""The rewrites before bufferization leave the numbers as they are."""

from pathlib import Path

import pytest
from xdsl.parser import Parser

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.needs_mlir
@pytest.mark.parametrize("name", ["dlrm_gather", "squeezenet1_1"])
def test_same_numbers(name: str):
    folder = "examples" if name.startswith("squeeze") else "benchmarks/networks"
    text = (ROOT / folder / f"{name}.mlir").read_text()
    context = full_context()
    module = Parser(context, text).parse_module()
    MemplanFoldTransposesPass().apply(context, module)
    MemplanFuseElementwisePass().apply(context, module)
    module.verify()
    compare_modules(text, str(module))
