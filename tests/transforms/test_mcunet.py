"""The figure of MCUNetV2 (Lin et al., NeurIPS 2021): MobileNet-v2 by patches.

4x4 patches and what follows them need 172 KB with int8, one byte per element, and about 10 % more
multiply-adds. That is 704,512 bytes with f32.
"""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GlobalOp
from xdsl.parser import Parser

from tests.transforms.test_region_moves import arena_bytes
from xdsl_memplan.dialects.groups import ON_CHIP, GroupOp
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.scheduling.splitting import GivenCut, GivenGroup, SplitMachine
from xdsl_memplan.transforms.convert_memplan_to_memref import ConvertMemplanToMemrefPass
from xdsl_memplan.transforms.memplan_annotate_lifetimes import MemplanAnnotateLifetimesPass
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import group_function
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

NETWORK = Path(__file__).parents[2] / "examples" / "mobilenet_v2.mlir"
INT8 = Path(__file__).parents[2] / "benchmarks" / "networks_int8" / "mobilenet_v2_int8.mlir"
LAYERS = 54
MULTIPLY_ADDS = 300_774_272

PATCHES = {5: (4, 4), 11: (4, 4), 14: (2, 2), 17: (2, 2), 35: (2, 2), 38: (2, 2)}
"""Patches by the last layer of a group; blocks of three layers between them have two of rows."""


def patches() -> list[GivenGroup]:
    """Groups cut into patches only: nothing is kept between them, overlaps are computed again."""
    found: list[GivenGroup] = []
    first = 0
    for last in (5, *range(11, 42, 3)):
        high, wide = PATCHES.get(last, (2, 1))
        cuts = (GivenCut(2, high, cached=False), GivenCut(3, wide, cached=False))
        found.append(GivenGroup(first, last, (cuts,)))
        first = last + 1
    return [*found, GivenGroup(first, LAYERS - 1, ((),))]


def test_patches_alone_need_704_512_bytes():
    context = full_context()
    module = Parser(context, NETWORK.read_text(encoding="utf-8")).parse_module()
    for stage in (
        MemplanFoldTransposesPass(),
        MemplanFoldReshapesPass(),
        MemplanFuseElementwisePass(),
        MemplanFormLayersPass(),
    ):
        stage.apply(context, module)
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    group_function(function, SplitMachine(None), "peak", ON_CHIP, 1, lambda _: patches())
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    assert len(groups) == 13
    assert sum(group.cost.cost.work for group in groups) <= 1.1 * MULTIPLY_ADDS
    for stage in (
        MemplanExpandGroupsPass(),
        MemplanAnnotateLifetimesPass(),
        MemplanBufferizePass(),
        MemplanAssignOffsetsPass(),
        MemplanVerifyPass(),
        ConvertMemplanToMemrefPass(),
    ):
        stage.apply(context, module)
    [arena] = arena_bytes(module).values()
    assert arena <= 704_512


@pytest.mark.needs_mlir
def test_int8_needs_less_with_nothing_computed_again():
    """Before, sums that the next tile needs were made in slices, and the checker refused it."""
    text = INT8.read_text(encoding="utf-8")
    module = Parser(full_context(), text).parse_module()
    MemplanPipelinePass(objective="peak", max_recompute=1).apply(full_context(), module)
    globals_ = [op for op in module.body.ops if isinstance(op, GlobalOp)]
    [arena] = [op.type for op in globals_ if op.sym_name.data == "memory"]
    assert isinstance(arena, MemRefType)
    assert arena.get_shape()[0] <= 172 * 1024
    assert compare_modules(text, str(module)).results == 1
