"""What splitting makes of programs that nobody would split: it refuses, or computes the same."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.networks import Network
from tests.transforms.test_region_moves import arena_bytes, parse
from tests.transforms.test_split_programs import (
    attention,
    feed_forward,
    lookup,
    odd_results,
    residual_block,
    strided_and_pooled,
)
from tests.transforms.test_verify_split import function_of
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

Stage = Literal["all", "none"]
T = "tensor<32x32xf32>"


def exp(name: str, x: str, type_: str = T) -> str:
    return (
        f"{name}_e = tensor.empty() : {type_}\n{name} = linalg.exp ins({x} : {type_}) "
        f"outs({name}_e : {type_}) -> {type_}\n"
    )


def main(arguments: str, results: str, body: str, before: str = "") -> str:
    return f"{before}func.func @main({arguments}) -> ({results}) {{\n{body}\n}}"


def refusal(text: str, memory: str, stage: Stage) -> str:
    with pytest.raises(PassFailedException) as error:
        MemplanPipelinePass(memory=memory, stage=stage).apply(Context(), parse(text))
    return str(error.value)


def refused(text: str, memory: str, stage: Stage) -> str | None:
    try:
        MemplanPipelinePass(memory=memory, stage=stage).apply(Context(), parse(text))
    except PassFailedException as error:
        return str(error)
    return None


CALL = main(
    f"%x: {T}",
    T,
    exp("%y", "%x") + f"func.call @log(%y) : ({T}) -> ()\n" + exp("%z", "%y") + f"return %z : {T}",
    f"func.func private @log({T})\n",
)
BRANCH_AND_STORE = main(
    f"%x: {T}, %c: i1, %m: memref<f32>, %v: f32",
    T,
    f"%r = scf.if %c -> ({T}) {{\nmemref.store %v, %m[] : memref<f32>\n"
    f"{exp('%a', '%x')}scf.yield %a : {T}\n}} else {{\n"
    f"{exp('%b', '%x')}scf.yield %b : {T}\n}}\n{exp('%z', '%r')}return %z : {T}",
)
STORE = main(
    f"%x: {T}, %m: memref<f32>, %v: f32",
    T,
    exp("%y", "%x")
    + "memref.store %v, %m[] : memref<f32>\n"
    + exp("%z", "%y")
    + f"return %z : {T}",
)

SCALE = main(
    f"%s: tensor<f32>, %x: {T}",
    T,
    exp("%a", "%s", "tensor<f32>")
    + "%v = tensor.extract %a[] : tensor<f32>\n"
    + exp("%y", "%x")
    + f"%e = tensor.empty() : {T}\n"
    + f"%f = linalg.fill ins(%v : f32) outs(%e : {T}) -> {T}\n"
    + f"%z = arith.mulf %y, %f : {T}\nreturn %z : {T}",
)


@pytest.mark.parametrize("stage", ["all", "none"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (CALL, "'func.call' (operation 3 of @main) may do more than compute tensors"),
        (BRANCH_AND_STORE, "'%r = scf.if' (operation 1 of @main) may do more than compute tensors"),
        (STORE, "'memref.store' (operation 2 of @main) may do more than compute tensors"),
    ],
)
def test_what_is_not_split_is_named(text: str, why: str, stage: Stage):
    report = refusal(text, "L1=1KiB,DDR", stage)
    assert report.splitlines()[-1] == f"@main is not split: {why}"
    assert "what may help" not in report


@pytest.mark.parametrize("text", [CALL, BRANCH_AND_STORE, STORE])
def test_operands_that_nothing_would_fetch_are_refused(text: str):
    """Before, all was planned without a word, and the engine read its operands off chip."""
    assert "stage=none" in refusal(text, "L1=1MiB,DDR", "all").splitlines()[0]
    assert refused(text, "L1=1MiB,DDR", "none") is None


@pytest.mark.parametrize("text", [CALL, BRANCH_AND_STORE, STORE])
def test_no_capacity_is_named_where_none_would_do(text: str):
    """Before, the report named the bytes of the whole, and with so many it named `stage=none`."""
    report = refusal(text, "L1=1KiB,DDR", "all")
    assert "stage=none" in report.splitlines()[0]
    assert "required" not in report


def test_no_layer_is_named_where_another_function_has_no_tiles():
    """Before, the report named the bytes of a layer, and with so many it named `stage=none`."""
    other = STORE.replace("@main", "@other")
    report = refusal(
        main(f"%x: {T}", T, exp("%y", "%x") + f"return %y : {T}", other), "L1=8,DDR", "all"
    )
    first, second = report.splitlines()
    assert first.startswith("option stage=all: operands are fetched by tiles")
    assert second == (
        "@other is not split: 'memref.store' (operation 2 of @other) may do more than compute "
        "tensors"
    )


def test_the_least_capacity_of_all_ways_to_form_layers_is_named():
    """Before, it was that of the last way, norms in parts: 320 bytes, where 256 are enough."""
    text = (Path(__file__).parents[1] / "data" / "norm_and_softmax.mlir").read_text()
    assert "about 256 bytes would do for this layer;" in refusal(text, "L1=64,DDR", "all")
    assert refused(text, "L1=256,DDR", "all") is None


ARGMAX = main(
    "%x: tensor<16x256xf32>",
    "tensor<16xf32>, tensor<16xi32>",
    """%m = arith.constant -1.0e30 : f32
