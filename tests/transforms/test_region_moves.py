"""Split programs compute what the whole ones do, and take the room that one can count by hand."""

import re

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.universe import Universe

from tests.transforms import split_programs as programs
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

MODES = [(loop, stage) for loop in (False, True) for stage in (False, True)]


def parse(text: str) -> ModuleOp:
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def planned(text: str, memory: str = "L1=1MiB:align=1,DDR") -> ModuleOp:
    module = parse(text)
    MemplanPipelinePass(memory=memory).apply(Context(), module)
    return module


def arena_bytes(module: ModuleOp) -> dict[str, int]:
    found = re.findall(r'sym_name = "(\w+)", type = memref<(\d+)xi8>', str(module))
    return {name: int(size) for name, size in found}


@pytest.mark.parametrize(("loop", "stage"), MODES)
def test_room_of_split_convolutions(loop: bool, stage: bool):
    module = planned(programs.split_convolutions(loop=loop, stage=stage))
    # When the first convolution of a tile runs: its window of x, the window of h that it writes
    # into, the overlap of h from the tile before, the overlap of x for the tile after.
    needed = 4 * (3 * 6 * 14 + 8 * 6 * 14 + 8 * 2 * 14 + 3 * 2 * 14)
    weights, result = 4 * (8 * 3 * 9 + 4 * 8 * 9), 4 * (4 * 16 * 12)
    # Alignment of the buffers adds less than 64 bytes for each of six.
    found = arena_bytes(module)
    least = needed + (weights if stage else result)
    assert least <= found["L1"] < least + 6 * 64
    assert found.get("DDR") == (result if stage else None)


@pytest.mark.needs_mlir
@pytest.mark.parametrize(("loop", "stage"), MODES)
def test_split_convolutions_compute_the_same(loop: bool, stage: bool):
    module = planned(programs.split_convolutions(loop=loop, stage=stage))
    compare_modules(programs.whole_convolutions(), str(module))
