"""Softmax of rows that do not fit on chip: each reduction is a layer, and so is what reads it."""

import re

import pytest
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.test_split_programs import arrays_for, check, parse
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

ROWS, LONG = 3, 400
"""A row has 1600 bytes."""
BIG, ROW = f"tensor<{ROWS}x{LONG}xf32>", f"tensor<{ROWS}xf32>"

SOFTMAX = f"""
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: {BIG}) -> {BIG} {{
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %e = tensor.empty() : {ROW}
  %d = tensor.empty() : {BIG}
  %f = linalg.fill ins(%low : f32) outs(%e : {ROW}) -> {ROW}
  %m = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%x : {BIG}) outs(%f : {ROW}) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  }} -> {ROW}
  %p = linalg.generic {{indexing_maps = [#all, #row, #all],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%x, %m : {BIG}, {ROW}) outs(%d : {BIG}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  }} -> {BIG}
  %g = linalg.fill ins(%zero : f32) outs(%e : {ROW}) -> {ROW}
  %n = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%p : {BIG}) outs(%g : {ROW}) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }} -> {ROW}
  %y = linalg.generic {{indexing_maps = [#all, #row, #all],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%p, %n : {BIG}, {ROW}) outs(%d : {BIG}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  }} -> {BIG}
  func.return %y : {BIG}
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("capacity", [256, 1024])
def test_rows_that_do_not_fit_are_computed_in_parts(capacity: int, emit):
    memory = f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    apart = MemplanFormLayersPass(longest_norm=512)
    inputs = arrays_for(parse(SOFTMAX))
    assert check(SOFTMAX, inputs, group, emit, memory, apart) <= capacity


PRODUCT = f"tensor<{ROWS}x2xf32>"
READ_TWICE = (
    SOFTMAX.replace(f"%x: {BIG}) -> {BIG}", f"%x: {BIG}, %w: tensor<{LONG}x2xf32>) -> {PRODUCT}")
    .replace(f"  func.return %y : {BIG}\n", "")
    .rstrip()
    .removesuffix("}")
    + f"""
  %z = linalg.exp ins(%y : {BIG}) outs(%d : {BIG}) -> {BIG}
  %h = tensor.empty() : {PRODUCT}
  %i = linalg.fill ins(%zero : f32) outs(%h : {PRODUCT}) -> {PRODUCT}
  %q = linalg.matmul ins(%z, %w : {BIG}, tensor<{LONG}x2xf32>) outs(%i : {PRODUCT}) -> {PRODUCT}
  %k = linalg.matmul ins(%z, %w : {BIG}, tensor<{LONG}x2xf32>) outs(%q : {PRODUCT}) -> {PRODUCT}
  func.return %k : {PRODUCT}
}}
"""
)


@pytest.mark.parametrize("capacity", [256, 1024])
def test_what_follows_a_long_norm_and_is_read_twice_is_no_part_of_its_last_sum(capacity: int):
    memory = f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    apart = MemplanFormLayersPass(longest_norm=512)
    inputs = arrays_for(parse(READ_TWICE))
    assert check(READ_TWICE, inputs, group, "loop", memory, apart) <= capacity


def plan(capacity: int, stage: str) -> None:
    MemplanPipelinePass(memory=f"L1={capacity},DDR", stage=stage, summary=True).apply(
        Context(), parse(SOFTMAX)
    )


def test_the_pipeline_takes_what_moves_less(capsys):
    """Where a row fits, one layer reads each once; below, parts do not move less for less room."""
    moved: list[int] = []
    for capacity in (256, 1024, 1500, 2048, 4096, 8192):
        plan(capacity, "all")
        moved += map(int, re.findall(r"@main: (\d+) bytes move", capsys.readouterr().err))
    assert len(moved) == 6
    assert moved == sorted(moved, reverse=True)
    assert moved[-1] == 2 * ROWS * LONG * 4


def test_the_pipeline_does_so_where_arguments_are_read_where_they_are():
    plan(512, "none")


def test_a_norm_is_no_shorter_than_nothing():
    with pytest.raises(PassFailedException, match="longest-norm=-1 is less than 0"):
        MemplanFormLayersPass(longest_norm=-1).apply(Context(), parse(SOFTMAX))


SUM_AND_MAXIMUM = """
!box = tensor<4x24x36xf32>
func.func @main(%x: !box) -> (tensor<36x4x24xf32>, !box) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : !box
  %g = tensor.empty() : tensor<24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%g : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.reduce { arith.addf } ins(%x : !box) outs(%f : tensor<24xf32>) dimensions = [0, 2]
  %h = tensor.empty() : tensor<4x36xf32>
  %l = linalg.fill ins(%low : f32) outs(%h : tensor<4x36xf32>) -> tensor<4x36xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : !box) outs(%l : tensor<4x36xf32>)
    dimensions = [1]
  %b = linalg.broadcast ins(%r : tensor<24xf32>) outs(%e : !box) dimensions = [0, 2]
  %v = linalg.div ins(%x, %b : !box, !box) outs(%e : !box) -> !box
  %d = tensor.empty() : tensor<36x4x24xf32>
  %t = linalg.transpose ins(%v : !box) outs(%d : tensor<36x4x24xf32>) permutation = [2, 0, 1]
  %c = linalg.broadcast ins(%m : tensor<4x36xf32>) outs(%e : !box) dimensions = [1]
  %w = linalg.sub ins(%v, %c : !box, !box) outs(%e : !box) -> !box
  func.return %t, %w : tensor<36x4x24xf32>, !box
}
"""


def test_a_small_network_has_norms_in_parts_in_any_memory(capsys: pytest.CaptureFixture[str]):
    """Rows of 576 bytes were in parts in less than 9216 bytes only, and more moved in more."""
    moved: list[int] = []
    for capacity in (768, 1024, 1536, 4096, 8192, 12288, 16384):
        stage = MemplanPipelinePass(memory=f"L1={capacity},DDR", stage="all", summary=True)
        stage.apply(Context(), parse(SUM_AND_MAXIMUM))
        found = re.search(r"(\d+) bytes move between", capsys.readouterr().err)
        assert found is not None
        moved.append(int(found[1]))
    assert moved == sorted(moved, reverse=True)
