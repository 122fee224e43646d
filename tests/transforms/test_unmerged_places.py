"""Places of an image that a network merges: computed apart to the same bits, and moved less."""

import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tests.transforms.image_programs import attention_in_windows, products_of_pixels
from xdsl_memplan.analysis.merged_places import has_merged_places
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_unmerge_places import MemplanUnmergePlacesPass

ROOT = Path(__file__).parent.parent.parent

PROGRAMS = {
    "windows": attention_in_windows((1, 12, 8, 8), heads=2, side=4),
    "windows of tokens": attention_in_windows((2, 8, 12, 8), heads=2, side=4, tokens=True),
    "pixels": products_of_pixels((2, 8, 10, 12)),
}


def parse(text: str) -> ModuleOp:
    return Parser(full_context(), text).parse_module()


@pytest.mark.needs_mlir
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_bits(name: str):
    module = parse(PROGRAMS[name])
    assert has_merged_places(module)
    MemplanUnmergePlacesPass().apply(full_context(), module)
    module.verify()
    assert not has_merged_places(module)
    assert compare_modules(PROGRAMS[name], str(module)).results == 1


@pytest.mark.needs_mlir
@pytest.mark.parametrize("memory", ["L1=6KiB,DDR", "L1=24KiB,DDR"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_bits_in_tiles(name: str, memory: str):
    module = parse(PROGRAMS[name])
    MemplanPipelinePass(memory=memory, stage="all").apply(full_context(), module)
    module.verify()
    assert compare_modules(PROGRAMS[name], str(module)).results == 1


def moved(text: str, memory: str, capsys: pytest.CaptureFixture[str], *, rewrite: bool) -> int:
    """Bytes that a plan moves."""
    passes = MemplanPipelinePass(memory=memory, stage="all", rewrite=rewrite, summary=True)
    passes.apply(full_context(), parse(text))
    [found] = re.findall(r"@main: (\d+) bytes move", capsys.readouterr().err)
    return int(found)


def test_a_block_on_windows_moves_each_byte_once(capsys: pytest.CaptureFixture[str]):
    """Its weights fit, with what one of 42 windows takes: not with what seven of a row take."""
    text = attention_in_windows((1, 24, 28, 16), heads=2, side=4, blocks=1)
    image, channels = 24 * 28 * 16, 16
    weights = channels * (3 + 1 + 4 + 4) * channels + 4 * channels + 2 * 16 * 16
    floor = 4 * (2 * image + weights)
    assert moved(text, "L1=48KiB,DDR", capsys, rewrite=True) == floor
    assert moved(text, "L1=48KiB,DDR", capsys, rewrite=False) > 1.5 * floor


@pytest.mark.parametrize(
    "path",
    ["examples/vit_b_16.mlir", "examples/resnet50.mlir", "tests/data/linear_on_batch.mlir"],
)
def test_tokens_and_batches_stay_merged(path: str):
    module = parse((ROOT / path).read_text())
    MemplanGeneralizeOpsPass().apply(full_context(), module)
    before = str(module)
    MemplanUnmergePlacesPass().apply(full_context(), module)
    assert str(module) == before