%n = arith.constant 0 : i32
%e = tensor.empty() : tensor<16xf32>
%k = tensor.empty() : tensor<16xi32>
%f = linalg.fill ins(%m : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
%g = linalg.fill ins(%n : i32) outs(%k : tensor<16xi32>) -> tensor<16xi32>
%r, %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
  affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
  ins(%x : tensor<16x256xf32>) outs(%f, %g : tensor<16xf32>, tensor<16xi32>) {
^bb0(%a: f32, %b: f32, %c: i32):
  %j = linalg.index 1 : index
  %l = arith.index_cast %j : index to i32
  %p = arith.cmpf ogt, %a, %b : f32
  %q = arith.select %p, %a, %b : f32
  %t = arith.select %p, %l, %c : i32
  linalg.yield %q, %t : f32, i32
} -> (tensor<16xf32>, tensor<16xi32>)
return %r, %s : tensor<16xf32>, tensor<16xi32>""",
)


@pytest.mark.parametrize("memory", ["L1=2KiB,DDR", "L1=4KiB,DDR", "L1=20KiB,DDR"])
def test_two_results_are_made_together(memory: str):
    module = parse(ARGMAX)
    inputs = [np.random.default_rng(0).normal(size=(16, 256)).astype(np.float32)]
    MemplanPipelinePass(memory=memory, stage="all").apply(Context(), module)
    for one, other in zip(run(parse(ARGMAX), inputs), run(module, inputs), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("stage", ["all", "none"])
def test_a_scalar_taken_out_of_a_tensor_is_computed_in_tiles(stage: Stage):
    module = parse(SCALE)
    MemplanPipelinePass(memory="L1=1KiB,DDR", stage=stage).apply(Context(), module)
    rng = np.random.default_rng(0)
    inputs = [np.zeros((), np.float32), rng.normal(size=(32, 32)).astype(np.float32)]
    for one, other in zip(run(parse(SCALE), inputs), run(module, inputs), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("shape", [(0, 8), (8, 0)])
def test_tensors_without_elements(shape: tuple[int, int]):
    type_ = f"tensor<{'x'.join(map(str, shape))}xf32>"
    module = parse(main(f"%x: {type_}", type_, exp("%y", "%x", type_) + f"return %y : {type_}"))
    MemplanPipelinePass(memory="L1=1KiB,DDR", stage="all").apply(Context(), module)
    assert sum(arena_bytes(module).values()) == 0
    [found] = run(module, [np.zeros(shape, np.float32)])
    assert found.shape == shape
    assert function_of(module).body.blocks


PADDING_ALONE = main(
    "%x: tensor<4x2x8xf32>, %w: tensor<8x3xf32>",
    "tensor<4x2x3xf32>",
    """%zero = arith.constant 0.0 : f32
%e = tensor.empty() : tensor<4x2x3xf32>
%f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
%y = linalg.generic {indexing_maps = [affine_map<(b, r, f, c) -> (b, r, c)>,
  affine_map<(b, r, f, c) -> (c, f)>, affine_map<(b, r, f, c) -> (b, r, f)>],
  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
  ins(%x, %w : tensor<4x2x8xf32>, tensor<8x3xf32>) outs(%f : tensor<4x2x3xf32>) {
^bb0(%a: f32, %b: f32, %o: f32):
  %m = arith.mulf %a, %b : f32
  %s = arith.addf %o, %m : f32
  linalg.yield %s : f32
} -> tensor<4x2x3xf32>
%p = tensor.pad %y low[0, 1, 0] high[0, 1, 0] {
^bb0(%i: index, %j: index, %k: index):
  tensor.yield %zero : f32
} : tensor<4x2x3xf32> to tensor<4x4x3xf32>
%r = linalg.generic {indexing_maps = [affine_map<(b, r, c) -> (b, 3 * r, c)>,
  affine_map<(b, r, c) -> (b, r, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
  ins(%p : tensor<4x4x3xf32>) outs(%f : tensor<4x2x3xf32>) {
^bb0(%a: f32, %o: f32):
  %s = arith.addf %o, %a : f32
  linalg.yield %s : f32
} -> tensor<4x2x3xf32>
return %r : tensor<4x2x3xf32>""",
)


@pytest.mark.parametrize("stage", ["all", "none"])
def test_results_may_lie_in_padding_alone(stage: Stage):
    """Before, what all tiles were to keep of the arguments was a box of no part: a traceback."""
    module = parse(PADDING_ALONE)
    MemplanPipelinePass(memory="L1=128:align=4,DDR", stage=stage).apply(Context(), module)
    inputs = [np.ones((4, 2, 8), np.float32), np.ones((8, 3), np.float32)]
    [found] = run(module, inputs)
    assert np.array_equal(found, np.zeros((4, 2, 3), np.float32))
    assert np.array_equal(found, run(parse(PADDING_ALONE), inputs)[0])


def looked_up_by(rows: str) -> str:
    """What is read at rows that an expression of loops names."""
    return main(
        f"%x: {T}",
        T,
        exp("%a", "%x")
        + f"""%e = tensor.empty() : {T}
%r = linalg.generic {{
    indexing_maps = [affine_map<(i, j) -> ({rows}, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}} ins(%a : {T}) outs(%e : {T}) {{
^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
}} -> {T}
return %r : {T}""",
    )


BACKWARDS = looked_up_by("31 - i")


def test_what_is_computed_whole_is_named():
    report = refusal(looked_up_by("(i * 3) mod 32"), "L1=1KiB,DDR", "all")
    assert "'%r = linalg.generic' (operation 4 of @main) has no rule for tiles" in report


RUNNING_SUM = f"""
func.func @main(%x: {T}) -> {T} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {T}
  %d = tensor.empty() : tensor<32xf32>
  %y = linalg.exp ins(%x : {T}) outs(%e : {T}) -> {T}
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<32xf32>) -> tensor<32xf32>
  %s, %t = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]}}
      ins(%y : {T}) outs(%e, %f : {T}, tensor<32xf32>) {{
  ^bb0(%a: f32, %old: f32, %sum: f32):
    %q = arith.addf %a, %sum : f32
    linalg.yield %q, %q : f32, f32
  }} -> ({T}, tensor<32xf32>)
  %r = linalg.tanh ins(%s : {T}) outs(%e : {T}) -> {T}
  return %r : {T}
}}
"""
"""The sum so far of each column, whose place nobody reads in the end, takes room as well."""

CHAINS = [feed_forward, attention, residual_block, strided_and_pooled, lookup]


@pytest.mark.parametrize("stage", ["all", "none"])
@pytest.mark.parametrize("text", [BACKWARDS, ARGMAX, RUNNING_SUM, *(p() for p in CHAINS)])
def test_the_smallest_capacity_that_is_named_is_accepted(text: str, stage: Stage):
    capacity = 16
    report: str | None = refusal(text, f"L1={capacity},DDR", stage)
    while report is not None:
        # Where layers fit alone, storages of several may still take more.
        named = re.search(
            r"about (\d+) bytes would do for this layer(?:, about (\d+) for all)?", report
        )
        assert named, report
        assert int(named[1]) > capacity
        capacity = int(named[2] or named[1])
        report = refused(text, f"L1={capacity},DDR", stage)


def test_where_each_layer_fits_alone_what_groups_need_is_named():
    """Before, it was one alignment more than there was, whatever there was, up to 160 bytes."""
    result, turned = "tensor<16x9xf32>", "tensor<9x16xf32>"
    body = exp("%m", "%x", result) + (
        f"%c = tensor.collapse_shape %m [[0, 1]] : {result} into tensor<144xf32>\n"
        f"%e = tensor.empty() : {turned}\n"
        f"%t = linalg.transpose ins(%m : {result}) outs(%e : {turned}) permutation = [1, 0]\n"
        f"%s = tensor.extract_slice %m[3, 2] [5, 4] [1, 1] : {result} to tensor<5x4xf32>\n"
        f"return %m, %c, %t, %s : {result}, tensor<144xf32>, {turned}, tensor<5x4xf32>"
    )
    results = f"{result}, tensor<144xf32>, {turned}, tensor<5x4xf32>"
    text = main(f"%x: {result}", results, body)
    assert "about 160 bytes would do for this layer" in refusal(text, "L1=100:align=4,DDR", "all")
    assert ", about 160 for all" in refusal(text, "L1=4:align=4,DDR", "all")
    assert refused(text, "L1=160:align=4,DDR", "all") is None


@pytest.mark.parametrize("alignment", [4, 64, 4096])
@pytest.mark.parametrize("program", CHAINS)
def test_the_smallest_capacity_is_whole_alignments_and_no_byte_less_does(
    program: Callable[[], str], alignment: int
):
    text, aligned = program(), f":align={alignment}"
    report = refusal(text, f"L1=1{aligned},DDR{aligned}", "all")
    named = re.search(
        r"about (\d+) bytes would do for this layer(?:, about (\d+) for all)?", report
    )
    assert named, report
    smallest = int(named[2] or named[1])
    assert smallest % alignment == 0
    below = f"L1={smallest - 1}{aligned},DDR{aligned}"
    assert "however it is cut" in refusal(text, below, "all")


def test_of_what_takes_one_alignment_no_reason_is_made_up():
    """Before, every tile was said to need all of it."""
    report = refusal(main(f"%x: {T}", T, exp("%y", "%x") + f"return %y : {T}"), "L1=63,DDR", "all")
    assert "about 64 bytes would do" in report
    assert report.endswith("and no part of it would take less than the alignment, 64")


def test_a_refusal_names_what_would_do_for_all_layers():
    """A pixel of the first layer takes less than the window of the second."""
    n = Network()
    text = n.text(n.conv(n.relu(n.conv(n.argument(1, 2, 9, 9), 4, 1)), 4, 7))
    report = refusal(text, "L1=4,DDR", "all")
    named = re.search(r"about (\d+) bytes would do for this layer, about (\d+) for all", report)
    assert named, report
    assert int(named[2]) > int(named[1]) > 4
    assert refused(text, f"L1={named[2]},DDR", "all") is None
    assert refused(text, f"L1={int(named[2]) * 3 // 4},DDR", "all") is not None


def test_a_refusal_speaks_of_the_capacity_that_was_given():
    """Groups are formed again for less room: what is said of that is of no use."""
    pipeline = MemplanPipelinePass(memory="L1=400,DDR", stage="all", planner="naive")
    with pytest.raises(PassFailedException) as error:
        pipeline.apply(Context(), parse(odd_results()))
    report = str(error.value)
    assert "available 400" in report
    assert "however it is cut" not in report


def test_least_peaks_are_compared_with_the_capacity_that_was_given():
    """Some more than there is may turn out to fit: the bytes that were tried are not the memory."""
    module = parse(odd_results())
    MemplanFormLayersPass().apply(Context(), module)
    with pytest.raises(PassFailedException, match=r"and there are 100; objective=traffic"):
        MemplanGroupPass(objective="peak", memory="L1=100,DDR").apply(Context(), module)
